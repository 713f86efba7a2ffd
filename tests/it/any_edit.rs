//! Laws of edits of any field: another reader sees the original with exactly that change, nothing outside of the splices
//! differs, and undoing what was inserted, or a word that was set, gives the original text back.

use std::fs;
use std::path::Path;

use edit::edit;
use edit::splices::splice;
use manifest::walk::{self, WalkOptions};
use proptest::prelude::*;
use syntax::syntax::Syntax;
use syntax::tree::{Node, Span, Value};
use syntax::yaml;

use crate::support;

/// The least share of edits that can be undone byte for byte, of a hundred.
const UNDONE: usize = 99;

/// A source of numbers that depend on a seed alone (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % count as u64).expect("a small number")
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

/// A text in a layout of its own: block or flow, lists with and without step, comments, quotes.
fn layout(dice: &mut Dice) -> String {
    let step = dice.one_of(&["  ", "    "]).len();
    let list_step = [0, 2][dice.below(2)];
    let mut text = dice.one_of(&["", "# first\n", "---\n"]).to_owned();
    block_map(dice, 0, 3, (step, list_step), &mut text);
    match dice.below(4) {
        0 => text.replace('\n', "\r\n"),
        1 => text.trim_end().to_owned(),
        _ => text,
    }
}

fn key(dice: &mut Dice, number: usize) -> String {
    format!("{}{number}", dice.one_of(&["a", "name", "key-", "x.io/", "b_"]))
}

fn scalar(dice: &mut Dice) -> &'static str {
    dice.one_of(&["v", "1", "true", "\"q\"", "'s'", "a b", "1.5", "null", "\"1\"", "~", "{}", "[]"])
}

fn block_map(dice: &mut Dice, column: usize, depth: usize, steps: (usize, usize), text: &mut String) {
    for number in 0..1 + dice.below(4) {
        *text += &format!("{}{}:", " ".repeat(column), key(dice, number));
        value(dice, column, depth, steps, text);
        if dice.below(8) == 0 {
            *text += &format!("{}# note\n", " ".repeat(column));
        }
    }
}

/// A value after its key, with the end of the line.
fn value(dice: &mut Dice, column: usize, depth: usize, steps: (usize, usize), text: &mut String) {
    let comment = dice.one_of(&["", "", "", " # why"]);
    match dice.below(if depth == 0 { 4 } else { 7 }) {
        0 => *text += &format!(" {}{comment}\n", flow(dice, depth)),
        1 => {
            let indent = " ".repeat(column + steps.0);
            *text += &format!(" |\n{indent}line\n{indent}  more\n");
        }
        4 => {
            *text += &format!("{comment}\n");
            block_map(dice, column + steps.0, depth - 1, steps, text);
        }
        5 | 6 => {
            *text += &format!("{comment}\n");
            let column = column + steps.1;
            for _ in 0..1 + dice.below(3) {
                let dash = format!("{}- ", " ".repeat(column));
                if dice.below(2) == 0 {
                    *text += &format!("{dash}{}\n", scalar(dice));
                } else {
                    let start = text.len();
                    block_map(dice, column + 2, depth - 1, steps, text);
                    text.replace_range(start..start + dash.len(), &dash);
                }
            }
        }
        _ => *text += &format!(" {}{comment}\n", scalar(dice)),
    }
}

fn flow(dice: &mut Dice, depth: usize) -> String {
    let parts = 1 + dice.below(3);
    let part = |dice: &mut Dice| match depth {
        0 => scalar(dice).to_owned(),
        _ => flow(dice, depth.min(2) - 1),
    };
    match dice.below(3) {
        0 => format!("[{}]", (0..parts).map(|_| part(dice)).collect::<Vec<_>>().join(", ")),
        1 => {
            let entry = |number| format!("{}: {}", key(dice, number), part(dice));
            format!("{{{}}}", (0..parts).map(entry).collect::<Vec<_>>().join(", "))
        }
        _ => scalar(dice).to_owned(),
    }
}

/// What an edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Set,
    /// A word in the place of another one, whose quotes it takes.
    SetWord,
    Insert,
    Remove,
}

/// Replaces a value.
fn set(old: &mut Node, dice: &mut Dice) -> Deed {
    let new = new_value(dice);
    let is_word = old.as_str().is_some_and(|text| text.chars().all(char::is_alphanumeric));
    let deed = if is_word && new.as_str() == Some("new") { Deed::SetWord } else { Deed::Set };
    *old = new;
    deed
}

/// A new value that replaces nothing by something of its kind alone.
fn new_value(dice: &mut Dice) -> Node {
    match dice.below(6) {
        0 => Node::new(Value::Int(7)),
        1 => Node::map([("name", Node::text("n")), ("value", Node::text("1"))]),
        2 => Node::new(Value::Seq(vec![Node::text("a"), Node::map([("k", Node::text("true"))])])),
        3 => Node::new(Value::Bool(true)),
        _ => Node::text(dice.one_of(&[
            "new",
            "new",
            "new",
            "1",
            "yes",
            "a: b",
            "- x",
            "x #y",
            "two\nlines",
            "",
            " s",
        ])),
    }
}

/// Does something at a random place; `None` if there is no such place.
fn change(node: &mut Node, dice: &mut Dice) -> Option<Deed> {
    let deeper = dice.below(4) > 0;
    match &mut node.value {
        Value::Map(map) if !map.is_empty() => {
            let keys: Vec<String> = map.iter().map(|entry| entry.key.to_string()).collect();
            let key = &keys[dice.below(keys.len())];
            let child = map.get_mut(key)?;
            if deeper && matches!(child.value, Value::Map(_) | Value::Seq(_)) {
                return change(child, dice);
            }
            match dice.below(3) {
                0 => map.remove(key).map(|_| Deed::Remove),
                1 => map.insert("zz-new", Span::default(), new_value(dice)).is_none().then_some(Deed::Insert),
                _ => Some(set(child, dice)),
            }
        }
        Value::Seq(elements) if !elements.is_empty() => {
            let at = dice.below(elements.len());
            if deeper && matches!(elements[at].value, Value::Map(_) | Value::Seq(_)) {
                return change(&mut elements[at], dice);
            }
            match dice.below(3) {
                0 => {
                    elements.remove(at);
                    Some(Deed::Remove)
                }
                1 => {
                    elements.insert(at + dice.below(2), new_value(dice));
                    Some(Deed::Insert)
                }
                _ => Some(set(&mut elements[at], dice)),
            }
        }
        _ => None,
    }
}

/// The value that another reader sees; `None` if it cannot read the text. With its last line ended: kubectl's reader takes a
/// block scalar at the end of a text to be ended, and this one does not.
fn read_by_another(text: &[u8]) -> Option<serde_yaml::Value> {
    let mut value: serde_yaml::Value = serde_yaml::from_slice(&[text, b"\n"].concat()).ok()?;
    value.apply_merge().ok()?;
    Some(value)
}

fn as_other(node: &Node) -> serde_yaml::Value {
    use serde_yaml::Value as Other;
    match &node.value {
        Value::Null => Other::Null,
        Value::Bool(truth) => Other::Bool(*truth),
        Value::Int(number) => Other::Number((*number).into()),
        Value::Float(number) => Other::Number((*number).into()),
        Value::String(text) => Other::String(text.to_string()),
        Value::Seq(elements) => Other::Sequence(elements.iter().map(as_other).collect()),
        Value::Map(map) => {
            let entry = |entry: &syntax::tree::Entry| (entry.key.to_string().into(), as_other(&entry.value));
            Other::Mapping(map.iter().map(entry).collect())
        }
    }
}

/// How many edits were made, refused, undone, and not undone.
#[derive(Debug, Default)]
struct Counts {
    made: usize,
    refused: usize,
    undone: usize,
    kept: usize,
}

/// Makes one edit of a text and checks the laws; both readers must agree about the original.
fn check(text: &[u8], seed: u64, counts: &mut Counts) {
    let Ok(Some(read)) = yaml::parse(text) else { return };
    if read_by_another(text) != Some(as_other(&read.root)) {
        return;
    }
    let (mut dice, mut wanted) = (Dice(seed), read.root.clone());
    let Some(deed) = change(&mut wanted, &mut dice) else { return };
    if wanted.as_map().is_some_and(syntax::tree::Map::is_empty) {
        // A document that is empty says nothing.
        return;
    }
    let goal = wanted.clone();
    let Ok(edited) = edit(text, Syntax::Yaml, move |root| {
        *root = goal;
        Ok(())
    }) else {
        counts.refused += 1;
        return;
    };
    counts.made += 1;
    let shown = || String::from_utf8_lossy(&edited.text).into_owned();
    assert_eq!(read_by_another(&edited.text), Some(as_other(&wanted)), "{}", shown());
    assert_eq!(splice(text, edited.splices.clone()).as_ref(), Some(&edited.text), "{}", shown());
    if matches!(deed, Deed::Set | Deed::Remove) {
        // What the old value looked like is gone.
        return;
    }
    let back = edit(&edited.text, Syntax::Yaml, |root| {
        *root = read.root.clone();
        Ok(())
    });
    match back.is_ok_and(|back| back.text == text) {
        true => counts.undone += 1,
        false => {
            counts.kept += 1;
            println!("--- {deed:?}\n{}\n--- became\n{}", String::from_utf8_lossy(text), shown());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_edit_changes_what_it_says(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let text = layout(&mut dice);
        check(text.as_bytes(), dice.0, &mut Counts::default());
    }
}

#[test]
fn most_edits_can_be_undone() {
    let mut counts = Counts::default();
    for seed in 0..3_000 {
        let mut dice = Dice(seed * 7_919);
        let text = layout(&mut dice);
        check(text.as_bytes(), dice.0, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.made > 1_500 && counts.refused * 50 < counts.made, "{counts:?}");
    assert!(counts.undone * 100 >= (counts.undone + counts.kept) * UNDONE, "{counts:?}");
}

#[test]
fn edits_of_real_manifests_change_what_they_say() {
    let Some(corpus) = std::env::var_os("KSELECT_CORPUS") else {
        support::not_run("KSELECT_CORPUS is not set");
        return;
    };
    let corpus = Path::new(&corpus).to_str().expect("a path of Unicode").to_owned();
    let (sources, _) = walk::expand(&[corpus], &WalkOptions { recursive: true, ..WalkOptions::default() });
    let mut counts = Counts::default();
    for (seed, source) in (1..).zip(&sources) {
        let Some(text) = source.path().and_then(|path| fs::read_to_string(path).ok()) else { continue };
        for (number, document) in
            (1..).zip(text.split_inclusive("\n---\n").filter(|text| text.len() < 100_000))
        {
            let document = document.strip_suffix("---\n").unwrap_or(document);
            for turn in 0..3 {
                check(document.as_bytes(), seed * 31 + number * 7 + turn, &mut counts);
            }
        }
    }
    println!("{counts:?}");
    assert!(counts.made > 1_000 && counts.refused * 50 < counts.made, "{counts:?}");
    assert!(counts.undone * 100 >= (counts.undone + counts.kept) * UNDONE, "{counts:?}");
}
