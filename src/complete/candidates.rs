//! The candidates for each argument.
//!
//! A candidate is the whole text of its argument, even if only the last part of a list is being typed: `pods,dep` is
//! completed to `pods,deployments`. Without files, there are no names and labels to offer.

use super::candidate::{Answer, Candidate, is_harmless};
use super::line::{At, CommandLine};
use super::paths::{self, FieldSource, Typed};
use super::typed_files::{KnownObject, TypedFiles};
use crate::cli::topics::TOPICS;
use change::image;
use change::labels::is_pair;
use clap::ValueHint;
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kinds::catalog::{Catalog, Resource, fields, grammar};
use kinds::release::Release;
use kselect_core::check;
use kselect_core::output;
use kselect_core::relation::via;
use manifest::object::Object;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use syntax::gvk;
use syntax::tree::Node;
use text::plural;

/// The maximum number of objects whose body is parsed, for annotations and the values of fields.
const PARSED: usize = 1_000;

/// Gives the candidates of an argument.
type Completer = fn(&Query<'_>) -> Vec<Candidate>;

/// The arguments whose candidates are not in clap's definition, by their ids.
const COMPLETERS: &[(&str, Completer)] = &[
    ("resources", resources),
    ("arguments", resources_and_changes),
    ("changes", resources_and_settings),
    ("selector", label_selector),
    ("namespace", namespaces),
    ("field_selector", field_selector),
    ("label_columns", label_columns),
    ("by", counted_by),
    ("name", all_names),
    ("ignore", ignored),
    ("exclude", excluded),
    ("pod", |query| names(query, "pods")),
    ("via", ties),
    ("disable", rules),
    ("kubernetes", |_| words(Release::known().map(|release| release.to_string()))),
    ("only", rules),
    ("api_group", api_groups),
    ("categories", categories),
    ("output", formats),
    ("sort_by", orders),
    ("sum", sums),
    ("types", |_| words(["Normal", "Warning"])),
    ("as_of", |_| words(["dump", "newest", "now"])),
    ("expressions", expressions),
    ("sort", |_| words(["strategic", "merge", "json"])),
    ("dry_run", |_| words(["client", "none"])),
];

/// The context of a completion.
struct Query<'q> {
    line: &'q CommandLine<'q>,
    /// The text of the argument before the cursor.
    text: &'q str,
    input: OnceCell<TypedFiles>,
}

/// The candidates for the text at the cursor.
pub fn answer(line: &CommandLine<'_>) -> Answer {
    let query = |text| Query { line, text, input: OnceCell::new() };
    match &line.at {
        At::Flag(_) => Answer::Words(flags(line)),
        At::Word(_) if line.command.has_subcommands() => Answer::Words(commands(line)),
        At::Word(text) => {
            let mut arguments = line.command.get_positionals();
            let argument = arguments.nth(line.positionals.len()).or_else(|| {
                // The last positional argument takes all further ones if it takes several.
                line.command
                    .get_positionals()
                    .last()
                    .filter(|last| last.get_num_args().is_some_and(|range| range.max_values() > 1))
            });
            argument.map_or(Answer::Words(Vec::new()), |argument| values(argument, &query(text)))
        }
        At::Value { flag, text, .. } => values(flag, &query(text)),
    }
}

fn values(argument: &clap::Arg, query: &Query<'_>) -> Answer {
    let id = argument.get_id().as_str();
    if is_path(argument) {
        return Answer::Paths;
    }
    if is_called(argument, "TYPE/NAME") {
        return Answer::Words(reference(query));
    }
    // A switch also takes a boolean, for which clap accepts more values than kubectl.
    let is_truth = !argument.get_action().takes_values() || is_called(argument, "BOOL");
    let possible: Vec<Candidate> = if is_truth {
        words(["true", "false"])
    } else {
        let values = argument.get_possible_values();
        let shown = values.iter().filter(|value| !value.is_hide_set());
        shown.map(|value| Candidate::new(value.get_name(), help(value.get_help()))).collect()
    };
    if !possible.is_empty() {
        return Answer::Words(possible);
    }
    let completer = COMPLETERS.iter().find(|(known, _)| *known == id);
    Answer::Words(completer.map_or(Vec::new(), |(_, candidates)| candidates(query)))
}

/// Whether the argument is a file or a directory, which the shell completes.
fn is_path(argument: &clap::Arg) -> bool {
    matches!(argument.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath)
}

fn is_called(argument: &clap::Arg, name: &str) -> bool {
    argument.get_value_names().is_some_and(|names| names == [name])
}

fn help(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

fn commands(line: &CommandLine<'_>) -> Vec<Candidate> {
    let commands = line.command.get_subcommands().filter(|command| !command.is_hide_set());
    let commands = commands.map(|command| Candidate::new(command.get_name(), help(command.get_about())));
    let is_help = line.command.get_name() == "help";
    let topics = TOPICS.iter().filter(|_| is_help).map(|topic| Candidate::new(topic.name, topic.summary));
    commands.chain(topics).collect()
}

/// The long flags, and short flags without a long form.
fn flags(line: &CommandLine<'_>) -> Vec<Candidate> {
    let flags = line.command.get_arguments().filter(|flag| !flag.is_positional() && !flag.is_hide_set());
    let named = flags.filter_map(|flag| {
        let name = match flag.get_long() {
            Some(long) => format!("--{long}"),
            None => format!("-{}", flag.get_short()?),
        };
        Some(Candidate::new(name, help(flag.get_help())))
    });
    named.collect()
}

/// Candidates that need no explanation.
fn words<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Vec<Candidate> {
    texts.into_iter().map(|text| Candidate::new(text, "")).collect()
}

/// Splits off the last part of a comma-separated list.
fn last_part(text: &str) -> (&str, &str) {
    text.split_at(text.rfind(',').map_or(0, |comma| comma + 1))
}

/// The candidates, prefixed with `before`.
fn with_prefix(before: &str, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let candidates = candidates.into_iter();
    candidates
        .map(|candidate| Candidate { text: format!("{before}{}", candidate.text), ..candidate })
        .collect()
}

/// The candidates, prefixed with `before`, without those that `before` contains.
fn with_list_prefix(before: &str, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let listed: HashSet<&str> = before.split(',').collect();
    candidates.retain(|candidate| !listed.contains(candidate.text.as_str()));
    with_prefix(before, candidates)
}

/// Candidates with the number of objects that have them.
fn counted(counts: BTreeMap<String, usize>) -> Vec<Candidate> {
    let harmless = counts.into_iter().filter(|(text, _)| is_harmless(text));
    harmless.map(|(text, count)| Candidate::new(text, plural::counted(count, "object"))).collect()
}

fn count<T: Into<String>>(texts: impl Iterator<Item = T>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text.into()).or_default() += 1);
    counts
}

impl Query<'_> {
    fn input(&self) -> &TypedFiles {
        self.input.get_or_init(|| TypedFiles::read(self.line))
    }

    /// The TYPEs of `TYPE[,TYPE]... NAME...` before the cursor, if there are any.
    fn listed_types(&self) -> Option<&str> {
        let first = self.resource_arguments().first().map(String::as_str);
        first.filter(|list| !list.contains('/') && !is_pair(list))
    }

    /// The arguments before the cursor that may name resources; `set` says first what it sets.
    fn resource_arguments(&self) -> &[String] {
        let positionals = &self.line.positionals;
        positionals.get(usize::from(self.line.command.get_name() == "set")..).unwrap_or_default()
    }

    /// The namespace of `-n`, unless `-A` selects all of them.
    fn namespace(&self) -> Option<&str> {
        let namespace = self.line.values("namespace").last().filter(|namespace| !namespace.is_empty());
        namespace.filter(|_| !self.line.is_set("all_namespaces"))
    }

    /// The resources of `list`; empty if it is invalid.
    fn resources(&self, list: &str) -> (Vec<Resource>, Catalog) {
        let catalog = self.input().catalog(Some(list));
        let requests = grammar::types(&catalog, list).unwrap_or_default();
        (requests.into_iter().map(|request| request.resource).collect(), catalog)
    }

    /// The objects of the TYPEs in `list`, or of all types, in the namespace of `-n`.
    fn objects(&self, list: Option<&str>) -> Vec<KnownObject> {
        let mut objects = self.input().objects();
        objects.retain(|object| object.is_in(self.namespace()));
        if let Some(list) = list {
            let (resources, catalog) = self.resources(list);
            objects.retain(|object| resources.iter().any(|resource| object.is_of(resource, &catalog)));
        }
        objects
    }

    /// The resources of the TYPEs before the cursor, if there are any.
    fn listed_resources(&self) -> (Vec<Resource>, Catalog) {
        match self.listed_types() {
            Some(list) => self.resources(list),
            None => (Vec::new(), self.input().catalog(None)),
        }
    }

    /// The results of `of` for the bodies of the first objects of the TYPEs before the cursor.
    fn parsed(&self, of: impl Fn(&Node, &Object<'_>, &Catalog) -> Vec<String> + Sync) -> Vec<String> {
        let (resources, catalog) = self.listed_resources();
        let count = AtomicUsize::new(0);
        let found = self.input().each(|object| {
            let resource = catalog.of(object.head.api_version, object.head.kind)?;
            let wanted = resources.is_empty() || resources.contains(resource);
            let parse = wanted && count.fetch_add(1, Ordering::Relaxed) < PARSED;
            let tree = parse.then(|| object.value().ok()).flatten()?;
            Some(of(tree, object, &catalog))
        });
        found.concat()
    }
}

/// `TYPE[,TYPE]... [NAME...]` or `TYPE/NAME...`.
fn resources(query: &Query<'_>) -> Vec<Candidate> {
    let arguments = query.resource_arguments();
    if let Some((list, _)) = query.text.split_once('/') {
        return with_prefix(&format!("{list}/"), names(query, list));
    }
    match arguments.first() {
        None => types(query, query.text, ""),
        Some(first) if first.contains('/') => types(query, query.text, "/"),
        Some(list) => {
            let listed: HashSet<&str> = arguments[1..].iter().map(String::as_str).collect();
            let names = names(query, list).into_iter();
            names.filter(|name| !listed.contains(name.text.as_str())).collect()
        }
    }
}

/// The TYPEs that occur in the files, or are defined there; all known ones if none of these begins like the text or no
/// file is named. Short names are offered only if some text has been typed.
fn types(query: &Query<'_>, text: &str, end: &str) -> Vec<Candidate> {
    let (before, typed) = last_part(text);
    let input = query.input();
    let catalog = input.catalog(None);
    let resources = catalog.resources().filter(|resource| !resource.is_configuration());
    let mut counts: Vec<(&Resource, usize)> = resources.map(|resource| (resource, 0)).collect();
    for object in input.objects() {
        if let Some(resource) = catalog.of(&object.api_version, &object.kind)
            && let Some((_, count)) = counts.iter_mut().find(|(known, _)| *known == resource)
        {
            *count += 1;
        }
    }
    let all = named(&counts, typed, end);
    counts.retain(|(resource, count)| *count > 0 || resource.definition().is_some());
    let present = named(&counts, typed, end);
    let begins = |candidate: &Candidate| candidate.text.starts_with(typed);
    let candidates = if present.iter().any(begins) { present } else { all };
    with_list_prefix(before, candidates)
}

/// The names of resources and of categories: plurals, qualified by group if an earlier resource has the same name. With
/// an `end`, they are part of TYPE/NAME, where categories are not allowed.
fn named(counts: &[(&Resource, usize)], typed: &str, end: &str) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut plurals = HashSet::new();
    let mut all_categories = BTreeMap::new();
    let counted = |count| match count {
        0 => String::new(),
        _ => format!(", {}", plural::counted(count, "object")),
    };
    for (resource, count) in counts {
        let plural = match plurals.insert(resource.plural()) {
            true => resource.plural().to_owned(),
            false => resource.qualified(),
        };
        let counted = counted(*count);
        let short_names: Vec<&str> = resource.short_names().collect();
        let short = if short_names.is_empty() { "".into() } else { format!(" ({})", short_names.join(", ")) };
        if !typed.is_empty() {
            let help = format!("{plural}{counted}");
            candidates.extend(short_names.iter().map(|name| Candidate::new(*name, help.clone())));
        }
        candidates.push(Candidate::new(plural, format!("{}{short}{counted}", resource.kind())));
        resource.categories().for_each(|name| *all_categories.entry(name).or_insert(0) += count);
    }
    let categories = all_categories.into_iter();
    let categories =
        categories.map(|(name, count)| Candidate::new(name, format!("category{}", counted(count))));
    candidates.extend(categories.filter(|_| end.is_empty()));
    candidates.retain(|candidate| is_harmless(&candidate.text));
    let candidates = candidates.into_iter();
    candidates.map(|Candidate { text, help }| Candidate { text: text + end, help }).collect()
}

/// The names of the objects with these TYPEs, with their namespaces.
fn names(query: &Query<'_>, list: &str) -> Vec<Candidate> {
    let mut namespaces: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for object in query.objects(Some(list)) {
        namespaces.entry(object.name).or_default().extend(object.namespace);
    }
    let names = namespaces.into_iter().filter(|(name, _)| is_harmless(name) && !name.contains('/'));
    let joined = |namespaces: BTreeSet<String>| namespaces.into_iter().collect::<Vec<_>>().join(", ");
    names.map(|(name, namespaces)| Candidate::new(name, joined(namespaces))).collect()
}

/// TYPE, NAME, KEY=VAL and KEY-, for `label` and `annotate`.
fn resources_and_changes(query: &Query<'_>) -> Vec<Candidate> {
    resources_and_pairs(query, is_pair, pairs(query), &["=", "-"])
}

/// What follows the first argument of `set`: TYPE and NAME, and for `set image` CONTAINER=IMAGE: the containers in the
/// input, and their images.
fn resources_and_settings(query: &Query<'_>) -> Vec<Candidate> {
    if query.line.positionals.first().is_none_or(|what| what != "image") {
        return resources(query);
    }
    let found = query.parsed(|tree, _, _| containers(tree));
    let pairs = found.iter().filter_map(|pair| pair.split_once('='));
    let pairs = pairs.map(|(name, image)| (name.to_owned(), image.to_owned())).collect();
    resources_and_pairs(query, image::is_pair, pairs, &["="])
}

/// TYPE and NAME, and the keys of `pairs`, which one of `ends` follows, or the values of the key that is typed; `*` is any key.
fn resources_and_pairs(
    query: &Query<'_>,
    is_pair: fn(&str) -> bool,
    pairs: Vec<(String, String)>,
    ends: &[&str],
) -> Vec<Candidate> {
    if let Some((key, _)) = query.text.split_once('=') {
        let values = pairs.into_iter().filter(|(other, _)| key == "*" || other == key);
        return with_prefix(&format!("{key}="), counted(count(values.map(|(_, value)| value))));
    }
    // After the first change, no more names are allowed.
    let changes = query.line.positionals.iter().any(|argument| is_pair(argument));
    let mut candidates = if changes { Vec::new() } else { resources(query) };
    for Candidate { text, help } in counted(count(pairs.into_iter().map(|(key, _)| key))) {
        candidates.extend(ends.iter().map(|end| Candidate::new(format!("{text}{end}"), help.clone())));
    }
    candidates
}

/// The containers in an object: `NAME=IMAGE`.
fn containers(node: &Node) -> Vec<String> {
    let text = |key| node.get(key).and_then(Node::as_str);
    let own = text("name").zip(text("image")).map(|(name, image)| format!("{name}={image}"));
    own.into_iter().chain(node.children().flat_map(|(_, value)| containers(value))).collect()
}

/// The labels of the selected objects, or the annotations if the command changes these; for annotations only the keys,
/// because their values can be anything.
fn pairs(query: &Query<'_>) -> Vec<(String, String)> {
    if query.line.command.get_name() != "annotate" {
        return labels(query).collect();
    }
    let keys = query.parsed(|tree, _, _| {
        let annotations = tree.at("metadata.annotations").and_then(Node::as_map);
        annotations.into_iter().flat_map(|map| map.iter()).map(|entry| entry.key.to_string()).collect()
    });
    keys.into_iter().map(|key| (key, String::new())).collect()
}

/// The labels of the selected objects.
fn labels(query: &Query<'_>) -> impl Iterator<Item = (String, String)> {
    query.objects(query.listed_types()).into_iter().flat_map(|object| object.labels)
}

/// The keys of labels, with the number of objects that have them.
fn label_keys(query: &Query<'_>) -> Vec<Candidate> {
    counted(count(labels(query).map(|(key, _)| key)))
}

fn label_columns(query: &Query<'_>) -> Vec<Candidate> {
    with_list_prefix(last_part(query.text).0, label_keys(query))
}

/// The requirement at the end of a selector: `KEY=VALUE`, `KEY in (VALUE,...`, `!KEY`.
fn label_selector(query: &Query<'_>) -> Vec<Candidate> {
    let text = query.text;
    let values = |key: &str, from: usize, listed: &[&str]| {
        let from = text.len() - text[from..].trim_start().len();
        let of_key = labels(query).filter(|(other, _)| other == key);
        let mut values = counted(count(of_key.map(|(_, value)| value)));
        values.retain(|value| !listed.contains(&value.text.as_str()));
        with_prefix(&text[..from], values)
    };
    let open = text.rfind('(').filter(|open| !text[*open..].contains(')'));
    let start = text[..open.unwrap_or(text.len())].rfind(',').map_or(0, |comma| comma + 1);
    let start = text.len() - text[start..].trim_start().len();
    let requirement = &text[start..];
    if let Some(open) = open {
        let key = requirement.split([' ', '(']).next().unwrap_or_default();
        let from = text.rfind(['(', ',']).map_or(open, |separator| separator + 1);
        let listed: Vec<&str> = text[open + 1..from].split(',').map(str::trim).collect();
        values(key, from, &listed)
    } else if let Some(equals) = requirement.find('=') {
        let key = requirement[..equals].trim_end_matches('!').trim_end();
        let operator = requirement[equals..].chars().take_while(|c| *c == '=').count();
        values(key, start + equals + operator, &[])
    } else if requirement.starts_with('!') {
        with_prefix(&text[..start + 1], label_keys(query))
    } else {
        let keys = label_keys(query).into_iter();
        let keys = keys.map(|Candidate { text, help }| Candidate { text: text + "=", help });
        with_prefix(&text[..start], keys.collect())
    }
}

/// The names of all objects, with the number of objects that have them.
fn all_names(query: &Query<'_>) -> Vec<Candidate> {
    let names = query.input().objects().into_iter().map(|object| object.name);
    counted(count(names.filter(|name| !name.is_empty())))
}

/// The labels and paths that a diff can ignore.
fn ignored(query: &Query<'_>) -> Vec<Candidate> {
    let mut candidates = with_prefix("label:", label_keys(query));
    candidates.extend(json_path(query, "", query.text));
    candidates
}

/// The namespaces of objects, including the default for those without one, and those defined in the files.
fn namespaces(query: &Query<'_>) -> Vec<Candidate> {
    let catalog = query.input().catalog(None);
    let mut counts = BTreeMap::new();
    for object in query.input().objects() {
        let resource = catalog.of(&object.api_version, &object.kind);
        if resource.is_some_and(|resource| resource.group().is_empty() && resource.kind() == "Namespace") {
            counts.entry(object.name).or_insert(0);
        } else if let Some(namespace) = object.namespace {
            *counts.entry(namespace).or_default() += 1;
        } else if resource.is_some_and(|resource| resource.is_namespaced() && !resource.is_configuration()) {
            *counts.entry(DEFAULT_NAMESPACE.to_owned()).or_default() += 1;
        }
    }
    with_list_prefix(last_part(query.text).0, counted(counts))
}

/// `FIELD=VALUE`, with the fields that the TYPEs support.
fn field_selector(query: &Query<'_>) -> Vec<Candidate> {
    let (before, typed) = last_part(query.text);
    let Some(equals) = typed.find('=') else {
        let resources = match query.listed_types() {
            Some(list) => query.resources(list).0,
            None => {
                let catalog = query.input().catalog(None);
                let objects = query.objects(None);
                let resources = catalog.resources();
                let asked = |resource: &&Resource| {
                    objects.is_empty() || objects.iter().any(|object| object.is_of(resource, &catalog))
                };
                resources.filter(asked).cloned().collect()
            }
        };
        let labels = resources.iter().flat_map(|resource| {
            let version = resource.versions().next().unwrap_or_default();
            fields::supported(resource, version)
        });
        let labels = labels.filter(|label| is_harmless(label));
        return with_prefix(before, words(labels.map(|label| format!("{label}="))));
    };
    let field = typed[..equals].trim_end_matches('!');
    let operator = typed[equals..].chars().take_while(|c| *c == '=').count();
    let values = query.parsed(|tree, object, catalog| {
        let head = object.head;
        let resource = catalog.of(head.api_version, head.kind);
        let value = resource.map(|resource| {
            let namespace = head.namespace.or(query.line.values("namespace").last()).unwrap_or("default");
            let version = head.api_version.rsplit('/').next().unwrap_or_default();
            match fields::check(resource, version, field) {
                Ok(field) => fields::value(resource, field, tree, namespace).into_owned(),
                Err(_) => String::new(),
            }
        });
        value.into_iter().collect()
    });
    let from = before.len() + equals + operator;
    with_prefix(&query.text[..from], counted(count(values.into_iter())))
}

fn excluded(query: &Query<'_>) -> Vec<Candidate> {
    let (before, typed) = last_part(query.text);
    match typed.split_once('/') {
        Some((list, _)) => with_prefix(&format!("{before}{list}/"), names(query, list)),
        None => types(query, query.text, ""),
    }
}

/// `[NAMESPACE/]TYPE/NAME`.
fn reference(query: &Query<'_>) -> Vec<Candidate> {
    let in_namespace = |namespace: &str, list: &str| {
        let objects = query.objects(Some(list)).into_iter();
        let objects = objects.filter(|object| object.is_in(Some(namespace)));
        let names = count(objects.map(|object| object.name).filter(|name| !name.contains('/')));
        words(names.into_keys().filter(|name| is_harmless(name)))
    };
    match query.text.split('/').collect::<Vec<_>>()[..] {
        [_] => types(query, query.text, "/"),
        [first, typed] => match query.resources(first).0.is_empty() {
            true => with_prefix(&format!("{first}/"), types(query, typed, "/")),
            false => with_prefix(&format!("{first}/"), names(query, first)),
        },
        [namespace, list, _] => with_prefix(&format!("{namespace}/{list}/"), in_namespace(namespace, list)),
        _ => Vec::new(),
    }
}

/// The fields by which objects of the kinds that occur in the files select others or refer to them.
fn ties(query: &Query<'_>) -> Vec<Candidate> {
    let (input, catalog) = (query.input(), query.input().catalog(None));
    let objects = input.objects();
    let resources = objects.iter().filter_map(|object| catalog.of(&object.api_version, &object.kind));
    let kinds: HashSet<_> = resources
        .map(|resource| (gvk::successor(resource.group(), resource.kind()), resource.kind()))
        .collect();
    let fields: BTreeSet<String> =
        kinds.into_iter().flat_map(|(group, kind)| via::fields(group, kind)).collect();
    with_list_prefix(last_part(query.text).0, words(fields))
}

fn rules(query: &Query<'_>) -> Vec<Candidate> {
    let rules = check::all_rules().map(|rule| Candidate::new(rule.id, rule.help()));
    with_list_prefix(last_part(query.text).0, rules.collect())
}

fn api_groups(query: &Query<'_>) -> Vec<Candidate> {
    let catalog = query.input().catalog(None);
    let groups = count(catalog.resources().map(Resource::group)).into_keys();
    words(groups.filter(|group| is_harmless(group)))
}

fn categories(query: &Query<'_>) -> Vec<Candidate> {
    let catalog = query.input().catalog(None);
    let categories = count(catalog.resources().flat_map(Resource::categories)).into_keys();
    with_list_prefix(last_part(query.text).0, words(categories.filter(|name| is_harmless(name))))
}

/// The formats of `get`, and of `label` and `annotate`, which print objects only.
fn formats(query: &Query<'_>) -> Vec<Candidate> {
    if let Some((format, text)) = query.text.split_once('=') {
        return template(query, format, text);
    }
    let is_get = query.line.command.get_name() == "get";
    let formats = output::names().filter(|(name, _)| is_get || output::prints_objects(name));
    words(formats.map(|(name, template)| format!("{name}{}", if template { "=" } else { "" })))
}

/// The keys to count by, including labels of the input.
fn counted_by(query: &Query<'_>) -> Vec<Candidate> {
    let keys = [("kind", "Kinds"), ("namespace", "Namespaces"), ("image", "Images"), ("source", "Files")];
    let mut keys: Vec<Candidate> = keys.map(|(key, help)| Candidate::new(key, help)).into();
    keys.extend(with_prefix("label:", label_keys(query)));
    listed_or_path(query, keys)
}

/// What is added up: resources of pods, and paths if one is begun.
fn sums(query: &Query<'_>) -> Vec<Candidate> {
    listed_or_path(query, words(["requests.cpu", "requests.memory", "limits.cpu", "limits.memory"]))
}

/// These candidates for a part of a list, and those of a path if one is begun.
fn listed_or_path(query: &Query<'_>, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let (before, typed) = last_part(query.text);
    let mut candidates = with_list_prefix(before, candidates);
    if typed.starts_with('.') {
        candidates.extend(json_path(query, before, typed));
    }
    candidates
}

/// Common sort orders, and paths if some text has been typed.
fn orders(query: &Query<'_>) -> Vec<Candidate> {
    let orders =
        [".kind", ".metadata.creationTimestamp", ".metadata.name", ".metadata.namespace", "AGE", "NAME"];
    let mut candidates = words(orders);
    if !query.text.is_empty() {
        candidates.extend(json_path(query, "", query.text));
    }
    candidates
}

/// The path at the end of an expression.
fn expressions(query: &Query<'_>) -> Vec<Candidate> {
    let Some(path) = Typed::expression(query.text) else { return Vec::new() };
    let before = &query.text[..path.start];
    let is_root = path.is_first() && !before.ends_with('.');
    with_prefix(before, if is_root { paths::roots() } else { field_names(query, &path) })
}

/// The JSONPath at the end of `typed`, which follows `before`.
fn json_path(query: &Query<'_>, before: &str, typed: &str) -> Vec<Candidate> {
    let Some(path) = Typed::json_path(typed) else { return Vec::new() };
    with_prefix(&format!("{before}{}", with_dot(&typed[..path.start])), field_names(query, &path))
}

/// The text before a name in a path, which begins with a dot.
fn with_dot(start: &str) -> String {
    if start.ends_with('.') { start.to_owned() } else { format!("{start}.") }
}

/// The path at the end of the template of a format. Headers of columns and text outside braces are not completed.
fn template(query: &Query<'_>, format: &str, template: &str) -> Vec<Candidate> {
    let before = format!("{format}=");
    match format {
        "custom-columns" => {
            let column = template.rfind(',').map_or(0, |comma| comma + 1);
            let Some(colon) = template[column..].find(':') else { return Vec::new() };
            let (columns, path) = template.split_at(column + colon + 1);
            json_path(query, &(before + columns), path)
        }
        "jsonpath" | "jsonpath-as-json" if template.rfind('{') > template.rfind('}') => {
            let Some(path) = Typed::json_path(template) else { return Vec::new() };
            let is_first = path.is_first();
            let path = path.of_list();
            let mut names = field_names(query, &path);
            if is_first {
                names.push(Candidate::new("items[*].", "Each object"));
            }
            with_prefix(&(before + &with_dot(&template[..path.start])), names)
        }
        _ => Vec::new(),
    }
}

/// The fields at the position of a path, from the kinds of the command line and from the files.
fn field_names(query: &Query<'_>, path: &Typed) -> Vec<Candidate> {
    let (resources, catalog) = query.listed_resources();
    let objects = if resources.is_empty() { query.objects(None) } else { Vec::new() };
    let is_there = |resource: &&Resource| objects.iter().any(|object| object.is_of(resource, &catalog));
    let met = catalog.resources().filter(is_there);
    let mut roots: Vec<FieldSource<'_>> =
        resources.iter().chain(met).flat_map(FieldSource::of_resource).collect();
    roots.push(FieldSource::Object);
    let in_files = query.parsed(|tree, _, _| path.names(&[FieldSource::Value(tree)]));
    let mut names = path.names(&roots);
    // The fields of a kind take precedence over those of its objects.
    let bare = |name: &str| name.trim_end_matches(['.', '*', '[', ']']).to_owned();
    let known: HashSet<String> = names.iter().map(|name| bare(name)).collect();
    names.extend(in_files.into_iter().filter(|name| !known.contains(&bare(name))));
    words(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments that are free text, for which nothing can be offered.
    const FREE: &[&str] = &[
        "command",
        "container",
        "containers",
        "current_replicas",
        "env",
        "fit",
        "globs",
        "keys",
        "limits",
        "new_since",
        "patch",
        "port",
        "prefix",
        "replicas",
        "requests",
        "resource_version",
        "since",
        "tail",
        "template",
    ];

    #[test]
    fn every_argument_has_candidates_or_is_free_text() {
        let mut program = crate::cli::command();
        program.build();
        let commands = program.get_subcommands().filter(|command| command.get_name() != "help");
        for argument in commands.flat_map(clap::Command::get_arguments) {
            let id = argument.get_id().as_str();
            let known = ["help", "version"].contains(&id)
                || is_path(argument)
                || !argument.get_action().takes_values()
                || FREE.contains(&id)
                || COMPLETERS.iter().any(|(row, _)| *row == id)
                || !argument.get_possible_values().is_empty()
                || is_called(argument, "BOOL")
                || is_called(argument, "TYPE/NAME");
            assert!(known, "add a row for {id} to COMPLETERS, or name it in FREE");
        }
    }
}
