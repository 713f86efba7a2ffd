//! The progress line on a terminal. No other file uses the crate that draws it.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use manifest::source::Source;

/// How long to wait before the line is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// The text if the total length is known, and if it is not.
const OF_TOTAL: &str = "{binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left";
const SO_FAR: &str = "{binary_bytes}, {binary_bytes_per_sec}";

/// The progress of a pass over the sources. The line is shown from [`PATIENCE`] on until this is dropped.
pub struct Progress {
    bar: ProgressBar,
    /// When to show the line; `None` once it is shown.
    due: Option<Instant>,
}

impl Progress {
    /// Starts a pass.
    pub fn start() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self { bar, due: Some(Instant::now() + PATIENCE) }
    }

    /// Adds bytes of `sources` that have been processed. Their lengths are only looked up when the line appears, so
    /// that short passes do not pay for it.
    pub fn advance(&mut self, bytes: usize, sources: &[Source]) {
        self.bar.inc(bytes as u64);
        if self.due.is_some_and(|due| Instant::now() >= due) {
            self.due = None;
            self.appear(sources);
        }
    }

    /// Prints while the line is hidden.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    fn appear(&self, sources: &[Source]) {
        // What an archive or a compressed file holds is longer than the file.
        let length = |source: &Source| source.size().filter(|_| !source.may_be_archive());
        let total: Option<u64> = sources.iter().map(length).sum();
        self.bar.set_style(style(total));
        if let Some(total) = total {
            self.bar.set_length(total);
        }
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(total: Option<u64>) -> ProgressStyle {
    let template = if total.is_some() { OF_TOTAL } else { SO_FAR };
    ProgressStyle::with_template(template).expect("impossible: the templates are constants, and tested")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_read() {
        style(Some(1));
        style(None);
    }

    #[test]
    fn the_length_is_told_where_it_is_known() {
        let mut progress = Progress::start();
        progress.due = Some(Instant::now());
        progress.advance(1, &[]);
        assert_eq!((progress.bar.position(), progress.bar.length()), (1, Some(0)));
        for source in [Source::stdin(), Source::memory("a.tar.gz", b"a")] {
            let mut unknown = Progress::start();
            unknown.due = Some(Instant::now());
            unknown.advance(1, &[source]);
            assert_eq!((unknown.bar.position(), unknown.bar.length()), (1, None));
        }
    }

    #[test]
    fn nothing_is_shown_before_long() {
        let mut progress = Progress::start();
        progress.advance(1, &[]);
        assert!(progress.due.is_some() && progress.bar.is_hidden());
    }
}
