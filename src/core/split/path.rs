//! Paths made from properties of objects: `{namespace}/{kind}-{name}.yaml`.
//!
//! These properties are data, and may be hostile. They never leave their part of the path: all characters except ASCII
//! letters, digits, `-`, `_` and `.` are written as `%XX`, so different texts stay different. So are a dot at the
//! beginning of a part, which would hide a file or leave a directory, a dot at its end, and the names that Windows
//! reserves for devices. A part that is too long for a file system is cut and ends in a hash of its full text.

use std::collections::HashMap;

use compact_str::CompactString;
use kinds::catalog::object::ObjectLabels;
use selector::escapes;
use syntax::gvk;
use syntax::head::Head;
use text::hash;

/// The default template.
pub const DEFAULT_TEMPLATE: &str = "{namespace}/{kind}-{name}.yaml";

/// The maximum length of a part of a path, in bytes; file systems allow 255.
const MAX_PART: usize = 200;

/// The names that Windows reserves for devices, with any extension.
const DEVICES: &[&str] = &["aux", "con", "nul", "prn"];

/// A path with placeholders for properties of objects.
#[derive(Clone, Debug)]
pub struct PathTemplate {
    /// The parts between slashes.
    parts: Vec<Vec<Piece>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Namespace,
    Group,
    Kind,
    Name,
    Index,
    /// A label by its key, and its number among the labels of the path.
    Label(String, usize),
}

/// What a template may not do.
const OUTSIDE: &str = "the path must stay in the directory";
const EMPTY: &str = "the path has no file name";

/// The properties of an object for its path.
#[derive(Clone, Debug, Default)]
pub struct PathFields {
    /// The API group; empty for the core group.
    pub group: CompactString,
    /// The kind.
    pub kind: CompactString,
    /// The namespace; empty for cluster-scoped kinds.
    pub namespace: CompactString,
    /// The name; empty if it has none.
    pub name: CompactString,
    /// The values of the labels in the path, in order.
    labels: Box<[CompactString]>,
}

impl PathTemplate {
    /// Parses a template.
    ///
    /// # Errors
    ///
    /// It has an unknown placeholder, or its path leaves the directory or has no file name.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with('/') {
            return Err(OUTSIDE.to_owned());
        }
        let (mut parts, mut labels) = (vec![Vec::new()], 0);
        let mut literal = String::new();
        let end_text = |parts: &mut Vec<Vec<Piece>>, literal: &mut String| {
            if let Some(last) = parts.last_mut().filter(|_| !literal.is_empty()) {
                last.push(Piece::Text(std::mem::take(literal)));
            }
        };
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '/' => {
                    end_text(&mut parts, &mut literal);
                    parts.push(Vec::new());
                }
                '{' => {
                    end_text(&mut parts, &mut literal);
                    let (name, after) = rest.split_once('}').ok_or("a { without a } after it")?;
                    if let Some(last) = parts.last_mut() {
                        last.push(Piece::parse(name, labels)?);
                        labels += usize::from(matches!(last.last(), Some(Piece::Label(..))));
                    }
                    rest = after;
                }
                c => literal.push(c),
            }
        }
        end_text(&mut parts, &mut literal);
        if parts.last().is_none_or(Vec::is_empty) {
            return Err(EMPTY.to_owned());
        }
        parts.retain(|part| !part.is_empty() && part[..] != [Piece::Text(".".to_owned())]);
        let leaves = |part: &Vec<Piece>| part[..] == [Piece::Text("..".to_owned())];
        if parts.iter().any(leaves) {
            return Err(OUTSIDE.to_owned());
        }
        if parts.is_empty() {
            return Err(EMPTY.to_owned());
        }
        Ok(Self { parts })
    }

    /// The properties of an object with this head in `namespace`. If its name is still to be generated, its prefix is
    /// used.
    pub fn fields(&self, head: &Head<'_>, namespace: &str) -> PathFields {
        let labels = ObjectLabels(head);
        let label = |piece: &Piece| match piece {
            Piece::Label(key, _) => Some(labels.get(key).unwrap_or_default().into()),
            _ => None,
        };
        PathFields {
            group: gvk::split_api_version(head.api_version).0.into(),
            kind: head.kind.into(),
            namespace: namespace.into(),
            name: head.name.or(head.generate_name).unwrap_or_default().into(),
            labels: self.parts.iter().flatten().filter_map(label).collect(),
        }
    }

    /// The parts of the path of the `index`th object, 1-based. A directory whose placeholders are empty is left out;
    /// the name of a file is `_` instead.
    pub fn path(&self, fields: &PathFields, index: usize) -> Vec<String> {
        let last = self.parts.len() - 1;
        let part = |(at, pieces): (usize, &Vec<Piece>)| {
            let text: String = pieces.iter().map(|piece| piece.text(fields, index)).collect();
            match text.is_empty() {
                true if at < last => None,
                true => Some("_".to_owned()),
                false => Some(harmless(text)),
            }
        };
        self.parts.iter().enumerate().filter_map(part).collect()
    }
}

impl Piece {
    /// Parses a placeholder after this many labels.
    fn parse(name: &str, labels: usize) -> Result<Self, String> {
        Ok(match name {
            "namespace" => Self::Namespace,
            "group" => Self::Group,
            "kind" => Self::Kind,
            "name" => Self::Name,
            "index" => Self::Index,
            _ => match name.strip_prefix("label:") {
                Some(key) if !key.is_empty() => Self::Label(key.to_owned(), labels),
                _ => {
                    let name = text::go::printable(name);
                    let expected = "expected {namespace}, {group}, {kind}, {name}, {label:KEY} or {index}";
                    return Err(format!("unknown placeholder {name}, {expected}"));
                }
            },
        })
    }

    fn text(&self, fields: &PathFields, index: usize) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Namespace => encoded(&fields.namespace),
            Self::Group => encoded(&fields.group),
            Self::Kind => encoded(&fields.kind.to_lowercase()),
            Self::Name => encoded(&fields.name),
            Self::Label(_, number) => encoded(fields.labels.get(*number).map_or("", CompactString::as_str)),
            Self::Index => format!("{:04}", index),
        }
    }
}

/// Encodes data for a file name.
fn encoded(text: &str) -> String {
    escapes::percent(text.as_bytes(), |byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Makes a part of a path safe for all file systems.
fn harmless(mut part: String) -> String {
    if part.len() > MAX_PART {
        // The extension is kept. The hash covers the part that is cut off.
        let extension = part.rfind('.').filter(|at| part.len() - at <= 8).map_or("", |at| &part[at..]);
        let start = (0..=MAX_PART - 24).rev().find(|at| part.is_char_boundary(*at)).unwrap_or(0);
        part = format!("{}~{:016x}{extension}", &part[..start], hash::stable(part.bytes()));
    }
    let stem = part.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_port =
        |name: &str| stem.strip_prefix(name).is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']));
    let first = part.as_bytes()[0];
    if first == b'.' || DEVICES.contains(&&*stem) || is_port("com") || is_port("lpt") {
        part.replace_range(..1, &escapes::percent(&[first], |_| false));
    }
    if part.ends_with(['.', ' ']) {
        let last = part.pop().unwrap_or('.');
        part.push_str(&escapes::percent(&[last as u8], |_| false));
    }
    part
}

/// The paths assigned so far. On some systems, paths that differ only in case are the same, and a file cannot have the
/// name of a directory: the later one gets a hash.
#[derive(Debug, Default)]
pub struct Paths {
    /// By their lowercase form: the path that has it, and whether it is a file.
    taken: HashMap<String, (String, bool)>,
}

impl Paths {
    /// The path for these parts, which is the same for each call.
    pub fn path(&mut self, parts: &[String]) -> String {
        let mut path = String::new();
        for (at, part) in parts.iter().enumerate() {
            let is_file = at + 1 == parts.len();
            let joined = if at == 0 { part.clone() } else { format!("{path}/{part}") };
            path = self.take(joined, is_file);
        }
        path
    }

    fn take(&mut self, path: String, is_file: bool) -> String {
        let wanted = (path, is_file);
        let free = |taken: &HashMap<String, (String, bool)>, path: &str| {
            taken.get(&path.to_ascii_lowercase()).is_none_or(|holder| *holder == wanted)
        };
        let mut found = wanted.0.clone();
        while !free(&self.taken, &found) {
            // The hash depends on the case of the letters.
            let (stem, extension) = match found.rfind('.').filter(|at| found.len() - at <= 8 && is_file) {
                Some(at) => found.split_at(at),
                None => (&*found, ""),
            };
            found = format!("{stem}~{:016x}{extension}", hash::stable(found.bytes()));
        }
        self.taken.insert(found.to_ascii_lowercase(), wanted);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(template: &str, namespace: &str, name: &str) -> String {
        let labels = vec![("app", "web/x"), ("team", "shop")];
        let head =
            Head { api_version: "apps/v1", kind: "Deployment", name: Some(name), labels, ..Head::default() };
        let template = PathTemplate::parse(template).expect("a template");
        template.path(&template.fields(&head, namespace), 7).join("/")
    }

    #[test]
    fn placeholders_are_replaced_by_properties_of_the_object() {
        assert_eq!(path(DEFAULT_TEMPLATE, "shop", "web"), "shop/deployment-web.yaml");
        assert_eq!(path(DEFAULT_TEMPLATE, "", "web"), "deployment-web.yaml");
        assert_eq!(path("{label:team}/{group}/{index}.yml", "", ""), "shop/apps/0007.yml");
        assert_eq!(path("all/{label:none}", "", ""), "all/_");
        assert_eq!(path("{label:team}-{label:none}-{label:team}", "", ""), "shop--shop");
    }

    #[test]
    fn names_stay_in_their_part() {
        assert_eq!(path(DEFAULT_TEMPLATE, "..", "../../x"), "%2E%2E/deployment-..%2F..%2Fx.yaml");
        assert_eq!(path("{name}", "", ".."), "%2E%2E");
        assert_eq!(path("{name}", "", "/etc/passwd"), "%2Fetc%2Fpasswd");
        assert_eq!(path("{name}.yaml", "", "CON"), "%43ON.yaml");
        assert_eq!(path("{name}.yaml", "", "com1"), "%63om1.yaml");
        assert_eq!(path("{name}", "", "C:\\x\0ü"), "C%3A%5Cx%00%C3%BC");
        assert_eq!(path("{name}", "", ".git"), "%2Egit");
        assert_eq!(path("{label:app}.yaml", "", ""), "web%2Fx.yaml");
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let (a, b) = (path("{name}.yaml", "", &"a".repeat(300)), path("{name}.yaml", "", &"a".repeat(301)));
        assert!(a.len() <= 255 && a.ends_with(".yaml") && a != b, "{a} {b}");
    }

    #[test]
    fn what_differs_in_case_alone_stays_apart() {
        let mut paths = Paths::default();
        let parts = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
        let (first, twin) = (paths.path(&parts("A/x.yaml")), paths.path(&parts("a/X.yaml")));
        assert_eq!(first, "A/x.yaml");
        assert!(!twin.eq_ignore_ascii_case(&first), "{twin}");
        assert_eq!(paths.path(&parts("A/x.yaml")), first);
        assert_eq!(paths.path(&parts("a/X.yaml")), twin);
        // A directory and a file with the same name.
        assert_ne!(paths.path(&parts("A/x.yaml/y")), "A/x.yaml/y");
        assert_ne!(paths.path(&parts("a")), "a");
    }

    #[test]
    fn a_template_stays_in_its_directory() {
        let error = |text| PathTemplate::parse(text).expect_err("an error");
        assert_eq!(error("../x"), OUTSIDE);
        assert_eq!(error("/x"), OUTSIDE);
        assert_eq!(error("x/"), EMPTY);
        assert_eq!(error(""), EMPTY);
        assert!(error("{x}").starts_with("unknown placeholder x, expected {namespace}"));
        assert_eq!(error("{name"), "a { without a } after it");
    }
}
