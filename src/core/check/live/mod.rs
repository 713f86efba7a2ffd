//! What is not well in the objects of a dump, by their status: rules of their own, which need live objects. They are about
//! the state of a cluster, not about its manifests.
//!
//! `reader` keeps the facts about each object (`fact`), on any thread: what its conditions say by a table (`table`), what is wrong
//! with a Pod (`pods`). `state` finds in all facts what is not well and what follows
//! from what, in the order of `rules`; `screen` shows it to a person.

mod fact;
mod pods;
mod reader;
mod rules;
mod screen;
mod state;
mod survey;
mod table;
mod words;

use jiff::Timestamp;

use fact::{Known, Unwell};
use reader::Reader;
use state::State;
use words::{ago, join};

use super::finding::{Confidence, Finding};
use super::rule::Rule;
use crate::scan::copies::{Newest, ObjectState};
use crate::scan::{Scan, ToolFiles};
use crate::selection::Selection;
use kinds::catalog::Catalog;
use manifest::object::Object;
use manifest::source::Source;
use syntax::error::Error;
use text::go;

pub use rules::{LIVE, is_live};
pub use screen::Screen;
pub use survey::Survey;

/// The length of a kind that needs no short name.
const BRIEF: usize = 4;

/// A finding about a live object, and how the first screen shows it.
#[derive(Debug)]
pub struct Row {
    /// The finding.
    pub finding: Finding,
    /// The object: `shop/deploy/web`.
    subject: String,
    /// How many of its pods are ready of those that it asks for: `2/3`; empty for other objects.
    state: String,
    /// What is wrong, in words that are equal for objects with the same cause.
    words: String,
    /// What is true of this object alone; may be empty.
    detail: String,
    /// How long it has been so; `None` if that is not known.
    since: Option<String>,
    /// Whether another row says it.
    follows: bool,
}

/// Finds what is not well in the live objects of `sources` that `selection` selects, in the order of the first screen. `now` is
/// the time of the dump. Facts depend on it, and it is only known when all else has been read, so this is a reading of its own;
/// what the other rules keep of objects is gone by then. Also returns what was looked at, and the errors of objects that cannot be
/// read.
pub fn find(
    sources: &[Source],
    selection: &Selection,
    catalog: &Catalog,
    rules: &[&Rule],
    now: Timestamp,
) -> (Vec<Row>, Survey, Vec<Error>) {
    let reader = Reader::new(selection, catalog, now);
    let mut objects: Newest<Result<Known, Error>> = Newest::default();
    let visit = |object: &Object<'_>, found: &mut Vec<(ObjectState, Result<Known, Error>)>| {
        if let Some(state) = ObjectState::of(object) {
            found.push((state, reader.read(object)));
        }
    };
    Scan::of(sources).tool_files(ToolFiles::Skipped).objects(visit, |found| {
        found.into_iter().for_each(|(state, known)| objects.add(known, Some(state)));
    });
    let (mut state, mut errors) = (State::default(), Vec::new());
    for known in objects.objects() {
        match known {
            Ok(known) => state.add(known),
            Err(error) => errors.push(error),
        }
    }
    let (mut unwell, survey) = state.conclude(now);
    unwell.retain(|unwell| rules.iter().any(|rule| rule.id == unwell.id()));
    (unwell.into_iter().map(|unwell| row(unwell, catalog, now)).collect(), survey, errors)
}

fn row(unwell: Unwell, catalog: &Catalog, now: Timestamp) -> Row {
    let id = unwell.id();
    let Unwell { severity, place, kind, object, since, words, detail, state, follows, .. } = unwell;
    let (_, namespace, name) = object;
    let since = since.map(|since| ago(since, now));
    let mut message = match state.split_once('/') {
        Some((ready, wants)) => {
            let colon = if words.is_empty() { "" } else { ": " };
            format!("{ready} of {wants} pods ready{colon}{words}")
        }
        None => words.clone(),
    };
    if let Some(since) = &since {
        message.push_str(&format!(", since {since}"));
    }
    let message = join(vec![message, detail.clone()]);
    let (plural, group) = kind.split_once('.').unwrap_or((&kind, ""));
    let short = catalog
        .resources()
        .find(|resource| resource.group() == group && resource.kind().eq_ignore_ascii_case(plural));
    // `pod` is as short as its short name.
    let short = short.filter(|_| plural.len() > BRIEF).and_then(|resource| resource.short_names().next());
    let short = short.unwrap_or(plural);
    let place_in = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
    // An Event may be about an object whose kind it does not name.
    let slash = if short.is_empty() { "" } else { "/" };
    let subject = format!("{place_in}{short}{slash}{name}");
    let finding = Finding {
        confidence: Confidence::Certain,
        other: None,
        hint: None,
        disabled: None,
        origin: None,
        origin_line: None,
        follows: None,
        id,
        severity,
        place,
        namespace: namespace.into(),
        name: name.into(),
        message: go::printable(&message).into_owned(),
        kind,
        excerpt: None,
    };
    Row { finding, subject, state, words, detail, since, follows }
}
