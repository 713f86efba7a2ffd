//! Recognizes files of other tools, which are found beside manifests in every repository.

use std::path::Path;

use memchr::{memchr_iter, memmem};

use super::error_kind::ErrorKind;
use super::tree::Node;
use text::placeholder;

/// The nature of a text that is not a Kubernetes object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// A template, usually Helm's, that must be rendered before it can be read.
    Template,
    /// A text with placeholders that must be replaced before it can be read.
    Placeholder,
    /// The values of a Helm chart.
    Values,
    /// The description of a Helm chart.
    Chart,
    /// A kustomization without a `kind`.
    Kustomization,
    /// A patch: JSON Patch, or a strategic merge patch with `$patch`.
    Patch,
    /// A JSON schema.
    Schema,
    /// A document that SOPS has encrypted as a whole.
    Encrypted,
    /// A description of the kinds of an API server.
    Discovery,
    /// The configuration of another tool.
    Configuration,
    /// A compressed file, and the program that decompresses it.
    Compressed(&'static str),
    /// A zip archive.
    Zip,
    /// A file in a zip archive that has a password.
    Locked,
    /// An error that kubectl printed in place of objects.
    Refusal,
    /// A shell command that has a manifest as a here-document.
    Command,
    /// What a merge left, to be resolved.
    Conflict,
    /// Markdown, which may have manifests in its blocks of code.
    Markdown,
    /// HTML.
    WebPage,
    /// Not text.
    Binary,
    /// Prose.
    PlainText,
    /// JSON or a collection in braces without a type of an object, or what only its tool can read.
    Unrelated,
}

/// The names of the files that a directory is built from (kustomize, api/konfig, RecognizedKustomizationFileNames).
pub const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// What a document without a type is in a file of a chart or a kustomization. The name decides no more than that.
const NAMED: [(&str, Foreign); 5] = [
    ("Chart.yaml", Foreign::Chart),
    ("values.yaml", Foreign::Values),
    (KUSTOMIZATIONS[0], Foreign::Kustomization),
    (KUSTOMIZATIONS[1], Foreign::Kustomization),
    (KUSTOMIZATIONS[2], Foreign::Kustomization),
];

/// The first bytes of files that are not manifests.
const BEGINNINGS: &[(&[u8], Foreign)] = &[
    (b"\x1f\x8b", Foreign::Compressed("gzip")),
    (b"\x28\xb5\x2f\xfd", Foreign::Compressed("zstd")),
    (b"\xfd7zXZ", Foreign::Compressed("xz")),
    (b"BZh", Foreign::Compressed("bzip2")),
    (b"PK\x03\x04", Foreign::Zip),
    (b"\0GITCRYPT\0", Foreign::Unrelated),
    (b"Error from server", Foreign::Refusal),
    (b"Unable to connect to the server", Foreign::Refusal),
    (b"The connection to the server", Foreign::Refusal),
    (b"<!", Foreign::WebPage),
    (b"<html", Foreign::WebPage),
];

/// Shell commands that read a manifest.
const COMMANDS: [&[u8]; 4] = [b"kubectl ", b"oc ", b"cat ", b"k "];

/// How many lines at the beginning of a text are searched for its first one with content.
const HEAD_LINES: usize = 32;

/// How a value that SOPS has encrypted begins.
pub const ENCRYPTED: &str = "ENC[";

/// How far before and after an error the text is searched for its cause, in bytes. This is limited because a text may
/// have many errors.
const NEAR: usize = 16 << 10;

impl Foreign {
    /// The nature of `text`, which has an error at byte `offset`; `None` if it may be a manifest. `source` is the name of its
    /// file.
    pub fn of(text: &[u8], offset: usize, source: &str, kind: &ErrorKind) -> Option<Self> {
        use ErrorKind::{
            AfterEnd, AfterRoot, Field, GroupVersion, Json, KindMissing, NotAMap, Separator, Time, Yaml,
        };
        let value = text.get(offset..).unwrap_or_default();
        match kind {
            KindMissing { .. } | NotAMap(_) => Self::of_untyped(around(text, offset), source, kind),
            Yaml(_) | Json(_) | Separator(_) => Self::of_broken(text, offset),
            Field { .. } | GroupVersion | Time(_) if is_encrypted(value) => Some(Self::Encrypted),
            Field { .. } | Time(_) if is_replaced(value) => of_template(value_line(value)),
            // Parts of objects for a generator.
            Field { .. } | Time(_) if !may_have_type(text, around(text, offset)) => Some(Self::Unrelated),
            AfterEnd | AfterRoot if template(text, offset).is_some() => template(text, offset),
            // Lines of objects for a database.
            AfterRoot if is_json_without_type(text) => Some(Self::Unrelated),
            _ => None,
        }
    }

    /// The nature of a document that has no type, by what it has instead.
    fn of_untyped(text: &[u8], source: &str, kind: &ErrorKind) -> Option<Self> {
        let has = |word: &str| memmem::find(text, word.as_bytes()).is_some();
        let name = Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let named = || NAMED.iter().find_map(|(known, foreign)| (*known == name).then_some(*foreign));
        Some(match kind {
            ErrorKind::NotAMap("string") => begins(text).unwrap_or(Self::PlainText),
            ErrorKind::NotAMap("array") if has("preferredVersion") && has("groupVersion") => Self::Discovery,
            ErrorKind::NotAMap("array") if has("op") && has("path") => Self::Patch,
            _ if has("ENC[AES256_GCM,") => Self::Encrypted,
            _ if has("$patch") => Self::Patch,
            _ if has("\"$schema\"") => Self::Schema,
            _ => return named().or_else(|| begins(text)),
        })
    }

    /// The nature of a text that is not YAML.
    fn of_broken(text: &[u8], offset: usize) -> Option<Self> {
        template(text, offset).or_else(|| begins(text)).or_else(|| match () {
            () if is_conflict(text, offset) => Some(Self::Conflict),
            () if is_binary(text, offset) => Some(Self::Binary),
            () if is_json_without_type(text) => Some(Self::Unrelated),
            () if is_command(text) => Some(Self::Command),
            () if has_fence(around(text, offset)) => Some(Self::Markdown),
            () => None,
        })
    }

    /// What the user can do, or what the text is.
    pub fn hint(self) -> String {
        match self {
            Self::Placeholder => "this has placeholders; replace them first, as envsubst or sed do",
            Self::Template => "this looks like a Helm template; render it first: helm template CHART | kselect ...",
            Self::Values => {
                "these are values of a Helm chart; render it first: helm template CHART -f VALUES | kselect ..."
            }
            Self::Chart => "this describes a Helm chart; render it first: helm template CHART | kselect ...",
            Self::Kustomization => {
                "this is a kustomization; build it first: kustomize build DIRECTORY | kselect ..."
            }
            Self::Patch => "this is a patch, not an object",
            Self::Schema => "this is a JSON schema, not an object",
            Self::Encrypted => "this is encrypted; decrypt it first: sops decrypt FILE | kselect ...",
            Self::Discovery => "this describes the API of a server",
            Self::Configuration => "this configures another tool",
            Self::Compressed(program) => {
                return format!("this is compressed: {program} -dc FILE | kselect ...");
            }
            Self::Zip => "this is an archive: unzip -p FILE | kselect ...",
            Self::Locked => "this is encrypted; unpack it with its password first: unzip ARCHIVE",
            Self::Refusal => "kubectl printed this error in place of objects, so the input lacks them",
            Self::Command => {
                "this is a shell command that contains a manifest; remove the command, or pipe what it prints"
            }
            Self::Conflict => "a merge left the marks of a conflict here, from <<<<<<< to >>>>>>>; resolve it",
            Self::Markdown => "this is Markdown, not a manifest",
            Self::WebPage => "this is a web page, not a manifest",
            Self::Binary => "this is not text",
            Self::PlainText => "this is plain text, not a manifest",
            Self::Unrelated => "this is not a manifest",
        }
        .to_owned()
    }
}

/// Whether the text around `offset` is binary.
pub fn is_binary(text: &[u8], offset: usize) -> bool {
    memchr::memchr(0, around(text, offset)).is_some()
}

fn around(text: &[u8], offset: usize) -> &[u8] {
    let end = text.len().min(offset.saturating_add(NEAR));
    &text[offset.saturating_sub(NEAR).min(end)..end]
}

/// Whether the line at `offset`, or one beside it, begins with a mark of a conflict.
fn is_conflict(text: &[u8], offset: usize) -> bool {
    const MARKS: [&[u8]; 3] = [b"<<<<<<< ", b"=======", b">>>>>>> "];
    let is_mark = |line: &[u8]| MARKS.iter().any(|mark| line.starts_with(mark));
    lines_around(text, offset).any(|(line, is_wrong)| is_wrong && is_mark(line))
}

/// The lines around `offset`, and whether each is the one with the byte there or the one before.
fn lines_around(text: &[u8], offset: usize) -> impl Iterator<Item = (&[u8], bool)> {
    let at = offset.min(text.len()) - offset.saturating_sub(NEAR).min(text.len());
    let mut end = 0;
    around(text, offset).split_inclusive(|&byte| byte == b'\n').map(move |line| {
        end += line.len();
        // If the newline before `at` ends a line, that line is the one before the error.
        (line, end >= at && end.saturating_sub(line.len()) <= at)
    })
}

/// Whether a line of a text begins with a key of the type of an object, or a text in braces has one. A text without any, such
/// as prose or notes, was hardly meant to be one.
pub fn has_type(text: &[u8]) -> bool {
    [&b"apiVersion"[..], b"kind"].iter().any(|key| {
        memmem::find_iter(text, key).any(|at| {
            let before =
                text[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t' | b'-' | b'"' | b'\''));
            let rest = &text[at + key.len()..];
            let colon = rest.iter().position(|byte| !matches!(byte, b' ' | b'"' | b'\''));
            let colon = colon.filter(|&colon| rest[colon] == b':');
            // The version of a file of Grafana is a number.
            let is_number =
                |colon: usize| rest[colon + 1..].trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
            matches!(before, None | Some(b'\n' | b'{' | b',' | b'['))
                && colon.is_some_and(|colon| !is_number(colon))
        })
    })
}

/// What a text of any length might be, of which the beginning, the end and what is `near` an error are searched.
fn may_have_type(text: &[u8], near: &[u8]) -> bool {
    let (start, end) = (text.len().min(NEAR), text.len().saturating_sub(NEAR));
    has_type(near) || has_type(&text[..start]) || has_type(&text[end..])
}

/// The nature of a text by its first bytes; `None` if they say nothing.
fn begins(text: &[u8]) -> Option<Foreign> {
    BEGINNINGS.iter().find(|(bytes, _)| text.starts_with(bytes)).map(|(_, foreign)| *foreign)
}

/// Whether a text begins as JSON, perhaps with comments as tools accept them in their configuration, and has no type of an object
/// anywhere.
fn is_json_without_type(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start(), [b'{' | b'[' | b'/', ..]) && !has_type(text)
}

/// The first line of a text that is neither blank nor a comment nor `---`, without the space around it. `None` if the first
/// [`HEAD_LINES`] have none.
fn first_line(text: &[u8]) -> Option<&[u8]> {
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.take(HEAD_LINES).find(|line| !line.is_empty() && !line.starts_with(b"#") && *line != b"---")
}

/// Whether a line begins a block of code in Markdown, which no line of YAML at the margin does.
fn has_fence(text: &[u8]) -> bool {
    text.starts_with(b"```") || memmem::find(text, b"\n```").is_some()
}

/// Whether a text begins with a shell command that reads a here-document: `kubectl apply -f - <<EOF`.
fn is_command(text: &[u8]) -> bool {
    first_line(text).is_some_and(|line| {
        let has_command = COMMANDS.iter().any(|command| line.starts_with(command));
        has_command && memmem::find(line, b"<<").is_some()
    })
}

/// Whether a value, perhaps in quotes, was encrypted by SOPS.
fn is_encrypted(value: &[u8]) -> bool {
    value.strip_prefix(b"\"").unwrap_or(value).starts_with(ENCRYPTED.as_bytes())
}

/// Whether a line or a value of YAML may begin with a template action, so that only parsing it shows whether it is a
/// template. Most actions are inside of strings.
pub fn may_be_template(text: &[u8]) -> bool {
    actions(text).any(|at| {
        let before = text[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        matches!(before, None | Some(b'\n' | b':' | b'-' | b'['))
    })
}

/// The offsets of template actions, such as `{{ .x }}`, `{% if x %}`, `{# of x #}` and Terraform's `%{ if x }`.
fn actions(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr_iter(b'{', text).filter_map(|at| match text.get(at + 1) {
        Some(b'{' | b'%' | b'#') => Some(at),
        Some(b' ' | b'~') => at.checked_sub(1).filter(|&before| text[before] == b'%'),
        _ => None,
    })
}

/// Whether the text must be rendered by a template engine before it is YAML: on the line with the error at `offset`, or on the
/// line before, there is a template action, or a placeholder in the place of a line or a value. Actions elsewhere prove nothing;
/// annotations of alerts often contain them.
fn template(text: &[u8], offset: usize) -> Option<Foreign> {
    // A placeholder alone on a line is one text with the next line, where the error is.
    let mut alone: &[u8] = &[];
    lines_around(text, offset).find_map(|(line, is_wrong)| {
        let before = std::mem::replace(&mut alone, if is_replaced(line.trim_ascii()) { line } else { &[] });
        let found = is_wrong.then(|| of_template(line).or_else(|| of_template(before)));
        found.flatten()
    })
}

fn of_template(line: &[u8]) -> Option<Foreign> {
    let line = line.trim_ascii();
    let item = line.strip_prefix(b"- ").unwrap_or(line);
    let value = memmem::find(item, b": ").map_or(item, |colon| item[colon + 1..].trim_ascii_start());
    match actions(line).next() {
        Some(_) => Some(Foreign::Template),
        None => (is_replaced(value) || is_replaced(item)).then_some(Foreign::Placeholder),
    }
}

fn value_line(text: &[u8]) -> &[u8] {
    text.split(|&byte| byte == b'\n').next().unwrap_or_default()
}

/// Whether a value, perhaps in quotes, begins with a placeholder.
fn is_replaced(value: &[u8]) -> bool {
    let value = value_line(value).trim_ascii_end();
    let quoted = |quote: &[u8]| value.strip_prefix(quote)?.strip_suffix(quote);
    let value = quoted(b"\"").or_else(|| quoted(b"'")).unwrap_or(value);
    std::str::from_utf8(value).is_ok_and(placeholder::begins)
}

/// Whether a document is an OpenAPI document, version 2 or 3.
pub fn is_openapi(document: &Node) -> bool {
    let has_text = |key: &&str| document.get(key).is_some_and(|node| node.as_str().is_some());
    ["openapi", "swagger"].iter().any(has_text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    #[test]
    fn a_template_is_told_by_its_actions() {
        let broken = |text: &str, at: &str| {
            template(text.as_bytes(), text.find(at).unwrap()) == Some(Foreign::Template)
        };
        assert!(broken("{{- if .Values.hpa }}\nkind: A\n", "kind"));
        assert!(broken("kind: A\nname: {{ .x }}\n", ".x"));
        assert!(broken("kind: A\n  {% if x %}\nb: c: d\n", "b: c"));
        assert!(broken("{\"kind\": \"A\",\n{# b #}\n}\n", "{#"));
        // A template in a valid YAML value does not count.
        assert!(!broken("kind: A\nalert: '{{ $labels.pod }}'\n\n\nb: c: d\n", "c:"));
        assert!(!broken("kind: A\n", "A"));
        let replaced = "kind: A\nreplicas: %REPLICAS%\n";
        assert_eq!(template(replaced.as_bytes(), replaced.find('%').unwrap()), Some(Foreign::Placeholder));
        let alone = "labels:\n  <LABELS>\n  a: b\n  c: d: e\n";
        assert_eq!(template(alone.as_bytes(), alone.find(": b").unwrap()), Some(Foreign::Placeholder));
        assert_eq!(template(alone.as_bytes(), alone.find(": e").unwrap()), None);
    }

    #[test]
    fn a_shell_command_reads_a_here_document() {
        assert!(is_command(b"# A claim\n\nkubectl apply -f - <<EOF\nkind: A\nEOF\n"));
        assert!(is_command(b"cat <<'EOF' | kubectl apply -f -\n"));
        assert!(!is_command(b"kubectl apply -f a.yaml\n") && !is_command(b"kind: A\ncat <<EOF\n"));
    }

    #[test]
    fn an_openapi_document_says_so() {
        let tree = |text: &str| yaml::parse(text.as_bytes()).expect("YAML").expect("a document").root;
        assert!(is_openapi(&tree("{openapi: 3.1.0}")) && is_openapi(&tree("{swagger: '2.0'}")));
        assert!(!is_openapi(&tree("{openapi: {enabled: true}}")) && !is_openapi(&tree("[]")));
    }
}
