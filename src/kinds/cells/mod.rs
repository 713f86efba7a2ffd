//! The columns of tables by kind, and the cells of objects: those of built-in kinds, and those that the definitions of
//! custom resources declare. What a cell means is in [`meaning`].

mod custom;
pub mod meaning;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use crate::NOT_SHOWN;
use crate::catalog::{Catalog, Resource, schema};
use crate::columns::{self, Column};
use crate::events;
use crate::view::{FieldsRead, View};
use custom::CustomColumns;
use manifest::object::Object;
use syntax::error::Error;
use syntax::fields::{FieldSet, Fields};
use syntax::gvk;
use syntax::tree::Node;
use text::age::Aged;

/// The columns of a kind.
#[derive(Debug)]
pub struct KindColumns {
    api_version: String,
    kind: String,
    /// Whether its objects are namespaced.
    pub is_namespaced: bool,
    /// The headers, in uppercase. Those of custom resources are data, and may have any characters.
    pub headers: Vec<String>,
    /// The priorities of the columns: 0 for one that is always shown.
    pub priorities: Vec<i64>,
    /// The index of the column with the name; `None` for a kind without such a column.
    pub name: Option<usize>,
    cells: Cells,
    /// The fields that the columns of a built-in kind have needed so far. Only these are read of the next object.
    fields: Mutex<Arc<FieldSet>>,
}

/// How the cells are made.
#[derive(Debug)]
enum Cells {
    BuiltIn(Vec<Column>),
    Custom {
        columns: CustomColumns,
        shown: Vec<usize>,
        /// The schema with the defaults that the columns show; `None` if there is none.
        schema: Option<Arc<Node>>,
    },
}

impl KindColumns {
    /// The columns of a kind; those with priority 1 only if `wide`.
    pub fn new(catalog: &Catalog, api_version: &str, kind: &str, wide: bool) -> Self {
        let (group, version) = gvk::split_api_version(api_version);
        let resource = catalog.of(api_version, kind);
        let shown = |priority: i64| wide || priority == 0;
        let custom = resource.and_then(|resource| resource.definition()).map(|definition| {
            let version = definition.version(version);
            let schema = version.and_then(|version| version.schema.as_ref());
            let columns = CustomColumns::compile(version.map_or(&[][..], |version| &version.columns));
            (columns, schema.filter(|schema| schema::has_defaults(schema)).cloned())
        });
        let of_project = || resource.and_then(Resource::project_columns);
        let custom = custom.or_else(|| Some((CustomColumns::compile(&of_project()?), None)));
        let headers: Vec<String>;
        let priorities: Vec<i64>;
        let name;
        let cells = match custom {
            Some((columns, schema)) => {
                let of_layout = columns.headers().enumerate().filter(|(_, (_, priority))| shown(*priority));
                let (shown, of_shown): (Vec<usize>, Vec<(String, i64)>) =
                    of_layout.map(|(at, (name, priority))| (at, (name.to_uppercase(), priority))).unzip();
                (headers, priorities) = of_shown.into_iter().unzip();
                name = Some(0);
                Cells::Custom { columns, shown, schema }
            }
            None => {
                let fallback = || match resource {
                    Some(resource) if resource.is_built_in() => columns::WITHOUT_PRINTER.to_vec(),
                    _ => columns::UNKNOWN_KIND.to_vec(),
                };
                let all = crate::columns_of(group, kind).unwrap_or_else(fallback);
                let is_shown =
                    |column: &Column| column.is_in(catalog.chosen_release()) && shown(column.priority.into());
                let columns: Vec<_> = all.into_iter().filter(is_shown).collect();
                headers = columns.iter().map(|column| column.name.to_owned()).collect();
                priorities = columns.iter().map(|column| column.priority.into()).collect();
                name = columns.iter().position(|column| column.is_name());
                Cells::BuiltIn(columns)
            }
        };
        Self {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            is_namespaced: resource.is_none_or(Resource::is_namespaced),
            headers,
            priorities,
            name,
            cells,
            fields: Mutex::default(),
        }
    }

    /// Whether these are the columns of a kind in this version.
    pub fn is_of(&self, api_version: &str, kind: &str) -> bool {
        self.kind == kind && self.api_version == api_version
    }

    /// The kind as objects name it.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Whether objects with these columns are in the same table: those of one resource whose versions have the same columns.
    pub fn is_same(&self, other: &Self) -> bool {
        self.is_of_resource(other) && self.headers == other.headers && self.priorities == other.priorities
    }

    /// Whether the columns are of the same resource, whatever its version; events of both groups are of one.
    pub fn is_of_resource(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|of| gvk::split_api_version(&of.api_version).0);
        let [own, others] = [own, others].map(|group| gvk::successor(group, &self.kind));
        let is_event = |group| events::is_event(group, &self.kind);
        self.kind == other.kind && (own == others || is_event(own) && is_event(others))
    }

    /// The cells of an object, each converted by `owned` to its final form.
    ///
    /// # Errors
    ///
    /// The object's text cannot be parsed.
    pub fn cells<T>(
        &self,
        object: &Object<'_>,
        cells: &mut Vec<T>,
        owned: impl Fn(Aged<Cow<'_, str>>) -> T,
    ) -> Result<(), Error> {
        match &self.cells {
            Cells::BuiltIn(columns) => self.view(object, |view| {
                cells.clear();
                cells.extend(columns.iter().map(|column| owned(column.cell(view))));
            }),
            Cells::Custom { columns, shown, schema } => {
                let filled = filled(object.value()?, schema.as_deref());
                cells.extend(shown.iter().map(|&at| owned(columns.cell(&filled, at))));
                Ok(())
            }
        }
    }

    /// The cell at an index.
    ///
    /// # Errors
    ///
    /// The object's text cannot be parsed.
    pub fn cell(&self, object: &Object<'_>, at: usize) -> Result<Aged<String>, Error> {
        match &self.cells {
            Cells::BuiltIn(columns) => {
                let mut cell = Aged::Text(String::new());
                self.view(object, |view| cell = columns[at].cell(view).map(Cow::into_owned))?;
                Ok(cell)
            }
            Cells::Custom { columns, shown, schema } => {
                let filled = filled(object.value()?, schema.as_deref());
                Ok(columns.cell(&filled, shown[at]).map(Cow::into_owned))
            }
        }
    }

    /// Calls `show` with an object of a built-in kind, of which only the necessary fields are read. If more turn out to
    /// be necessary, it is called again; the last call counts.
    fn view(&self, object: &Object<'_>, mut show: impl FnMut(&View<'_>)) -> Result<(), Error> {
        loop {
            let known = Arc::clone(&self.fields.lock().unwrap_or_else(PoisonError::into_inner));
            let tree = object.fields(Fields { only: Some(&known), without: NOT_SHOWN })?;
            let read = FieldsRead::new(&known);
            let head = object.head;
            show(&View::new(&tree, head.api_version, head.kind).of_fields(&read));
            let missing = read.missing();
            if missing.is_empty() {
                return Ok(());
            }
            let mut fields = self.fields.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::make_mut(&mut fields).extend(&missing);
        }
    }
}

/// A custom resource with the defaults of its schema, if there is one that has any.
fn filled<'t>(tree: &'t Node, schema: Option<&Node>) -> Cow<'t, Node> {
    let mut filled = Cow::Borrowed(tree);
    if let Some(schema) = schema {
        schema::apply_defaults(filled.to_mut(), schema);
    }
    filled
}

/// The wide columns of the kinds met so far, shared by all threads. They are few.
#[derive(Debug, Default)]
pub struct WideColumns(Mutex<Vec<Arc<KindColumns>>>);

impl WideColumns {
    /// The columns of a kind.
    pub fn of(&self, catalog: &Catalog, api_version: &str, kind: &str) -> Arc<KindColumns> {
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kinds.iter().find(|known| known.is_of(api_version, kind)) {
            Some(known) => Arc::clone(known),
            None => {
                let new = Arc::new(KindColumns::new(catalog, api_version, kind, true));
                kinds.push(Arc::clone(&new));
                new
            }
        }
    }
}
