//! Strategic merge patches (apimachinery, util/strategicpatch/patch.go).

use std::collections::{HashMap, HashSet};

use super::json::without_nulls;
use kinds::fields::Shape;
use kinds::merge::Merge;
use syntax::tree::{Map, Node, Span, Value};
use text::go;

/// The directive of a map: what becomes of it.
const PATCH: &str = "$patch";
/// The keys that a map keeps.
const RETAIN_KEYS: &str = "$retainKeys";
/// Before the name of a list: its elements to delete, and their order.
const DELETE_FROM: &str = "$deleteFromPrimitiveList/";
const ORDER_OF: &str = "$setElementOrder/";

/// The message about a list of maps that has no merge key.
const NO_KEYS: &str = "cannot merge lists without merge key";

/// Why a patch does not apply.
pub type Failure = String;

/// Merges a patch into a map of this type (mergeMap).
///
/// # Errors
///
/// The patch does not apply.
pub fn merge_map(mut original: Map, mut patch: Map, shape: &Shape) -> Result<Map, Failure> {
    if let Some(directive) = patch.remove(PATCH) {
        return match directive.as_str() {
            Some("replace") => Ok(patch),
            Some("delete") => Ok(Map::new()),
            _ => Err("unknown patch type".to_owned()),
        };
    }
    retain_keys(&mut original, &mut patch)?;
    merge_ordered(&mut original, &mut patch, shape)?;
    if patch.iter().any(|entry| entry.value.is_null()) {
        original.retain(|key, _| !patch.get(key).is_some_and(Node::is_null));
    }
    for entry in patch {
        let key = entry.key.as_str();
        let (field, is_deletion) = key.strip_prefix(DELETE_FROM).map_or((key, false), |field| (field, true));
        if entry.value.is_null() {
            original.remove(field);
            continue;
        }
        let old = original.get_mut(field).map(|old| std::mem::replace(old, Node::new(Value::Null)));
        let patched = match (old, entry.value) {
            (Some(old), new) => patched(old, new, field, is_deletion, shape)?,
            (None, _) if is_deletion => continue,
            (None, new) => without_directives(without_nulls(new)),
        };
        settle(&mut original, field, patched);
    }
    Ok(original)
}

/// Sets a key, or removes it.
fn settle(map: &mut Map, key: &str, value: Option<Node>) {
    match (value, map.get_mut(key)) {
        (Some(value), Some(old)) => *old = value,
        (Some(value), None) => _ = map.insert(key, Span::default(), value),
        (None, _) => _ = map.remove(key),
    }
}

/// The value of a field after the patch of an existing one.
fn patched(
    old: Node,
    new: Node,
    field: &str,
    is_deletion: bool,
    shape: &Shape,
) -> Result<Option<Node>, Failure> {
    let span = old.span;
    let value = match (old.value, new.value) {
        (Value::Map(old), Value::Map(new)) => {
            let (inner, merge) = of_field(shape, field)?;
            match merge.replaces {
                true => Value::Map(new),
                false => Value::Map(merge_map(old, new, &inner)?),
            }
        }
        (Value::Seq(old), Value::Seq(new)) => {
            let (inner, merge) = of_field(shape, field)?;
            match merge.merges || is_deletion {
                true => Value::Seq(merge_list(old, new, &inner, merge.key, is_deletion)?),
                false => Value::Seq(new),
            }
        }
        (old, _) if is_deletion => old,
        (old, new) if std::mem::discriminant(&old) == std::mem::discriminant(&new) => new,
        (_, new) => {
            return Ok(without_directives(without_nulls(Node::new(new))).map(|node| Node { span, ..node }));
        }
    };
    Ok(Some(Node { value, span }))
}

/// The type of a field, of the elements if it is a list, and how it is patched.
fn of_field(shape: &Shape, name: &str) -> Result<(Shape, Merge), Failure> {
    match shape {
        Shape::Struct(id) => {
            let of = id.get();
            let Some(field) = of.field(name) else {
                return Err(format!(
                    "unable to find api field in struct {} for the json field {}",
                    of.name,
                    go::quote(name)
                ));
            };
            let inner = match &field.shape {
                Shape::List(inner) => (**inner).clone(),
                shape => shape.clone(),
            };
            Ok((inner, Merge::of(of.name, name)))
        }
        Shape::Map(inner) => Ok(((**inner).clone(), Merge::default())),
        Shape::List(_) | Shape::Any | Shape::Scalar(_) => Ok((Shape::Any, Merge::default())),
    }
}

/// Removes the keys of a map that `$retainKeys` does not list (applyRetainKeysDirective).
fn retain_keys(original: &mut Map, patch: &mut Map) -> Result<(), Failure> {
    let Some(retained) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    let invalid = || format!("invalid patch format of {RETAIN_KEYS}");
    let retained = retained.as_seq().ok_or_else(invalid)?;
    let retained: HashSet<&str> = retained.iter().filter_map(Node::as_str).collect();
    let is_retained = |key: &str| retained.contains(key);
    let is_directive = |key: &str| key.starts_with(DELETE_FROM) || key.starts_with(ORDER_OF);
    let is_unknown = |key: &str, value: &Node| !value.is_null() && !is_directive(key) && !is_retained(key);
    if patch.iter().any(|entry| is_unknown(&entry.key, &entry.value)) {
        return Err(invalid());
    }
    original.retain(|key, _| is_retained(key));
    Ok(())
}

/// Merges the lists with a `$setElementOrder` (mergePatchIntoOriginal).
fn merge_ordered(original: &mut Map, patch: &mut Map, shape: &Shape) -> Result<(), Failure> {
    let directives: Vec<_> =
        patch.iter().map(|entry| entry.key.clone()).filter(|key| key.starts_with(ORDER_OF)).collect();
    for directive in directives {
        let Some(Value::Seq(order)) = patch.remove(&directive).map(|node| node.value) else {
            return Err(format!("invalid patch format of {ORDER_OF}"));
        };
        let field = directive.trim_start_matches(ORDER_OF);
        let old = list(original.get(field).cloned(), field)?;
        let new = list(patch.remove(field), field)?;
        let (inner, merge) = of_field(shape, field)?;
        check_order(new.as_deref().unwrap_or_default(), &order, merge.key)?;
        let is_of_maps = holds_maps(old.iter().chain(&new).flatten());
        let merged = match (old.clone(), new) {
            (None, None) => continue,
            (Some(old), None) => old,
            (Some(old), Some(new)) if merge.merges => merge_list(old, new, &inner, merge.key, false)?,
            (Some(_), Some(new)) => new,
            (None, Some(new)) => new.into_iter().filter_map(without_directives).collect(),
        };
        let (own, others) = partition(merged, &order, merge.key)?;
        if is_of_maps?.ok_or("no elements in any of the given slices")? {
            let key = merge.key.ok_or(NO_KEYS)?;
            if order.iter().any(|element| element.get(key).is_none()) {
                return Err(no_key(key));
            }
        }
        let old = old.unwrap_or_default();
        let sorted = interleaved(
            sorted_as(own, &order, merge.key),
            sorted_as(others, &old, merge.key),
            &old,
            merge.key,
        );
        let span = original.get(field).map(|node| node.span).unwrap_or_default();
        settle(original, field, Some(Node { value: Value::Seq(sorted), span }));
    }
    Ok(())
}

/// The elements of a list; `None` if there is none.
fn list(node: Option<Node>, field: &str) -> Result<Option<Vec<Node>>, Failure> {
    match node.map(|node| node.value) {
        None => Ok(None),
        Some(Value::Seq(elements)) => Ok(Some(elements)),
        Some(_) => Err(format!("invalid patch format of {ORDER_OF}: {} is not a list", go::printable(field))),
    }
}

/// Checks that the elements of a patch are in this order (validatePatchWithSetOrderList).
fn check_order(elements: &[Node], order: &[Node], key: Option<&str>) -> Result<(), Failure> {
    if elements.is_empty() || order.is_empty() {
        return Ok(());
    }
    let id = |node: &Node| match key {
        Some(key) => node.get(key).cloned().ok_or_else(|| no_key(key)),
        None => Ok(node.clone()),
    };
    let mut order = order.iter();
    for element in elements.iter().filter(|element| element.get(PATCH).is_none()) {
        loop {
            let Some(next) = order.next() else {
                return Err("the order of the patch's list does not match its $setElementOrder".to_owned());
            };
            if id(element)? == id(next)? {
                break;
            }
        }
    }
    Ok(())
}

/// Whether the elements of lists are maps; `None` if there are none (sliceElementType).
fn holds_maps<'n>(mut elements: impl Iterator<Item = &'n Node>) -> Result<Option<bool>, Failure> {
    let Some(first) = elements.next() else { return Ok(None) };
    let sort = std::mem::discriminant(&first.value);
    match first.value {
        Value::Seq(_) => Err("lists of lists are not supported".to_owned()),
        _ if elements.any(|other| std::mem::discriminant(&other.value) != sort) => {
            Err("list element types are not identical".to_owned())
        }
        _ => Ok(Some(first.as_map().is_some())),
    }
}

/// Merges lists (mergeSlice).
fn merge_list(
    old: Vec<Node>,
    new: Vec<Node>,
    inner: &Shape,
    key: Option<&str>,
    is_deletion: bool,
) -> Result<Vec<Node>, Failure> {
    let Some(has_maps) = holds_maps(old.iter().chain(&new))? else { return Ok(old) };
    let order = new.clone();
    let (merged, order, before) = match (has_maps, key) {
        (false, _) if is_deletion => {
            let deleted: HashSet<&Node> = new.iter().collect();
            let kept = old.iter().filter(|element| !deleted.contains(element)).cloned().collect();
            (kept, order, old)
        }
        (false, _) => {
            let mut seen = HashSet::new();
            let all = old.iter().chain(&new).filter(|element| seen.insert(*element)).cloned().collect();
            (all, order, old)
        }
        (true, None) => return Err(NO_KEYS.to_owned()),
        (true, Some(key)) => {
            let (old, new) = without_special(old, new, key)?;
            (merge_elements(old.clone(), new.clone(), inner, key)?, new, old)
        }
    };
    let key = key.filter(|_| has_maps);
    let (own, others) = partition(merged, &order, key)?;
    Ok(interleaved(sorted_as(own, &order, key), sorted_as(others, &before, key), &before, key))
}

/// Handles elements with a `$patch` (mergeSliceWithSpecialElements).
fn without_special(mut old: Vec<Node>, new: Vec<Node>, key: &str) -> Result<(Vec<Node>, Vec<Node>), Failure> {
    let mut plain = Vec::new();
    let mut replaces = false;
    for element in new {
        match element.get(PATCH).map(Node::as_str) {
            None => plain.push(element),
            Some(Some("delete")) => {
                let Some(value) = element.get(key) else { return Err(no_key(key)) };
                old.retain(|other| other.get(key) != Some(value));
            }
            Some(Some("replace")) => replaces = true,
            Some(Some("merge")) => {
                return Err("merging lists cannot yet be specified in the patch".to_owned());
            }
            Some(_) => return Err("unknown patch type".to_owned()),
        }
    }
    Ok(if replaces { (plain, Vec::new()) } else { (old, plain) })
}

/// Merges maps with the same key, and appends the others (mergeSliceWithoutSpecialElements).
fn merge_elements(
    mut old: Vec<Node>,
    new: Vec<Node>,
    inner: &Shape,
    key: &str,
) -> Result<Vec<Node>, Failure> {
    let mut places: HashMap<Node, usize> = HashMap::with_capacity(old.len());
    for (at, other) in old.iter().enumerate() {
        other.get(key).into_iter().for_each(|value| _ = places.entry(value.clone()).or_insert(at));
    }
    for element in new {
        let Some(value) = element.get(key).cloned() else { return Err(no_key(key)) };
        match places.get(&value).and_then(|at| old.get_mut(*at)) {
            Some(other) => {
                if let (Value::Map(before), Value::Map(patch)) =
                    (std::mem::replace(&mut other.value, Value::Null), element.value)
                {
                    other.value = Value::Map(merge_map(before, patch, inner)?);
                }
            }
            None => {
                places.insert(value, old.len());
                old.push(element);
            }
        }
    }
    Ok(old)
}

fn no_key(key: &str) -> Failure {
    format!("map does not contain declared merge key: {key}")
}

/// The elements that are in `order`, and the others (partitionMapsByPresentInList).
fn partition(
    elements: Vec<Node>,
    order: &[Node],
    key: Option<&str>,
) -> Result<(Vec<Node>, Vec<Node>), Failure> {
    if let Some(key) = key
        && elements.iter().any(|element| element.get(key).is_none())
    {
        return Err(no_key(key));
    }
    let order = Places::of(order, key);
    Ok(elements.into_iter().partition(|element| order.get(element).is_some()))
}

/// The index of each element of a list, by its merge key, or by itself if there is none.
struct Places<'n> {
    places: HashMap<Option<&'n Node>, usize>,
    key: Option<&'n str>,
}

impl<'n> Places<'n> {
    fn of(list: &'n [Node], key: Option<&'n str>) -> Self {
        let mut places = HashMap::with_capacity(list.len());
        for (at, element) in list.iter().enumerate() {
            places.entry(id(element, key)).or_insert(at);
        }
        Self { places, key }
    }

    fn get(&self, element: &Node) -> Option<usize> {
        self.places.get(&id(element, self.key)).copied()
    }
}

/// What identifies an element.
fn id<'n>(element: &'n Node, key: Option<&str>) -> Option<&'n Node> {
    key.map_or(Some(element), |key| element.get(key))
}

fn sorted_as(mut elements: Vec<Node>, order: &[Node], key: Option<&str>) -> Vec<Node> {
    let order = Places::of(order, key);
    elements.sort_by_cached_key(|element| order.get(element));
    elements
}

/// Both lists, in the order of `before` where that has both elements, and otherwise those of the patch first
/// (mergeSortedSlice).
fn interleaved(own: Vec<Node>, others: Vec<Node>, before: &[Node], key: Option<&str>) -> Vec<Node> {
    let before = Places::of(before, key);
    let mut all = Vec::with_capacity(own.len() + others.len());
    let mut own = own.into_iter().peekable();
    let mut others = others.into_iter().peekable();
    while let (Some(left), Some(right)) = (others.peek(), own.peek()) {
        let places = before.get(left).zip(before.get(right));
        all.extend(if places.is_some_and(|(left, right)| left < right) { others.next() } else { own.next() });
    }
    all.extend(others);
    all.extend(own);
    all
}

/// A new value without directives; `None` if it is one (dropDirectives).
fn without_directives(mut node: Node) -> Option<Node> {
    match &mut node.value {
        Value::Map(map) if map.get(PATCH).is_some() => return None,
        Value::Map(map) => {
            for entry in std::mem::take(map) {
                let is_directive = entry.key == RETAIN_KEYS
                    || entry.key.starts_with(DELETE_FROM)
                    || entry.key.starts_with(ORDER_OF);
                if let Some(value) = without_directives(entry.value).filter(|_| !is_directive) {
                    map.insert(entry.key, entry.key_span, value);
                }
            }
        }
        Value::Seq(elements) => {
            *elements = std::mem::take(elements).into_iter().filter_map(without_directives).collect();
        }
        _ => (),
    }
    Some(node)
}
