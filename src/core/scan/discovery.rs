//! Resources that the input defines or uses, found before objects are selected: CustomResourceDefinitions, OpenAPI
//! documents, and, if an argument needs it, the kinds of objects.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use memchr::memmem::{self, Finder};

use crate::scan::{BlockOf, Scan, Skipped, ToolFiles};
use kinds::catalog::{Catalog, openapi};
use kinds::view;
use manifest::document::Document;
use manifest::object::{self, Object};
use manifest::objects::objects;
use manifest::source::Source;
use syntax::error::Error;
use syntax::foreign;
use syntax::gvk::{self, GroupVersionKind};
use syntax::tree::{Node, Value};

const DEFINITION: &str = "CustomResourceDefinition";

/// A key that every definition has, even one whose kind is only given by its path.
const PLURAL: &str = "plural";

/// The kinds of which controllers make definitions: of Crossplane and Gatekeeper.
const COMPOSITE: &str = "CompositeResourceDefinition";
const TEMPLATE: &str = "ConstraintTemplate";

/// The words of which texts that define something have one: each is looked for in the whole input.
pub const DEFINING: [&str; 3] = [PLURAL, TEMPLATE, openapi::SELECTABLE_FIELDS];

/// What a document defines.
enum Lesson {
    /// A CustomResourceDefinition.
    Definition(Node),
    /// An OpenAPI document.
    OpenApi(Node),
}

/// Learns the CustomResourceDefinitions and the OpenAPI documents of `sources`. Definitions that nothing builds do not count
/// beside one of the kind that a kustomization builds. Returns what cannot be read of them; of the input, errors are reported
/// when its objects are read.
pub fn learn_definitions(catalog: &mut Catalog, sources: &[Source]) -> Vec<Error> {
    let (words, mut errors) = (DEFINING.map(Finder::new), Vec::new());
    let learn = |block: BlockOf<'_>| {
        let (mut lessons, mut errors, mut is_built) = (Vec::new(), Vec::new(), false);
        match block {
            // Most blocks have nothing to learn from, and looking at a block as a whole is cheaper than at its documents.
            Ok((block, _)) if words.iter().all(|word| word.find(block.bytes()).is_none()) => (),
            Ok((block, source)) => {
                is_built = source.built.roots.is_some();
                block.documents(source).for_each(|document| match document {
                    Ok(document) => learn_from(document, &mut lessons, &mut errors),
                    Err(error) => errors.push(error),
                });
            }
            Err(error) => errors.push(error),
        }
        (lessons, errors, is_built)
    };
    let (mut built, mut others) = (HashSet::new(), Vec::new());
    let kind_of = |definition: &Node| {
        ["spec.group", "spec.names.kind"].map(|path| view::text(definition, path).to_owned())
    };
    Scan::of(sources).blocks(learn, |(lessons, found, is_built)| {
        for lesson in lessons {
            match lesson {
                Lesson::Definition(definition) if is_built => {
                    built.insert(kind_of(&definition));
                    let _ = catalog.learn_definition(&definition);
                }
                Lesson::Definition(definition) => others.push(definition),
                Lesson::OpenApi(document) => catalog.learn_openapi(&document),
            }
        }
        errors.extend(found);
    });
    for definition in others.iter().filter(|definition| !built.contains(&kind_of(definition))) {
        let _ = catalog.learn_definition(definition);
    }
    errors
}

/// Learns, of files that are not part of the input, the definitions and, for the kinds in the input, the JSON schemas that are
/// called `GROUP/KIND_VERSION.json`. Returns what cannot be read of them.
pub fn learn_schemas(catalog: &mut Catalog, schemas: &[Source], sources: &[Source]) -> Vec<Error> {
    let (named, others): (Vec<&Source>, Vec<&Source>) =
        schemas.iter().partition(|source| schema_of_path(&source.name).is_some());
    let others: Vec<Source> = others.into_iter().cloned().collect();
    let mut errors = learn_definitions(catalog, &others);
    catalog.replace_definitions();
    if named.is_empty() {
        return errors;
    }
    let mut by_type: HashMap<(&str, String, &str), &Source> = HashMap::new();
    named
        .into_iter()
        .for_each(|source| by_type.extend(schema_of_path(&source.name).map(|type_| (type_, source))));
    for (api_version, kind, _) in kinds_of(sources, &Catalog::new()) {
        let type_ = GroupVersionKind::new(&api_version, &kind);
        let Some(source) = by_type.get(&(type_.group, kind.to_lowercase(), type_.version)) else { continue };
        let read = |block: BlockOf<'_>| {
            let (block, source) = block?;
            let document = block.documents(source).next().transpose()?;
            Ok(document.map(object::parse).transpose()?.flatten().map(|parsed| parsed.root))
        };
        Scan::of(std::slice::from_ref(*source)).blocks_as_they_come(read, |schema| {
            match schema {
                None => return ControlFlow::Continue(()),
                Some(Ok(schema)) => schema.into_iter().for_each(|schema| catalog.learn_schema(type_, schema)),
                Some(Err(error)) => errors.push(error),
            }
            ControlFlow::Break(())
        });
    }
    errors
}

/// The group, the kind in lower case and the version whose schema a file has by its path: the layout of kubeconform and the
/// catalogs made for it.
fn schema_of_path(path: &str) -> Option<(&str, String, &str)> {
    let mut steps = path.rsplit(['/', '\\']);
    let (kind, version) = steps.next()?.strip_suffix(".json")?.rsplit_once('_')?;
    let group = steps.next().filter(|group| group.contains('.'))?;
    Some((group, kind.to_lowercase(), version))
}

fn learn_from(document: Document<'_>, lessons: &mut Vec<Lesson>, errors: &mut Vec<Error>) {
    let defines = |object: &Object<'_>| {
        let (group, _) = gvk::split_api_version(object.head.api_version);
        matches!(
            (group, object.head.kind),
            ("apiextensions.k8s.io", DEFINITION)
                | ("apiextensions.crossplane.io", COMPOSITE)
                | ("templates.gatekeeper.sh", TEMPLATE)
        )
    };
    let source = document.source;
    // What is no object is passed over, but a definition may be a template or encrypted.
    let is_other = |error: &Error| {
        let sort = Skipped::of_error(error, source);
        sort.is_some_and(|sort| !matches!(sort, Skipped::Template | Skipped::Encrypted))
    };
    let mentions = |word: &str| memmem::find(document.text, word.as_bytes()).is_some();
    let is_told = || {
        let told = (document.source.type_of_path)(&document.source.name);
        told.is_some_and(|(_, kind)| kind == DEFINITION)
    };
    // Looking for a plural is cheaper than looking at the path of each document.
    if [DEFINITION, COMPOSITE, TEMPLATE].into_iter().any(mentions) || mentions(PLURAL) && is_told() {
        objects(document, &mut |object| {
            let tree = match object {
                Ok(object) if defines(object) => object.tree(),
                Ok(_) => return,
                Err(error) if is_other(&error) => return,
                Err(error) => Err(error),
            };
            match tree {
                Ok(tree) => lessons.extend(definitions(tree).into_iter().map(Lesson::Definition)),
                Err(error) => errors.push(error),
            }
        });
    }
    if mentions(openapi::SELECTABLE_FIELDS)
        && let Ok(Some(parsed)) = object::parse(document)
        && foreign::is_openapi(&parsed.root)
    {
        lessons.push(Lesson::OpenApi(parsed.root));
    }
}

/// The definition that an object is, or those that a controller makes of it: of a composite resource and its claims (crossplane,
/// internal/xcrd, ForCompositeResource), or of a constraint (open-policy-agent/frameworks, constraint/pkg/client/crds, CreateCRD). Their
/// schemas are left out, since the controller adds fields.
fn definitions(tree: &Node) -> Vec<Node> {
    let made = |group: &str, names: Node, scope: &str, versions: &[&str]| {
        let version =
            |name: &&str| Node::map([("name", Node::text(name)), ("served", Node::new(Value::Bool(true)))]);
        let versions = Node::new(Value::Seq(versions.iter().map(version).collect()));
        let group = ("group", Node::text(group));
        let spec = [group, ("names", names), ("scope", Node::text(scope)), ("versions", versions)];
        Node::map([("spec", Node::map(spec))])
    };
    let text = |path| view::text(tree, path);
    match text("kind") {
        COMPOSITE => {
            let served =
                view::list(tree, "spec.versions").iter().filter(|version| view::bool(version, "served"));
            let versions: Vec<&str> = served.map(|version| view::text(version, "name")).collect();
            let scope = match (text("spec.scope"), text("apiVersion").rsplit('/').next()) {
                ("Namespaced", _) | ("", Some("v2")) => "Namespaced",
                _ => "Cluster",
            };
            let both = [("spec.names", scope), ("spec.claimNames", "Namespaced")].into_iter();
            let both = both.filter_map(|(path, scope)| Some((tree.at(path)?.clone(), scope)));
            both.map(|(names, scope)| made(text("spec.group"), names, scope, &versions)).collect()
        }
        TEMPLATE => {
            let kind = text("spec.crd.spec.names.kind");
            let names = [("kind", Node::text(kind)), ("plural", Node::text(&kind.to_lowercase()))];
            vec![made("constraints.gatekeeper.sh", Node::map(names), "Cluster", &["v1beta1", "v1alpha1"])]
        }
        _ => vec![tree.clone()],
    }
}

/// Learns the kinds of the objects of `sources`, so that a TYPE can be a kind without a definition.
pub fn learn_kinds(catalog: &mut Catalog, sources: &[Source]) {
    for (api_version, kind, namespaced) in kinds_of(sources, catalog) {
        catalog.learn_kind(&api_version, &kind, namespaced);
    }
}

/// The kinds of the objects of `sources` that are not known, each with its scope, in the order of the input.
fn kinds_of(sources: &[Source], known: &Catalog) -> Vec<(String, String, bool)> {
    let (mut all, mut seen) = (Vec::new(), HashSet::new());
    let visit = |object: &Object<'_>, kinds: &mut Vec<(String, String, bool)>| {
        let head = object.head;
        let is_last =
            kinds.last().is_some_and(|(version, kind, _)| version == head.api_version && kind == head.kind);
        if !is_last && !known.has(head.api_version, head.kind) {
            let namespaced = !head.is_cluster_scoped();
            kinds.push((head.api_version.to_owned(), head.kind.to_owned(), namespaced));
        }
    };
    Scan::of(sources).tool_files(ToolFiles::Kept).objects(visit, |kinds| {
        all.extend(
            kinds.into_iter().filter(|(version, kind, _)| seen.insert((version.clone(), kind.clone()))),
        );
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: shops.example.com}\n\
        spec:\n  group: example.com\n  names: {kind: Shop, plural: shops}\n  scope: Cluster\n  \
        versions: [{name: v1, served: true, storage: true}]\n";

    /// The scopes of the kinds `Shop` and `Stall` after learning from streams; `None` for an unknown kind.
    fn learn<T>(learn: fn(&mut Catalog, &[Source]) -> T, streams: &[&str]) -> [Option<bool>; 2] {
        let sources: Vec<Source> =
            streams.iter().map(|stream| Source::memory("s", stream.as_bytes())).collect();
        let mut catalog = Catalog::new();
        learn(&mut catalog, &sources);
        ["Shop", "Stall"]
            .map(|kind| catalog.of("example.com/v1", kind).map(|resource| resource.is_namespaced()))
    }

    #[test]
    fn definitions_are_learnt_wherever_they_stand() {
        assert_eq!(learn(learn_definitions, &["kind: Pod\n", DEFINITION]), [Some(false), None]);
        let list =
            format!("kind: List\napiVersion: v1\nitems:\n- {}", DEFINITION.trim_end().replace('\n', "\n  "));
        assert_eq!(learn(learn_definitions, &[&list]), [Some(false), None]);
    }

    #[test]
    fn what_controllers_make_definitions_of_defines_kinds() {
        let composite = "apiVersion: apiextensions.crossplane.io/v1\nkind: CompositeResourceDefinition\nspec: {group: example.com, names: \
                         {kind: Shop, plural: shops}, claimNames: {kind: Stall, plural: stalls}, versions: [{name: v1, served: true}]}\n";
        assert_eq!(learn(learn_definitions, &[composite]), [Some(false), Some(true)]);
        let namespaced = composite.replace("crossplane.io/v1", "crossplane.io/v2");
        assert_eq!(learn(learn_definitions, &[&namespaced])[0], Some(true));
        let template = "apiVersion: templates.gatekeeper.sh/v1\nkind: ConstraintTemplate\nspec: {crd: {spec: {names: {kind: NeedLabels}}}}\n";
        let mut catalog = Catalog::new();
        learn_definitions(&mut catalog, &[Source::memory("s", template.as_bytes())]);
        let constraint = catalog.of("constraints.gatekeeper.sh/v1beta1", "NeedLabels").unwrap();
        assert_eq!((constraint.plural(), constraint.is_namespaced()), ("needlabels", false));
    }

    #[test]
    fn a_definition_of_another_group_defines_nothing() {
        let other = DEFINITION.replace("apiextensions.k8s.io", "example.com");
        assert_eq!(learn(learn_definitions, &[&other]), [None, None]);
    }

    #[test]
    fn what_is_broken_is_returned_and_hides_nothing() {
        let broken = format!("kind: CustomResourceDefinition\nspec: {{\n---\n- a\n---\n{DEFINITION}");
        assert_eq!(learn(learn_definitions, &[&broken]), [Some(false), None]);
        let sources = [Source::memory("s", broken.as_bytes())];
        assert_eq!(learn_definitions(&mut Catalog::new(), &sources).len(), 1);
    }

    #[test]
    fn kinds_that_nothing_defines_are_learnt_from_their_objects() {
        let objects = "apiVersion: example.com/v1\nkind: Stall\n---\napiVersion: v1\nkind: Pod\n";
        assert_eq!(learn(learn_kinds, &[objects]), [None, Some(true)]);
        assert_eq!(learn(learn_definitions, &[objects]), [None, None]);
    }
}
