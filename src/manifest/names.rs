//! The names of an object: that in its file, and those that kustomizations give it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use syntax::given;
use text::pattern;

/// The kinds that get no prefix and no suffix (kustomize, PrefixTransformer, prefixFieldSpecsToSkip).
const KEPT: [&str; 3] = ["APIService", "CustomResourceDefinition", "Namespace"];

/// What kustomizations make of the names of a file's objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affixes {
    /// What comes before the name.
    pub prefix: String,
    /// What comes after it.
    pub suffix: String,
    /// The names that patches set, which get nothing around them; of several for an object, the first counts.
    pub renamed: Vec<Renamed>,
    /// What Flux writes at last in the place of `${NAME}`.
    pub filled: BTreeMap<String, String>,
    /// Whether it takes values from elsewhere, too.
    pub is_filled_elsewhere: bool,
    /// Whether a build ends with these names. Otherwise another kustomization changes them.
    pub is_final: bool,
}

/// The name that a patch gives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Renamed {
    /// The objects that get it.
    pub target: PatchTarget,
    /// The whole name.
    pub to: String,
}

/// The objects that a patch is for, by regular expressions that match all of a text (kustomize, SelectorRegex).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchTarget {
    /// The kind; empty for any.
    pub kind: String,
    /// The names, of which one is enough; none for any.
    pub names: Vec<String>,
    /// The namespace before the patch; empty for any.
    pub namespace: String,
}

/// Whether a text is what is wanted.
fn is_it(wanted: &str, own: &str) -> bool {
    wanted == own
        || pattern::compiled(&format!("^(?:{wanted})$"), |_| ()).is_some_and(|wanted| wanted.is_match(own))
}

impl PatchTarget {
    /// Whether it is for objects of a kind and a name.
    pub fn is_for(&self, kind: &str, name: &str) -> bool {
        (self.kind.is_empty() || is_it(&self.kind, kind))
            && (self.names.is_empty() || self.names.iter().any(|wanted| is_it(wanted, name)))
    }

    /// Whether it is for objects in a namespace.
    pub fn is_in(&self, namespace: &str) -> bool {
        self.namespace.is_empty() || is_it(&self.namespace, namespace)
    }

    /// It for objects as they are before `inner` changes their names, by which a patch knows them, too.
    pub fn before(&self, inner: &Affixes) -> Self {
        let mut names: BTreeSet<&str> = self.names.iter().map(String::as_str).collect();
        names.extend(self.names.iter().filter_map(|name| inner.stripped(name)));
        let set = inner.renamed.iter().filter(|renamed| self.names.contains(&renamed.to));
        names.extend(set.flat_map(|renamed| &renamed.target.names).map(String::as_str));
        Self { names: names.into_iter().map(str::to_owned).collect(), ..self.clone() }
    }
}

/// Whether kustomizations put nothing around the names of a kind.
pub fn is_kept(kind: &str) -> bool {
    KEPT.contains(&kind)
}

impl Affixes {
    /// What is made of names by `inner` first, and then by this.
    pub fn around(&self, inner: &Self) -> Self {
        let outer =
            self.renamed.iter().map(|one| Renamed { target: one.target.before(inner), to: one.to.clone() });
        let set = inner.renamed.iter().map(|one| Renamed { to: self.surround(&one.to), ..one.clone() });
        Self {
            prefix: self.prefix.clone() + &inner.prefix,
            suffix: inner.suffix.clone() + &self.suffix,
            renamed: outer.chain(set).collect(),
            filled: inner.filled.clone().into_iter().chain(self.filled.clone()).collect(),
            is_filled_elsewhere: inner.is_filled_elsewhere || self.is_filled_elsewhere,
            is_final: self.is_final,
        }
    }

    /// A name with the prefix and the suffix.
    pub fn surround(&self, name: &str) -> String {
        [&self.prefix, name, &self.suffix].concat()
    }

    fn stripped<'n>(&self, name: &'n str) -> Option<&'n str> {
        name.strip_prefix(&*self.prefix)?.strip_suffix(&*self.suffix)
    }

    /// Whether it changes no name.
    pub fn is_empty(&self) -> bool {
        self.prefix.is_empty() && self.suffix.is_empty() && self.renamed.is_empty() && self.filled.is_empty()
    }

    /// A text with what Flux writes in it (fluxcd/pkg, envsubst); as it is if not all of that is known.
    pub fn fill<'n>(&self, name: &'n str) -> Cow<'n, str> {
        /// The maximum length of a name on the way.
        const MOST: usize = 1024;
        let mut filled = Cow::Borrowed(name);
        while let Some(start) = filled.rfind("${").filter(|_| !self.filled.is_empty() && filled.len() <= MOST)
        {
            let Some(length) = filled[start..].find('}') else { return name.into() };
            let expression = &filled[start + 2..start + length];
            let end = expression.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let (key, default) = expression.split_at(end.unwrap_or(expression.len()));
            let default = default.strip_prefix(":-").or_else(|| default.strip_prefix(":="));
            // A value without braces begins no other expression.
            match self.filled.get(key).map(String::as_str).or(default).filter(|value| !value.contains('{')) {
                Some(value) => {
                    let value = value.to_owned();
                    filled.to_mut().replace_range(start..=start + length, &value);
                }
                None => return name.into(),
            }
        }
        filled
    }

    /// The name that it gives.
    fn name_of(&self, names: &ObjectNames<'_>) -> String {
        let name = match self.renamed(names) {
            Some(name) => name.to_owned(),
            None if is_kept(names.kind) => names.own.to_owned(),
            None => self.surround(names.own),
        };
        self.fill(&name).into_owned()
    }

    fn renamed(&self, ObjectNames { kind, own, .. }: &ObjectNames<'_>) -> Option<&str> {
        let it = self.renamed.iter().find(|renamed| renamed.target.is_for(kind, own));
        it.map(|renamed| &*renamed.to)
    }
}

/// The names of an object, or of what a generator makes.
#[derive(Clone, Copy, Debug)]
pub struct ObjectNames<'a> {
    kind: &'a str,
    own: &'a str,
    affixes: &'a [Affixes],
    /// Those that kustomizations give a Namespace, joined by commas.
    of_namespace: Option<&'a str>,
}

impl<'a> ObjectNames<'a> {
    /// Those of a kind that is called `own` in a file with these.
    pub fn new(kind: &'a str, own: &'a str, affixes: Option<&'a [Affixes]>) -> Self {
        Self { kind, own, affixes: affixes.unwrap_or_default(), of_namespace: None }
    }

    /// Those of a Namespace that kustomizations call by these names, which are joined by commas.
    pub fn of_namespace(self, names: Option<&'a str>) -> Self {
        Self { of_namespace: names, ..self }
    }

    /// The kind of the object.
    pub fn kind(self) -> &'a str {
        self.kind
    }

    /// The names that kustomizations give it.
    pub fn given(self) -> impl Iterator<Item = String> + 'a {
        let names = self.affixes.iter().map(move |affixes| affixes.name_of(&self));
        let of_namespace = self.of_namespace.into_iter().flat_map(given::each).map(str::to_owned);
        names.chain(of_namespace).filter(move |name| name != self.own)
    }

    /// All names: that in its file, and those that kustomizations give it.
    pub fn all(self) -> impl Iterator<Item = String> + 'a {
        (!self.own.is_empty()).then(|| self.own.to_owned()).into_iter().chain(self.given())
    }

    /// The names in what is built; nothing if that in its file is the only one.
    pub fn built(self) -> BTreeSet<String> {
        let names = self.last();
        if names.iter().all(|name| name == self.own) { BTreeSet::new() } else { names }
    }

    /// The names in what is built, or else that in its file.
    pub fn last(self) -> BTreeSet<String> {
        let names = self.ends().map(|affixes| affixes.name_of(&self)).filter(|name| !name.is_empty());
        let of_namespace = self.of_namespace.into_iter().flat_map(given::each).map(str::to_owned);
        let names: BTreeSet<String> = names.chain(of_namespace).collect();
        if names.is_empty() { [self.own.to_owned()].into() } else { names }
    }

    /// What the ends of its builds make of names.
    fn ends(self) -> impl Iterator<Item = &'a Affixes> {
        self.affixes.iter().filter(|affixes| affixes.is_final)
    }

    /// Those of the same object with these affixes.
    pub fn built_with(self, affixes: Option<&'a [Affixes]>) -> Self {
        Self { affixes: affixes.unwrap_or_default(), ..self }
    }

    /// Whether it has this name, in its file or by a kustomization.
    pub fn has(self, name: &str) -> bool {
        let is_it = |affixes: &Affixes| match affixes.renamed(&self) {
            _ if !affixes.filled.is_empty() => affixes.name_of(&self) == name,
            Some(renamed) => renamed == name,
            None => !is_kept(self.kind) && affixes.stripped(name) == Some(self.own),
        };
        let of_namespace = || self.of_namespace.into_iter().flat_map(given::each).any(|given| given == name);
        self.own == name || self.affixes.iter().any(is_it) || of_namespace()
    }

    /// What Flux makes of a text in the file in each of its builds.
    pub fn filled<'t>(self, text: &'t str) -> impl Iterator<Item = String> + use<'a, 't> {
        self.ends().map(|affixes| affixes.fill(text).into_owned())
    }

    /// What Flux makes of a text that has a variable in each of its builds; nothing if one of them leaves any.
    pub fn filled_by_all(self, text: &str) -> BTreeSet<String> {
        let ends = self.ends().filter(|_| text.contains("${"));
        let filled: BTreeSet<String> = ends.map(|affixes| affixes.fill(text).into_owned()).collect();
        if filled.iter().any(|filled| filled.contains("${")) { BTreeSet::new() } else { filled }
    }

    /// The first variable of a text that Flux replaces by nothing in one of its builds, and what it sets there.
    pub fn unset<'t>(self, text: &'t str) -> Option<(&'t str, &'a BTreeMap<String, String>)> {
        let variables = text.match_indices("${").filter(|(at, _)| !text[..*at].ends_with('$'));
        let variables = variables.filter_map(|(at, begin)| Some(text[at + begin.len()..].split_once('}')?.0));
        // Anything else in the braces is a default, or another operation on the value.
        let mut variables =
            variables.filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
        let whole = |one: &&Affixes| !one.filled.is_empty() && !one.is_filled_elsewhere;
        variables.find_map(|name| {
            let mut lacking = self.ends().filter(whole).filter(|one| !one.filled.contains_key(name));
            Some((name, &lacking.next()?.filled))
        })
    }

    /// Whether Flux writes anything in its file.
    pub fn are_filled(self) -> bool {
        self.affixes.iter().any(|affixes| !affixes.filled.is_empty())
    }

    /// The names that it has in the builds in which it gets `name`: until then, and after it.
    pub fn with(self, name: &str) -> Vec<String> {
        let is_with = |affixes: &Affixes| {
            let other = affixes.name_of(&self);
            // What Flux fills in is no part of the names before.
            let is_filled = !affixes.filled.is_empty() && self.own.contains("${");
            let is_with = other == name || !is_filled && (other.contains(name) || name.contains(&*other));
            (is_with && other != self.own).then_some(other)
        };
        let of_namespace = self.of_namespace.into_iter().flat_map(given::each).filter(|given| *given == name);
        let own = of_namespace.chain([self.own]).map(str::to_owned);
        self.affixes.iter().filter_map(is_with).chain(own).collect()
    }
}
