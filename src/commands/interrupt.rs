//! Signals that would end the program while temporary files lie about. The only home of the crate that hears them.

/// While it lives, a signal that asks the program to end is only noted, and a file that may not become larger is an error
/// instead of a signal.
#[cfg(unix)]
pub struct Interrupts {
    raised: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    ids: Vec<signal_hook::SigId>,
}

#[cfg(unix)]
impl Interrupts {
    /// Notes signals from now on.
    pub fn watch() -> Self {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
        let raised = std::sync::Arc::<std::sync::atomic::AtomicUsize>::default();
        let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter_map(|signal| {
            let number = usize::try_from(signal).ok()?;
            signal_hook::flag::register_usize(signal, raised.clone(), number).ok()
        });
        let mut ids: Vec<_> = ending.collect();
        // Heard and forgotten: writing then fails with the system's own words.
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
    /// Hears signals as before; one that was noted has its effect now.
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

/// Where there are no such signals.
#[cfg(not(unix))]
pub struct Interrupts;

#[cfg(not(unix))]
impl Interrupts {
    /// Notes nothing.
    pub fn watch() -> Self {
        Self
    }

    /// Always false.
    pub fn is_raised(&self) -> bool {
        false
    }
}
