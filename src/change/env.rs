//! The edit of `set env`: the variables of containers (kubectl, set_env.go and env/env_parse.go).

use std::collections::HashSet;

use super::container::{self, Container};
use super::object::{Done, Edit, Found, Origin, ValueConflict};
use super::{pods, tree};
use edit::refusal::Refused;
use kinds::pod_specs::{find, pod_specs};
use syntax::head::Head;
use syntax::tree::{Node, Value};
use text::excerpt;

/// The variables to set and to remove.
#[derive(Clone, Debug, Default)]
pub struct Env {
    set: Vec<Variable>,
    removed: Vec<String>,
    /// The pattern of the containers to change.
    pub containers: String,
    /// Whether existing values are replaced; otherwise they are conflicts.
    pub overwrite: bool,
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    source: ValueSource,
}

#[derive(Clone, Debug)]
enum ValueSource {
    Text(String),
    /// `valueFrom`.
    From(Node),
}

/// A kind of object whose keys can be variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A ConfigMap.
    ConfigMap,
    /// A Secret.
    Secret,
}

/// Whether an argument is KEY=VAL or KEY-, not a resource.
pub fn is_pair(argument: &str) -> bool {
    argument.find('=').is_some_and(|at| at > 0) || argument.ends_with('-')
}

impl Env {
    /// Parses KEY=VAL and KEY-; later ones of the same name are ignored, as by kubectl.
    ///
    /// # Errors
    ///
    /// One is neither, or a variable is both set and removed.
    pub fn parse<'p>(pairs: impl IntoIterator<Item = &'p str>) -> Result<Self, String> {
        let mut env = Self::default();
        for pair in pairs {
            match (pair.split_once('='), pair.strip_suffix('-')) {
                (Some((name, value)), _) => {
                    let source = ValueSource::Text(value.to_owned());
                    env.set.push(Variable { name: name.to_owned(), source });
                }
                (None, Some(name)) => env.removed.push(name.to_owned()),
                (None, None) => {
                    return Err(format!("unknown environment variable: {}", excerpt::cut(pair)));
                }
            }
        }
        let is_removed = |variable: &Variable| env.removed.contains(&variable.name);
        if env.set.iter().any(is_removed) {
            let message = "can not both modify and remove the same environment variable in the same command";
            return Err(message.to_owned());
        }
        Ok(env)
    }

    /// The names of the variables to set.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.set.iter().map(|variable| variable.name.as_str())
    }

    /// Whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.removed.is_empty()
    }

    /// Sets variables to keys of an object. Returns the names of those that differ from their keys: `DB_URL` for
    /// `db.url`.
    pub fn refer<'k>(&mut self, of: KeySource, object: &str, keys: &'k [String]) -> Vec<(&'k str, String)> {
        let field = match of {
            KeySource::ConfigMap => "configMapKeyRef",
            KeySource::Secret => "secretKeyRef",
        };
        let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_uppercase() } else { '_' };
        let mut renamed = Vec::new();
        for key in keys {
            let name: String = key.chars().map(word).collect();
            if name != *key {
                renamed.push((key.as_str(), name.clone()));
            }
            let reference = Node::map([("name", Node::text(object)), ("key", Node::text(key))]);
            let source = ValueSource::From(Node::map([(field, reference)]));
            self.set.push(Variable { name, source });
        }
        renamed
    }

    /// Puts a prefix before the names of the variables to set.
    pub fn prefix(&mut self, prefix: &str) {
        self.set.iter_mut().for_each(|variable| variable.name.insert_str(0, prefix));
    }

    /// The variables of a container after the edit, from those before (set/helper.go, updateEnv).
    fn update(&self, before: &[Node], done: &mut Done) -> Vec<Node> {
        let mut covered: HashSet<&str> = self.removed.iter().map(String::as_str).collect();
        let mut after = Vec::with_capacity(before.len());
        for old in before {
            let name = old.get("name").and_then(Node::as_str).unwrap_or_default();
            if covered.contains(name) {
                done.removed += 1;
                continue;
            }
            let Some(new) = self.set.iter().find(|variable| variable.name == name) else {
                after.push(old.clone());
                continue;
            };
            covered.insert(&new.name);
            done.conflicts.extend(new.conflict(old).filter(|_| !self.overwrite));
            match new.is_set(old) {
                true => after.push(old.clone()),
                false => {
                    after.push(new.put(old.clone()));
                    done.set += 1;
                }
            }
        }
        for variable in self.set.iter().filter(|variable| covered.insert(&variable.name)) {
            after.push(variable.put(Node::map([("name", Node::text(&variable.name))])));
            done.set += 1;
        }
        after
    }
}

impl Variable {
    /// Whether an element has this value. A missing value is the empty text.
    fn is_set(&self, element: &Node) -> bool {
        let value = element.get("value").filter(|value| !value.is_null());
        match &self.source {
            ValueSource::Text(text) => {
                element.get("valueFrom").is_none()
                    && value.map_or(text.is_empty(), |value| value.as_str() == Some(text))
            }
            ValueSource::From(node) => value.is_none() && element.get("valueFrom") == Some(node),
        }
    }

    /// The conflict with a value that must not be overwritten (set_env.go, validateNoOverwrites). Values are not shown:
    /// they may be secret.
    fn conflict(&self, element: &Node) -> Option<ValueConflict> {
        let old = element.get("value").and_then(Node::as_str).unwrap_or_default();
        let new = match &self.source {
            ValueSource::Text(text) => text,
            ValueSource::From(_) => "",
        };
        (old != new).then(|| ValueConflict { at: element.span.start, key: self.name.clone(), value: None })
    }

    /// The element with this value, and nothing but its name beside it.
    fn put(&self, mut element: Node) -> Node {
        if let Some(map) = element.as_map_mut() {
            let (key, value) = match &self.source {
                ValueSource::Text(text) => ("value", Node::text(text)),
                ValueSource::From(node) => ("valueFrom", node.clone()),
            };
            let others = map.iter().map(|entry| entry.key.clone()).filter(|other| other != "name");
            for other in others.filter(|other| other != key).collect::<Vec<_>>() {
                map.remove(&other);
            }
            tree::put(map, key, value);
        }
        element
    }
}

/// The variables of the containers of an object whose names match a pattern, as kubectl lists them.
pub fn listed(head: &Head<'_>, tree: &Node, pattern: &str) -> String {
    let mut lines = String::new();
    for spec in pod_specs(head.api_version, head.kind, tree) {
        let lists = ["containers", "initContainers"].map(|list| find(tree, &spec)?.get(list)?.as_seq());
        let containers = lists.into_iter().flatten().flatten();
        for node in containers.filter(|node| Container::of(node).matches(pattern)) {
            let name = Container::of(node).name;
            lines += &format!("# {} {}, container {name}\n", head.kind, head.name.unwrap_or_default());
            let env = node.get("env").and_then(Node::as_seq).unwrap_or_default();
            lines.extend(env.iter().map(line));
        }
    }
    lines
}

/// A variable, or what it refers to (env_resolve.go, GetEnvVarRefString).
fn line(variable: &Node) -> String {
    let text = |node: &Node, key| node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
    let name = text(variable, "name");
    let Some(from) = variable.get("valueFrom").filter(|from| !from.is_null()) else {
        return format!("{name}={}\n", text(variable, "value"));
    };
    let of = |key| from.get(key).filter(|reference| !reference.is_null());
    let source = if let Some(reference) = of("configMapKeyRef") {
        format!("configmap {}, key {}", text(reference, "name"), text(reference, "key"))
    } else if let Some(reference) = of("secretKeyRef") {
        format!("secret {}, key {}", text(reference, "name"), text(reference, "key"))
    } else if let Some(reference) = of("fieldRef") {
        format!("field path {}", text(reference, "fieldPath"))
    } else if let Some(reference) = of("resourceFieldRef") {
        let container = Some(text(reference, "containerName")).filter(|name| !name.is_empty());
        let container = container.map(|name| name + "/").unwrap_or_default();
        format!("resource field {container}{}", text(reference, "resource"))
    } else {
        "invalid valueFrom".to_owned()
    };
    format!("# {name} from {source}\n")
}

impl Edit for Env {
    fn apply(&self, object: &mut Node, origin: Origin<'_>) -> Result<Done, Refused> {
        pods::edit_each(object, origin, |node, container, done| {
            let env = node.get("env").filter(|env| !env.is_null());
            let is_meant = container.matches(&self.containers) && node.as_map().is_some();
            done.containers.push(container);
            if !is_meant {
                return Ok(());
            }
            let before = match env.map(|env| env.as_seq()) {
                Some(None) => {
                    return Err(Refused::new(node.span.start, "not edited: env is not a list"));
                }
                Some(Some(elements)) => elements,
                None => &[],
            };
            let after = self.update(before, done);
            let is_changed = after != before;
            if let Some(map) = node.as_map_mut().filter(|_| is_changed) {
                match after.is_empty() {
                    true => _ = map.remove("env"),
                    false => tree::put(map, "env", Node::new(Value::Seq(after))),
                }
            }
            Ok(())
        })
    }

    fn message(&self, done: &Done) -> Option<String> {
        done.is_changed().then(|| "env updated".to_owned())
    }

    fn subject(&self) -> Option<&'static str> {
        Some("containers")
    }

    /// *Compatibility* (missing-containers): kubectl warns.
    fn missing(&self, found: &Found) -> Vec<(String, Option<String>)> {
        container::unmatched(&self.containers, &found.containers).into_iter().collect()
    }
}
