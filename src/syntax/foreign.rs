//! Recognizes files of other tools, which are found beside manifests in every repository.

use std::path::Path;
use std::sync::LazyLock;

use memchr::{memchr_iter, memmem};

use super::error_kind::ErrorKind;
use super::tree::Node;
use text::glob::Glob;

/// The nature of a text that is not a Kubernetes object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// A template, usually Helm's, that must be rendered before it can be read.
    Template,
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
    /// The description of a JavaScript package.
    Package,
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
    /// JSON that has none of the words that every manifest has, or the output of Helm.
    Unrelated,
    /// Broken YAML that has none of these words: notes or the file of another tool, but perhaps a part of a manifest.
    Notes,
}

/// Names of other tools' files.
const FILES: &[(&str, Foreign)] = &[
    ("Chart.y*ml", Foreign::Chart),
    ("Chart.lock", Foreign::Chart),
    ("values.schema.json", Foreign::Schema),
    ("values*.y*ml", Foreign::Values),
    ("*-values.y*ml", Foreign::Values),
    ("*.values.y*ml", Foreign::Values),
    ("kustomization.y*ml", Foreign::Kustomization),
    ("Kustomization", Foreign::Kustomization),
    ("package.json", Foreign::Package),
    ("package-lock.json", Foreign::Package),
    ("*.schema.json", Foreign::Schema),
];

/// The compiled names.
static PATTERNS: LazyLock<Vec<(Glob, Foreign)>> = LazyLock::new(|| {
    FILES.iter().filter_map(|(pattern, foreign)| Some((Glob::new(pattern)?, *foreign))).collect()
});

/// The first bytes of files that are not manifests.
const BEGINNINGS: &[(&[u8], Foreign)] = &[
    (b"\x1f\x8b", Foreign::Compressed("gzip")),
    (b"\x28\xb5\x2f\xfd", Foreign::Compressed("zstd")),
    (b"\xfd7zXZ", Foreign::Compressed("xz")),
    (b"BZh", Foreign::Compressed("bzip2")),
    (b"PK\x03\x04", Foreign::Zip),
    (b"\0GITCRYPT\0", Foreign::Unrelated),
    // Of cloud-init, whose files to write may be manifests.
    (b"#cloud-config", Foreign::Configuration),
    (b"Error from server", Foreign::Refusal),
    (b"Unable to connect to the server", Foreign::Refusal),
    (b"The connection to the server", Foreign::Refusal),
    (b"<!", Foreign::WebPage),
    (b"<html", Foreign::WebPage),
];

/// Directives of other engines than Helm's, from their `#` on: ytt's, of which YAML sees comments, and FreeMarker's, which
/// have a `<` before it.
const DIRECTIVES: [&[u8]; 4] = [b"#@ ", b"#if ", b"#list ", b"#assign "];

/// Shell commands that read a manifest.
const COMMANDS: [&[u8]; 4] = [b"kubectl ", b"oc ", b"cat ", b"k "];

/// How many lines at the beginning of a text are searched for its first one with content.
const HEAD_LINES: usize = 32;

/// How many lines before an error may be tokens that a tool replaces.
const TOKEN_LINES: usize = 8;

/// How a value that SOPS has encrypted begins.
pub const ENCRYPTED: &str = "ENC[";

/// How far before and after an error the text is searched for its cause, in bytes. This is limited because a text may
/// have many errors.
const NEAR: usize = 16 << 10;

impl Foreign {
    /// The nature of `text`, which has an error at byte `offset`; `None` if it may be a manifest. `source` is the name
    /// of its file.
    pub fn of(text: &[u8], offset: usize, source: &str, kind: &ErrorKind) -> Option<Self> {
        use ErrorKind::{
            AfterEnd, AfterRoot, Field, GroupVersion, Json, KindMissing, NotAMap, Separator, Time, Yaml,
        };
        let broken = matches!(kind, Yaml(_) | Json(_) | Separator(_));
        let near = around(text, offset);
        let value = text.get(offset..).unwrap_or_default();
        if matches!(kind, Field { .. } | GroupVersion | Time(_)) && is_encrypted(value) {
            return Some(Self::Encrypted);
        }
        if !broken && !matches!(kind, NotAMap(_) | KindMissing { .. }) {
            // An engine may also change what is wrong elsewhere.
            return match kind {
                Field { .. }
                    if is_template(text, offset) || has_token(text, offset) || may_be_template(near) =>
                {
                    Some(Self::Template)
                }
                Field { .. } | Time(_) if is_blank(value) || is_variable(value) => Some(Self::Template),
                // Parts of objects for a generator.
                Field { .. } | Time(_) if !may_have_type(text, near) => Some(Self::Unrelated),
                GroupVersion if is_of_a_tool(value) => Some(Self::Configuration),
                Field { field: "apiVersion", .. } if is_kind_of_a_tool(text) => Some(Self::Configuration),
                AfterEnd | AfterRoot if is_template(text, offset) || has_token(text, offset) => {
                    Some(Self::Template)
                }
                // Lines of objects for a database.
                AfterRoot if !may_have_type(text, near) || is_inventory(text) => Some(Self::untyped(source)),
                _ => None,
            };
        }
        if broken && (is_template(text, offset) || has_directive(near)) {
            return Some(Self::Template);
        }
        let name = Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let by_name = PATTERNS.iter().find(|(pattern, _)| pattern.matches(name)).map(|(_, foreign)| *foreign);
        let by_beginning = || BEGINNINGS.iter().find(|(bytes, _)| text.starts_with(bytes));
        let is_template = broken && has_token(text, offset);
        let by_name = by_name.filter(|known| *known != Self::Kustomization || !is_template);
        let known = by_name.or_else(|| by_beginning().map(|(_, foreign)| *foreign));
        let has = |word: &str| memmem::find(near, word.as_bytes()).is_some();
        known.or_else(|| match kind {
            _ if is_template => Some(Self::Template),
            _ if broken && is_conflict(text, offset) => Some(Self::Conflict),
            _ if broken && is_binary(text, offset) => Some(Self::Binary),
            NotAMap("string") => Some(Self::PlainText),
            NotAMap("array") if has("preferredVersion") && has("groupVersion") => Some(Self::Discovery),
            NotAMap("array") if has("op") && has("path") => Some(Self::Patch),
            Yaml(_) | Json(_) if has_comments(text, offset) && !has("apiVersion") => {
                Some(Self::Configuration)
            }
            _ if broken && is_command(text) => Some(Self::Command),
            _ if broken && has_fence(near) => Some(Self::Markdown),
            // A pipeline of Jenkins.
            _ if broken && first_line(text) == Some(b"pipeline {") => Some(Self::Unrelated),
            // What a terminal showed.
            _ if broken && first_line(text).is_some_and(|line| line.starts_with(b"$ ")) => Some(Self::Notes),
            _ if broken && describes_an_api(text) => Some(Self::Unrelated),
            _ if broken && begins_otherwise(text) => Some(Self::Notes),
            // What Helm prints after an installation.
            _ if broken && text.starts_with(b"NAME: ") && has("\nLAST DEPLOYED: ") => Some(Self::Unrelated),
            Separator(_) if is_ruler(text, offset) => Some(Self::Notes),
            // The head of a comparison.
            Separator(_) if value.starts_with(b" ") && has("\n+++ ") => Some(Self::Notes),
            Yaml(_) | Separator(_) if !may_have_type(text, near) => Some(Self::untyped(source)),
            // Of JSON, nothing is read after an error.
            Json(_) | Yaml(_)
                if source.ends_with(".json")
                    && matches!(text.trim_ascii_start(), [b'{' | b'[', ..])
                    && memmem::find(text, b"apiVersion").is_none() =>
            {
                Some(Self::untyped(source))
            }
            Json(_) if !has_type(text) => Some(Self::untyped(source)),
            KindMissing { .. } if has("ENC[AES256_GCM,") => Some(Self::Encrypted),
            KindMissing { .. } if has("$patch") => Some(Self::Patch),
            KindMissing { .. } if name.contains("patch") && !has("metadata") => Some(Self::Patch),
            KindMissing { .. } if has("\"$schema\"") => Some(Self::Schema),
            _ => None,
        })
    }

    /// A text that has no type: of YAML, only its author knows what it is.
    fn untyped(source: &str) -> Self {
        if source.ends_with(".json") { Self::Unrelated } else { Self::Notes }
    }

    /// What the user can do, or what the text is.
    pub fn hint(self) -> String {
        match self {
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
            Self::Package => "this describes a package, not an object",
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
            Self::Unrelated | Self::Notes => "this is not a manifest",
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

/// Whether the line at `offset`, the next one, or one of those before it, has what a program or a person replaces: it is only a
/// token, leaves something out, or has a value that begins with a word to be replaced.
fn has_token(text: &[u8], offset: usize) -> bool {
    let at = offset.min(text.len());
    let (before, rest) = text.split_at(at);
    let near = before.len().saturating_sub(NEAR);
    let rest = &rest[..rest.len().min(NEAR)];
    // An empty key may be that of the next line, which is `?`.
    let end = at + memchr_iter(b'\n', rest).nth(1).unwrap_or(rest.len());
    let lines = text[near..end].split(|&byte| byte == b'\n').rev();
    lines.take(2 + TOKEN_LINES).any(|line| {
        let is_indented = line.starts_with(b" ");
        let line = line.trim_ascii();
        is_only_token(line) || leaves_out(line, is_indented) || begins_with_a_word(line)
    })
}

/// Whether a line is `${extra}`, `$EXTRA`, `<CLUSTER_NAME>`, `<your own labels>`, `[[ if .x ]]`, `<% if x %>` or in marks, as
/// in `__EXTRA__`.
fn is_only_token(line: &[u8]) -> bool {
    let within = |start: &[u8], end: &[u8]| line.strip_prefix(start).and_then(|line| line.strip_suffix(end));
    let is_name = |name: &[u8]| {
        !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    let is_capital = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    let is_of_words = |name: &[u8]| {
        let is_part = |byte: &u8| byte.is_ascii_alphabetic() || b" _-.:'".contains(byte);
        name.first().is_some_and(u8::is_ascii_uppercase) && name.iter().all(is_capital)
            || name.contains(&b' ') && name.iter().all(is_part)
    };
    let marked = || ["__", "@@", "%"].iter().find_map(|mark| within(mark.as_bytes(), mark.as_bytes()));
    within(b"${", b"}").or_else(|| within(b"$", b"")).or_else(marked).is_some_and(is_name)
        || within(b"<", b">").is_some_and(is_of_words)
        || within(b"[[", b"]]").is_some()
        || within(b"<%", b"%>").is_some()
}

/// Whether the line at `offset`, or one beside it, begins with a mark of a conflict.
fn is_conflict(text: &[u8], offset: usize) -> bool {
    const MARKS: [&[u8]; 3] = [b"<<<<<<< ", b"=======", b">>>>>>> "];
    let is_mark = |line: &[u8]| MARKS.iter().any(|mark| line.starts_with(mark));
    lines_around(text, offset).any(|(line, is_wrong)| is_wrong && is_mark(line))
}

/// Whether a line stands for others: the gap of a form, `???` (seen in farshidmh/kubernetes-labs) or `name: ?` (seen in
/// MMerzinger/kubernetes-fundamentals), or what a listing leaves out, `...` (seen in kostaleonard/kubernetes-in-action), unless
/// that ends the document, `[...]` or `<snip>`; or has the number of a note, `<1>`.
fn leaves_out(line: &[u8], is_indented: bool) -> bool {
    let dots = line.iter().take_while(|&&byte| byte == b'.').count();
    let number = line.strip_suffix(b">").and_then(|line| line.rsplit(|&byte| byte == b'<').next());
    line.starts_with(b"???")
        || matches!(line, b"?" | b"- ?")
        || line.ends_with(b": ?")
        || dots == line.len() && (dots > 3 || dots == 3 && is_indented)
        || matches!(line, b"[...]" | b"<snip>")
        || line.ends_with(b">")
            && number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// Whether the value of a line begins with a word in braces or brackets and more text right after it, as no value of YAML
/// does: `app: {name}-app`, `image: [IMAGE]:1`, `@NAME@`.
fn begins_with_a_word(line: &[u8]) -> bool {
    let item = line.strip_prefix(b"- ");
    let value = match memmem::find(line, b": ") {
        Some(at) if item.is_none_or(|item| !item.starts_with(b"<")) => line[at + 1..].trim_ascii_start(),
        _ => item.unwrap_or_default(),
    };
    let end = match value.first() {
        Some(b'{') => b'}',
        Some(b'[') => b']',
        // Both are no beginnings of values.
        Some(mark @ (b'@' | b'%')) => return value[1..].contains(mark),
        // `<EDIT: ...>` of an exercise.
        Some(b'<') => return value.starts_with(b"<%") || value.ends_with(b">") && value.contains(&b' '),
        _ => return false,
    };
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(byte);
    let mut parts = value[1..].splitn(2, |byte| *byte == end);
    let (word, after) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    word.first().is_some_and(u8::is_ascii_alphabetic)
        && word.iter().all(is_part)
        && after.first().is_some_and(is_part)
}

/// Whether the line at `offset` is a ruler of dashes with prose after or before it, as in notes.
fn is_ruler(text: &[u8], offset: usize) -> bool {
    const LENGTH: usize = 10;
    let is_end = |byte: &u8| *byte == b'\n';
    let (before, rest) = text.split_at(offset.min(text.len()));
    let (before, start) = before.split_at(before.iter().rposition(is_end).map_or(0, |end| end + 1));
    let (end, after) = rest.split_at(rest.iter().position(is_end).unwrap_or(rest.len()));
    let is_dashes = |part: &[u8]| part.trim_ascii_end().iter().all(|&byte| byte == b'-');
    let is_prose = |line: &[u8]| {
        !is_entry(line) && !matches!(line.first(), Some(b'#' | b'-' | b'{' | b'}' | b'[' | b']'))
    };
    let content = |line: &&[u8]| !line.is_empty();
    let next = after.split(is_end).take(HEAD_LINES).map(<[u8]>::trim_ascii).find(content);
    let last = before.rsplit(is_end).take(HEAD_LINES).map(<[u8]>::trim_ascii).find(content);
    start.len() + end.len() >= LENGTH
        && is_dashes(start)
        && is_dashes(end)
        && next.into_iter().chain(last).any(is_prose)
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

/// Whether a text has a directive of a template engine. It is searched for one byte, because a text may have many errors.
fn has_directive(text: &[u8]) -> bool {
    memchr_iter(b'#', text).any(|at| {
        let directive = DIRECTIVES.iter().find(|directive| text[at..].starts_with(directive));
        directive.is_some_and(|directive| directive[1] == b'@' || text[..at].ends_with(b"<"))
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

/// Whether a text begins with the name of a section in brackets, such as an inventory of Ansible.
fn is_inventory(text: &[u8]) -> bool {
    let section = first_line(text).and_then(|line| line.strip_prefix(b"[")?.strip_suffix(b"]"));
    section.is_some_and(|name| {
        !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_:-".contains(byte))
    })
}

/// Whether a text is an OpenAPI document: its first key says so.
fn describes_an_api(text: &[u8]) -> bool {
    first_line(text).is_some_and(|line| line.starts_with(b"openapi:") || line.starts_with(b"swagger:"))
}

/// The first line of a text that is neither blank nor a comment nor `---`, without the space around it. `None` if the first
/// [`HEAD_LINES`] have none.
fn first_line(text: &[u8]) -> Option<&[u8]> {
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.take(HEAD_LINES).find(|line| !line.is_empty() && !line.starts_with(b"#") && *line != b"---")
}

/// Whether a line begins with the key of a map.
fn is_entry(line: &[u8]) -> bool {
    let key = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-./'\"".contains(byte));
    line.get(key.count()) == Some(&b':')
}

/// Whether a text begins as no YAML does that was meant to be: as a script, a prompt, prose of several words, or code.
fn begins_otherwise(text: &[u8]) -> bool {
    const PARTS: [&[u8]; 3] = [b"apiVersion", b"kind", b"metadata"];
    let is_other = |line: &[u8]| match line {
        // A conflict of versions is someone's mistake.
        [b'<', b'<', ..] => false,
        b"..." => true,
        [b'<', ..] | [b'/', b'/', ..] => true,
        [
            b'-' | b'{' | b'[' | b'"' | b'\'' | b'?' | b'%' | b'!' | b'&' | b'*' | b'|' | b'>' | b'$' | b'@',
            ..,
        ] => false,
        _ => line.contains(&b' ') && !is_entry(line) && !PARTS.iter().any(|part| line.starts_with(part)),
    };
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    text.starts_with(b"#!") || first_line(text).is_some_and(is_other)
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

/// Whether a value is a word in capitals in braces or several words in brackets, which someone replaces, or nothing but `x`:
/// `{NAME}`, `[your name]`, `xxxx`.
fn is_blank(value: &[u8]) -> bool {
    let within = |start: &[u8], end: u8, is_part: fn(u8) -> bool| {
        let rest = value.strip_prefix(start)?;
        let length = rest.iter().position(|&byte| !is_part(byte)).filter(|&length| length > 0)?;
        (rest[length] == end).then_some(&rest[..length])
    };
    let word = value.strip_prefix(b"\"").unwrap_or(value);
    let length = word.iter().take_while(|byte| byte.eq_ignore_ascii_case(&b'x')).count();
    length > 2 && word.get(length).is_none_or(|&byte| matches!(byte, b'"' | b'\n' | b'\r'))
        || within(b"{", b'}', |byte| byte.is_ascii_uppercase() || byte == b'_').is_some()
        || within(b"[", b']', |byte| byte.is_ascii_alphabetic() || byte == b' ')
            .is_some_and(|words| words.trim_ascii().contains(&b' '))
}

/// Whether a value is one that a tool sets, `$(labels)` or `${LABELS}`, or `[[ .Labels ]]`.
fn is_variable(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"\"").unwrap_or(value);
    [&b"$("[..], b"${", b"[[ "].iter().any(|start| value.starts_with(start))
}

/// Whether an `apiVersion` is that of a tool: a domain, and a version with a dot.
fn is_of_a_tool(api_version: &[u8]) -> bool {
    let value = api_version.strip_prefix(b"\"").unwrap_or(api_version);
    let end =
        value.iter().position(|byte| matches!(byte, b'\n' | b'\r' | b' ' | b'"')).unwrap_or(value.len());
    let parts: Vec<&[u8]> = value[..end].split(|&byte| byte == b'/').collect();
    matches!(parts[..], [domain, _, version] if domain.contains(&b'.') && version.contains(&b'.'))
}

/// Whether the kind of a text begins with a small letter, as Kubernetes' do not.
fn is_kind_of_a_tool(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').take(HEAD_LINES);
    let kind = lines.find_map(|line| line.strip_prefix(b"kind: "));
    kind.is_some_and(|kind| kind.first().is_some_and(u8::is_ascii_lowercase))
}

/// Whether a value, perhaps in quotes, was encrypted by SOPS.
fn is_encrypted(value: &[u8]) -> bool {
    value.strip_prefix(b"\"").unwrap_or(value).starts_with(ENCRYPTED.as_bytes())
}

/// Whether a text is JSON with comments, which tools accept in their configuration: it begins as JSON or with such a
/// comment, and there is one on the line with the error at `offset` or on the line before.
fn has_comments(text: &[u8], offset: usize) -> bool {
    let starts =
        |text: &[u8]| [&b"//"[..], b"/*"].iter().any(|comment| memmem::find(text, comment).is_some());
    matches!(text.trim_ascii_start(), [b'{' | b'[' | b'/', ..])
        && lines_around(text, offset).any(|(line, is_wrong)| is_wrong && starts(line))
}

/// Whether a line or a value of YAML may begin with a template action, so that only parsing it shows whether it is a
/// template. Most actions are inside of strings.
pub fn may_be_template(text: &[u8]) -> bool {
    actions(text).any(|at| {
        let before = text[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        matches!(before, None | Some(b'\n' | b':' | b'-' | b'['))
    })
}

/// The offsets of template actions, such as `{{ .x }}`, `{% if x %}` and Terraform's `%{ if x }`.
fn actions(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr_iter(b'{', text).filter_map(|at| match text.get(at + 1) {
        Some(b'{' | b'%') => Some(at),
        Some(b' ' | b'~') => at.checked_sub(1).filter(|&before| text[before] == b'%'),
        _ => None,
    })
}

/// Whether the text must be rendered by a template engine before it is YAML: a line begins with a template action, or
/// there is one on the line with the error at `offset` or on the line before. Actions elsewhere prove nothing;
/// annotations of alerts often contain them.
fn is_template(text: &[u8], offset: usize) -> bool {
    lines_around(text, offset)
        .any(|(line, is_wrong)| actions(line.trim_ascii_start()).next().is_some_and(|at| is_wrong || at == 0))
}

/// Whether a document is an OpenAPI document, version 2 or 3.
pub fn is_openapi(document: &Node) -> bool {
    ["openapi", "swagger"]
        .into_iter()
        .any(|key| document.get(key).is_some_and(|node| node.as_str().is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    #[test]
    fn all_patterns_are_valid() {
        assert_eq!(PATTERNS.len(), FILES.len());
    }

    #[test]
    fn a_template_is_told_by_its_actions() {
        let broken = |text: &str, at: &str| is_template(text.as_bytes(), text.find(at).unwrap());
        assert!(broken("{{- if .Values.hpa }}\nkind: A\n", "kind"));
        assert!(broken("kind: A\nname: {{ .x }}\n", ".x"));
        assert!(broken("kind: A\n  {% if x %}\nb: c: d\n", "c"));
        // A template in a valid YAML value does not count.
        assert!(!broken("kind: A\nalert: '{{ $labels.pod }}'\n\n\nb: c: d\n", "c:"));
        assert!(!broken("kind: A\n", "A"));
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
