//! The namespaces that kustomizations and Flux Kustomizations give the objects of the files from which they build.
//!
//! A kustomization sets its namespace in all objects that it lists, and the outermost one with a namespace wins (kustomize,
//! api/internal/builtins/NamespaceTransformer.go). Components come before it, the last one first. A Flux Kustomization sets
//! that of its `targetNamespace` in what is at its `path` (kustomize-controller, Generator.WriteFile); without one it builds
//! from the root of its source, which may be any repository. Of a base with several overlays, objects are in the namespaces
//! of all. Names are relative to the working directory, so that a path in a
//! repository is found wherever the program runs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::env;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem::Finder;

use super::kustomization::joined;
use super::{BlockOf, Scan};
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kinds::view;
use manifest::objects::objects_of;
use manifest::source::Source;
use syntax::given::GivenNamespaces;
use syntax::tree::Node;

/// The group of Flux Kustomizations.
const FLUX: &str = "kustomize.toolkit.fluxcd.io/";

/// The fields that list files and directories whose objects are built.
const RESOURCES: [&str; 2] = ["resources", "bases"];

/// The namespaces that objects of a file get, each with the file that gives it; `None` is the one that an object names.
type Names = BTreeMap<Option<Arc<str>>, Arc<str>>;

/// A kustomization, or a Flux Kustomization.
#[derive(Debug)]
struct Builder {
    /// Its file.
    file: Arc<str>,
    /// The namespace that it sets; `None` if it sets none.
    namespace: Option<Arc<str>>,
    /// The files and the directories that it lists.
    resources: Vec<PathBuf>,
    /// The directories of components.
    components: Vec<PathBuf>,
}

impl Builder {
    fn of_kustomization(directory: &Path, file: &str, kustomization: &Node) -> Self {
        let paths = |field: &str| {
            let listed = view::list(kustomization, field).iter().filter_map(Node::as_str);
            listed.map(|path| joined(directory, path)).collect::<Vec<_>>()
        };
        Self {
            file: file.into(),
            namespace: Some(view::text(kustomization, "namespace"))
                .filter(|name| !name.is_empty())
                .map(Arc::from),
            resources: RESOURCES.into_iter().flat_map(paths).collect(),
            components: paths("components"),
        }
    }
}

/// Gives the objects of `sources` their namespaces. `kustomizations` are those among them, each with the name of its file.
/// All files are read for those of Flux, if `with_flux`.
pub fn assign(sources: &mut [Source], kustomizations: &[(Arc<str>, Node)], with_flux: bool) {
    // Asked once: it takes a call of the system.
    let here = env::current_dir().unwrap_or_default();
    let mut builders = Builders::default();
    for (file, kustomization) in kustomizations {
        let path = joined(&here, file);
        let Some(directory) = path.parent() else { continue };
        builders.add(directory, Builder::of_kustomization(directory, file, kustomization));
    }
    if with_flux {
        builders.add_flux(sources, &here);
    }
    if builders.all.iter().all(|builder| builder.namespace.is_none()) {
        return;
    }
    let given = builders.given();
    for source in sources.iter_mut().filter(|source| !source.is_stdin()) {
        let path = joined(&here, &source.name);
        // A directory means all files below it.
        source.given = path.ancestors().find_map(|path| given.get(path)).cloned().flatten();
    }
}

/// Everything that builds from files.
#[derive(Debug, Default)]
struct Builders {
    all: Vec<Builder>,
    /// The kustomizations by their directories.
    at: HashMap<PathBuf, usize>,
    /// The Flux Kustomizations that build from all files below a directory, because it has no kustomization.
    below: HashMap<PathBuf, Vec<usize>>,
}

impl Builders {
    fn add(&mut self, directory: &Path, builder: Builder) {
        self.at.insert(directory.to_owned(), self.all.len());
        self.all.push(builder);
    }

    /// Adds the Flux Kustomizations whose path is in the input.
    fn add_flux(&mut self, sources: &[Source], here: &Path) {
        let found = flux(sources);
        if found.is_empty() {
            return;
        }
        let directories = directories(sources, here);
        for Flux { file, path, namespace } in found {
            let at = joined(here, &file);
            // The path begins at the root of a repository, which is not known: the outermost directory that has it is meant.
            let above: Vec<&Path> = at.ancestors().skip(1).collect();
            let mut roots = above.iter().rev().map(|above| above.join(&path));
            let Some(root) = roots.find(|path| directories.contains(path)) else { continue };
            if !self.at.contains_key(&root) {
                self.below.entry(root.clone()).or_default().push(self.all.len());
            }
            self.all.push(Builder { file, namespace, resources: vec![root], components: Vec::new() });
        }
    }

    /// The namespaces that the objects get, by file, or by the directory of the files; `None` for those of kustomizations
    /// that give none.
    fn given(&self) -> HashMap<PathBuf, Option<Arc<GivenNamespaces>>> {
        let mut found: HashMap<&Path, Names> = HashMap::new();
        for (builder, names) in self.all.iter().zip(self.names()) {
            for path in builder.resources.iter().filter(|path| !self.at.contains_key(*path)) {
                found.entry(path).or_default().extend(names.clone());
            }
        }
        let given = |names: Names| {
            let unnamed = names.contains_key(&None).then_some(DEFAULT_NAMESPACE);
            let named = || names.iter().filter_map(|(name, file)| Some((name.as_ref()?, file)));
            let giver = named().next().map(|(_, file)| file.to_string()).unwrap_or_default();
            let names = named().map(|(name, _)| name.to_string()).collect();
            GivenNamespaces::new(names, unnamed, giver).map(Arc::new)
        };
        let directories = self.at.keys().map(|directory| (directory.clone(), None));
        let listed = found.into_iter().map(|(path, names)| (path.to_owned(), given(names)));
        directories.chain(listed).collect()
    }

    /// What each builder gives to the objects that it lists.
    fn names(&self) -> Vec<Names> {
        let children: Vec<Vec<usize>> = self.children();
        let mut waiting = vec![0_usize; self.all.len()];
        children.iter().flatten().for_each(|child| waiting[*child] += 1);
        // What it gets from those that list it.
        let mut outer: Vec<Names> = vec![Names::new(); self.all.len()];
        let mut inner = vec![Names::new(); self.all.len()];
        let mut ready: Vec<usize> = (0..self.all.len()).filter(|number| waiting[*number] == 0).collect();
        // Kustomizations that list each other cannot be built; they come last, as if nothing listed them.
        let mut rest = 0..self.all.len();
        let mut done = vec![false; self.all.len()];
        while let Some(number) = ready.pop().or_else(|| rest.find(|number| !done[*number])) {
            if std::mem::replace(&mut done[number], true) {
                continue;
            }
            let own = || (self.namespace(number, &mut HashSet::new()), Arc::clone(&self.all[number].file));
            let mut names = std::mem::take(&mut outer[number]);
            if names.is_empty() || names.remove(&None).is_some() {
                names.extend([own()]);
            }
            for child in &children[number] {
                outer[*child].extend(names.clone());
                waiting[*child] -= 1;
                if waiting[*child] == 0 {
                    ready.push(*child);
                }
            }
            inner[number] = names;
        }
        inner
    }

    /// The kustomizations that each builder builds from.
    fn children(&self) -> Vec<Vec<usize>> {
        let listed = |builder: &Builder| {
            let paths = builder.resources.iter().chain(&builder.components);
            paths.filter_map(|path| self.at.get(path).copied()).collect()
        };
        let mut children: Vec<Vec<usize>> = self.all.iter().map(listed).collect();
        for (directory, number) in &self.at {
            // Flux builds from a kustomization as a whole, and not from others below it.
            for above in directory.ancestors().skip(1) {
                if self.at.contains_key(above) {
                    break;
                }
                self.below.get(above).into_iter().flatten().for_each(|flux| children[*flux].push(*number));
            }
        }
        children
    }

    /// The namespace that a builder sets: its own, or else that of its last component with one. `seen` are those that are
    /// asked already.
    fn namespace(&self, number: usize, seen: &mut HashSet<usize>) -> Option<Arc<str>> {
        let builder = &self.all[number];
        if builder.namespace.is_some() || !seen.insert(number) || seen.len() > DEPTH {
            return builder.namespace.clone();
        }
        let components = builder.components.iter().rev().filter_map(|path| self.at.get(path));
        components.into_iter().find_map(|component| self.namespace(*component, seen))
    }
}

/// How many components are followed for a namespace.
const DEPTH: usize = 100;

/// A Flux Kustomization.
struct Flux {
    file: Arc<str>,
    /// Where it builds from, below the root of the repository.
    path: PathBuf,
    namespace: Option<Arc<str>>,
}

/// The Flux Kustomizations in the files.
fn flux(sources: &[Source]) -> Vec<Flux> {
    let is_read = |source: &&Source| !source.named && !source.may_be_archive();
    let files: Vec<Source> = sources.iter().filter(is_read).cloned().collect();
    let group = Finder::new(FLUX);
    let read = |block: BlockOf<'_>| {
        let mut found = Vec::new();
        let Ok((block, source)) = block else { return found };
        if group.find(block.bytes()).is_some() {
            objects_of(&block, source, &mut |object| {
                let Ok(object) = object else { return };
                if object.head.kind != "Kustomization" || !object.head.api_version.starts_with(FLUX) {
                    return;
                }
                let Ok(tree) = object.value() else { return };
                let namespace =
                    Some(view::text(tree, "spec.targetNamespace")).filter(|name| !name.is_empty());
                let path = joined(Path::new(""), view::text(tree, "spec.path").trim_start_matches('/'));
                if !path.as_os_str().is_empty() {
                    let namespace = namespace.map(Arc::from);
                    found.push(Flux { file: Arc::clone(&source.name), path, namespace });
                }
            });
        }
        found
    };
    let mut all = Vec::new();
    Scan::of(&files).blocks(read, |found| {
        all.extend(found);
        ControlFlow::Continue(())
    });
    all
}

/// All directories above the files.
fn directories(sources: &[Source], here: &Path) -> HashSet<PathBuf> {
    let mut found = HashSet::new();
    for source in sources {
        let path = joined(here, &source.name);
        for directory in path.ancestors().skip(1) {
            if !found.insert(directory.to_owned()) {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(name: &str) -> PathBuf {
        joined(&env::current_dir().unwrap_or_default(), name)
    }

    /// The namespaces of objects in a file, one that names none and one that names `own`, given these kustomizations.
    fn given(kustomizations: &[(&str, &str)], file: &str) -> Option<[String; 2]> {
        let mut builders = Builders::default();
        for (path, text) in kustomizations {
            let (path, tree) = (whole(path), testing::tree(text));
            let directory = path.parent().expect("a directory");
            builders.add(directory, Builder::of_kustomization(directory, &path.to_string_lossy(), &tree));
        }
        let given = builders.given().remove(&whole(file)).flatten()?;
        Some([None, Some("own")].map(|own| given.of(own).to_owned()))
    }

    #[track_caller]
    fn check(kustomizations: &[(&str, &str)], file: &str, expected: Option<[&str; 2]>) {
        assert_eq!(given(kustomizations, file), expected.map(|names| names.map(str::to_owned)));
    }

    #[test]
    fn the_outermost_kustomization_with_a_namespace_gives_it() {
        let base = ("base/kustomization.yaml", "{resources: [a.yaml], namespace: inner}");
        let middle = ("middle/kustomization.yaml", "{resources: [../base]}");
        let outer = ("outer/kustomization.yaml", "{bases: [../middle], namespace: outer}");
        check(&[base], "base/a.yaml", Some(["inner", "inner"]));
        check(&[base, middle], "base/a.yaml", Some(["inner", "inner"]));
        check(&[base, middle, outer], "base/a.yaml", Some(["outer", "outer"]));
        check(&[base, middle, outer], "base/b.yaml", None);
        let plain = ("base/kustomization.yaml", "{resources: [a.yaml]}");
        check(&[plain, middle], "base/a.yaml", None);
    }

    #[test]
    fn a_base_is_in_the_namespaces_of_all_overlays() {
        let base = ("base/kustomization.yaml", "{resources: [a.yaml]}");
        let overlay = |at, text| (at, text);
        let b = overlay("b/kustomization.yaml", "{resources: [../base], namespace: b}");
        let a = overlay("a/kustomization.yaml", "{resources: [../base, c.yaml], namespace: a}");
        check(&[base, b, a], "base/a.yaml", Some(["a,b", "a,b"]));
        check(&[base, b, a], "a/c.yaml", Some(["a", "a"]));
        let plain = overlay("c/kustomization.yaml", "{resources: [../base]}");
        check(&[base, a, plain], "base/a.yaml", Some(["default,a", "own,a"]));
    }

    #[test]
    fn components_come_before_the_kustomization_and_the_last_one_wins() {
        let component = |at, text| (at, text);
        let x = component("x/kustomization.yaml", "{kind: Component, namespace: x, resources: [x.yaml]}");
        let y = component("y/kustomization.yaml", "{kind: Component, namespace: y}");
        let with = |text| ("app/kustomization.yaml", text);
        let both = with("{resources: [a.yaml], components: [../x, ../y]}");
        check(&[x, y, both], "app/a.yaml", Some(["y", "y"]));
        let own = with("{resources: [a.yaml], components: [../x], namespace: app}");
        check(&[x, own], "app/a.yaml", Some(["app", "app"]));
        check(&[x, own], "x/x.yaml", Some(["app", "app"]));
    }

    #[test]
    fn kustomizations_that_list_each_other_end() {
        let a = ("a/kustomization.yaml", "{resources: [../b, a.yaml], namespace: a}");
        let b = ("b/kustomization.yaml", "{resources: [../a], components: [../b], namespace: b}");
        assert!(given(&[a, b], "a/a.yaml").is_some());
    }
}
