//! `kselect logs`: the logs of pods in a dump.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use super::arguments;
use super::as_of::Moment;
use super::diagnostic::{CommandError, Diagnostic};
use super::input::{self, Purpose};
use super::names::MatchedNames;
use super::query::{Needs, Query};
use super::report::{Outcome, Report};
use crate::cli::{Arguments, Filter, LogsArgs};
use jiff::SignedDuration;
use kinds::catalog::object::DEFAULT_NAMESPACE;
use kinds::catalog::{Catalog, grammar};
use kinds::view;
use kselect_core::logs::{self, Log, LogCut, PodName};
use kselect_core::scan::{Scan, ToolFiles};
use manifest::object::Object;
use manifest::source::{Pass, Source};
use manifest::walk;
use syntax::tree::Node;
use text::{duration, go, spelling};

/// The annotation that names the container whose log is shown by default (kubectl, pkg/polymorphichelpers).
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// Runs `logs`.
pub fn run(args: &LogsArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let since = args.since.as_deref().map(duration).transpose()?;
    refuse_follow(args)?;
    let mut files = input::files(&args.input, &report)?;
    let sources = sources(args, &mut report)?;
    files.extend(input::pipes(&sources));
    let pods = match &args.pod {
        Some(pod) => vec![pod_name(pod, args)?],
        None => selected(args, sources.clone(), &mut report)?,
    };
    if pods.is_empty() {
        return Ok(if report.has_failed() { Outcome::Failed } else { Outcome::of_nothing(&args.conditions) });
    }
    let since = match since {
        Some(since) => {
            // The time that `--since` counts back from.
            let moment = Moment::of_all(args.conditions.as_of.as_deref(), &args.input, &sources)?;
            moment.note(&report);
            Some(moment.time - since)
        }
        None => None,
    };
    if args.pod.is_some() {
        // Otherwise, selecting pods has reported them.
        let paths = args.input.filename.iter().flat_map(|argument| argument.split(','));
        let absent: Vec<String> = paths.filter(|path| !Path::new(path).exists()).map(str::to_owned).collect();
        let (_, errors) = walk::expand(&absent, &args.input.walk_options());
        errors.iter().for_each(|error| report.error(error));
    }
    let mut errors = Vec::new();
    let mut found = logs::find(&files, &pods, &mut |path, error| errors.push(format!("{path}: {error}")));
    errors.iter().for_each(|error| report.error(go::printable(error)));
    let mut printed = 0;
    let of = |log: &Log| (log.pod, log.name.container.clone());
    let other = |logs: &[Log]| matches!(logs, [one, other] if one.pod == other.pod && of(one) != of(other));
    let is_asked =
        args.container.is_none() && (args.input.directories.recursive || found.windows(2).any(other));
    // All of the input is read for the order of containers.
    let containers = if is_asked { containers(&sources, &pods) } else { BTreeMap::new() };
    let mut chosen: Vec<(usize, String, Vec<Log>)> = Vec::new();
    for (number, pod) in pods.iter().enumerate() {
        let rest = found.split_off(found.partition_point(|log| log.pod <= number));
        let of_pod = std::mem::replace(&mut found, rest);
        let own = containers.get(pod);
        let names: BTreeSet<String> = of_pod.iter().map(|log| log.name.container.clone()).collect();
        // What the Pod does not have is another text beside its logs.
        let names: BTreeSet<String> =
            names.into_iter().filter(|name| own.is_none_or(|own| name.is_empty() || own.has(name))).collect();
        let wanted = wanted(args, &names, own, &report);
        let mut logs: BTreeMap<(usize, String), Vec<Log>> = BTreeMap::new();
        for log in of_pod {
            let name = &log.name.container;
            if log.name.is_previous == args.previous
                && names.contains(name)
                && wanted.as_ref().is_none_or(|wanted| wanted == name)
            {
                let place = own.map_or(0, |own| own.place(name));
                logs.entry((place, name.clone())).or_default().push(log);
            }
        }
        if logs.is_empty() {
            let missing = logs::missing(pod, args.container.as_deref(), args.previous, &names);
            let near = || workload(pod).or_else(|| near(&sources, pod));
            let hint = if names.is_empty() { near() } else { None };
            report.diagnostic(&Diagnostic { hint, ..Diagnostic::new(missing) });
        }
        chosen.extend(logs.into_iter().map(|((_, container), logs)| (number, container, logs)));
    }
    let with_prefix = args.prefix || chosen.len() > 1;
    for (number, container, parts) in chosen {
        let slash = if container.is_empty() { "" } else { "/" };
        let prefix = format!("[pod/{}{slash}{container}] ", pods[number].name);
        let prefix = with_prefix.then_some(&*prefix);
        let cut = LogCut { tail: args.tail, since, timestamps: args.timestamps, prefix };
        let path = parts.first().map_or_else(String::new, |part| part.path.clone());
        if !logs::write(parts, &cut, out)? {
            let so = if since.is_some() { ", so --since shows none" } else { "" };
            report.note(format_args!("{}: no line begins with a time{so}", go::printable(&path)));
        }
        printed += 1;
    }
    out.flush()?;
    Ok(match printed {
        _ if report.has_failed() => Outcome::Failed,
        0 => Outcome::of_nothing(&args.conditions),
        _ => Outcome::Done,
    })
}

/// Refuses `-f POD`, which follows a log in kubectl. A file of that name is one, and names of Pods have rarely a dot.
fn refuse_follow(args: &LogsArgs) -> Result<(), CommandError> {
    let [pod] = &args.input.filename[..] else { return Ok(()) };
    if args.pod.is_some() || pod == "-" || pod.contains(['.', ',', '*']) || Path::new(pod).exists() {
        return Ok(());
    }
    let refusal =
        CommandError::usage(format_args!("-f names files, and the path {} does not exist", go::quote(pod)));
    Err(refusal.hint("the log of a dump cannot be followed: kselect logs POD -f DUMP"))
}

/// The value of `--since`.
fn duration(text: &str) -> Result<SignedDuration, CommandError> {
    duration::parse(text).filter(SignedDuration::is_positive).ok_or_else(|| {
        CommandError::usage(format_args!("--since: {} is not a duration", go::quote(text)))
            .hint("write it as 30s, 10m or 2h")
    })
}

/// The pod that an argument names: `web-1`, `pod/web-1`, `shop/web-1` or `shop/pod/web-1`.
fn pod_name(argument: &str, args: &LogsArgs) -> Result<PodName, CommandError> {
    let is_type = |text: &str| matches!(text.to_ascii_lowercase().as_str(), "po" | "pod" | "pods");
    let parts: Vec<&str> = argument.split('/').collect();
    let (namespace, name) = match parts[..] {
        [name] => (None, name),
        [kind, name] if is_type(kind) => (None, name),
        [namespace, name] => (Some(namespace), name),
        [namespace, kind, name] if is_type(kind) => (Some(namespace), name),
        _ => (None, ""),
    };
    if name.is_empty() || namespace == Some("") {
        let refusal = CommandError::usage(format_args!("{} is not a pod", go::quote(argument)));
        return Err(
            refusal.hint("write POD or NAMESPACE/POD; --owned-by deploy/web selects the pods of a workload")
        );
    }
    let own =
        arguments::namespace(args.conditions.namespace.first().filter(|_| !args.conditions.all_namespaces));
    let own = own.as_ref().and_then(kselect_core::selection::Namespaces::only);
    Ok(PodName { namespace: namespace.or(own).map(str::to_owned), name: name.to_owned() })
}

/// The sources of manifests. If a pod is named, its manifest may be as deep in a directory as its logs, or nowhere; paths that do not
/// exist are reported for the logs.
fn sources(args: &LogsArgs, report: &mut Report) -> Result<Vec<Source>, CommandError> {
    if args.pod.is_none() || args.input.is_empty() {
        return input::sources(&args.input, &[], Purpose::READ, report);
    }
    let mut input = args.input.clone();
    input.directories.recursive = true;
    input::sources(&input, &[], Purpose::READ, &mut report.silenced())
}

/// The selected pods.
fn selected(args: &LogsArgs, sources: Vec<Source>, report: &mut Report) -> anyhow::Result<Vec<PodName>> {
    let resources = ["pods".to_owned()];
    let filter = Filter { conditions: &args.conditions, relations: Some(&args.relations), fits: &[] };
    let selection = arguments::selection(filter, &resources)?;
    let asked = Arguments { input: &args.input, filter, resources: &resources };
    let needs = Needs { pass: Pass::Earlier, ..Needs::default() };
    let query = Query::of_sources(selection, sources, asked, needs, report)?;
    let mut pods = Vec::new();
    let each = |object: &Object<'_>, found: &mut Vec<PodName>| {
        let namespace = query.selection.namespace_of(object.head, &query.catalog).to_owned();
        let name = object.head.name.unwrap_or_default().to_owned();
        found.push(PodName { namespace: Some(namespace), name });
        Ok(())
    };
    let merge = |found: Vec<PodName>| {
        pods.extend(found);
        Ok(())
    };
    let tally = query.run(report, each, merge)?;
    query.report_input(&MatchedNames::none(&query.selection), &tally, report);
    if pods.is_empty() && !report.has_failed() && !args.conditions.ignore_not_found {
        report.say("No pods found.");
        query.report_unselected(&tally, report);
    }
    pods.sort();
    pods.dedup();
    Ok(pods)
}

/// The containers of a Pod.
struct Containers {
    /// All, in the order in which they start (podutil.VisitContainers).
    all: Vec<String>,
    /// The one whose log is shown by default, and after it those that are no init containers.
    preferred: Vec<String>,
}

impl Containers {
    fn of(pod: &Node) -> Self {
        let names = |list: &str| -> Vec<String> {
            let containers = view::list(pod, &format!("spec.{list}"));
            containers.iter().map(|container| view::text(container, "name").to_owned()).collect()
        };
        let [init, own, ephemeral] = ["initContainers", "containers", "ephemeralContainers"].map(names);
        let default = pod.at("metadata.annotations").and_then(|all| all.get(DEFAULT_CONTAINER)?.as_str());
        let preferred = default.into_iter().map(str::to_owned).chain(own.iter().cloned()).collect();
        Self { all: [init, own, ephemeral].concat(), preferred }
    }

    /// Whether the Pod has a container; a Pod that names none may have any.
    fn has(&self, name: &str) -> bool {
        self.all.is_empty() || self.all.iter().any(|own| own == name)
    }

    fn place(&self, name: &str) -> usize {
        self.all.iter().position(|own| own == name).unwrap_or(self.all.len())
    }
}

/// The containers of pods that are in the input.
fn containers(sources: &[Source], pods: &[PodName]) -> BTreeMap<PodName, Containers> {
    let mut containers = BTreeMap::new();
    let visit = |object: &Object<'_>, found: &mut Vec<(PodName, Containers)>| {
        let head = object.head;
        let is_it = |pod: &&PodName| {
            head.name == Some(&pod.name)
                && pod.namespace.as_deref().is_none_or(|wanted| head.namespace == Some(wanted))
        };
        let Some(pod) = pods.iter().find(is_it).filter(|_| head.kind == "Pod") else { return };
        let Ok(tree) = object.value() else { return };
        found.push((pod.clone(), Containers::of(tree)));
    };
    Scan::of(sources).tool_files(ToolFiles::Kept).objects(visit, |found| containers.extend(found));
    containers
}

/// The hint about `deploy/web`, which is read as a pod in a namespace; `None` if it names no type.
fn workload(pod: &PodName) -> Option<String> {
    let argument = format!("{}/{}", pod.namespace.as_ref()?, pod.name);
    grammar::requests(&Catalog::new(), std::slice::from_ref(&argument)).ok()?;
    Some(format!("did you mean: kselect logs --owned-by {}", go::printable(&argument)))
}

/// The hint about a pod that is not in the input: the one of that name in another namespace, or else of the nearest name, or
/// else the first of a workload of that name; `None` if there is none.
fn near(sources: &[Source], pod: &PodName) -> Option<String> {
    let mut pods = BTreeSet::new();
    let visit = |object: &Object<'_>, found: &mut Vec<(String, String)>| {
        let head = object.head;
        if let ("Pod", Some(name)) = (head.kind, head.name) {
            found.push((name.to_owned(), head.namespace.unwrap_or(DEFAULT_NAMESPACE).to_owned()));
        }
    };
    Scan::of(sources).tool_files(ToolFiles::Kept).objects(visit, |found| pods.extend(found));
    let is_it = |(name, namespace): &&(String, String)| {
        *name == pod.name && pod.namespace.as_ref().is_none_or(|wanted| wanted == namespace)
    };
    if pods.iter().any(|pod| is_it(&pod)) {
        return None;
    }
    let of_workload = |name: &String| name.strip_prefix(&*pod.name).is_some_and(|rest| rest.starts_with('-'));
    let names = || pods.iter().map(|(name, _)| name.as_str());
    let nearest = spelling::nearest(&pod.name, names());
    let (name, namespace) = (pods.iter().find(|(name, _)| *name == pod.name))
        .or_else(|| pods.iter().find(|(name, _)| Some(name.as_str()) == nearest))
        .or_else(|| pods.iter().find(|(name, _)| of_workload(name)))?;
    Some(go::printable(&format!("did you mean {namespace}/{name}?")).into_owned())
}

/// The container whose logs are printed; `None` for all. `names` are those that have logs.
fn wanted(
    args: &LogsArgs,
    names: &BTreeSet<String>,
    known: Option<&Containers>,
    report: &Report,
) -> Option<String> {
    if args.all_containers || args.container.is_none() && names.len() < 2 {
        return None;
    }
    if let Some(container) = &args.container {
        return Some(container.clone());
    }
    let preferred = known.map_or(&[][..], |known| &known.preferred);
    let default = preferred.iter().find(|name| names.contains(*name)).or_else(|| names.first()).cloned();
    if let Some(default) = &default {
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        names.sort_by_key(|name| known.map_or(0, |known| known.place(name)));
        report.say(go::printable(&format!("Defaulted container \"{default}\" out of: {}", names.join(", "))));
    }
    default
}
