//! `kselect tree`: the relations of objects, as trees.

use std::borrow::Cow;
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
use kselect_core::scan::overlays::{NOT_FOLLOWED, Overlays};
use kselect_core::selection::Slot;
use manifest::names::ObjectNames;
use manifest::object::Object;
use manifest::source::{Applier, Built, Source};
use syntax::head::Head;
use syntax::{given, gvk};
use text::age::Aged;
use text::shared::Shared;
use text::{go, plural};

use super::as_of::Ages;
use super::input::Knowledge;
use super::query::{Needs, Query, Tally};
use super::report::{Outcome, Report};
use crate::cli::{Arguments, TreeArgs, TreeFormat};

/// The columns of kubectl's tables that are shown. A cell that a kind does not have is a dash, as in kubectl-tree.
const COLUMNS: [&str; 3] = ["READY", "STATUS", "AGE"];

/// How many names of an object are shown, if it has many.
const NAMED: usize = 5;

/// The most lines below an object on a terminal, unless all are asked for.
const MOST: usize = 50;

/// Runs `tree`.
pub fn run(args: &TreeArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let has_cells = matches!(args.output, None | Some(TreeFormat::Wide));
    let ages = if has_cells { Ages::Shown } else { Ages::Selected };
    let asked = Arguments { input: &args.input, filter: args.filter.filter(), resources: &args.resources };
    // Definitions say which kinds are in no namespace.
    let knowledge = Knowledge::Definitions;
    let needs = Needs { ages, applications: ApplicationFiles::All, knowledge, ..Needs::default() };
    let query = Query::open(asked, needs, &mut report)?;
    note_refused(&query.sources, &report);
    let asked_about = query.selection.requests.iter().filter(|_| args.up);
    let mentions: Vec<Mentions> = asked_about.filter_map(Mentions::of).collect();
    let (members, mut nodes, mut tally) = read(&query, has_cells, &mentions, &mut report)?;
    let graph = Graph::new(&members);
    let mut graph = if args.up { graph.upward() } else { graph };
    let first_missing = nodes.len();
    let mut wanted: Vec<usize> = (0..first_missing).filter(|number| nodes[*number].wanted).collect();
    let asked: Vec<&str> = asked_names(&query).collect();
    for number in wanted.iter().filter(|_| args.up) {
        let appliers = nodes[*number].each.iter().filter(|one| one.is_asked).map(|one| &one.by);
        let appliers: Vec<&Applier> = appliers.collect();
        graph.keep_named(&members, *number, &asked, &appliers);
    }
    drop(members);
    let origins = add_missing(&graph, &tally.unread, &mut nodes);
    if args.up && !query.selection.has_selectors() {
        let named = named_missing(&graph, &origins, &query, &mut tally, &report);
        wanted.extend(named.into_iter().map(|at| first_missing + at));
    }
    let is_meant = |namespace: &str| {
        let is_missing = wanted.last().is_some_and(|last| *last >= first_missing);
        is_missing && query.selection.namespace.as_ref().is_none_or(|wanted| wanted.admit(namespace))
            || wanted.iter().any(|number| given::meet(&nodes[*number].common.namespace, namespace))
    };
    if let Some(asked) = query.selection.namespace.as_ref().filter(|_| args.up) {
        // Of an object in several namespaces, the users in those that were asked for are meant.
        let is_asked = |joined: &str| joined.is_empty() || given::each(joined).any(|one| asked.admit(one));
        let is_joined = |number: &&usize| nodes[**number].common.namespace.contains(',');
        for number in wanted.iter().filter(is_joined) {
            graph.keep_users(*number, |user| is_asked(&nodes[user].common.namespace));
        }
    }
    mentions.iter().filter_map(|of| of.note(is_meant)).for_each(|note| report.note(note));
    wanted.sort_by_key(|number| graph.variant(*number));
    let terminal = report.terminals().stdout;
    let is_short = terminal.is_terminal && has_cells && !args.all;
    let (most, now) = (if is_short { MOST } else { usize::MAX }, query.moment(&tally).time);
    let trees = Trees { is_upward: args.up, graph: &graph, wanted: &wanted, nodes: &nodes, most, now };
    if trees.may_differ()? {
        report.note(NOT_FOLLOWED);
    }
    match args.output {
        _ if wanted.is_empty() => (),
        None | Some(TreeFormat::Wide) => trees.write_table(args, terminal.colors, out)?,
        Some(TreeFormat::Mermaid) => trees.write_mermaid(out)?,
    }
    let outcome = query.finish(&tally, &mut report, out)?;
    if !args.up && graph.are_only_below(&wanted) {
        report.only_hint("nothing is below; --up shows what owns, selects or uses the objects");
    }
    Ok(outcome)
}

fn note_refused(sources: &[Source], report: &Report) {
    let entries = match check::refused_in_kustomizations(sources) {
        0 => return,
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    };
    report.note(format_args!(
        "kustomize refuses {entries} of kustomizations, so what they would build is not shown; kselect check lists them"
    ));
}

/// The objects of the trees, and then what kustomizations make. `mentions` see all objects.
fn read(
    query: &Query<'_>,
    has_cells: bool,
    mentions: &[Mentions],
    report: &mut Report,
) -> anyhow::Result<(Vec<Member>, Vec<TreeNode>, Tally)> {
    let Query { selection, catalog, sources, .. } = query;
    let terminal = report.terminals().stdout;
    let rows = Rows::new(TableOptions::default(), catalog);
    let related = CommonParts::of(Overlays::read(sources));
    let known = Shared::default();
    let each = |object: &Object<'_>, wanted: bool, nodes: &mut Vec<Node>| {
        // There are many events, each about another object; they have trees only if they are requested.
        if object.head.kind == "Event" && selection.requests.is_empty() {
            return Ok(());
        }
        let namespace = selection.namespace_of(object.head, catalog);
        mentions.iter().for_each(|of| of.see(object, namespace, catalog, &related));
        // It reads the whole object, which then has the fields of the cells.
        let member = Member::read(object, namespace, catalog, &related)?;
        let cells = if has_cells { Some(rows.row(object, namespace, "")?) } else { None };
        let is_shown = |cell: &&Aged<CompactString>| !matches!(cell, Aged::Text(text) if text.is_empty());
        let cell = |column| cells.as_ref()?.cell(column).filter(is_shown);
        let cell_or_dash = |column| cell(column).cloned().unwrap_or(Aged::Text("-".into()));
        let object_name = name(object.head, object.built(), None);
        let (of_type, name) = object_name.split_at(object_name.find('/').map_or(0, |slash| slash + 1));
        let (of_type, namespace) = (of_type.to_owned(), namespace.to_owned());
        let shown = TreeNode {
            name: name.into(),
            each: each_of(object.head, object.built(), None, query),
            common: known.get(Common { of_type, namespace, cells: COLUMNS.map(cell_or_dash) }),
            place: terminal.is_terminal.then(|| object.place().without_document().to_string().into()),
            wanted,
            is_replaced: related.are_unknown(object),
        };
        nodes.reserve_exact(usize::from(nodes.is_empty()));
        nodes.push((member, shown));
        Ok(())
    };
    let mut all = (Vec::new(), Vec::new());
    let merge = |found: Vec<Node>| {
        all.extend(found);
        Ok(())
    };
    let mut tally = query.run_all(report, each, AsTheyAre, merge)?;
    let sources = sources.iter().filter(|source| source.kustomization.is_some());
    let kustomizations: HashSet<&str> = sources.map(|source| &*source.name).collect();
    tally.skipped.leave_out_kustomizations(|file| kustomizations.contains(file));
    let (made, slots) = made(query);
    slots.into_iter().for_each(|slot| tally.add_named(slot));
    all.extend(made);
    let (members, nodes) = all;
    Ok((members, nodes, tally))
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
    let built = (!built.is_empty()).then(|| format!("built as {}", plural::few(built, NAMED)));
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
    let applied = |applier: &Applier, built: &Built, head: &Head<'_>, namespace: &str| {
        let names = ObjectNames::new(head.kind, head.name.unwrap_or_default(), built.affixes.as_deref());
        Applied {
            by: applier.clone(),
            name: name(head, Some(built), origin).into(),
            namespace: namespace.into(),
            is_asked: asked_names(query).any(|asked| names.has(asked)),
        }
    };
    query.applied(head, built, applied).into()
}

/// The names that are asked for.
fn asked_names<'q>(query: &'q Query<'_>) -> impl Iterator<Item = &'q str> {
    let names = query.selection.requests.iter().filter_map(|request| request.name.as_ref());
    names.filter(|name| !name.is_pattern()).map(|name| &**name)
}

/// Adds what is missing to the objects, and returns where each is instead.
fn add_missing(graph: &Graph, unread: &[Missing], nodes: &mut Vec<TreeNode>) -> Vec<String> {
    let unread: HashSet<&Missing> = unread.iter().collect();
    let there = called_like_missing(graph, nodes);
    let origin = |(missing, number): (&Missing, usize)| {
        let maker = graph
            .maker(number)
            .map(|(maker, has_others)| format!("made by {}{}", nodes[maker].title(), and_others(has_others)));
        let maker = maker.or_else(|| unread.contains(missing).then(|| "cannot be read".to_owned()));
        origin_of(missing, maker, &there)
    };
    let origins: Vec<String> = graph.missing().iter().zip(nodes.len()..).map(origin).collect();
    nodes.extend(graph.missing().iter().zip(&origins).map(|(missing, origin)| {
        TreeNode::absent(&title_of(missing), origin, missing.namespace.as_deref().unwrap_or_default())
    }));
    origins
}

/// The requested ones of what is missing, by their numbers there: what refers to them does so by name. `origins` says of each where it is
/// instead.
fn named_missing(
    graph: &Graph,
    origins: &[String],
    query: &Query<'_>,
    tally: &mut Tally,
    report: &Report,
) -> Vec<usize> {
    let namespaces = query.selection.namespace.as_ref();
    let has_namespace = |namespace: &str| namespaces.is_none_or(|namespaces| namespaces.admit(namespace));
    let mut found = Vec::new();
    for (request, wanted) in query.selection.requests.iter().enumerate() {
        let named = (0..).zip(graph.missing());
        let named = named.filter(|(_, missing)| missing.is_named_by(wanted, has_namespace));
        let named: Vec<usize> = named.map(|(at, _)| at).collect();
        // Where one is, is more than that another one is not there.
        let known = named.iter().map(|at| &origins[*at]).max_by_key(|origin| *origin != ABSENT);
        if let (Some(name), Some(origin)) = (&wanted.name, known) {
            let (resource, name) = (wanted.resource.qualified(), text::excerpt::quote(name));
            report.note(format_args!(
                "{resource} {name} is {origin}; objects that refer to that name are shown"
            ));
            tally.add_named(Slot { request, by_pattern: false });
        }
        found.extend(named);
    }
    found
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
        found.push((Member::made([head.kind, namespace, name], source, built), shown));
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

/// An object as one of those that apply it builds it.
struct Applied {
    by: Applier,
    /// TYPE/NAME
    name: CompactString,
    namespace: CompactString,
    /// Whether it then has a name that is asked for.
    is_asked: bool,
}

/// What stands for a kind in the name of a Helm chart, whose objects are not in the input, and what is said of it.
const CHART: &str = "chart";
const NOT_RENDERED: &str = "not rendered";
/// What is said of what is nowhere in the input.
const ABSENT: &str = "not in the input";
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

/// An object in the trees.
type Node = (Member, TreeNode);

/// The parts of an object that are shown once its relations are known. Most are short, and stored inline.
struct TreeNode {
    name: CompactString,
    /// What it is below each object that applies it, if that differs.
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
    format!("{}/{name}", gvk::lower_kind(kind, group))
}

/// What stands after the first of several names.
fn and_others(has_others: bool) -> &'static str {
    if has_others { " and others" } else { "" }
}

/// Where something is that another object refers to or applies, and the input lacks: `made_by`, if that is known.
/// `there` has the namespaces of what is called like something that is missing.
fn origin_of(missing: &Missing, made_by: Option<String>, there: &HashMap<String, Vec<&str>>) -> String {
    let Missing { kind, namespace, name, .. } = missing;
    let namespace = namespace.as_deref().unwrap_or_default();
    let is_given = || well_known::given(kind, namespace, name) == Some(Given::Named);
    let is_elsewhere = || {
        let others = there.get(&title_of(missing)).filter(|_| !namespace.is_empty());
        others.is_some_and(|others| !others.iter().any(|other| given::meet(other, namespace)))
    };
    match made_by {
        _ if kind == CHART => NOT_RENDERED.to_owned(),
        Some(made_by) => made_by,
        None if is_given() => "of the cluster".to_owned(),
        None if is_elsewhere() => format!("not in namespace {}", go::printable(namespace)),
        None => ABSENT.to_owned(),
    }
}

impl TreeNode {
    /// TYPE/NAME
    fn title(&self) -> String {
        format!("{}{}", self.common.of_type, self.name)
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
    /// Whether replacements may set fields of an object that is shown.
    fn may_differ(&self) -> io::Result<bool> {
        let mut may_differ = false;
        if self.nodes.iter().any(|node| node.is_replaced) {
            self.lines(&mut |line| {
                may_differ |= self.nodes[line.object].is_replaced;
                Ok(())
            })?;
        }
        Ok(may_differ)
    }

    fn write_table(&self, args: &TreeArgs, colors: bool, out: &mut dyn Write) -> io::Result<()> {
        let namespaces = args.filter.conditions.all_namespaces;
        let wide = (args.output == Some(TreeFormat::Wide)).then_some("FIELD");
        let headers = namespaces.then_some("NAMESPACE").into_iter().chain(["NAME", "RELATION"]);
        let headers: Vec<String> = headers.chain(COLUMNS).chain(wide).map(str::to_owned).collect();
        let roots = self.variants_of_roots();
        // The rows of variants tell their copies apart.
        let alike = if roots.is_empty() { self.alike(namespaces) } else { HashSet::new() };
        // A row that is no object.
        let words = |text: String| {
            let before = namespaces.then(String::new).into_iter().chain([text]);
            before.chain(std::iter::repeat("-".to_owned())).take(headers.len()).collect::<Vec<String>>()
        };
        let row = |line: &TreeLine, is_last: Option<bool>| {
            let branches = branches(is_last, &line.last);
            let cut = match line.cut {
                Some(TreeCut::More(count)) => return words(format!("{branches}and {count} more (--all)")),
                Some(TreeCut::Elsewhere) => " (*)",
                Some(TreeCut::Cycle) => " (cycle)",
                None => "",
            };
            let node = &self.nodes[line.object];
            let (of_type, name, namespace) = self.names(line);
            let mut row = if namespaces { vec![go::printable(namespace).into_owned()] } else { Vec::new() };
            let place = node.place.as_ref().filter(|_| alike.contains(&line.object));
            let place = place.map_or_else(String::new, |place| format!(" ({place})"));
            row.push(format!("{branches}{of_type}{name}{place}{cut}"));
            row.push(line.tie.map_or("-", |tie| self.graph.words(tie)).to_owned());
            row.extend(node.common.cells.iter().map(|cell| cell.clone().at(self.now).into()));
            row.extend(wide.map(|_| if line.field.is_empty() { "-".to_owned() } else { line.field.clone() }));
            row
        };
        // What is in no variant, as an object that is not there, is below none.
        let variant_of = |next: usize| roots.get(next.checked_sub(1)?).copied().flatten();
        let rows = |visit: &mut dyn FnMut(&[String]) -> io::Result<()>| {
            let mut next = 0;
            self.lines(&mut |line| {
                next += usize::from(line.last.is_empty());
                let variant = variant_of(next);
                // A variant is the root of the trees of its objects.
                let is_first = line.last.is_empty() && variant_of(next - 1) != variant;
                if let Some(first) = variant.filter(|_| is_first) {
                    visit(&words(go::printable(self.graph.variant_name(first)).into_owned()))?;
                }
                visit(&row(line, variant.map(|_| variant_of(next + 1) != variant)))
            })
        };
        let mut widths = table::Widths::default();
        if !args.no_headers {
            widths.measure(&headers);
        }
        rows(&mut |row| {
            widths.measure(row);
            Ok(())
        })?;
        if !args.no_headers {
            widths.write_headers(&headers, colors, out)?;
        }
        let statuses: Vec<bool> = headers.iter().map(|header| palette::is_status(header)).collect();
        rows(&mut |row| widths.write_row(row, colors.then_some(&statuses[..]), out))
    }

    /// TYPE/, the rest of the name, and the namespace that an object has where it is shown.
    fn names(&self, line: &TreeLine) -> (&str, Cow<'_, str>, &str) {
        let node = &self.nodes[line.object];
        let Common { of_type, namespace, .. } = &*node.common;
        let by = line.applied_by.and_then(|number| self.graph.applier(number));
        let applied =
            |number: usize| by.and_then(|by| self.nodes[number].each.iter().find(|one| one.by == *by));
        if let Some(Applied { name, namespace, .. }) = applied(line.object) {
            return ("", name.as_str().into(), namespace);
        }
        let made = || {
            let (maker, has_others) = self.graph.maker(line.object)?;
            let Applied { name, namespace: to, .. } = applied(maker)?;
            let (maker, others) = (&self.nodes[maker], and_others(has_others));
            let before = node.name.strip_suffix(&*format!("{}{others})", maker.title()))?;
            let namespace = if *namespace == maker.common.namespace { to } else { &**namespace };
            Some(("", format!("{before}{name}{others})").into(), namespace))
        };
        made().unwrap_or_else(|| (of_type, node.name.as_str().into(), namespace))
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
