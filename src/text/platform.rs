//! What systems disagree about in paths. Rules name their system, so that the tests of all of them run on each.

/// A system, as far as paths are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// `/` separates names.
    Unix,
    /// `/` and `\` separate names, and absolute paths begin with a drive or a host.
    Windows,
}

impl Platform {
    /// The system that the program runs on.
    pub const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Unix };

    /// Whether `c` separates names.
    pub fn separates(self, c: char) -> bool {
        c == '/' || self == Self::Windows && c == '\\'
    }

    /// A path as in messages, the SOURCE column and differences: with `/` on each system, so that the same input gives the same output
    /// everywhere, and git accepts the output of `--diff`.
    pub fn shown(self, path: &str) -> String {
        path.replace(|c| self.separates(c), "/")
    }

    /// Whether a path that is shown begins with a drive: `C:/k8s`.
    pub fn has_drive(self, path: &str) -> bool {
        let is_drive = |drive: &str| drive.len() == 2 && drive.starts_with(|c: char| c.is_ascii_alphabetic());
        self == Self::Windows
            && path.split_once('/').is_some_and(|(drive, _)| drive.ends_with(':') && is_drive(drive))
    }
}

#[cfg(test)]
mod tests {
    use super::Platform::{Unix, Windows};

    #[test]
    fn paths_are_shown_with_slashes() {
        for (platform, path, shown, has_drive) in [
            (Unix, "k8s/a\\b.yaml", "k8s/a\\b.yaml", false),
            (Unix, "C:/k8s", "C:/k8s", false),
            (Windows, "k8s\\web.yaml", "k8s/web.yaml", false),
            (Windows, "C:\\k8s\\web.yaml", "C:/k8s/web.yaml", true),
            (Windows, "\\\\host\\share\\a.yaml", "//host/share/a.yaml", false),
            (Windows, "NUL", "NUL", false),
        ] {
            assert_eq!(
                (platform.shown(path).as_str(), platform.has_drive(shown)),
                (shown, has_drive),
                "{path}"
            );
        }
    }
}
