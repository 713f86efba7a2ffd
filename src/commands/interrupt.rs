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

/// The signals that would end the program, as they come. They are handled as before when this is dropped.
#[cfg(unix)]
pub struct Signals {
    signals: Option<signal_hook::iterator::Signals>,
    handle: signal_hook::iterator::Handle,
}

#[cfg(unix)]
impl Signals {
    /// Starts watching.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn watch() -> std::io::Result<Self> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
        let signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
        Ok(Self { handle: signals.handle(), signals: Some(signals) })
    }

    /// Calls `visit` with each signal, on another thread.
    pub fn each(&mut self, mut visit: impl FnMut(i32) + Send + 'static) {
        if let Some(mut signals) = self.signals.take() {
            std::thread::spawn(move || signals.forever().for_each(&mut visit));
        }
    }
}

#[cfg(unix)]
impl Drop for Signals {
    fn drop(&mut self) {
        self.handle.close();
    }
}

/// Passes a signal to a process. On a terminal, the keys that raise signals raise them in all processes.
#[cfg(unix)]
pub fn pass_on(signal: i32, id: u32, is_terminal: bool) {
    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGINT, SIGQUIT};
    let is_key = is_terminal && [SIGINT, SIGQUIT].contains(&signal);
    let process = i32::try_from(id).ok().and_then(Pid::from_raw);
    if let (Some(process), Some(signal), false) = (process, Signal::from_named_raw(signal), is_key) {
        let _ = kill_process(process, signal);
    }
}

/// On systems without such signals.
#[cfg(not(unix))]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Does nothing.
    ///
    /// # Errors
    ///
    /// None.
    pub fn watch() -> std::io::Result<Self> {
        Ok(Self)
    }

    /// Never calls `visit`.
    pub fn each(&mut self, _: impl FnMut(i32) + Send + 'static) {}
}

/// Does nothing.
#[cfg(not(unix))]
pub fn pass_on(_: i32, _: u32, _: bool) {}

/// Ends a child that leads a group of processes, with all in it.
#[cfg(unix)]
pub fn end_group(child: &mut std::process::Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(leader) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(leader, Signal::KILL);
    }
}

/// Ends a child.
#[cfg(not(unix))]
pub fn end_group(child: &mut std::process::Child) {
    let _ = child.kill();
}
