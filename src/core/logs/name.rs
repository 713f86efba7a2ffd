//! What the path of a log file says: which container wrote it, and which of its logs it is.
//!
//! Collectors put the namespace, the pod and the container into the path as components, in many layouts: must-gather
//! (`namespaces/NS/pods/POD/C/C/logs/current.log`), `kubectl cluster-info dump` (`NS/POD/logs.txt`), support bundles
//! (`pods/logs/NS/POD/C.log`), crust-gather (`NS/v1/pod/POD/C/current.log`), sonobuoy (`podlogs/NS/POD/logs/C.txt`), Cluster
//! API (`logs/NS/DEPLOYMENT/POD/C.log`), sosreport (`kubectl_..._--namespace_NS_logs_POD_-c_C`), kubelets
//! (`NS_POD_UID/C/0.log`, `POD_NS_C-ID.log`), Insights (`NS/logs/POD/C_current.log`), and Cilium (`logs-POD-C-TIME.log`).

/// What the path of a log file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogName {
    /// The container; empty if the file has the logs of all containers.
    pub container: String,
    /// Whether it is the log of the container before its last restart.
    pub is_previous: bool,
    /// Whether it was fetched without verifying certificates: a second attempt of must-gather.
    pub is_insecure: bool,
    /// The position among the logs of a kubelet: the number of restarts before it.
    pub restart: Option<u64>,
    /// Sorts rotated files before the current one: by date, or by number, where the largest is the oldest.
    pub rotation: Rotation,
}

/// Which part of a log a file has, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rotation {
    /// A rotated file with a number; a larger one is older.
    Number(std::cmp::Reverse<u64>),
    /// A rotated file with a date in its name.
    Date(String),
    /// The end of the log.
    #[default]
    Current,
}

/// Parts of paths that name no container.
const NOISE: &str = "logs log podlogs pods pod v1 containers rotated -c current kubectl oc core";

/// Extensions of files that are no logs.
const OTHERS: &[&str] = &["yaml", "yml", "json", "html", "md", "csv", "conf", "crt", "pem", "sh", "xml"];

impl LogName {
    /// What the path of a file says about the pod; `None` if it is not one of its logs. Without a namespace, it may be in
    /// any.
    pub fn of(path: &str, namespace: Option<&str>, pod: &str) -> Option<Self> {
        if !path.contains(pod) {
            return None;
        }
        let path = path.replace('\\', "/");
        let (directory, file) = path.rsplit_once('/').unwrap_or(("", &path));
        let file = ["gz", "xz", "bz2", "zst"]
            .iter()
            .find_map(|end| file.strip_suffix(end)?.strip_suffix('.'))
            .unwrap_or(file);
        let mut name = Self::default();
        let stem = name.stem(file)?;
        // What went wrong when Troubleshoot fetched a log (pkg/collect/logs.go).
        if stem.ends_with("-logs-errors") {
            return None;
        }
        let directories: Vec<&str> = directory.split('/').flat_map(|part| part.split('_')).collect();
        let of_file: Vec<&str> = stem.split('_').collect();
        let tokens: Vec<&str> =
            directories.iter().chain(&of_file).copied().filter(|token| !token.is_empty()).collect();
        let is_log = file.rsplit('.').any(|part| part == "log")
            || tokens.iter().any(|token| matches!(*token, "logs" | "log" | "podlogs"));
        if !is_log {
            return None;
        }
        // A container may have the name of the workload.
        let is_container = |place: usize| {
            let before = &tokens[..place];
            before.last() == Some(&"-c") || before.iter().any(|token| is_pod_of(token, pod))
        };
        let is_it = |(place, token): (usize, &&str)| *token == pod && !is_container(place);
        let Some(at) = tokens.iter().enumerate().position(is_it) else {
            return name.of_cilium(&stem, pod);
        };
        let is_elsewhere = |namespace: &str| {
            !tokens.iter().enumerate().any(|(place, token)| place != at && *token == namespace)
        };
        if namespace.is_some_and(is_elsewhere) {
            return None;
        }
        for token in &tokens[at + 1..] {
            name.token(token, namespace);
        }
        Some(name)
    }

    /// The name of a file without its extension; `None` if that is of another kind of file.
    fn stem(&mut self, file: &str) -> Option<String> {
        if let Some((stem, rest)) = file.rsplit_once(".log") {
            match rest.strip_prefix('.') {
                None if rest.is_empty() => (),
                None => return None,
                Some(rest) => {
                    self.rotation = match rest.parse() {
                        Ok(number) if rest.len() < 6 => Rotation::Number(std::cmp::Reverse(number)),
                        _ => Rotation::Date(rest.to_owned()),
                    }
                }
            }
            // Kubelets put the date behind the extension, must-gather before it.
            return Some(stem.to_owned());
        }
        match file.rsplit_once('.') {
            Some((stem, "txt")) => Some(stem.to_owned()),
            Some((_, extension)) if OTHERS.contains(&extension) => None,
            _ => Some(file.to_owned()),
        }
    }

    /// Reads a part of the path after the pod.
    fn token(&mut self, token: &str, namespace: Option<&str>) {
        let mut token = token;
        if let Some(rest) = token.strip_suffix(".insecure") {
            (self.is_insecure, token) = (true, rest);
        }
        for word in ["previous", "prev"] {
            if let Some(rest) = token.strip_suffix(word) {
                self.is_previous |= rest.is_empty() || rest.ends_with(['-', '.']);
                if self.is_previous {
                    token = rest.trim_end_matches(['-', '.']);
                }
            }
        }
        if token == "rotated" && self.rotation == Rotation::Current {
            self.rotation = Rotation::Date(String::new());
            return;
        }
        if let Some(rest) = token.strip_suffix("-current") {
            token = rest;
        }
        let is_identifier = is_hex(token.as_bytes(), 32);
        if token.is_empty()
            || NOISE.split(' ').any(|noise| noise == token)
            || is_identifier
            || Some(token) == namespace && !self.container.is_empty()
        {
            return;
        }
        if let Ok(number) = token.parse() {
            self.restart = Some(number);
            return;
        }
        // `C-ID`, where the ID of a container has 64 digits.
        if let Some((container, id)) = token.rsplit_once('-').filter(|(_, id)| id.len() == 64)
            && is_hex(id.as_bytes(), 64)
        {
            token = container;
        }
        if Some(token) != namespace || self.container.is_empty() {
            token.clone_into(&mut self.container);
        }
    }

    /// `logs-POD-C-TIME`, in which blanks and components are the same character.
    fn of_cilium(mut self, stem: &str, pod: &str) -> Option<Self> {
        let rest = stem.strip_prefix("logs-")?.strip_prefix(pod)?.strip_prefix('-')?;
        let is_time = |part: &str| part.len() >= 6 && part.bytes().all(|byte| byte.is_ascii_digit());
        let parts: Vec<&str> = rest.split('-').take_while(|part| !is_time(part)).collect();
        self.is_previous = parts.last() == Some(&"prev");
        self.container = parts[..parts.len() - usize::from(self.is_previous)].join("-");
        Some(self)
    }
}

/// Whether a token looks like the name of a pod of this workload: with five random characters at its end, or a number.
fn is_pod_of(token: &str, workload: &str) -> bool {
    let Some(rest) = token.strip_prefix(workload).filter(|rest| rest.starts_with('-')) else { return false };
    let end = rest.rsplit('-').next().unwrap_or_default();
    let is_random =
        end.len() == 5 && end.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    is_random || !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text is an identifier of at least this many hexadecimal digits, which may be grouped by dashes.
fn is_hex(text: &[u8], least: usize) -> bool {
    text.len() >= least && text.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<(&str, bool)>) {
        let found = LogName::of(path, Some("shop"), "web-1");
        assert_eq!(found.as_ref().map(|name| (&*name.container, name.is_previous)), expected, "{path}");
    }

    #[test]
    fn paths_of_all_layouts_name_the_container() {
        check("mg/q/namespaces/shop/pods/web-1/app/app/logs/current.log", Some(("app", false)));
        check("mg/q/namespaces/shop/pods/web-1/app/app/logs/previous.log", Some(("app", true)));
        check("mg/q/namespaces/shop/pods/web-1/app/app/logs/previous.insecure.log", Some(("app", true)));
        check("dump/shop/web-1/logs.txt", Some(("", false)));
        check("b/cluster-resources/pods/logs/shop/web-1/app.log", Some(("app", false)));
        check("b/cluster-resources/pods/logs/shop/web-1/app-previous.log", Some(("app", true)));
        check("cg/namespaces/shop/v1/pod/web-1/app/current.log", Some(("app", false)));
        check("podlogs/shop/web-1/logs/app.txt", Some(("app", false)));
        check("clusters/bootstrap/logs/shop/web/web-1/manager.log", Some(("manager", false)));
        check(
            "s/cluster-info/shop/podlogs/web-1/kubectl_--kubeconfig_.etc.kubernetes.admin.conf_--namespace_shop_logs_web-1_-c_app",
            Some(("app", false)),
        );
        check("var/log/pods/shop_web-1_1d0e9c62-fc11-4f5c-8b2d-3e4f5c1b2d3e/app/0.log", Some(("app", false)));
        check(
            "var/log/containers/web-1_shop_app-4f5c1b2d3e4f5c1b2d3e4f5c1b2d3e4f4f5c1b2d3e4f5c1b2d3e4f5c1b2d3e4f.log",
            Some(("app", false)),
        );
        check("config/pod/shop/logs/web-1/app_current.log", Some(("app", false)));
        check("config/pod/shop/logs/web-1/app_previous.log", Some(("app", true)));
        check("bug-report/proxies/shop/web-1/proxy.log", Some(("proxy", false)));
    }

    #[test]
    fn other_files_are_not_logs_of_the_pod() {
        check("mg/namespaces/shop/pods/web-1/web-1.yaml", None);
        check("mg/namespaces/lab/pods/web-1/app/app/logs/current.log", None);
        check("mg/namespaces/shop/pods/web-11/app/app/logs/current.log", None);
        check("proxies/shop/web-1/config_dump?include_eds", None);
        check("b/cluster-resources/pods/logs/shop/web-1/app-logs-errors.log", None);
    }

    #[test]
    fn a_namespace_may_be_unknown_or_the_name_of_a_container() {
        let name = |path: &str, namespace| LogName::of(path, namespace, "web-1").map(|name| name.container);
        assert_eq!(name("podlogs/lab/web-1/logs/app.txt", None).as_deref(), Some("app"));
        assert_eq!(name("pods/logs/shop/web-1/shop.log", Some("shop")).as_deref(), Some("shop"));
        assert_eq!(name("logs-web-1-app-20251103-101500.log", None).as_deref(), Some("app"));
        assert_eq!(
            name("logs-web-1-cilium-agent-prev-20251103-101500.log", None).as_deref(),
            Some("cilium-agent")
        );
    }

    #[test]
    fn a_container_may_have_the_name_of_the_pod_or_of_its_workload() {
        let name = |path: &str, pod| LogName::of(path, Some("shop"), pod).map(|name| name.container);
        assert_eq!(
            name("namespaces/shop/pods/web-1/web-1/web-1/logs/current.log", "web-1").as_deref(),
            Some("web-1")
        );
        for path in [
            "namespaces/shop/pods/web-7c9b54d6f8-x7k2p/web/web/logs/current.log",
            "namespaces/shop/pods/web-0/web/web/logs/current.log",
            "pods/logs/shop/web-x7k2p/web.log",
            "shop/podlogs/web-1-a/kubectl_--namespace_shop_logs_web-1-a_-c_web",
        ] {
            assert_eq!(name(path, "web"), None, "{path}");
        }
        assert_eq!(
            name("shop/pods/web/web-proxy/web-proxy/logs/current.log", "web").as_deref(),
            Some("web-proxy")
        );
    }

    #[test]
    fn rotated_files_are_older() {
        let order = |path: &str| LogName::of(path, None, "web-1").expect("a log").rotation;
        let old = order("pods/web-1/app/app/logs/rotated/0.log.20251102-101500.gz");
        assert!(old < order("pods/web-1/app/app/logs/rotated/0.log.20251103-101500.gz"));
        assert!(old < order("pods/web-1/app/app/logs/current.log"));
        assert!(order("logs/web-1/app.log.2") < order("logs/web-1/app.log.1"));
        assert!(order("logs/web-1/app.log.1") < order("logs/web-1/app.log"));
    }
}
