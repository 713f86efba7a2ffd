//! The API's defaults (Kubernetes, pkg/apis/*/*/defaults.go): the table of those that do not depend on other fields, from
//! which [`held`](crate::held) fills objects in, and those of single fields, for table cells and field selectors, which
//! know objects in part.

mod table;

use std::sync::LazyLock;

use compact_str::CompactString;

use syntax::tree::{Node, Value};

pub use table::{Constant, SAME, constants};

/// The defaults of the fields of a kind's objects, those in `spec` included. It is cheap to copy.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldDefaults {
    /// That of the kind's Go type: `core`.
    package: &'static str,
    kind: &'static str,
    of_object: &'static [Constant],
    of_spec: &'static [Constant],
}

impl FieldDefaults {
    /// Those of a kind.
    pub fn of(group: &'static str, kind: &'static str) -> Self {
        // Kubernetes' packages are named after the first part of their group, and the type of a spec after its kind.
        let package = match group.split('.').next() {
            Some("") | None => "core",
            Some(package) => package,
        };
        let mut spec = CompactString::from(kind);
        spec.push_str("Spec");
        Self { package, kind, of_object: constants(package, kind), of_spec: constants(package, &spec) }
    }

    /// The default for the value at the dotted `path` of `object`, which is absent, null, of another type, zero or
    /// empty; `None` if there is no default in this case.
    ///
    /// `asked` is called with the paths of the fields that are read.
    pub fn get<'a>(&self, path: &str, object: &'a Node, asked: &dyn Fn(&str)) -> Option<&'a Node> {
        let of_spec = path.strip_prefix("spec.").map(|field| (self.of_spec, field));
        let (constants, field) = of_spec.unwrap_or((self.of_object, path));
        if let Some(constant) = constants.iter().find(|constant| constant.field == field) {
            let is_set =
                constant.is_pointer && object.at(path).is_some_and(|node| !node.is_null() && node.is_zero());
            return (!is_set).then_some(&constant.value);
        }
        let of = |path: &str| {
            asked(path);
            object.at(path).filter(|node| !node.is_null())
        };
        let same = SAME.iter().find_map(|(package, name, to, source)| {
            // Most kinds have none, and this is asked for each cell.
            let part_of_kind = name.strip_prefix(self.kind).filter(|_| *package == self.package)?;
            let (part, field) = path.split_once('.')?;
            let is_it = part_of_kind.eq_ignore_ascii_case(part) && *to == field;
            is_it.then(|| of(&format!("{part}.{source}")))?.filter(|node| !node.is_zero())
        });
        if same.is_some() {
            return same;
        }
        match (self.package, self.kind, path) {
            ("core", "Event", "source.component") => of("reportingComponent"),
            ("events", "Event", "deprecatedSource.component") => of("reportingController"),
            ("core", "Pod", "spec.serviceAccountName") => Some(&ACCOUNT),
            // They are the same value (core/v1/conversion.go, Convert_v1_PodStatus_To_core_PodStatus).
            ("core", "Pod", "status.podIP") => of("status.podIPs")?.as_seq()?.first()?.get("ip"),
            ("batch", "Job", "spec.completions") => completions(of("spec.parallelism")),
            ("core", kind, "status.phase") => phase(kind),
            _ => None,
        }
    }
}

/// The default of a field of a type that is a number, as for [`constants`]; 0 if it has none.
pub fn number(group: &str, of: &str, field: &str) -> i64 {
    constant(group, of, field).and_then(Node::as_int).unwrap_or_default()
}

/// The text of a field of a type, or its default if it is empty, as for [`constants`].
pub fn text_or<'t>(text: &'t str, group: &str, of: &str, field: &str) -> &'t str {
    let default = || constant(group, of, field).and_then(Node::as_str);
    Some(text).filter(|text| !text.is_empty()).or_else(default).unwrap_or_default()
}

fn constant(group: &str, of: &str, field: &str) -> Option<&'static Node> {
    let constant = constants(group, of).iter().find(|constant| constant.field == field)?;
    Some(&constant.value)
}

/// The account that admission sets for every pod.
static ACCOUNT: LazyLock<Node> = LazyLock::new(|| Node::text("default"));

/// The completions of a job that does not state them; `None` if those of any pod complete it.
pub fn completions(parallelism: Option<&Node>) -> Option<&'static Node> {
    static ONE: Node = Node::new(Value::Int(1));
    parallelism.is_none().then_some(&ONE)
}

/// The phase of new objects of a kind of the core group; `None` if they have none (the strategies of these kinds).
pub fn phase(kind: &str) -> Option<&'static Node> {
    static ACTIVE: LazyLock<Node> = LazyLock::new(|| Node::text("Active"));
    static PENDING: LazyLock<Node> = LazyLock::new(|| Node::text("Pending"));
    match kind {
        "Namespace" => Some(&ACTIVE),
        "PersistentVolume" | "PersistentVolumeClaim" | "Pod" => Some(&PENDING),
        _ => None,
    }
}
