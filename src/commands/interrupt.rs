//! Signals that would end the program while there are temporary files. The only file that uses the crate for signals.

/// While this exists, signals that ask the program to end are only recorded, and exceeding the limit for file sizes is
/// an error instead of a signal.
#[cfg(unix)]
pub struct Interrupts {
    raised: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    ids: Vec<signal_hook::SigId>,
}

#[cfg(unix)]
impl Interrupts {
    /// Starts recording signals.
    pub fn watch() -> Self {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
        let raised = std::sync::Arc::<std::sync::atomic::AtomicUsize>::default();
        let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter_map(|signal| {
            let number = usize::try_from(signal).ok()?;
            signal_hook::flag::register_usize(signal, raised.clone(), number).ok()
        });
        let mut ids: Vec<_> = ending.collect();
        // With a handler, the signal is ignored and the write fails with an error.
        ids.extend(signal_hook::flag::register(
            SIGXFSZ,
            std::sync::Arc::<std::sync::atomic::AtomicBool>::default(),
        ));
        Self { raised, ids }
    }

    /// Whether a signal asked the program to end.
    pub fn is_raised(&self) -> bool {
        self.raised.load(std::sync::atomic::Ordering::Relaxed) != 0
    }
}

#[cfg(unix)]
impl Drop for Interrupts {
    /// Restores signal handling; a recorded signal takes effect now.
    fn drop(&mut self) {
        for id in self.ids.drain(..) {
            signal_hook::low_level::unregister(id);
        }
        let signal = self.raised.load(std::sync::atomic::Ordering::Relaxed);
        if let Some(signal) = i32::try_from(signal).ok().filter(|signal| *signal != 0) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}

/// On systems without such signals.
#[cfg(not(unix))]
pub struct Interrupts;

#[cfg(not(unix))]
impl Interrupts {
    /// Does nothing.
    pub fn watch() -> Self {
        Self
    }

    /// Always false.
    pub fn is_raised(&self) -> bool {
        false
    }
}
