//! `kselect tree`: the relations of objects, as trees.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::io::{self, Write};
use std::sync::Arc;

use compact_str::CompactString;
use jiff::Timestamp;
use kinds::well_known::{self, Given};
use kselect_core::check;
use kselect_core::output::rows::{Rows, TableOptions};
use kselect_core::output::{color as palette, table};
use kselect_core::relation::graph::{CommonParts, Graph, Member, Missing, TreeCut, TreeLine};
use kselect_core::relation::mentions::Mentions;
use kselect_core::scan::builders::ApplicationFiles;
use kselect_core::scan::copies::AsTheyAre;
use kselect_core::scan::kustomization::{self, Generated};
use kselect_core::scan::overlays::Overlays;
use kselect_core::selection::Slot;
use manifest::names::ObjectNames;
use manifest::object::Object;
use manifest::source::{Applier, Built, Source};
use syntax::given;
use syntax::head::Head;
use text::age::Aged;
use text::go;
use text::plural::counted;
use text::shared::Shared;

use super::as_of::Ages;
use super::query::{Needs, Query, Tally};
use super::report::{Outcome, Report};
use crate::cli::{Arguments, TreeArgs, TreeFormat};

/// The columns of kubectl's tables that are shown. A cell that a kind does not have is a dash, as in kubectl-tree.
const COLUMNS: [&str; 3] = ["READY", "STATUS", "AGE"];

/// The most lines below an object on a terminal, unless all are asked for.
const MOST: usize = 50;

/// An object in the trees.
struct Node {
    member: Member,
    shown: TreeNode,
}

/// Runs `tree`.
pub fn run(args: &TreeArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let has_cells = matches!(args.output, None | Some(TreeFormat::Wide));
    let ages = if has_cells { Ages::Shown } else { Ages::Selected };
    let asked = Arguments { input: &args.input, filter: args.filter.filter(), resources: &args.resources };
    let needs = Needs { ages, applications: ApplicationFiles::All, ..Needs::default() };
    let query = Query::open(asked, needs, &mut report)?;
    let (made, slots) = made(&query);
    let terminal = report.terminals().stdout;
    let rows = Rows::new(TableOptions::default(), &query.catalog);
    let (mut members, mut nodes) = (Vec::new(), Vec::new());
    let common = CommonParts::of(Overlays::with_applied(&query.sources));
    let known = Shared::default();
    let asked_about = query.selection.requests.iter().filter(|_| args.up);
    let mentions: Vec<Mentions> = asked_about.filter_map(Mentions::of).collect();
    let each = |object: &Object<'_>, wanted: bool, nodes: &mut Vec<Node>| {
        // There are many events, each about another object; they have trees only if they are requested.
        if object.head.kind == "Event" && query.selection.requests.is_empty() {
            return Ok(());
        }
        let namespace = query.selection.namespace_of(object.head, &query.catalog);
        mentions.iter().for_each(|of| of.see(object, namespace, &query.catalog));
        // It reads the whole object, which then has the fields of the cells.
        let member = Member::read(object, namespace, &query.catalog, &common)?;
        let cells = match has_cells {
            true => Some(rows.row(object, namespace, "")?),
            false => None,
        };
        let is_shown = |cell: &&Aged<CompactString>| !matches!(cell, Aged::Text(text) if text.is_empty());
        let cell = |column| cells.as_ref()?.cell(column).filter(is_shown);
        let cell_or_dash = |column| cell(column).cloned().unwrap_or(Aged::Text("-".into()));
        let place = terminal.is_terminal.then(|| object.place().without_document().to_string().into());
        let object_name = name(object.head, object.built(), None);
        let (of_type, name) = object_name.split_at(object_name.find('/').map_or(0, |slash| slash + 1));
        let (of_type, namespace) = (of_type.to_owned(), namespace.to_owned());
        let shown = TreeNode {
            name: name.into(),
            each: each_of(object.head, object.built(), None, &query),
            common: known.get(Common { of_type, namespace, cells: COLUMNS.map(cell_or_dash) }),
            place,
            wanted,
            is_replaced: common.are_unknown(object),
        };
        nodes.reserve_exact(usize::from(nodes.is_empty()));
        nodes.push(Node { member, shown });
        Ok(())
    };
    let merge = |found: Vec<Node>| {
        for Node { member, shown } in found {
            members.push(member);
            nodes.push(shown);
        }
        Ok(())
    };
    match check::refused_in_kustomizations(&query.sources) {
        0 => (),
        count => {
            let entries = if count == 1 { "entry" } else { "entries" };
            report.note(format_args!(
                "kustomize refuses {count} {entries} of kustomizations, so what they would build is not shown; kselect check lists them"
            ));
        }
    }
    let mut tally = query.run_all(&mut report, each, AsTheyAre, merge)?;
    let sources = query.sources.iter().filter(|source| source.kustomization.is_some());
    let kustomizations: HashSet<&str> = sources.map(|source| &*source.name).collect();
    tally.skipped.leave_out_kustomizations(|file| kustomizations.contains(file));
    slots.into_iter().for_each(|slot| tally.add_named(slot));
    for Node { member, shown } in made {
        members.push(member);
        nodes.push(shown);
    }
    let wanted: Vec<usize> = (0..nodes.len()).filter(|number| nodes[*number].wanted).collect();
    let graph = Graph::new(&members);
    drop(members);
    let graph = if args.up { graph.upward() } else { graph };
    let wanted = match args.up && !query.selection.has_selectors() {
        true => [wanted, add_missing(&graph, &nodes, &query, &mut tally, &report)].concat(),
        false => wanted,
    };
    let unread: HashSet<&Missing> = tally.unread.iter().collect();
    let there = called_like_missing(&graph, &nodes);
    let mut missing_nodes = Vec::new();
    for (missing, number) in graph.missing().iter().zip(nodes.len()..) {
        let maker = graph.maker(number).map(|maker| format!("made by {}", nodes[maker].title()));
        let maker = maker.or_else(|| unread.contains(missing).then(|| "cannot be read".to_owned()));
        missing_nodes.push(TreeNode::missing(missing, maker.as_deref(), &there));
    }
    nodes.extend(missing_nodes);
    let is_meant = |namespace: &str| {
        wanted.iter().any(|number| given::meet(&nodes[*number].common.namespace, namespace))
    };
    mentions.iter().filter_map(|of| of.note(is_meant)).for_each(|note| report.note(note));
    let mut wanted = wanted;
    wanted.sort_by_key(|number| graph.variant(*number));
    let is_short = terminal.is_terminal && has_cells && !args.all;
    let most = if is_short { MOST } else { usize::MAX };
    let trees = Trees {
        is_upward: args.up,
        graph: &graph,
        wanted: &wanted,
        nodes: &nodes,
        most,
        now: query.moment(&tally).time,
    };
    if nodes.iter().any(|node| node.is_replaced) {
        let mut replaced = HashSet::new();
        trees.lines(&mut |line| {
            replaced.extend(Some(line.object).filter(|number| nodes[*number].is_replaced));
            Ok(())
        })?;
        if !replaced.is_empty() {
            let objects = counted(replaced.len(), "object");
            report.note(format_args!(
                "replacements of kustomizations, which are not followed, may set fields of {objects}; -k builds them"
            ));
        }
    }
    if !wanted.is_empty() {
        match args.output {
            None | Some(TreeFormat::Wide) => {
                trees.write_table(args, terminal.colors, out)?;
            }
            Some(TreeFormat::Mermaid) => trees.write_mermaid(out)?,
        }
    }
    query.finish(&tally, &mut report, out)
}

/// Where something comes from that is no object in the input.
#[derive(Clone, Copy)]
struct Origin<'a> {
    text: &'a str,
    /// Whether a hash follows its name in what is built.
    is_hashed: bool,
}

/// An object as TYPE/NAME, with where it comes from if it is not in the input, and the names that it is built with.
fn name(head: &Head<'_>, built: Option<&Built>, origin: Option<Origin<'_>>) -> String {
    let affixes = built.and_then(|built| built.affixes.as_deref());
    let built = ObjectNames::new(head.kind, head.name.unwrap_or_default(), affixes).built();
    let end = if origin.is_some_and(|origin| origin.is_hashed) { "-<hash>" } else { "" };
    let built: Vec<String> = built.into_iter().map(|name| name + end).collect();
    let built = (!built.is_empty()).then(|| format!("built as {}", named(built)));
    let about: Vec<&str> = origin.map(|origin| origin.text).into_iter().chain(built.as_deref()).collect();
    let name = match origin {
        Some(_) => format!("{}/{}", head.kind.to_lowercase(), head.name.unwrap_or_default()),
        None => head.type_and_name(),
    };
    match about.is_empty() {
        true => name,
        false => go::printable(&format!("{name} ({})", about.join(", "))).into_owned(),
    }
}

/// The name and the namespace of an object below each object that applies it, if these differ.
fn each_of(
    head: &Head<'_>,
    built: Option<&Built>,
    origin: Option<Origin<'_>>,
    query: &Query<'_>,
) -> Box<[Applied]> {
    let each = built.and_then(|built| built.each.as_deref()).unwrap_or_default();
    let applied = |(applier, built): &(Applier, Built)| {
        let mut head = head.clone();
        head.give(built.given(&head));
        let namespace = query.selection.namespace_of(&head, &query.catalog).into();
        (applier.clone(), name(&head, Some(built), origin).into(), namespace)
    };
    each.iter().map(applied).collect()
}

/// Names in a sentence, of which the first ones stand for many.
fn named(mut names: Vec<String>) -> String {
    /// How many are named.
    const NAMED: usize = 5;
    if names.len() > NAMED + 1 {
        let more = format!("{} more", names.len() - NAMED);
        names.truncate(NAMED);
        names.push(more);
    }
    names.join(", ")
}

/// The requested objects that are not in the input, by their numbers, which follow those of `nodes`: what refers to them does so
/// by name.
fn add_missing(
    graph: &Graph,
    nodes: &[TreeNode],
    query: &Query<'_>,
    tally: &mut Tally,
    report: &Report,
) -> Vec<usize> {
    let namespaces = query.selection.namespace.as_ref();
    let has_namespace = |namespace: &str| namespaces.is_none_or(|namespaces| namespaces.admit(namespace));
    let mut numbers = Vec::new();
    for (request, wanted) in query.selection.requests.iter().enumerate() {
        let named = graph.missing().iter().zip(nodes.len()..);
        let named = named.filter(|(missing, _)| missing.is_named_by(wanted, has_namespace));
        let named: Vec<usize> = named.map(|(_, number)| number).collect();
        if let (Some(name), false) = (&wanted.name, named.is_empty()) {
            let (resource, name) = (wanted.resource.qualified(), text::excerpt::quote(name));
            let maker = named.iter().find_map(|number| graph.maker(*number));
            let origin = maker
                .map_or("not in the input".to_owned(), |maker| format!("made by {}", nodes[maker].title()));
            report.note(format_args!(
                "{resource} {name} is {origin}; objects that refer to that name are shown"
            ));
            tally.add_named(Slot { request, by_pattern: false });
        }
        numbers.extend(named);
    }
    numbers
}

/// What the kustomizations of the input make, and the requests that name some of it.
fn made(query: &Query<'_>) -> (Vec<Node>, Vec<Slot>) {
    let Query { selection, catalog, sources, .. } = query;
    let kustomizations = kustomization::files(sources);
    let sources: HashMap<&str, &Source> = sources.iter().map(|source| (&*source.name, source)).collect();
    let (mut found, mut slots) = (Vec::new(), Vec::new());
    let mut add = |file: &str, head: &Head<'_>, origin: Origin<'_>, is_wanted: bool| {
        let Some(source) = sources.get(file) else { return };
        // What is removed from all builds is not made.
        let Some(built) = source.built_of(head) else { return };
        let named = Some(built).filter(|_| ![CHART, REMOTE].contains(&head.kind));
        let head = Head { given: built.given(head), ..head.clone() };
        let name = head.name.unwrap_or_default();
        let namespace = selection.namespace_of(&head, catalog);
        let before = slots.len();
        if is_wanted {
            selection.candidate(&head, catalog, &mut slots);
        }
        let shown = TreeNode {
            name: self::name(&head, named, Some(origin)).into(),
            each: each_of(&head, named, Some(origin), query),
            wanted: slots.len() > before,
            ..TreeNode::absent("", "", namespace)
        };
        found.push(Node { member: Member::made([head.kind, namespace, name], source, built), shown });
    };
    let is_asked = !selection.requests.is_empty() && !selection.has_selectors();
    for Generated { file, kind, name, is_hashed, namespace, .. } in kustomization::generated(&kustomizations)
    {
        let (name, namespace) = (Some(&*name), namespace.as_deref());
        let head = Head { api_version: "v1", kind, name, namespace, ..Head::default() };
        add(&file, &head, Origin { text: &format!("made by {file}"), is_hashed }, is_asked);
    }
    for (file, name) in kustomization::charts(&kustomizations) {
        let head = Head { kind: CHART, name: Some(&name), ..Head::default() };
        add(&file, &head, Origin { text: NOT_RENDERED, is_hashed: false }, false);
    }
    for (file, address) in kustomization::remote(&kustomizations) {
        let head = Head { kind: REMOTE, name: Some(&address), ..Head::default() };
        add(&file, &head, Origin { text: "remote", is_hashed: false }, false);
    }
    (found, slots)
}

/// The most objects of a name in which one that is missing is looked for.
const MANY: usize = 64;

/// What applies an object, and its name and namespace then.
type Applied = (Applier, CompactString, CompactString);

/// What stands for a kind in the name of a Helm chart, whose objects are not in the input, and what is said of it.
const CHART: &str = "chart";
const NOT_RENDERED: &str = "not rendered";
/// What stands for a kind in the address of what kustomize fetches.
const REMOTE: &str = "resource";

/// What of objects is shown, and many have in common.
#[derive(PartialEq, Eq, Hash)]
struct Common {
    /// TYPE/, if that is not in the name.
    of_type: String,
    namespace: String,
    cells: [Aged<CompactString>; COLUMNS.len()],
}

/// The parts of an object that are shown once its relations are known. Most are short, and stored inline.
struct TreeNode {
    name: CompactString,
    /// TYPE/NAME and namespace below each object that applies it, if these differ.
    each: Box<[Applied]>,
    common: Arc<Common>,
    /// Its file and line; `None` if they are not shown.
    place: Option<Box<str>>,
    /// Whether its tree was requested.
    wanted: bool,
    /// Whether replacements may set its fields.
    is_replaced: bool,
}

/// The namespaces of the objects that are called like something that is missing, by TYPE/NAME.
fn called_like_missing<'n>(graph: &Graph, nodes: &'n [TreeNode]) -> HashMap<String, Vec<&'n str>> {
    let missing: HashSet<String> = graph.missing().iter().map(title_of).collect();
    let mut there: HashMap<String, Vec<&str>> = HashMap::new();
    for node in nodes.iter().filter(|_| !missing.is_empty()) {
        let title = node.title();
        if missing.contains(&title) {
            there.entry(title).or_default().push(&node.common.namespace);
        }
    }
    // Of so many, it is not worth saying.
    there.retain(|_, namespaces| namespaces.len() <= MANY);
    there
}

/// TYPE/NAME
fn title_of(Missing { group, kind, name, .. }: &Missing) -> String {
    let dot = if group.is_empty() { "" } else { "." };
    format!("{}{dot}{group}/{name}", kind.to_lowercase())
}

impl TreeNode {
    /// TYPE/NAME
    fn title(&self) -> String {
        format!("{}{}", self.common.of_type, self.name)
    }

    /// What another object refers to or applies, and the input lacks.
    /// `there` has the namespaces of what is called like something that is missing.
    fn missing(missing: &Missing, made_by: Option<&str>, there: &HashMap<String, Vec<&str>>) -> Self {
        let Missing { kind, namespace, name, .. } = missing;
        let (object, namespace) = (title_of(missing), namespace.as_deref().unwrap_or_default());
        let is_given = || well_known::given(kind, namespace, name) == Some(Given::Named);
        let is_elsewhere = |object: &String| {
            let others = there.get(object).filter(|_| !namespace.is_empty());
            others.is_some_and(|others| !others.iter().any(|other| given::meet(other, namespace)))
        };
        let origin = match made_by {
            _ if kind == CHART => NOT_RENDERED.to_owned(),
            Some(made_by) => made_by.to_owned(),
            None if is_given() => "of the cluster".to_owned(),
            None if is_elsewhere(&object) => {
                format!("not in namespace {}", go::printable(namespace))
            }
            None => "not in the input".to_owned(),
        };
        Self::absent(&object, &origin, namespace)
    }

    /// What is no object in the input.
    fn absent(object: &str, origin: &str, namespace: &str) -> Self {
        let cells = COLUMNS.map(|_| Aged::Text("-".into()));
        Self {
            name: format!("{} ({origin})", go::printable(object)).into(),
            each: Box::default(),
            common: Arc::new(Common { of_type: String::new(), namespace: namespace.to_owned(), cells }),
            place: None,
            wanted: false,
            is_replaced: false,
        }
    }
}

/// The trees to be written. There may be as many lines as pairs of objects, so they are made one by one.
struct Trees<'a> {
    graph: &'a Graph,
    is_upward: bool,
    wanted: &'a [usize],
    nodes: &'a [TreeNode],
    /// The most lines below an object.
    most: usize,
    /// The time that ages are relative to.
    now: Timestamp,
}

impl Trees<'_> {
    fn write_table(&self, args: &TreeArgs, colors: bool, out: &mut dyn Write) -> io::Result<()> {
        let wide = args.output == Some(TreeFormat::Wide);
        let namespaces = args.filter.conditions.all_namespaces;
        let mut headers: Vec<&str> = if namespaces { vec!["NAMESPACE"] } else { Vec::new() };
        headers.extend(["NAME", "RELATION"].into_iter().chain(COLUMNS));
        headers.extend(wide.then_some("FIELD"));
        let headers: Vec<String> = headers.into_iter().map(str::to_owned).collect();
        let columns = headers.len();
        let roots = self.variants_of_roots();
        // The rows of variants tell their copies apart.
        let alike = if roots.is_empty() { self.alike(namespaces) } else { HashSet::new() };
        let row = |line: &TreeLine, is_last: Option<bool>| {
            let node = &self.nodes[line.object];
            let Common { of_type, namespace, cells } = &*node.common;
            if let Some(TreeCut::More(count)) = line.cut {
                let text = format!("{}and {count} more (--all)", branches(is_last, &line.last));
                let before = namespaces.then(String::new).into_iter().chain([text]);
                return before.chain(std::iter::repeat("-".to_owned())).take(columns).collect();
            }
            let cut = match line.cut {
                Some(TreeCut::Elsewhere) => " (*)",
                Some(TreeCut::Cycle) => " (cycle)",
                Some(TreeCut::More(_)) | None => "",
            };
            let by = line.applied_by.and_then(|number| self.graph.applier(number));
            let applied = by.and_then(|by| node.each.iter().find(|(applier, ..)| applier == by));
            let (of_type, name, namespace) = match applied {
                Some((_, name, namespace)) => ("", name, &**namespace),
                None => (&**of_type, &node.name, &**namespace),
            };
            let mut row = if namespaces { vec![go::printable(namespace).into_owned()] } else { Vec::new() };
            let place = node.place.as_ref().filter(|_| alike.contains(&line.object));
            let place = place.map_or_else(String::new, |place| format!(" ({place})"));
            row.push(format!("{}{of_type}{name}{place}{cut}", branches(is_last, &line.last)));
            row.push(line.tie.map_or("-", |tie| self.graph.words(tie)).to_owned());
            row.extend(cells.iter().map(|cell| cell.clone().at(self.now).into()));
            row.extend(wide.then(|| if line.field.is_empty() { "-".to_owned() } else { line.field.clone() }));
            row
        };
        let statuses: Vec<bool> = headers.iter().map(|header| palette::is_status(header)).collect();
        let statuses = colors.then_some(&statuses[..]);
        let headers = Some(headers).filter(|_| !args.no_headers);
        let mut widths = table::Widths::default();
        headers.iter().for_each(|headers| widths.measure(headers));
        // A variant is the root of the trees of its objects.
        let variant_row = |variant: usize| {
            let name = go::printable(self.graph.variant_name(variant)).into_owned();
            let before = namespaces.then(String::new).into_iter().chain([name]);
            before.chain(std::iter::repeat("-".to_owned())).take(columns).collect::<Vec<String>>()
        };
        roots.iter().flatten().for_each(|variant| widths.measure(&variant_row(*variant)));
        let is_grouped = !roots.is_empty();
        self.lines(&mut |line| {
            widths.measure(&row(line, is_grouped.then_some(false)));
            Ok(())
        })?;
        if let Some(headers) = &headers {
            widths.write_headers(headers, colors, out)?;
        }
        let mut next = 0;
        self.lines(&mut |line| {
            if is_grouped && line.last.is_empty() {
                next += 1;
                let before = (next > 1).then(|| roots[next - 2]);
                if let Some(variant) = roots[next - 1].filter(|_| before != Some(roots[next - 1])) {
                    widths.write_row(&variant_row(variant), statuses, out)?;
                }
            }
            let is_last = is_grouped.then(|| roots.get(next) != Some(&roots[next - 1]));
            widths.write_row(&row(line, is_last), statuses, out)
        })
    }

    /// The objects that have the name of another one, as far as lines show it, and a place.
    fn alike(&self, namespaces: bool) -> HashSet<usize> {
        let mut known: HashMap<(&str, &str, &str), usize> = HashMap::new();
        let mut alike = HashSet::new();
        for (number, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.place.is_some()) {
            let Common { of_type, namespace, .. } = &*node.common;
            let namespace = if namespaces { namespace } else { "" };
            if let Some(first) = known.insert((of_type, &node.name, namespace), number) {
                alike.extend([first, number]);
            }
        }
        alike
    }

    /// The variant of each root; empty if all are in the same one.
    fn variants_of_roots(&self) -> Vec<Option<usize>> {
        let mut roots = Vec::new();
        let visited: Result<(), Infallible> = self.graph.trees(self.wanted, self.most, &mut |line| {
            roots.extend(line.last.is_empty().then(|| self.graph.variant(line.object)));
            Ok(())
        });
        let Ok(()) = visited;
        if roots.windows(2).all(|pair| pair[0] == pair[1]) { Vec::new() } else { roots }
    }

    fn lines(&self, visit: &mut dyn FnMut(&TreeLine) -> io::Result<()>) -> io::Result<()> {
        self.graph.trees(self.wanted, self.most, visit)
    }

    /// Writes each object once, before its first relation, and each relation, which is in one line only.
    fn write_mermaid(&self, out: &mut dyn Write) -> io::Result<()> {
        let escape = |name: &str| {
            name.replace('#', "#35;").replace('"', "#quot;").replace('<', "#lt;").replace('>', "#gt;")
        };
        let is_grouped = !self.variants_of_roots().is_empty();
        writeln!(out, "flowchart LR")?;
        let mut written = HashSet::new();
        self.lines(&mut |line| {
            let number = line.object;
            if written.insert(number) {
                let variant = self.graph.variant(number).filter(|_| is_grouped);
                let place =
                    variant.map(|variant| format!(" in {}", go::printable(self.graph.variant_name(variant))));
                let name = escape(&(self.nodes[number].title() + &place.unwrap_or_default()));
                writeln!(out, "    n{number}[\"{name}\"]")?;
            }
            match (line.above, line.tie) {
                (Some(above), Some(tie)) => {
                    let (from, to) = if self.is_upward { (number, above) } else { (above, number) };
                    writeln!(out, "    n{from} -->|{}| n{to}", tie.word())
                }
                _ => Ok(()),
            }
        })
    }
}

/// The lines that connect an object with those above it. `is_last` is whether its root is the last of its variant.
fn branches(is_last: Option<bool>, last: &[bool]) -> String {
    let last: Vec<bool> = is_last.into_iter().chain(last.iter().copied()).collect();
    let Some((own, above)) = last.split_last() else { return String::new() };
    let mut text: String = above.iter().map(|last| if *last { "  " } else { "│ " }).collect();
    text.push_str(if *own { "└─" } else { "├─" });
    text
}
