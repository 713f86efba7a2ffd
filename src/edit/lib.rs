//! Edits a text so that its value becomes another one, leaving every other byte unchanged.
//!
//! [`edit`] reads the text, calls a function that changes the value, and finds the splices that make the same change to the
//! text ([`layout`]). The edited text is read again: unless its value is the intended one, the edit is refused.
//!
//! **Invariant:** the layout may guess, but a wrong guess is never written.
//!
//! ```
//! use kselect_edit::edit;
//! use syntax::syntax::Syntax;
//! use syntax::tree::{Node, Value};
//!
//! let text = b"spec:\n  replicas: 1 # for now\n";
//! let edited = edit(text, Syntax::Yaml, |root| {
//!     let spec = root.as_map_mut().and_then(|root| root.get_mut("spec"));
//!     if let Some(replicas) = spec.and_then(|spec| spec.as_map_mut()?.get_mut("replicas")) {
//!         *replicas = Node::new(Value::Int(3));
//!     }
//!     Ok(())
//! })?;
//! assert_eq!(edited.text, b"spec:\n  replicas: 3 # for now\n");
//! assert_eq!(edited.splices, [(18..19, b"3".to_vec())]);
//! # Ok::<(), kselect_edit::refusal::Refused>(())
//! ```
//!
//! What is new is written in the style of its neighbours, in block or flow style, in YAML or JSON:
//!
//! ```
//! # use kselect_edit::edit;
//! # use syntax::syntax::Syntax;
//! # use syntax::tree::{Node, Value};
//! let text = b"ports:\n- {port: 80} # web\n\n# the rest\nhost: a\n";
//! let edited = edit(text, Syntax::Yaml, |root| {
//!     let ports = root.as_map_mut().and_then(|root| root.get_mut("ports"));
//!     if let Some(Value::Seq(ports)) = ports.map(|ports| &mut ports.value) {
//!         ports.push(Node::map([("port", Node::new(Value::Int(443)))]));
//!     }
//!     Ok(())
//! })?;
//! assert_eq!(edited.text, b"ports:\n- {port: 80} # web\n- port: 443\n\n# the rest\nhost: a\n");
//! # Ok::<(), kselect_edit::refusal::Refused>(())
//! ```
//!
//! An edit that would change something else as well is refused, with the place:
//!
//! ```
//! # use kselect_edit::edit;
//! # use syntax::syntax::Syntax;
//! # use syntax::tree::{Node, Value};
//! let text = b"a: &x {k: 1}\nb: *x\n";
//! let refused = edit(text, Syntax::Yaml, |root| {
//!     let shared = root.as_map_mut().and_then(|root| root.get_mut("b"));
//!     if let Some(value) = shared.and_then(|shared| shared.as_map_mut()?.get_mut("k")) {
//!         *value = Node::new(Value::Int(2));
//!     }
//!     Ok(())
//! });
//! assert!(refused.is_err_and(|refused| refused.at == 13 && refused.message.contains("b is an alias")));
//! ```
//!
//! This crate never serialises an original value, and only [`mod@write`] accesses the file system.

mod difference;
pub mod layout;
pub mod refusal;
pub mod splices;
pub mod write;

use syntax::syntax::Syntax;
use syntax::tree::Node;
use syntax::{json, parsed, yaml};
use text::go;

use self::layout::{Group, Layout};
use self::refusal::{NOT_CONFIRMED, Refused, unreadable};
use self::splices::{Splice, splice, trimmed};

/// An edited text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// The text.
    pub text: Vec<u8>,
    /// The replacements that make it of the original one, in the order of the text; none if nothing was to change.
    pub splices: Vec<Splice>,
}

/// How often a text is read again to make changes that depend on each other.
const MAX_ROUNDS: usize = 64;

/// Edits a text so that its value becomes what `change` makes of it.
///
/// # Errors
///
/// The text cannot be read, `change` refuses it, or it cannot be edited so that its value is the intended one.
pub fn edit(
    text: &[u8],
    syntax: Syntax,
    change: impl FnOnce(&mut Node) -> Result<(), Refused>,
) -> Result<Edited, Refused> {
    let read = read(text, syntax)?;
    let mut wanted = read.root.clone();
    change(&mut wanted)?;
    if wanted == read.root {
        return Ok(Edited { text: text.to_vec(), splices: Vec::new() });
    }
    let json = syntax == Syntax::Json;
    let groups = Layout::new(text, json, &read.root).changes(&read.root, &wanted)?;
    let refused = |groups: &[Group]| {
        let alias = groups.iter().find_map(|group| group.alias.clone());
        let first = groups.first().map_or(0, |group| group.collection);
        match alias {
            Some((at, key)) => {
                let key = go::printable(&key);
                Refused::new(at, format!("not edited: {key} is an alias; another place would change too"))
            }
            None if read.aliased => Refused::new(
                first,
                "not edited: because of an anchor, an alias or a merge, more would change than was requested",
            ),
            None if !read.duplicates.is_empty() => Refused::new(first, "not edited: a key is repeated"),
            None => Refused::new(first, NOT_CONFIRMED),
        }
    };
    let means_wanted = |text: &[u8]| self::read(text, syntax).is_ok_and(|read| read.root == wanted);
    let mut splices: Vec<Splice> = groups.iter().flat_map(|group| group.splices.clone()).collect();
    if let Some(edited) = splice(text, splices.clone()).filter(|text| means_wanted(text)) {
        splices::sort(&mut splices);
        return Ok(Edited { text: edited, splices });
    }
    let edited = in_rounds(text, syntax, &wanted, &groups).filter(|text| means_wanted(text));
    let Some(edited) = edited else { return Err(refused(&groups)) };
    Ok(Edited { splices: vec![trimmed(text, edited.clone())], text: edited })
}

/// Makes the changes in rounds, each with one change of a collection; `None` if this does not end.
fn in_rounds(text: &[u8], syntax: Syntax, wanted: &Node, groups: &[Group]) -> Option<Vec<u8>> {
    let mut text = text.to_vec();
    for _ in 0..groups.len().min(MAX_ROUNDS) {
        let read = read(&text, syntax).ok()?;
        if read.root == *wanted {
            break;
        }
        let groups =
            Layout::new(&text, syntax == Syntax::Json, &read.root).changes(&read.root, wanted).ok()?;
        let mut first: Vec<Group> = Vec::new();
        for group in groups {
            if first.iter().all(|other| other.collection != group.collection) {
                first.push(group);
            }
        }
        let splices = first.into_iter().flat_map(|group| group.splices).collect();
        text = splice(&text, splices)?;
    }
    Some(text)
}

/// Removes repetitions of keys whose values are those of the keys before them, so that the text has the same value; `None` if
/// there are none.
pub fn without_repetitions(text: &[u8], syntax: Syntax) -> Option<Vec<u8>> {
    let mut read = self::read(text, syntax).ok()?;
    let mut edited = None;
    for _ in 0..MAX_ROUNDS {
        let text = edited.as_deref().unwrap_or(text);
        let starts = read.duplicates.iter().map(|repeated| repeated.span.start).collect();
        let mut each = Vec::new();
        Layout::new(text, syntax == Syntax::Json, &read.root).repetitions(&read.root, &starts, &mut each);
        // All of them if that is possible, otherwise the first that is.
        let all = std::iter::once(each.concat()).chain(each).take(MAX_ROUNDS);
        let next = all.filter(|splices| !splices.is_empty()).find_map(|splices| {
            let text = splice(text, splices)?;
            let after = self::read(&text, syntax).ok()?;
            let is_same = after.root == read.root && after.duplicates.len() < read.duplicates.len();
            is_same.then_some((text, after))
        });
        let Some((text, after)) = next else { break };
        (edited, read) = (Some(text), after);
    }
    edited
}

fn read(text: &[u8], syntax: Syntax) -> Result<parsed::Parsed, Refused> {
    let parsed = match syntax {
        Syntax::Yaml => yaml::parse(text),
        Syntax::Json => json::parse_or_yaml(text).map(Some),
    };
    match parsed {
        Ok(Some(parsed)) => Ok(parsed),
        Ok(None) => Err(Refused::new(0, NOT_CONFIRMED)),
        Err(error) => {
            let is_syntax = error.kind().is_syntax();
            let message = unreadable(&error.to_string());
            Err(Refused { at: error.offset(), message, is_syntax })
        }
    }
}
