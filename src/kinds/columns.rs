//! Columns of tables. Those of built-in kinds are data in `kinds.txt`, after the API server's (Kubernetes,
//! pkg/printers/internalversion/printers.go); this file has the formats of their cells, and the code that computed cells share.
//!
//! A cell is raw text. The table cuts it at line breaks and escapes control characters.

use std::borrow::Cow;
use std::fmt::Display;

use jiff::Timestamp;

use super::release::Release;
use super::view::{self, View};
use syntax::tree::Node;
use text::age::{self, Aged};
use text::quantity::Quantity;

/// One column of a kind's table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The header, in uppercase.
    pub name: &'static str,
    /// 0: always shown. 1: shown only with `-o wide`.
    pub priority: u8,
    /// The release of Kubernetes that brought it, if not all known ones have it; see [`Column::is_in`].
    pub since: Option<Release>,
    cell: Cell,
}

/// Where the text of a cell comes from.
#[derive(Clone, Copy, Debug)]
enum Cell {
    /// The value at a path, in a format.
    At(Format, &'static str),
    /// The time since the one at a path.
    Since(&'static str),
    Computed(Computed),
    Timed(Timed),
}

/// Makes the cell for the value at a path; empty if there is nothing to show.
type Format = for<'a> fn(&View<'a>, &str) -> Cow<'a, str>;

/// Makes the cell for an object; empty if there is nothing to show.
pub(super) type Computed = for<'a> fn(&View<'a>) -> Cow<'a, str>;

/// Makes a cell with an age.
pub(super) type Timed = for<'a> fn(&View<'a>) -> Aged<Cow<'a, str>>;

/// The cells that functions compute, by the names that the table of kinds has for them.
pub(super) struct ComputedCells {
    /// Those without ages.
    pub computed: &'static [&'static [(&'static str, Computed)]],
    /// Those with ages.
    pub timed: &'static [&'static [(&'static str, Timed)]],
}

/// The formats of values, by the names that the table of kinds has for them.
const FORMATS: &[(&str, Format)] = &[
    ("bool", |v, path| shown(v.bool(path))),
    // The number of items.
    ("count", |v, path| shown(v.list(path).len())),
    ("images", |v, path| images(v.containers(path))),
    ("int", |v, path| shown(v.int(path))),
    ("map", |v, path| map(v.at(path))),
    ("names", |v, path| names(v.containers(path))),
    // A number of pods or a percentage.
    ("pods", |v, path| v.at(path).and_then(view::scalar).unwrap_or("N/A".into())),
    ("reference", |v, path| {
        let field = |key| v.text(&format!("{path}.{key}"));
        format!("{}/{}", field("kind"), field("name")).into()
    }),
    ("resource", |v, path| resource(v.at(path))),
    ("selector", |v, path| selector(v.at(path))),
    // A text that is a pointer in Go: if it is set but empty, it is shown as empty.
    ("set-or-none", |v, path| v.at(path).map_or(NONE, |text| text.as_str().unwrap_or(NONE)).into()),
    ("set-or-unset", |v, path| v.at(path).map_or(UNSET, |text| text.as_str().unwrap_or(UNSET)).into()),
    ("text", |v, path| v.text(path).into()),
    // A text that is no pointer in Go: an empty one is `<none>`.
    ("text-or-none", |v, path| or(v.text(path), NONE)),
    ("text-or-unknown", |v, path| or(v.text(path), age::UNKNOWN)),
    ("texts", |v, path| join(texts(v.list(path)), ",")),
];

impl Column {
    /// Reads a column as the table of kinds has it; `None` if it has no cell.
    pub(super) fn read(line: &'static str, cells: &ComputedCells) -> Option<Self> {
        let (header, cell) = line.split_once(": ").unwrap_or((line, ""));
        let (header, since) = match header.split_once(" since ") {
            Some((header, release)) => (header, Some(release.parse().ok()?)),
            None => (header, None),
        };
        let name = header.trim_end_matches('*');
        let cell = match cell.split_once(' ') {
            Some(("since", path)) => Cell::Since(path),
            Some((format, path)) => Cell::At(find(FORMATS, format)?, path),
            None if cell.is_empty() => {
                [NAME, AGE, CREATED_AT].iter().find(|column| column.name == name)?.cell
            }
            None => {
                let timed = cells.timed.iter().find_map(|cells| find(cells, cell));
                let computed = || cells.computed.iter().find_map(|cells| find(cells, cell));
                timed.map(Cell::Timed).or_else(|| computed().map(Cell::Computed))?
            }
        };
        Some(Self { name, priority: u8::from(name != header), since, cell })
    }

    /// The cell for an object; empty if there is nothing to show.
    pub fn cell<'a>(&self, view: &View<'a>) -> Aged<Cow<'a, str>> {
        match self.cell {
            Cell::At(format, path) => Aged::Text(format(view, path)),
            Cell::Since(path) => view.since(path),
            Cell::Computed(cell) => Aged::Text(cell(view)),
            Cell::Timed(cell) => cell(view),
        }
    }

    /// Whether cells hold the name of the object, which is prefixed with the kind in tables of several kinds.
    pub fn is_name(&self) -> bool {
        self.name == NAME.name
    }

    /// Whether tables have it in the release that was chosen.
    ///
    /// *Compatibility* (columns-by-release): without a choice, tables are those that all known releases print.
    pub fn is_in(&self, chosen: Option<Release>) -> bool {
        self.since.is_none_or(|since| chosen.is_some_and(|chosen| chosen >= since))
    }
}

fn find<T: Copy>(named: &[(&str, T)], name: &str) -> Option<T> {
    named.iter().find(|(of, _)| *of == name).map(|(_, found)| *found)
}

/// The columns of a built-in kind without a printer (apiserver, pkg/registry/rest/table.go).
pub const WITHOUT_PRINTER: &[Column] = &[NAME, CREATED_AT];

/// The columns of a kind that is not built in and about which nothing else is known.
pub const UNKNOWN_KIND: &[Column] = &[NAME, AGE];

/// The object's name.
const NAME: Column = column("NAME", Cell::At(|v, path| v.text(path).into(), "metadata.name"));

/// The time since the object was created.
const AGE: Column = column("AGE", Cell::Since("metadata.creationTimestamp"));

/// When the object was created.
const CREATED_AT: Column = column("CREATED AT", Cell::Computed(created_at));

const fn column(name: &'static str, cell: Cell) -> Column {
    Column { name, priority: 0, since: None, cell }
}

/// The creation time in UTC.
///
/// *Compatibility* (unknown-created-at): without a creation time, the server prints the year 1; here, the cell is
/// `<unknown>`.
fn created_at<'a>(v: &View<'a>) -> Cow<'a, str> {
    let written = v.text("metadata.creationTimestamp");
    match written.parse::<Timestamp>() {
        Ok(moment) => moment.to_string().into(),
        Err(_) => or(written, age::UNKNOWN),
    }
}

/// The cell for an empty list, map or reference.
pub(super) const NONE: &str = "<none>";

/// The cell for an optional field that is not set.
pub(super) const UNSET: &str = "<unset>";

/// The names of the containers.
fn names<'a>(containers: &'a [Node]) -> Cow<'a, str> {
    join(containers.iter().map(|container| view::text(container, "name")), ",")
}

/// The images of the containers.
fn images<'a>(containers: &'a [Node]) -> Cow<'a, str> {
    join(containers.iter().map(|container| view::text(container, "image")), ",")
}

/// A text, or `otherwise` if it is empty.
pub(super) fn or<'a>(text: &'a str, otherwise: &'static str) -> Cow<'a, str> {
    if text.is_empty() { otherwise.into() } else { text.into() }
}

/// A number or boolean as text.
pub(super) fn shown<'a>(value: impl Display) -> Cow<'a, str> {
    value.to_string().into()
}

/// Joins items with a separator.
pub(super) fn join<'a, 'i>(items: impl IntoIterator<Item = &'i str>, separator: &str) -> Cow<'a, str> {
    items.into_iter().collect::<Vec<_>>().join(separator).into()
}

/// The strings in a list.
pub(super) fn texts(items: &[Node]) -> impl Iterator<Item = &str> + Clone {
    items.iter().filter_map(Node::as_str)
}

/// Joins the first `max` items with a separator, and adds how many of the `total` are left out (printers.go,
/// listWithMoreString).
pub(super) fn first(
    items: impl Iterator<Item = String>,
    max: usize,
    total: usize,
    separator: &str,
) -> String {
    let shown = items.take(max).collect::<Vec<_>>().join(separator);
    match total.saturating_sub(max) {
        0 => shown,
        more => format!("{shown} + {more} more..."),
    }
}

/// The first three items joined by commas, and how many more there are; `<unset>` if there are none.
pub(super) fn first_or_unset<'a>(items: impl Iterator<Item = String> + Clone) -> Cow<'a, str> {
    match first(items.clone(), 3, items.count(), ",") {
        text if text.is_empty() => UNSET.into(),
        text => text.into(),
    }
}

/// A map of strings as `k=v,k2=v2`, sorted; `<none>` if it is empty or absent (apimachinery, labels.FormatLabels).
pub(super) fn map<'a>(node: Option<&'a Node>) -> Cow<'a, str> {
    let entries = node.and_then(Node::as_map).into_iter().flatten();
    let pairs = entries.filter_map(|entry| Some(format!("{}={}", entry.key, entry.value.as_str()?)));
    let mut pairs: Vec<String> = pairs.collect();
    pairs.sort();
    if pairs.is_empty() { NONE.into() } else { pairs.join(",").into() }
}

/// A quantity as Go prints it, `0` if absent; an invalid quantity is shown as it is.
pub(super) fn quantity<'a>(node: Option<&'a Node>) -> Cow<'a, str> {
    amount(node, |quantity| quantity)
}

/// The quantity of a resource in a list of resources, rounded as the API rounds these.
pub(super) fn resource<'a>(node: Option<&'a Node>) -> Cow<'a, str> {
    amount(node, Quantity::rounded_as_resource)
}

fn amount<'a>(node: Option<&'a Node>, of: fn(Quantity) -> Quantity) -> Cow<'a, str> {
    match node.and_then(view::scalar) {
        Some(text) => Quantity::parse(text.trim()).map(of).map_or(text, shown),
        None => shown(Quantity::ZERO),
    }
}

/// The condition of this type; `None` if there is none. Repeated types do not pass validation.
pub(super) fn condition<'a>(conditions: &'a [Node], kind: &str) -> Option<&'a Node> {
    conditions.iter().find(|condition| view::text(condition, "type") == kind)
}

/// Whether there is a condition of this type that is `True`.
pub(super) fn holds(conditions: &[Node], kind: &str) -> bool {
    condition(conditions, kind).is_some_and(|condition| view::text(condition, "status") == "True")
}

/// One of three words: for a condition that is absent, `True`, or anything else.
pub(super) fn by_condition(
    conditions: &[Node],
    kind: &str,
    [absent, met, unmet]: [&'static str; 3],
) -> &'static str {
    match condition(conditions, kind).map(|condition| view::text(condition, "status")) {
        None => absent,
        Some("True") => met,
        Some(_) => unmet,
    }
}

/// The type of the last condition that is `True` and has one of these types; `None` if there is none.
pub(super) fn last_true<'a>(conditions: &'a [Node], kinds: &[&str]) -> Option<&'a str> {
    let held = conditions.iter().filter(|condition| view::text(condition, "status") == "True");
    let known = |condition| Some(view::text(condition, "type")).filter(|kind| kinds.contains(kind));
    held.rev().find_map(known)
}

/// A kind followed by its group, `Job.batch`; the bare kind in the core group.
pub(super) fn qualified(kind: &str, group: &str) -> String {
    if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") }
}

/// A label selector (matchLabels, matchExpressions) as text (apimachinery, metav1.FormatLabelSelector).
pub(super) fn selector<'a>(node: Option<&Node>) -> Cow<'a, str> {
    node.map(view::label_selector).unwrap_or_default().to_string().into()
}

#[cfg(test)]
pub(super) mod testing {
    use super::Column;
    use crate::view::testing::{at_noon, tree, view};
    use crate::view::text;
    use syntax::gvk;
    use syntax::tree::Node;

    fn columns(tree: &Node) -> Vec<Column> {
        let (group, _) = gvk::split_api_version(text(tree, "apiVersion"));
        crate::columns_of(group, text(tree, "kind")).expect("a kind with columns")
    }

    /// Checks these cells of the object in YAML, given with the names of their columns.
    #[track_caller]
    pub fn check(yaml: &str, cells: &[(&str, &str)]) {
        let tree = tree(yaml);
        let view = view(&tree);
        let columns = columns(&tree);
        let cell = |name: &str| {
            let column = columns.iter().find(|column| column.name == name);
            at_noon(column.unwrap_or_else(|| panic!("no column {name}")).cell(&view))
        };
        let shown: Vec<(&str, String)> = cells.iter().map(|(name, _)| (*name, cell(name))).collect();
        let wanted: Vec<(&str, String)> =
            cells.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
        assert_eq!(shown, wanted, "{yaml}");
    }

    /// Checks all cells of the wide row.
    #[track_caller]
    pub fn check_row(yaml: &str, cells: &[&str]) {
        let tree = tree(yaml);
        let view = view(&tree);
        let columns = columns(&tree);
        let shown: Vec<_> = columns.iter().map(|column| at_noon(column.cell(&view))).collect();
        assert_eq!(shown, cells, "{yaml}");
    }
}

#[cfg(test)]
mod tests {
    use super::testing::check;
    use super::*;
    use crate::view::testing::{at_noon, tree, view};

    fn all() -> impl Iterator<Item = (&'static str, Vec<Column>)> {
        crate::built_in().filter_map(|row| Some((row.kind, crate::columns_of(row.group, row.kind)?)))
    }

    #[test]
    fn a_table_has_at_most_one_name() {
        for (kind, columns) in all() {
            assert!(columns.iter().filter(|column| column.is_name()).count() <= 1, "{kind}");
            assert!(
                columns
                    .iter()
                    .all(|column| column.priority <= 1 && column.name == column.name.to_uppercase())
            );
        }
    }

    #[test]
    fn any_object_can_be_shown_whatever_it_holds() {
        let shapes = [
            "null",
            "x",
            "{}",
            "{metadata: x, spec: [], status: 3, data: x, subsets: x, subjects: {}}",
            "{metadata: {labels: [a], ownerReferences: [x, {}]}, spec: {containers: {}, rules: [x], ports: [{}, 1], \
              selector: x, metrics: [{}, x, {type: Pods}, {type: Pods, pods: x}]}, status: {conditions: [x, {}], \
              containerStatuses: [{}, x], initContainerStatuses: [x], hard: {a: {}}, capacity: x}}",
        ];
        for (shape, row) in shapes.iter().flat_map(|shape| crate::built_in().map(move |row| (shape, row))) {
            let tree = tree(shape);
            let view = View { defaults: row.defaults(), ..view(&tree) };
            for column in crate::columns_of(row.group, row.kind).unwrap_or_default() {
                column.cell(&view);
            }
        }
    }

    #[test]
    fn kinds_given_up_show_the_columns_of_their_successors() {
        check("{apiVersion: extensions/v1beta1, kind: Deployment, metadata: {name: a}}", &[("READY", "0/1")]);
        check("{apiVersion: extensions/v1beta1, kind: Ingress}", &[("HOSTS", "*")]);
        check("{apiVersion: apps/v1beta2, kind: Deployment}", &[("READY", "0/1")]);
        assert!(crate::columns_of("policy", "PodSecurityPolicy").is_none());
        check("{apiVersion: apps/v1beta1, kind: Scale, spec: {replicas: 2}}", &[("DESIRED", "2")]);
        assert!(crate::columns_of("shop.example.com", "Deployment").is_none());
    }

    #[test]
    fn a_kind_without_a_printer_shows_when_it_was_created() {
        for (created, cell) in [
            ("'2026-01-10T11:00:00Z'", "2026-01-10T11:00:00Z"),
            ("'2026-01-10T12:00:00+01:00'", "2026-01-10T11:00:00Z"),
            ("null", "<unknown>"),
        ] {
            let role = tree(&format!("{{metadata: {{name: a, creationTimestamp: {created}}}}}"));
            let cells: Vec<_> =
                WITHOUT_PRINTER.iter().map(|column| at_noon(column.cell(&view(&role)))).collect();
            assert_eq!(cells, ["a", cell]);
        }
    }

    #[test]
    fn an_unknown_kind_shows_its_age() {
        let widget = tree("{metadata: {name: a, creationTimestamp: '2026-01-10T11:00:00Z'}}");
        let cells: Vec<_> = UNKNOWN_KIND.iter().map(|column| at_noon(column.cell(&view(&widget)))).collect();
        assert_eq!(cells, ["a", "60m"]);
    }

    #[track_caller]
    fn check_selector(yaml: &str, cell: &str) {
        assert_eq!(selector(Some(&tree(yaml))), cell, "{yaml}");
    }

    #[test]
    fn selectors_are_shown_in_canonical_form() {
        check_selector("{}", "<none>");
        check_selector("{matchLabels: {}, matchExpressions: []}", "<none>");
        check_selector("{matchLabels: {z: '1', a: b}}", "a=b,z=1");
        check_selector(
            "{matchLabels: {m: x}, matchExpressions: [{key: z, operator: Exists}, {key: b, operator: In, values: [y, x]}, \
              {key: n, operator: NotIn, values: [q]}, {key: a, operator: DoesNotExist}]}",
            "!a,b in (x,y),m=x,n notin (q),z",
        );
        assert_eq!(selector(None), "<none>");
    }

    #[test]
    fn selectors_that_mean_nothing_are_errors() {
        for expression in [
            "{key: a, operator: in, values: [b]}",
            "{key: a, operator: Gt, values: ['1']}",
            "{key: a, operator: In}",
            "{key: a, operator: Exists, values: [b]}",
            "{key: a}",
        ] {
            check_selector(&format!("{{matchExpressions: [{expression}]}}"), "<error>");
        }
    }

    #[test]
    fn a_budget_is_a_number_or_a_percentage() {
        super::testing::check_row(
            "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 50%}}",
            &["b", "50%", "N/A", "0", "<unknown>"],
        );
        super::testing::check_row(
            "{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {maxUnavailable: 0}, \
              status: {disruptionsAllowed: 2}}",
            &["b", "N/A", "0", "2", "<unknown>"],
        );
    }

    #[test]
    fn quantities_are_shown_in_canonical_form() {
        for (written, cell) in
            [("1024Mi", "1Gi"), ("0.5", "500m"), ("'1000m'", "1"), ("3", "3"), ("much", "much"), ("{}", "0")]
        {
            assert_eq!(quantity(Some(&tree(written))), cell);
        }
        assert_eq!(quantity(None), "0");
    }
}
