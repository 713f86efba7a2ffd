//! A row of kubectl's tables, and the kind that it belongs to.

use std::sync::Arc;

use compact_str::CompactString;
use jiff::Timestamp;

use kinds::cells::KindColumns;
use text::age::Aged;

use super::table::{self, Need};

/// A row of a table. Its ages count to a moment that is known when the table is written.
#[derive(Clone, Debug)]
pub struct Row<C = Aged<CompactString>> {
    pub(super) kind: Arc<RowKind>,
    pub(super) namespace: Option<CompactString>,
    /// Whether the object's text has a namespace.
    pub(super) names_namespace: bool,
    /// Most cells are short, so they are stored inline.
    pub(super) cells: Vec<C>,
}

/// The properties shared by the rows of a kind.
#[derive(Debug)]
pub(super) struct RowKind {
    pub(super) columns: KindColumns,
    /// The prefix of names: `deployment.apps`.
    pub(super) prefix: String,
    /// All headers, those that the options add included.
    pub(super) headers: Vec<String>,
}

impl Row {
    /// The row at the moment `now`.
    pub fn at(self, now: Timestamp) -> Row<CompactString> {
        let cells = self.cells.into_iter().map(|cell| cell.at(now)).collect();
        Row { kind: self.kind, namespace: self.namespace, names_namespace: self.names_namespace, cells }
    }

    /// The cell in the column `header`; `None` if there is no such column.
    pub fn cell(&self, header: &str) -> Option<&Aged<CompactString>> {
        let at = self.kind.headers.iter().position(|other| other == header)?;
        self.cells.get(at)
    }

    /// The namespace in the object's text; `None` if there is none.
    pub fn own_namespace(&self) -> Option<&str> {
        self.namespace.as_deref().filter(|namespace| self.names_namespace && !namespace.is_empty())
    }

    /// Groups the rows of each resource, and of each table among them, at the position of the first row. Elements without a
    /// row form a group.
    pub fn group<T>(things: &mut [T], row: impl Fn(&T) -> Option<&Row>) {
        let mut kinds: Vec<Arc<RowKind>> = Vec::new();
        things.sort_by_cached_key(|thing| {
            let kind = &row(thing)?.kind;
            let resource = kinds.iter().position(|known| known.columns.is_of_resource(&kind.columns));
            let table = kinds.iter().position(|known| known.is_same(kind)).unwrap_or_else(|| {
                kinds.push(Arc::clone(kind));
                kinds.len() - 1
            });
            Some((resource.unwrap_or(table), table))
        });
    }
}

impl<C> Row<C> {
    /// The cells, in the order of [`Rows::columns`](super::rows::Rows::columns).
    pub fn cells(&self) -> &[C] {
        &self.cells
    }

    /// Whether both rows belong to the same table.
    pub fn is_same_table(&self, other: &Self) -> bool {
        self.kind.is_same(&other.kind)
    }

    /// Whether both rows are of the same resource, whatever its version.
    pub fn is_of_resource(&self, other: &Self) -> bool {
        self.kind.columns.is_of_resource(&other.kind.columns)
    }
}

impl RowKind {
    /// How much people need each column, and whether its cells keep their ends; with `namespaces`, the first one is NAMESPACE.
    pub(super) fn needs(&self, namespaces: bool) -> Vec<(Need, bool)> {
        let need = |at: usize| match self.columns.priorities.get(at) {
            _ if self.columns.name == Some(at) => Need::Identity,
            Some(0) => Need::Usual,
            Some(_) => Need::Wide,
            None => Need::Asked,
        };
        let own =
            self.headers.iter().enumerate().map(|(at, header)| (need(at), table::differs_at_ends(header)));
        namespaces.then_some((Need::Identity, false)).into_iter().chain(own).collect()
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.columns.is_same(&other.columns)
    }
}
