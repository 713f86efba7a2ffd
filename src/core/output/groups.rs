//! Counts objects by kind, namespace, label, the cell of a column, or the values at a path, and adds up quantities.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{self, Write};

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::rows::{self, Rows};
use super::sums::{self, Allocatable, CountError, PodCoverage, Summand, Sums};
use super::table_layout::TableLayout;
use super::{json_array, table};
use crate::scan::copies::Hold;
use expression::jsonpath::{self, JsonPath};
use kinds::catalog::object::ObjectLabels;
use kinds::images::image_of;
use kinds::requests::Amounts;
use manifest::object::Object;
use syntax::fields::{FieldSet, Fields};
use syntax::given;
use syntax::gvk::GroupVersionKind;
use syntax::head::Head;
use syntax::tree::Node;
use text::hash::Interned;
use text::image;
use text::quantity::Quantity;

/// A property that objects are counted by.
#[derive(Clone, Debug)]
pub enum CountKey {
    /// The kind, as `-o name` writes it: `deployment.apps`.
    Kind,
    /// The namespace; empty for cluster-scoped kinds.
    Namespace,
    /// The file.
    Source,
    /// Each image that it names.
    Image,
    /// The value of this label.
    Label(String),
    /// The cell in the column with this header.
    Column(String),
    /// Each value at a path.
    Path(JsonPath),
}

impl CountKey {
    /// Parses `kind`, `namespace`, `source`, `image`, `label:KEY`, a JSONPath, or the header of a column in any case. A JSONPath
    /// begins with a dot, a bracket or a brace, or has a dot in it: `.spec.nodeName`, `spec.nodeName`.
    ///
    /// # Errors
    ///
    /// The text looks like a JSONPath and is invalid.
    pub fn parse(text: &str) -> Result<Self, jsonpath::ParseError> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "kind" => Self::Kind,
            // That of the object is the one in which it is applied, however it is asked for.
            "namespace" | "ns" | ".metadata.namespace" | "{.metadata.namespace}" => Self::Namespace,
            "source" => Self::Source,
            "image" => Self::Image,
            _ if text.starts_with("label:") => Self::Label(text["label:".len()..].to_owned()),
            _ if text.contains(['.', '{', '[', '$']) => Self::Path(JsonPath::relaxed(text)?),
            _ => Self::Column(text.to_uppercase()),
        })
    }

    /// The header of its column: the last name of a path or of a label key, in uppercase.
    fn header(&self) -> String {
        match self {
            Self::Label(key) => rows::label_header(key),
            Self::Path(path) => rows::path_header(path),
            Self::Kind | Self::Namespace | Self::Source | Self::Image | Self::Column(_) => {
                self.to_string().to_uppercase()
            }
        }
    }

    /// As the name of a label may be typed.
    fn without_dot(&self) -> String {
        self.to_string().trim_start_matches('.').to_owned()
    }

    /// Whether it is the node of a pod.
    fn is_node(&self) -> bool {
        match self {
            Self::Column(header) => header == "NODE",
            Self::Path(_) => self.to_string() == ".spec.nodeName",
            Self::Kind | Self::Namespace | Self::Source | Self::Image | Self::Label(_) => false,
        }
    }
}

/// The key as it is typed.
impl fmt::Display for CountKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind => f.write_str("kind"),
            Self::Namespace => f.write_str("namespace"),
            Self::Source => f.write_str("source"),
            Self::Image => f.write_str("image"),
            Self::Label(key) => write!(f, "label:{key}"),
            Self::Column(header) => f.write_str(header),
            Self::Path(path) => f.write_str(path.to_string().trim_matches(['{', '}'])),
        }
    }
}

/// The objects of each group, by the values of the keys in order; a value is `None` if the object has none.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    groups: HashMap<Vec<Option<String>>, Group>,
    /// What the nodes among all objects have, if sums are compared with it.
    allocatable: Allocatable,
    /// The live pods among all objects, if sums are of pods.
    coverage: PodCoverage,
    /// The indexes of the keys whose columns occurred in any object.
    columns: Vec<usize>,
    /// The labels that are called like a column or a path where an object has no such value.
    labels: Vec<String>,
}

/// The objects of a group.
#[derive(Clone, Debug, Default)]
struct Group {
    count: u64,
    /// The sum of each quantity; `None` if no object has it.
    sums: Vec<Option<Quantity>>,
}

/// Keeps what objects add to groups until all copies of them are known. Many add the same.
#[derive(Debug, Default)]
pub struct HeldGroups(Interned<Addend>);

/// What an object adds besides its quantities.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Addend {
    /// The values of its group; `None` if it is not selected.
    values: Option<Vec<Option<String>>>,
    columns: Vec<usize>,
    labels: Vec<String>,
    /// The namespace and the node of a pod.
    pod: Option<(String, Option<String>)>,
}

/// What an object adds.
#[derive(Debug)]
pub enum HeldGroup {
    /// The addend with this number, and these quantities.
    Addend(u32, Vec<Option<Quantity>>),
    /// More than an addend.
    Groups(Box<Groups>),
}

impl Hold<Groups> for HeldGroups {
    type Held = HeldGroup;

    fn hold(&mut self, mut groups: Groups) -> io::Result<Option<HeldGroup>> {
        let pod = match groups.coverage.of_one() {
            Some(pod)
                if groups.groups.values().map(|group| group.count).sum::<u64>() <= 1
                    && groups.allocatable.is_empty() =>
            {
                pod
            }
            _ => return Ok(Some(HeldGroup::Groups(Box::new(groups)))),
        };
        let (values, group) = groups.groups.drain().next().unzip();
        if values.is_none() && pod.is_none() {
            return Ok(None);
        }
        let number = self.0.number(Addend { values, columns: groups.columns, labels: groups.labels, pod });
        Ok(Some(HeldGroup::Addend(number, group.map(|group| group.sums).unwrap_or_default())))
    }

    fn resume(&mut self, held: HeldGroup) -> io::Result<Groups> {
        Ok(match held {
            HeldGroup::Groups(groups) => *groups,
            HeldGroup::Addend(number, sums) => {
                let Addend { values, columns, labels, pod } = self.0.get(number).cloned().unwrap_or_default();
                let groups =
                    values.into_iter().map(|values| (values, Group { count: 1, sums: sums.clone() }));
                let coverage = pod.map(PodCoverage::one).unwrap_or_default();
                Groups { groups: groups.collect(), coverage, columns, labels, ..Groups::default() }
            }
        })
    }
}

/// Counts objects by keys, and adds up quantities.
pub struct Counter<'c> {
    /// The fields that the paths among the keys need.
    fields: FieldSet,
    keys: Vec<CountKey>,
    sums: Sums,
    /// Makes the cells of columns, at this moment.
    rows: (Rows<'c>, Timestamp),
}

impl<'c> Counter<'c> {
    /// Counts by `keys` and adds up `sums`; `rows` makes the cells of columns.
    pub fn new(keys: Vec<CountKey>, sums: Sums, rows: (Rows<'c>, Timestamp)) -> Self {
        let mut fields = FieldSet::default();
        for key in &keys {
            if let CountKey::Path(path) = key {
                path.add_fields(&mut fields);
            }
        }
        Self { fields, keys, sums, rows }
    }

    /// Counts `object`, which is in `namespace`. If a path finds several values, or it is in several namespaces, the object is
    /// counted once in the group of each.
    ///
    /// # Errors
    ///
    /// A column or a path needs more of the object than can be read, or a value is not a quantity.
    pub fn add(&self, object: &Object<'_>, namespace: &str, groups: &mut Groups) -> Result<(), CountError> {
        let sums = self.sums.of(object)?;
        let mut values: Vec<Vec<Option<String>>> = Vec::with_capacity(self.keys.len());
        for (number, key) in self.keys.iter().enumerate() {
            values.push(self.values(number, key, object, namespace, groups)?);
        }
        if values.iter().all(|values| values.len() == 1) {
            groups.add(values.into_iter().flatten().collect(), Group { count: 1, sums });
            return Ok(());
        }
        let mut combined = vec![Vec::new()];
        for values in values {
            let with = |group: &Vec<Option<String>>| {
                let group = group.clone();
                values
                    .iter()
                    .map(move |value| [&group[..], std::slice::from_ref(value)].concat())
                    .collect::<Vec<_>>()
            };
            combined = combined.iter().flat_map(with).collect();
        }
        combined.into_iter().for_each(|group| groups.add(group, Group { count: 1, sums: sums.clone() }));
        Ok(())
    }

    /// Learns from an object, selected or not, what sums are compared with.
    pub fn learn(&self, object: &Object<'_>, groups: &mut Groups) {
        if self.sums.has_pods() {
            groups.allocatable.learn(object);
            groups.coverage.learn(object);
        }
    }

    /// The distinct values of an object for a key; a single `None` if there are none.
    fn values(
        &self,
        number: usize,
        key: &CountKey,
        object: &Object<'_>,
        namespace: &str,
        groups: &mut Groups,
    ) -> Result<Vec<Option<String>>, CountError> {
        let head = object.head;
        let one = match key {
            CountKey::Kind => Some(GroupVersionKind::new(head.api_version, head.kind).lower()),
            // An object may be in several.
            CountKey::Namespace => {
                let one = |name: &str| Some(name).filter(|name| !name.is_empty()).map(str::to_owned);
                return Ok(given::each(namespace).map(one).collect());
            }
            CountKey::Source => Some(object.place().source.to_string()),
            CountKey::Image => {
                let tree = object
                    .fields(Fields::without(&["status", "managedFields"]))
                    .map_err(CountError::Unreadable)?;
                let mut images = Vec::new();
                let stated = tree.children().filter(|(key, _)| *key != "status");
                stated.for_each(|(_, value)| add_images(value, &mut images));
                return Ok(distinct(images));
            }
            CountKey::Label(key) => {
                let mut values: Vec<Option<&str>> = ObjectLabels(head).values(key).collect();
                values.sort_unstable();
                values.dedup();
                return Ok(values.into_iter().map(|value| value.map(str::to_owned)).collect());
            }
            CountKey::Column(header) => {
                let (rows, now) = &self.rows;
                let cell =
                    rows.cell(object, namespace, "", (header, *now)).map_err(CountError::Unreadable)?;
                match cell {
                    Some(_) if groups.columns.contains(&number) => (),
                    Some(_) => groups.columns.push(number),
                    None => groups.add_labels_like(head, header),
                }
                cell.filter(|cell| cell != table::NONE)
            }
            CountKey::Path(path) => {
                let tree = object.fields(Fields::only(&self.fields)).map_err(CountError::Unreadable)?;
                let values = texts(path.find(&tree).map_err(CountError::Path)?);
                if let [None] = values[..] {
                    groups.add_labels_like(head, &key.without_dot());
                }
                return Ok(values);
            }
        };
        Ok(vec![one])
    }

    /// The columns among the keys that no object has.
    pub fn unknown_columns<'s>(&'s self, groups: &'s Groups) -> impl Iterator<Item = &'s str> {
        let unmet = |number: &usize| !groups.columns.contains(number);
        self.keys.iter().enumerate().filter(move |(number, _)| unmet(number)).filter_map(|(_, key)| match key
        {
            CountKey::Column(header) => Some(header.as_str()),
            _ => None,
        })
    }

    /// How many of the counted images have one of these names, which are without tags and digests.
    pub fn images_of(&self, groups: &Groups, names: &HashSet<&str>) -> usize {
        let of_key = |at: usize| groups.groups.keys().filter_map(move |values| values.get(at)?.as_deref());
        let keys = self.keys.iter().enumerate().filter(|(_, key)| matches!(key, CountKey::Image));
        let images: HashSet<&str> = keys.flat_map(|(at, _)| of_key(at)).collect();
        images.into_iter().filter(|image| names.contains(image::split(image).0)).count()
    }

    /// The labels that are called like the paths of which no object has a value.
    pub fn labels_of_paths<'g>(&self, groups: &'g Groups) -> impl Iterator<Item = &'g str> {
        let is_empty = |number: usize| groups.groups.keys().all(|values| values[number].is_none());
        let paths = self.keys.iter().enumerate().filter(|(_, key)| matches!(key, CountKey::Path(_)));
        let paths = paths.filter(move |(number, _)| !groups.labels.is_empty() && is_empty(*number));
        paths.filter_map(|(_, key)| groups.label_like(&key.without_dot()))
    }

    /// The first quantity that no object has, whichever group it is in; `None` if there is none. A pod may request nothing.
    pub fn unknown_sum(&self, groups: &Groups) -> Option<&Summand> {
        let is_of_pods = |summand: &Summand| matches!(summand, Summand::OfPods(..));
        let is_met = |wanted: &Summand| {
            let of = |(summand, sum): (&Summand, &Option<_>)| {
                sum.is_some() && (std::ptr::eq(summand, wanted) || is_of_pods(summand) && is_of_pods(wanted))
            };
            groups.groups.values().any(|group| self.sums.iter().zip(&group.sums).any(of))
        };
        self.sums.iter().find(|summand| !is_met(summand))
    }

    /// The numbers of live pods and of their namespaces, if the input has nodes that seem to have other pods.
    pub fn covers_part(&self, groups: &Groups) -> Option<(usize, usize)> {
        groups.coverage.of_part(&groups.allocatable)
    }

    /// Writes the counts as a table, the largest first.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_table(
        &self,
        groups: &Groups,
        layout: TableLayout,
        headers: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let names = std::iter::once("COUNT".to_owned()).chain(self.keys.iter().map(CountKey::header));
        let names = names.chain(self.sums.iter().map(Summand::header));
        let names: Vec<String> = names.map(|name| table::cell(name.into()).into_owned()).collect();
        let headers = headers.then_some(&names[..]);
        let is_for_people = !matches!(layout, TableLayout::Csv | TableLayout::CsvWide);
        let allocatable = is_for_people.then(|| groups.allocatable.of(None)).flatten();
        let rows = groups.sorted().into_iter();
        let rows: Vec<Vec<Cow<'_, str>>> = rows
            .map(|(values, group)| self.row(values, group, &groups.allocatable, allocatable.as_ref()))
            .collect();
        layout.write(headers, &rows, None, out)
    }

    /// The cells of a group. Sums of pods are followed by the part of `all`, what all nodes have, that they are; in a group
    /// of one node, by the part of what that node has.
    fn row<'g>(
        &self,
        values: &'g [Option<String>],
        group: &Group,
        nodes: &Allocatable,
        all: Option<&Amounts>,
    ) -> Vec<Cow<'g, str>> {
        let node = self.keys.iter().zip(values).find(|(key, _)| key.is_node());
        let own = node.filter(|_| all.is_some()).and_then(|(_, node)| nodes.of(Some(node.as_deref()?)));
        let whole = if node.is_some() { own.as_ref() } else { all };
        let sum = |(summand, sum): (&Summand, &Option<Quantity>)| match (summand, sum) {
            (_, None) => table::NONE.into(),
            (Summand::OfPods(_, resource), Some(sum)) => match whole.and_then(|whole| whole.get(resource)) {
                Some(whole) => format!("{sum} ({}%)", sum.percent_of(whole)).into(),
                None => sum.to_string().into(),
            },
            (Summand::Path(_), Some(sum)) => sum.to_string().into(),
        };
        let cells = values.iter().map(|value| table::cell(value.as_deref().unwrap_or(table::NONE).into()));
        let count = Cow::from(group.count.to_string());
        std::iter::once(count).chain(cells).chain(self.sums.iter().zip(&group.sums).map(sum)).collect()
    }

    /// Writes the counts as a JSON array, the largest first, such as `{"count": 2, "by": {"kind": "pod"}, "sum":
    /// {"requests.cpu": "1500m"}}`, with null for missing values; without `sum` if nothing is added up.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_json(&self, groups: &Groups, out: &mut dyn Write) -> io::Result<()> {
        let counted = |(values, group): (&Vec<Option<String>>, &Group)| {
            let by = self.keys.iter().map(CountKey::to_string).zip(values.iter().cloned()).collect();
            let sums = group.sums.iter().map(|sum| sum.as_ref().map(ToString::to_string));
            let sums = InOrder(self.sums.iter().map(Summand::to_string).zip(sums).collect());
            Counted { count: group.count, by: InOrder(by), sum: (!sums.0.is_empty()).then_some(sums) }
        };
        let counts: Vec<Counted> = groups.sorted().into_iter().map(counted).collect();
        json_array::write(&counts, out)
    }
}

/// A group as JSON.
#[derive(Serialize)]
struct Counted {
    count: u64,
    by: InOrder,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<InOrder>,
}

/// A map in the order of the command line.
struct InOrder(Vec<(String, Option<String>)>);

impl Serialize for InOrder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The distinct results; a single `None` if there are none.
fn texts(found: Vec<Vec<Cow<'_, Node>>>) -> Vec<Option<String>> {
    let values = found.into_iter().flatten().filter(|value| !value.is_null());
    distinct(values.map(|value| jsonpath::text_of(&value)).collect())
}

/// Each of these texts once; a single `None` if there are none.
fn distinct(mut texts: Vec<String>) -> Vec<Option<String>> {
    texts.sort_unstable();
    texts.dedup();
    if texts.is_empty() { vec![None] } else { texts.into_iter().map(Some).collect() }
}

/// Adds the images that fields name at any depth.
fn add_images(node: &Node, images: &mut Vec<String>) {
    for (step, below) in node.children() {
        match node.as_map().map(|map| image_of(map, step, below)).filter(|image| !image.is_empty()) {
            Some(image) => images.push(image),
            None => add_images(below, images),
        }
    }
}

impl Group {
    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.sums.resize(other.sums.len(), None);
        self.sums.iter_mut().zip(other.sums).for_each(|(sum, other)| sums::add(sum, other));
    }
}

impl Groups {
    fn add(&mut self, values: Vec<Option<String>>, group: Group) {
        self.groups.entry(values).or_default().merge(group);
    }

    fn add_labels_like(&mut self, head: &Head<'_>, name: &str) {
        let labels = ObjectLabels(head);
        let alike = labels.iter().map(|(key, _)| key).filter(|key| key.eq_ignore_ascii_case(name));
        alike.for_each(|key| self.add_label(key.to_owned()));
    }

    fn add_label(&mut self, label: String) {
        if self.label_like(&label).is_none() {
            self.labels.push(label);
        }
    }

    /// The label of an object that is called like a column, or a path, of which that object has no value.
    pub fn label_like(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|label| label.eq_ignore_ascii_case(name)).map(String::as_str)
    }

    /// Adds other groups.
    pub fn merge(&mut self, other: Self) {
        other.groups.into_iter().for_each(|(values, group)| self.add(values, group));
        let new = other.columns.into_iter().filter(|number| !self.columns.contains(number));
        let new: Vec<usize> = new.collect();
        self.columns.extend(new);
        other.labels.into_iter().for_each(|label| self.add_label(label));
        self.allocatable.merge(other.allocatable);
        self.coverage.merge(other.coverage);
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The groups with the largest sums first, then the largest, and equal ones in the order of their values.
    fn sorted(&self) -> Vec<(&Vec<Option<String>>, &Group)> {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_unstable_by(|(a_values, a), (b_values, b)| {
            let largest = b.sums.first().partial_cmp(&a.sums.first()).unwrap_or(Ordering::Equal);
            largest.then_with(|| b.count.cmp(&a.count)).then_with(|| a_values.cmp(b_values))
        });
        groups
    }
}
