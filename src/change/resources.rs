//! The edit of `set resources`: the limits and requests of containers (kubectl, set_resources.go).

use std::collections::BTreeMap;

use super::container;
use super::object::{Done, Edit, Found, Origin};
use super::pods;
use super::tree;
use edit::refusal::Refused;
use syntax::tree::{Node, Value};
use text::excerpt;
use text::quantity::Quantity;

/// The quantities to set.
#[derive(Clone, Debug)]
pub struct Resources {
    /// By section, `limits` and `requests`, and resource.
    sections: [(&'static str, BTreeMap<String, Quantity>); 2],
    /// The pattern of the containers to change.
    containers: String,
}

impl Resources {
    /// Parses lists such as `cpu=200m,memory=512Mi`; an empty one sets nothing.
    ///
    /// # Errors
    ///
    /// A list is malformed, or both are empty.
    pub fn parse(limits: &str, requests: &str, containers: &str) -> Result<Self, String> {
        if limits.is_empty() && requests.is_empty() {
            let message =
                "you must specify an update to requests or limits (in the form of --requests/--limits)";
            return Err(message.to_owned());
        }
        let sections = [("limits", quantities(limits)?), ("requests", quantities(requests)?)];
        Ok(Self { sections, containers: containers.to_owned() })
    }
}

/// kubectl, set_resources.go, parseResourceList.
fn quantities(list: &str) -> Result<BTreeMap<String, Quantity>, String> {
    let statements = list.split(',').filter(|_| !list.is_empty());
    let quantity = |statement: &str| {
        let parts = statement.split_once('=').filter(|(_, value)| !value.contains('='));
        let Some((resource, value)) = parts else {
            let statement = excerpt::cut(statement);
            let message = format!("invalid argument syntax {statement}, expected <resource>=<value>");
            return Err(message);
        };
        let quantity = Quantity::parse(value).ok_or_else(|| Quantity::refusal(value).to_owned())?;
        Ok((resource.to_owned(), quantity))
    };
    statements.map(quantity).collect()
}

impl Edit for Resources {
    fn apply(&self, object: &mut Node, origin: Origin<'_>) -> Result<Done, Refused> {
        pods::edit_each(object, origin, |node, container, done| {
            let is_meant = container.matches(&self.containers);
            done.containers.push(container);
            if !is_meant {
                return Ok(());
            }
            let at = node.span.start;
            for (section, quantities) in self.sections.iter().filter(|(_, wanted)| !wanted.is_empty()) {
                let map = tree::made(node, &["resources", section]);
                let map = map.ok_or_else(|| tree::not_a_map(at, "a container's resources"))?;
                for (resource, quantity) in quantities {
                    let old = map.get(resource);
                    if old.and_then(quantity_of).as_ref() == Some(quantity) {
                        continue;
                    }
                    tree::put(map, resource, written(quantity, old));
                    done.set += 1;
                }
            }
            Ok(())
        })
    }

    fn message(&self, done: &Done) -> Option<String> {
        done.is_changed().then(|| "resource requirements updated".to_owned())
    }

    fn subject(&self) -> Option<&'static str> {
        Some("containers")
    }

    fn missing(&self, found: &Found) -> Vec<(String, Option<String>)> {
        container::unmatched(&self.containers, &found.containers).into_iter().collect()
    }
}

/// The quantity that a value means; `None` if it is none.
fn quantity_of(node: &Node) -> Option<Quantity> {
    match &node.value {
        Value::String(text) => Quantity::parse(text),
        Value::Int(number) => Quantity::parse(&number.to_string()),
        Value::Float(number) => Quantity::parse(&number.to_string()),
        _ => None,
    }
}

/// A quantity as text, or as a number in the place of one.
fn written(quantity: &Quantity, old: Option<&Node>) -> Node {
    let text = quantity.to_string();
    let is_number = old.is_some_and(|old| matches!(old.value, Value::Int(_)));
    match text.parse().ok().filter(|_| is_number) {
        Some(number) => Node::new(Value::Int(number)),
        None => Node::text(&text),
    }
}
