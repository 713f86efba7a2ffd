//! What the structure of an input says of its files: which ones kustomizations build from, which directories are charts, and
//! which files the user named.

use crate::scan::conventions;
use crate::scan::kustomizations::Kustomizations;
use manifest::source::Source;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The structure of an input.
#[derive(Debug, Default)]
pub(super) struct Purposes {
    pub kustomizations: Kustomizations,
    /// The directories of charts.
    charts: HashSet<PathBuf>,
    /// The files that the user named.
    named: HashSet<Arc<str>>,
}

impl Purposes {
    pub(super) fn of(sources: &[Source]) -> Self {
        let named = sources.iter().filter(|source| source.named);
        Self {
            kustomizations: Kustomizations::read(sources),
            charts: conventions::charts(sources),
            named: named.map(|source| Arc::clone(&source.name)).collect(),
        }
    }

    /// Whether the directory is that of a chart, and no kustomization's.
    pub(super) fn is_chart(&self, directory: &Path) -> bool {
        self.charts.contains(directory) && !self.kustomizations.is_at(directory)
    }

    /// Whether the user named the file, or the archive that it is in.
    pub(super) fn is_named(&self, file: &str) -> bool {
        let is_named = |path: &Path| path.to_str().is_some_and(|path| self.named.contains(path));
        !self.named.is_empty() && Path::new(file).ancestors().any(is_named)
    }
}
