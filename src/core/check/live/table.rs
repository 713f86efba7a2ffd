//! What says that an object is not well: its conditions and the fields with its state, a row each.

use std::sync::LazyLock;

use kinds::view;
use syntax::tree::Node;
use text::hash::HashMap;
use text::table::{columns, lines};

/// A row of `conditions.txt`, which explains the columns.
struct Condition {
    kind: &'static str,
    of: &'static str,
    status: &'static str,
    rule: &'static str,
    words: &'static str,
}

/// The conditions by group.
static CONDITIONS: LazyLock<HashMap<&str, Vec<Condition>>> = LazyLock::new(|| {
    let mut groups: HashMap<&str, Vec<Condition>> = HashMap::default();
    for line in lines(include_str!("conditions.txt")) {
        let [group, kind, of, status, rule, words] = columns(line);
        let group = if group == "core" { "" } else { group };
        groups.entry(group).or_default().push(Condition { kind, of, status, rule, words });
    }
    groups
});

/// The states: field, field with the reason, and words.
static STATES: LazyLock<Vec<[&str; 3]>> = LazyLock::new(|| {
    let rows = |line: &'static str| {
        let [paths, message, bad] = columns(line);
        paths.split(',').map(move |path| [path, message, bad])
    };
    lines(include_str!("states.txt")).flat_map(rows).collect()
});

/// The conditions of a group: `*` has those of all other kinds, and `Node` those of Nodes besides `Ready`.
fn of_group(group: &str) -> &'static [Condition] {
    CONDITIONS.get(group).map_or(&[], Vec::as_slice)
}

/// The lists in which custom resources have conditions; the Gateway API has them per parent, listener and ancestor.
const LISTS: &[&str] =
    &["status.conditions", "status.parents", "status.listeners", "status.ancestors", "status.controllers"];

/// A condition or a field that says that an object is not well.
pub(super) struct Bad<'t> {
    pub rule: &'static str,
    pub words: String,
    /// What has reason and message: the condition, or the status.
    pub reason: &'t Node,
    /// Where the message is that explains a field; empty for a condition.
    pub message: &'static str,
}

impl Condition {
    fn is(&self, text: &str) -> bool {
        self.of.strip_prefix('*').map_or(self.of == text, |end| text.ends_with(end))
    }
}

/// What the conditions of an object with a rule of its own say, once for each rule.
pub(super) fn own<'t>(group: &str, kind: &str, tree: &'t Node) -> Vec<Bad<'t>> {
    let conditions = view::list(tree, "status.conditions");
    let mut found: Vec<Bad<'t>> = Vec::new();
    for row in of_group(group).iter().filter(|row| row.kind == kind || row.kind == "*") {
        let is_known = found.iter().any(|bad| bad.rule == row.rule);
        found.extend(conditions.iter().filter(|_| !is_known).find_map(|condition| bad(row, condition)));
    }
    found
}

/// What a custom resource says of itself: the first condition in the order of the table, or else a field.
pub(super) fn custom(tree: &Node) -> Option<Bad<'_>> {
    let lists = LISTS.iter().flat_map(|path| view::list(tree, path));
    let conditions: Vec<&Node> = lists
        .flat_map(|item| match item.get("conditions").and_then(Node::as_seq) {
            Some(inner) => inner.iter().collect(),
            None => vec![item],
        })
        .collect();
    // Each type is looked up in the table once, so that long lists cost no more than their length.
    let rows = conditions.iter().filter_map(|condition| {
        let of = view::text(condition, "type");
        let (at, row) = of_group("*").iter().enumerate().find(|(_, row)| row.is(of))?;
        Some((at, bad(row, condition)?))
    });
    rows.min_by_key(|(at, _)| *at)
        .map(|(_, bad)| bad)
        .or_else(|| STATES.iter().find_map(|row| state(row, tree)))
}

fn bad<'t>(row: &Condition, condition: &'t Node) -> Option<Bad<'t>> {
    let status = view::text(condition, "status");
    // The conditions of Argo CD have no status: that they are there says it.
    let is_bad = status == row.status
        || status.is_empty() && row.status == "True" && condition.get("status").is_none();
    (is_bad && row.is(view::text(condition, "type"))).then(|| Bad {
        rule: row.rule,
        words: row.words.to_owned(),
        reason: condition,
        message: "",
    })
}

fn state<'t>([path, message, words]: &[&'static str; 3], tree: &'t Node) -> Option<Bad<'t>> {
    let value = tree.at(path)?.as_str()?;
    let is_bad = words.split(',').any(|word| word.eq_ignore_ascii_case(value));
    is_bad.then(|| Bad { rule: "not-healthy", words: format!("is {value}"), reason: tree, message })
}

/// Whether a condition of a Node, other than `Ready`, says that something is wrong.
pub(super) fn is_node_problem(of: &str, status: &str) -> bool {
    of_group("Node").iter().any(|row| row.is(of) && row.status == status)
}
