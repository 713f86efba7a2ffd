//! The first screen: what is not well in a cluster, for a person on call. What others follow from comes first, equal rows are
//! one, and places come last.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, Write};

use super::survey::Survey;
use super::{Row, rules};
use crate::check::finding::{Finding, Severity};
use crate::output::color;
use text::go;
use text::wrap::wrapped;

/// How many objects a row names.
const NAMED: usize = 4;

/// The maximum length of a row, in characters.
const WIDTH: usize = 200;

/// The width of the headings.
const HEADING: usize = 9;

/// The column in which the text of a row begins.
const TEXT: usize = HEADING + 7;

/// Commands that say more about findings of a rule; `OBJECT` stands for the object, `NAME` for
/// its namespace and name.
const NEXT: &[(&str, &str)] = &[
    ("pod-unschedulable", "kselect get nodes --fits OBJECT --why"),
    ("pod-failing", "kselect logs -p NAME"),
    ("pod-not-ready", "kselect events --for OBJECT"),
    ("claim-not-bound", "kselect events --for OBJECT"),
    ("workload-unavailable", "kselect tree OBJECT"),
];

/// How many commands are proposed.
const PROPOSED: usize = 2;

/// A line of the screen.
struct Line<'r> {
    heading: &'static str,
    severity: Severity,
    rows: Vec<&'r Row>,
}

/// The findings of a cluster, with what was looked at.
#[derive(Debug, Default)]
pub struct Screen {
    /// The findings, in the order of the screen.
    pub rows: Vec<Row>,
    /// What was looked at.
    pub survey: Survey,
    /// When, and how that is known.
    pub taken: String,
}

impl Screen {
    /// Leaves only what is among these findings.
    pub fn keep(&mut self, findings: &[Finding]) {
        let key = |finding: &Finding| {
            (finding.id, finding.place.to_string(), finding.namespace.clone(), finding.name.clone())
        };
        let kept: HashSet<_> = findings.iter().map(key).collect();
        self.rows.retain(|row| kept.contains(&key(&row.finding)));
    }

    /// Writes the screen, with rows in several lines where they are wider than so many `columns`.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write(&self, colors: bool, columns: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
        let painted = |text: &dyn Display, style| {
            color::painted(&text.to_string(), colors.then_some(style)).to_string()
        };
        let taken = if self.taken.is_empty() { String::new() } else { format!("; {}", self.taken) };
        writeln!(out, "{}{taken}", self.survey.counts())?;
        let missing = self.survey.missing();
        if !missing.is_empty() {
            writeln!(out, "not in the input, so not checked: {missing}")?;
        }
        let lines = self.lines();
        if lines.is_empty() {
            writeln!(out, "no problems found")?;
        }
        for line in &lines {
            let style = match line.severity {
                Severity::Error => color::ERROR,
                Severity::Warning => color::WARNING,
                Severity::Advice => color::HINT,
            };
            let heading = painted(&format_args!("{:HEADING$}", line.heading), style);
            let first = line.rows[0];
            let places = match line.rows.len() - 1 {
                0 => place(first),
                more => format!("{} and {more} more", place(first)),
            };
            let mut text =
                wrapped(&line.text(), columns.map_or(usize::MAX, |columns| columns.max(2 * TEXT) - TEXT));
            let fits =
                |last: &String| columns.is_none_or(|all| TEXT + width(last) + 2 + width(&places) <= all);
            let place = painted(&places, color::PLACE);
            match text.last_mut().filter(|last| fits(last)) {
                Some(last) => *last = format!("{last}  {place}"),
                None => text.push(place),
            }
            let margin = format!("\n{:TEXT$}", "");
            writeln!(out, "{heading} {:>4}  {}", line.rows.len(), text.join(&margin))?;
        }
        self.next(out)
    }

    fn lines(&self) -> Vec<Line<'_>> {
        let mut lines: Vec<Line<'_>> = Vec::new();
        let mut known = std::collections::HashMap::new();
        for row in self.rows.iter().filter(|row| !row.follows) {
            let at = *known.entry((row.finding.id, &row.words)).or_insert(lines.len());
            match lines.get_mut(at) {
                Some(line) => line.rows.push(row),
                None => {
                    let heading = rules::part(rules::number(row.finding.id)).1;
                    lines.push(Line { heading, severity: row.finding.severity, rows: vec![row] });
                }
            }
        }
        lines
    }

    /// Proposes commands that say more about the first findings.
    fn next(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut commands: Vec<String> = Vec::new();
        for (id, command) in NEXT {
            if let Some(row) = self.rows.iter().find(|row| row.finding.id == *id) {
                let name = format!("{}/{}", row.finding.namespace, row.finding.name);
                let command = command.replace("OBJECT", &row.subject).replace("NAME", &name);
                commands.push(go::printable(&command).into_owned());
            }
        }
        commands.truncate(PROPOSED);
        if !self.rows.is_empty() {
            commands.push("kselect events --types Warning".to_owned());
            writeln!(out, "next, with the same input: {}", commands.join("; "))?;
        }
        Ok(())
    }
}

impl Line<'_> {
    /// The objects, what is wrong with them, and since when.
    fn text(&self) -> String {
        let subject = |row: &&Row| match row.state.as_str() {
            "" => row.subject.clone(),
            state => format!("{} {state}", row.subject),
        };
        let mut named: Vec<String> = self.rows.iter().take(NAMED).map(subject).collect();
        if let Some(more) = self.rows.len().checked_sub(NAMED).filter(|more| *more > 0) {
            named.push(format!("{more} more"));
        }
        let first = self.rows[0];
        let mut text = named.join(", ");
        if !first.words.is_empty() {
            text.push_str(&format!(": {}", first.words));
        }
        if let Some(since) = &first.since {
            text.push_str(&format!(", for {since}"));
        }
        // What is true of one object alone is shown if there is only one.
        if self.rows.len() == 1 && !first.detail.is_empty() {
            text.push_str(&format!("; {}", first.detail));
        }
        let text = go::printable(&text);
        match text.char_indices().nth(WIDTH) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.into_owned(),
        }
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// The last part of the path and the line.
fn place(row: &Row) -> String {
    let place = row.finding.place.clone().without_document().to_string();
    let name = place.rsplit_once('/').map_or(place.as_str(), |(_, name)| name);
    go::printable(&format!("({name})")).into_owned()
}
