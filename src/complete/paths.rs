//! Completes paths into objects, in JSONPaths and expressions, with the fields of the kinds on the command line and of
//! the objects in its files.

use std::collections::BTreeMap;

use super::candidate::Candidate;
use kinds::catalog::Resource;
use kinds::fields::{Shape, TypeId};
use syntax::gvk;
use syntax::tree::{Node, Value};

/// The syntax of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `.spec.containers[*].image`
    JsonPath,
    /// `spec.containers[0].image`
    Expression,
}

/// A path that is being typed.
#[derive(Debug, PartialEq, Eq)]
pub struct Typed {
    /// The start of the name to complete, in the text.
    pub start: usize,
    /// The steps from an object to the value with the name.
    steps: Vec<Step>,
    language: Language,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    /// `[*]`, `[0]`, `[?(...)]`
    Item,
}

/// Variables of expressions for parts of the object.
const ROOTS: &[(&str, &[&str])] = &[
    ("annotations", &["metadata", "annotations"]),
    ("apiVersion", &["apiVersion"]),
    ("kind", &["kind"]),
    ("labels", &["metadata", "labels"]),
    ("metadata", &["metadata"]),
    ("object", &[]),
    ("spec", &["spec"]),
    ("status", &["status"]),
];

/// The fields that every object has.
const OBJECT: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The macros that bind a variable to each item of a list.
const MACROS: &[&str] = &["all", "exists", "exists_one", "filter", "map"];

impl Typed {
    /// The JSONPath at the end of `text`: for `{.spec.re`, the steps to `spec`. Any text may precede it; open ranges of
    /// a template are taken into account. `None` if the path is not a plain one.
    pub fn json_path(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        for range in open_ranges(text) {
            steps.extend(steps_of(range)?);
        }
        let path_start = path_start(text);
        let path = &text[path_start..];
        let name_start = path.rfind('.').map_or(0, |dot| dot + 1);
        if let Some(filter) = path.strip_prefix('@').and(text[..path_start].strip_suffix("[?(")) {
            // The item of a filter is one of the list before it.
            let list = filter[self::path_start(filter)..].to_owned();
            steps.extend(steps_of(&list)?);
            steps.push(Step::Item);
        }
        // Two dots search everywhere.
        let way = path[..name_start].strip_suffix('.').unwrap_or("");
        steps.extend(if way.ends_with('.') { None } else { steps_of(way) }?);
        Some(Self { start: path_start + name_start, steps, language: Language::JsonPath })
    }

    /// The path at the end of an expression: for `spec.replicas > 1 && status.re`, the steps to `status`. `None` if it
    /// begins with an unbound variable.
    pub fn expression(text: &str) -> Option<Self> {
        let path_start = path_start(text);
        let path = &text[path_start..];
        let language = Language::Expression;
        let Some(dot) = path.rfind('.') else {
            return Some(Self { start: path_start, steps: Vec::new(), language });
        };
        let steps = expression_steps(&text[..path_start], &path[..dot])?;
        Some(Self { start: path_start + dot + 1, steps, language })
    }

    /// Removes `items`, the first step of a JSONPath for the List of all objects.
    pub fn of_list(mut self) -> Self {
        if self.steps.starts_with(&[Step::Field("items".to_owned()), Step::Item]) {
            self.steps.drain(..2);
        }
        self
    }

    /// Whether the name is the first of the path.
    pub fn is_first(&self) -> bool {
        self.steps.is_empty()
    }

    /// The names below `roots` that can follow.
    pub fn names(&self, roots: &[FieldSource<'_>]) -> Vec<String> {
        let mut names = BTreeMap::new();
        for root in roots {
            let place = self.steps.iter().try_fold(*root, |place, step| match step {
                Step::Field(name) => place.field(name),
                Step::Item => place.item(),
            });
            for (name, below) in place.map(FieldSource::fields).unwrap_or_default() {
                names.entry(name).or_insert(below);
            }
        }
        names
            .into_iter()
            .filter(|(name, _)| self.is_plain(name))
            .map(|(name, below)| self.text(name, below))
            .collect()
    }

    /// Whether a key can be written in a path without quotes.
    fn is_plain(&self, name: &str) -> bool {
        let is_plain = |c: char| {
            c.is_ascii_alphanumeric() || c == '_' || c == '-' && self.language == Language::JsonPath
        };
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_plain)
    }

    /// A name and the text that must follow it.
    fn text(&self, name: String, below: Below) -> String {
        match (below, self.language) {
            (Below::Nothing, _) | (Below::Items | Below::ItemFields, Language::Expression) => name,
            (Below::Fields, _) => name + ".",
            (Below::Items, Language::JsonPath) => name + "[*]",
            (Below::ItemFields, Language::JsonPath) => name + "[*].",
        }
    }
}

/// The names with which a path in an expression may begin.
pub fn roots() -> Vec<Candidate> {
    let roots = ROOTS.iter().map(|(name, path)| match path {
        ["kind" | "apiVersion"] => Candidate::new(*name, ""),
        _ => Candidate::new(format!("{name}."), ""),
    });
    roots.collect()
}

/// The paths of the ranges that are open at the end of a JSONPath template.
fn open_ranges(text: &str) -> Vec<&str> {
    let mut open = Vec::new();
    // The text after the last brace is being typed.
    for piece in text.split('}').rev().skip(1).collect::<Vec<_>>().into_iter().rev() {
        let Some((_, action)) = piece.rsplit_once('{') else { continue };
        match action.trim().strip_prefix("range ") {
            Some(path) => open.push(path.trim()),
            None if action.trim() == "end" => drop(open.pop()),
            None => (),
        }
    }
    open
}

/// The start of the path at the end of `text`, which consists of names, dots and brackets.
fn path_start(text: &str) -> usize {
    let mut depth = 0;
    for (at, char) in text.char_indices().rev() {
        match char {
            ']' => depth += 1,
            '[' if depth > 0 => depth -= 1,
            _ if depth > 0 => (),
            '.' | '_' | '-' | '$' | '@' => (),
            _ if char.is_alphanumeric() => (),
            _ => return at + char.len_utf8(),
        }
    }
    0
}

/// The steps of a path; `None` if it is not a plain one.
fn steps_of(path: &str) -> Option<Vec<Step>> {
    let path = path.strip_prefix(['$', '@']).unwrap_or(path);
    let mut rest = path.strip_prefix('.').unwrap_or(path);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(bracket) = rest.strip_prefix('[') {
            let (inner, after) = bracket.split_once(']')?;
            let key = inner.trim_matches(['\'', '"']);
            steps.push(if key == inner { Step::Item } else { Step::Field(key.to_owned()) });
            rest = after.strip_prefix('.').unwrap_or(after);
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            steps.push(Step::Field(rest[..end].to_owned()));
            let after = &rest[end..];
            rest = after.strip_prefix('.').unwrap_or(after);
        }
        if matches!(steps.last(), Some(Step::Field(name)) if name.is_empty()) {
            return None;
        }
    }
    Some(steps)
}

/// The steps of a path in an expression, starting from the object. `before` is the text before it, which may bind its
/// variable.
fn expression_steps(before: &str, path: &str) -> Option<Vec<Step>> {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (head, rest) = path.split_at(end);
    let mut steps = match ROOTS.iter().find(|(name, _)| *name == head) {
        Some((_, path)) => path.iter().map(|name| Step::Field((*name).to_owned())).collect(),
        None => items_bound_to(head, before)?,
    };
    steps.extend(steps_of(rest)?);
    Some(steps)
}

/// The steps to the items that a macro binds to `variable`: those of `spec.containers` for `spec.containers.all(c, `.
fn items_bound_to(variable: &str, before: &str) -> Option<Vec<Step>> {
    for (open, _) in before.rmatch_indices('(') {
        let bound = before[open + 1..].trim_start().strip_prefix(variable).map(str::trim_start);
        if variable.is_empty() || !bound.is_some_and(|rest| rest.starts_with(',')) {
            continue;
        }
        let Some((list, name)) = before[..open].rsplit_once('.') else { continue };
        if MACROS.contains(&name) {
            let start = path_start(list);
            let mut steps = expression_steps(&list[..start], &list[start..])?;
            steps.push(Step::Item);
            return Some(steps);
        }
    }
    None
}

/// What must follow a name to continue the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    Nothing,
    Fields,
    /// The items of a list.
    Items,
    /// The fields of the items of a list.
    ItemFields,
}

/// A value at a path, as far as it is known.
#[derive(Clone, Copy)]
pub enum FieldSource<'n> {
    /// A map with the fields of a built-in type.
    Type(TypeId),
    /// A field of a built-in type.
    Shape(&'static Shape),
    /// A custom resource with its schema.
    Custom(&'n Node),
    /// An object about which only the metadata is known.
    Object,
    /// A part of a custom resource.
    Schema(&'n Node),
    /// A value of an object.
    Value(&'n Node),
}

impl<'n> FieldSource<'n> {
    /// The objects of `resource`, in each known version.
    pub fn of_resource(resource: &'n Resource) -> impl Iterator<Item = Self> {
        resource.versions().filter_map(|version| {
            if let Some(definition) = resource.definition() {
                return definition.version(version)?.schema.as_deref().map(Self::Custom);
            }
            let api_version = gvk::api_version(resource.group(), version);
            TypeId::of_kind(&api_version, resource.kind()).map(Self::Type)
        })
    }

    fn of_shape(shape: &'static Shape) -> Self {
        if let Shape::Struct(id) = shape { Self::Type(*id) } else { Self::Shape(shape) }
    }

    /// A field that every object has.
    fn of_object(name: &str) -> Option<Self> {
        let pod = TypeId::of_kind("v1", "Pod")?;
        OBJECT
            .contains(&name)
            .then(|| pod.get().field(name))
            .flatten()
            .map(|field| Self::of_shape(&field.shape))
    }

    fn field(self, name: &str) -> Option<Self> {
        match self {
            Self::Type(id) => id.get().field(name).map(|field| Self::of_shape(&field.shape)),
            Self::Shape(Shape::Map(value)) => Some(Self::of_shape(value)),
            Self::Shape(_) => None,
            Self::Object => Self::of_object(name),
            Self::Custom(_) if OBJECT.contains(&name) => Self::of_object(name),
            Self::Custom(schema) | Self::Schema(schema) => {
                let property = schema.get("properties").and_then(|properties| properties.get(name));
                property.or_else(|| schema.get("additionalProperties")).map(Self::Schema)
            }
            Self::Value(node) => node.get(name).map(Self::Value),
        }
    }

    fn item(self) -> Option<Self> {
        match self {
            Self::Shape(Shape::List(item)) => Some(Self::of_shape(item)),
            Self::Type(_) | Self::Shape(_) | Self::Custom(_) | Self::Object => None,
            Self::Schema(schema) => schema.get("items").map(Self::Schema),
            Self::Value(node) => node.as_seq()?.first().map(Self::Value),
        }
    }

    /// The names of its fields, and what must follow each.
    fn fields(self) -> Vec<(String, Below)> {
        let keys = |node: Option<&'n Node>| -> Vec<&'n str> {
            node.and_then(Node::as_map).into_iter().flatten().map(|entry| entry.key.as_str()).collect()
        };
        let names: Vec<&str> = match self {
            Self::Type(id) => id.get().fields().iter().map(|field| field.name).collect(),
            Self::Shape(_) => Vec::new(),
            Self::Object => OBJECT.into(),
            Self::Custom(schema) | Self::Schema(schema) => keys(schema.get("properties")),
            Self::Value(node) => keys(Some(node)),
        };
        let below = |name: &str| self.field(name).map_or(Below::Nothing, Self::below);
        names.into_iter().map(|name| (name.to_owned(), below(name))).collect()
    }

    fn below(self) -> Below {
        let has_fields = |node: &Node| node.get("properties").or(node.get("additionalProperties")).is_some();
        match self {
            Self::Type(_) | Self::Custom(_) | Self::Object | Self::Shape(Shape::Map(_)) => Below::Fields,
            Self::Shape(Shape::List(_)) => self.of_items(),
            Self::Schema(schema) if schema.get("items").is_some() => self.of_items(),
            Self::Schema(schema) if has_fields(schema) => Below::Fields,
            Self::Shape(_) | Self::Schema(_) => Below::Nothing,
            Self::Value(node) => match &node.value {
                Value::Map(_) => Below::Fields,
                Value::Seq(_) => self.of_items(),
                _ => Below::Nothing,
            },
        }
    }

    fn of_items(self) -> Below {
        match self.item().map(Self::below) {
            Some(Below::Fields) => Below::ItemFields,
            _ => Below::Items,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the steps and the name that are read at the end of a text.
    #[track_caller]
    fn check(typed: Option<Typed>, text: &str, expected: &str) {
        let shown = typed.map_or("nothing".to_owned(), |typed| {
            let steps = typed.steps.iter().map(|step| match step {
                Step::Field(name) => format!("{name} "),
                Step::Item => "* ".to_owned(),
            });
            format!("{}| {}", steps.collect::<String>(), &text[typed.start..])
        });
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn a_json_path_is_the_end_of_its_template() {
        let check = |text, expected| check(Typed::json_path(text).map(Typed::of_list), text, expected);
        check("", "| ");
        check(".spec.re", "spec | re");
        check("{.items[*].spec.containers[0].", "spec containers * | ");
        check("{.items[0].metadata.labels['a.b/c'].", "metadata labels a.b/c | ");
        check("{.metadata.name}{\"\\n\"}{.st", "| st");
        check("{range .items[*]}{.metadata.name}{range .spec.containers[*]}{.im", "spec containers * | im");
        check("{range .items[*]}{range .spec.x[*]}{.a}{end}{.st", "| st");
        check("{.items[?(@.metadata.na", "metadata | na");
        check("{.items[*].spec.containers[?(@.na", "spec containers * | na");
        check("{..na", "nothing");
    }

    #[test]
    fn a_path_of_an_expression_begins_with_a_root_or_a_variable() {
        let check = |text, expected| check(Typed::expression(text), text, expected);
        check("", "| ");
        check("sp", "| sp");
        check("spec.re", "spec | re");
        check("kind == 'Pod' && labels.", "metadata labels | ");
        check("object.status.ph", "status | ph");
        check("spec.template.spec.containers.exists(c, c.im", "spec template spec containers * | im");
        check("spec.a.all(x, x.b.exists(y, size(y.", "spec a * b * | ");
        check("size(spec.volumes[0].", "spec volumes * | ");
        check("x.", "nothing");
    }
}
