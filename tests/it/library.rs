//! What users of `selector` rely on.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::path::Path;
use std::str::FromStr;
use std::{env, fs};

use crate::layers::{production, source_files};
use selector::labels::{Expression, LabelSelector};
use selector::nodes::{NodeSelector, NodeSelectorTerm, PreferredSchedulingTerm, PreferredSchedulingTerms};
use selector::{ConversionError, FieldError, FieldErrors, Operator, ParseError, Requirement, fields, labels};

/// What other programs depend on is nothing else.
#[test]
fn selectors_need_the_standard_library_alone() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/selector/Cargo.toml");
    let manifest = fs::read_to_string(manifest).expect("a readable file");
    let (_, dependencies) = manifest.split_once("[dependencies]\n").expect("the optional dependencies");
    let lines = dependencies.lines().take_while(|line| !line.is_empty());
    let needed: Vec<&str> = lines.filter(|line| !line.contains("optional = true")).collect();
    assert_eq!(needed, Vec::<&str>::new());
    assert_eq!(manifest.matches("dependencies]").count(), 1, "{manifest}");
}

/// Compiling this checks that types have the expected traits.
#[test]
fn types_have_the_usual_traits_and_can_be_shared_between_threads() {
    fn plain<T: Clone + Debug + Eq + Send + Sync + Unpin + 'static>() {}
    fn key<T: Hash>() {}
    fn text<T: FromStr<Err: Error> + Display>() {}
    fn error<T: Error + Send + Sync + 'static>() {}

    plain::<labels::Selector>();
    plain::<LabelSelector>();
    plain::<Expression>();
    plain::<Requirement>();
    plain::<Operator>();
    plain::<fields::Selector>();
    plain::<fields::Term>();
    plain::<fields::Operator>();
    plain::<NodeSelector>();
    plain::<NodeSelectorTerm>();
    plain::<PreferredSchedulingTerm>();
    plain::<PreferredSchedulingTerms>();
    plain::<ParseError>();
    plain::<ConversionError>();
    plain::<FieldError>();
    plain::<FieldErrors>();

    key::<(labels::Selector, LabelSelector, Expression, Requirement, Operator)>();
    key::<(fields::Selector, fields::Term, fields::Operator, NodeSelectorTerm, PreferredSchedulingTerm)>();

    text::<labels::Selector>();
    text::<LabelSelector>();
    text::<fields::Selector>();

    error::<ParseError>();
    error::<ConversionError>();
    error::<FieldError>();
    error::<FieldErrors>();
}

/// The public items below `src/selector`, a file after the other: a line an item, and below a type its public fields,
/// variants and functions. Doc comments, bodies and what is private are left out.
fn surface() -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/selector");
    let mut files = Vec::new();
    source_files(&directory, &mut files);
    files.sort();
    let mut listing = String::new();
    for file in files {
        let name = file.file_name().expect("a name").display();
        // What only other crates of kselect use is hidden from the documentation.
        if name.to_string() == "escapes.rs" {
            continue;
        }
        let items = public_items(&fs::read_to_string(&file).expect("a readable file"));
        if !items.is_empty() {
            listing.push_str(&format!("{name}\n{items}\n"));
        }
    }
    listing
}

/// The public items of a source file that is formatted by rustfmt: items start in the first column, and their parts in
/// the fifth. An `impl` is listed for its trait, or for its public functions.
fn public_items(text: &str) -> String {
    let mut listing = String::new();
    // The attributes before an item; its declaration so far; the heading of its parts; whether all of them are public.
    let (mut attributes, mut declaration) = (Vec::new(), String::new());
    let (mut heading, mut all_public) = (None, false);
    for line in production(&text.replace("#[doc(hidden)]\npub ", "")).map(|(_, line)| line) {
        let (code, indent) = (line.trim(), line.len() - line.trim_start().len());
        if declaration.is_empty() {
            let starts = match indent {
                0 => code.starts_with("pub ") || code.starts_with("impl"),
                4 => code.starts_with("pub ") || all_public && code.starts_with(char::is_alphabetic),
                _ => false,
            };
            if !starts {
                match code {
                    _ if code.starts_with("#[derive") || code.starts_with("#[cfg") => {
                        attributes.push(code.to_owned());
                    }
                    "}" if indent == 0 => (heading, all_public) = (None, false),
                    _ if code.starts_with("#[") => {}
                    _ => attributes.clear(),
                }
                continue;
            }
        }
        let close =
            declaration.is_empty() || declaration.ends_with(['(', '<']) || code.starts_with([')', '>']);
        declaration.push_str(if close { "" } else { " " });
        declaration.push_str(code);
        if !(code.ends_with(['{', ';', '}']) || code.ends_with(',') && indent == 4) {
            continue;
        }
        let whole = std::mem::take(&mut declaration);
        let item = whole.trim_end_matches(" {}").trim_end_matches([' ', '{', ';', ',']).replace(",)", ")");
        let margin = if indent == 0 { "  " } else { "    " };
        let attributes: String = attributes.drain(..).map(|line| format!("{margin}{line}\n")).collect();
        let item = format!("{attributes}{margin}{item}\n");
        if whole.starts_with("impl") && !whole.contains(" for ") {
            heading = Some(item);
        } else {
            listing.push_str(&heading.take().unwrap_or_default());
            listing.push_str(&item);
            all_public |= whole.starts_with("pub enum") || whole.starts_with("pub trait");
        }
    }
    listing
}

/// A change of this list is a change for users: what is new is a minor version, what is gone or different a major one.
/// `KSELECT_UPDATE=1` rewrites it.
#[test]
fn the_public_items_are_those_of_the_list() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/library.txt");
    let items = surface();
    if env::var_os("KSELECT_UPDATE").is_some_and(|update| update == "1") {
        fs::write(&path, &items).expect("the list can be written");
    }
    assert_eq!(items, fs::read_to_string(&path).expect("the list"), "KSELECT_UPDATE=1 writes the list anew");
}

#[test]
fn the_list_of_public_items_has_all_that_users_can_name() {
    let text = "/// Docs.\n#[derive(Clone)]\npub struct A {\n    /// Docs.\n    pub a: u8,\n    b: u8,\n}\n\nimpl A {\n    \
                pub(super) fn no() {}\n\n    #[must_use]\n    pub fn yes(\n        a: u8,\n        b: u8,\n    ) -> u8 {\n        \
                a\n    }\n}\n\n#[cfg(feature = \"x\")]\nimpl From<A> for u8 {\n    fn from(a: A) -> u8 {\n        a.a\n    \
                }\n}\n\npub enum E {\n    One,\n    Two(u8),\n}\n\nenum No {\n    One,\n}\n\n#[cfg(test)]\nmod tests {\n    \
                pub fn no() {}\n}\n";
    let items = "  #[derive(Clone)]\n  pub struct A\n    pub a: u8\n  impl A\n    pub fn yes(a: u8, b: u8) -> u8\n  \
                 #[cfg(feature = \"x\")]\n  impl From<A> for u8\n  pub enum E\n    One\n    Two(u8)\n";
    assert_eq!(public_items(text), items);
}
