//! Findings as text, for people.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use crate::check::live;
use crate::check::{Finding, Severity, UNKNOWN_FIELD};
use crate::output::color;
use text::excerpt::Excerpt;
use text::go;

/// How many equal findings are shown one by one; of more, the first ones are.
const EQUAL: usize = 5;
const FIRST: usize = 3;

/// Writes one line per finding: `FILE:LINE: severity [id] kind/name: message`, coloured if `colors`, and the text that
/// `shown` makes of an excerpt. On a terminal with `columns`, paths in dumps are cut to their ends, because collectors put much
/// into them, and nobody edits a dump. Of many findings that say the same, the first ones are written, and how many there are.
///
/// # Errors
///
/// Those of the writer.
pub fn text<'f>(
    findings: &'f [Finding],
    colors: bool,
    columns: Option<usize>,
    shown: impl Fn(&Excerpt) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    let style = |style| colors.then_some(style);
    let cause = |finding: &'f Finding| (finding.id, finding.severity, &*finding.message);
    let mut counts: HashMap<_, (usize, usize)> = HashMap::new();
    // What follows from a finding that is shown is counted below it.
    let mut followers: HashMap<(&str, usize), usize> = HashMap::new();
    for finding in findings.iter().filter(|finding| finding.id == UNKNOWN_FIELD && finding.follows.is_none())
    {
        followers.insert((&finding.place.source, finding.place.line.unwrap_or_default()), 0);
    }
    for finding in findings {
        let line = finding.follows.unwrap_or_default();
        followers.entry((&finding.place.source, line)).and_modify(|count| *count += 1);
    }
    let shown_with = followers.clone();
    let follows = |finding: &Finding| {
        finding.follows.is_some_and(|line| shown_with.contains_key(&(&*finding.place.source, line)))
    };
    let is_repeated = |finding: &&Finding| !live::is_live(finding.id) && !follows(finding);
    for finding in findings.iter().filter(is_repeated) {
        counts.entry(cause(finding)).or_default().0 += 1;
    }
    for finding in findings.iter().filter(|finding| !follows(finding)) {
        let mut more = 0;
        if let Some((all, written)) = counts.get_mut(&cause(finding)).filter(|(all, _)| *all > EQUAL) {
            *written += 1;
            match *written {
                FIRST => more = *all - FIRST,
                written if written > FIRST => continue,
                _ => (),
            }
        }
        let (Finding { id, severity, kind, .. }, message) = (finding, finding.sentence());
        let place = finding.place.clone().without_document().to_string();
        let place = match columns {
            Some(columns) if live::is_live(id) => end_of(&place, columns / 3),
            _ => place.into(),
        };
        let severity_style = match severity {
            Severity::Error => color::ERROR,
            Severity::Warning => color::WARNING,
            Severity::Advice => color::HINT,
        };
        // The objects of a cluster are in many namespaces.
        let is_in_namespace = live::is_live(id) && !finding.namespace.is_empty();
        let namespace =
            if is_in_namespace { format!("{}/", go::printable(&finding.namespace)) } else { String::new() };
        let object = format!("{namespace}{}/{}", go::printable(kind), go::printable(&finding.name));
        let object = match kind.is_empty() {
            true => String::new(),
            false => format!("{}: ", color::painted(&object, style(color::HEADER))),
        };
        writeln!(
            out,
            "{}: {} [{id}] {object}{message}",
            color::painted(&place, style(color::PLACE)),
            color::painted(&severity.to_string(), style(severity_style)),
        )?;
        if let Some(excerpt) = &finding.excerpt {
            writeln!(out, "{}", shown(excerpt))?;
        }
        if more > 0 {
            writeln!(out, "  and {more} more like it; -o json lists all")?;
        }
        let line = finding.place.line.unwrap_or_default();
        let of_field = followers.get_mut(&(&*finding.place.source, line)).filter(|_| *id == UNKNOWN_FIELD);
        if let Some(more) = of_field.map(std::mem::take).filter(|more| *more > 0) {
            writeln!(out, "  and {more} more that follow from it; -o json lists all")?;
        }
    }
    Ok(())
}

/// The end of a path that is longer than so many characters.
fn end_of(path: &str, most: usize) -> Cow<'_, str> {
    let excess = path.chars().count().saturating_sub(most);
    match excess {
        0 => path.into(),
        _ => format!("...{}", path.chars().skip(excess + 3).collect::<String>()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Confidence;
    use syntax::error::Place;

    #[test]
    fn paths_in_dumps_are_cut_to_their_ends_on_a_terminal() {
        let finding = |id| Finding {
            id,
            confidence: Confidence::Certain,
            severity: Severity::Error,
            place: Place {
                source: "must-gather.tar.gz/quay-io/nodes.yaml".into(),
                line: Some(12),
                document: None,
            },
            origin: None,
            origin_line: None,
            follows: None,
            kind: "node".to_owned(),
            namespace: String::new(),
            name: "n1".to_owned(),
            message: "is not ready".to_owned(),
            other: None,
            hint: None,
            disabled: None,
            excerpt: None,
        };
        let written = |id, columns| {
            let mut out = Vec::new();
            text(&[finding(id)], false, columns, |_| String::new(), &mut out).expect("memory");
            String::from_utf8(out).expect("UTF-8")
        };
        let whole = "must-gather.tar.gz/quay-io/nodes.yaml:12: error";
        assert_eq!(
            written("node-not-ready", Some(60)),
            "...-io/nodes.yaml:12: error [node-not-ready] node/n1: is not ready\n"
        );
        assert!(written("node-not-ready", None).starts_with(whole));
        assert!(written("node-not-ready", Some(200)).starts_with(whole));
        assert!(written("missing-field", Some(60)).starts_with(whole));
    }
}
