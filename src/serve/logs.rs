//! The logs of pods, which are text files of the input.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, Write};

use jiff::{SignedDuration, Timestamp};

use super::api::Api;
use super::reply::{Failure, Reply};
use super::request::Parameters;
use super::status::Status;
use kinds::view;
use kselect_core::logs::{self, Log, LogCut, PodName};
use syntax::tree::Node;
use text::go;

/// How much of a log is sent at once, in bytes.
const CHUNK: usize = 256 << 10;

/// Answers a request for the log of a container of the pod `at`.
///
/// # Errors
///
/// An option is wrong, the container is missing or ambiguous, the input does not have its log, or the client is gone.
pub(super) fn answer(
    api: &Api,
    at: usize,
    parameters: &Parameters,
    reply: &mut Reply,
    log: &dyn Fn(&dyn Display),
) -> Result<(), Failure> {
    let index = &api.index;
    check(index.name(at), parameters)?;
    let read = index.reader().read(at, |object| object.value().cloned());
    let tree = read.map_err(|error| Status::internal(error.to_string()))?;
    let (container, is_only) = container(index.name(at), &tree, &parameters.container)?;
    let pod = PodName { namespace: Some(index.namespace(at).to_owned()), name: index.name(at).to_owned() };
    let pods = std::slice::from_ref(&pod);
    let mut found = logs::find(&api.files, pods, &mut |path, error| {
        log(&go::printable(&format!("{path}: {error}")));
    });
    let names: BTreeSet<String> = found.iter().map(|log| log.name.container.clone()).collect();
    // A log of all containers is that of the only one.
    let name = if is_only && !names.contains(&container) { "" } else { &container };
    found.retain(|log| log.name.is_previous == parameters.previous && log.name.container == name);
    if found.is_empty() {
        let message = logs::missing(&pod, Some(&container), parameters.previous, &names);
        return Err(Status::nothing(message).into());
    }
    "text/plain".clone_into(&mut reply.media_type);
    let unsigned = |number: i64| u64::try_from(number).unwrap_or_default();
    let before = |seconds| api.as_of.checked_sub(SignedDuration::from_secs(seconds));
    let since_seconds = parameters.since_seconds.map(|seconds| before(seconds).unwrap_or(Timestamp::MIN));
    let cut = LogCut {
        tail: parameters.tail_lines.map(|lines| usize::try_from(lines).unwrap_or(usize::MAX)),
        since: since_seconds.or_else(|| parameters.since_time.map(|time| api.times.as_written(time))),
        timestamps: parameters.timestamps,
        prefix: None,
    };
    write(found, &cut, parameters.limit_bytes.map(unsigned), reply, log)
}

/// Checks the options of a request for a log (core/validation, ValidatePodLogOptions).
fn check(pod: &str, parameters: &Parameters) -> Result<(), Status> {
    let mut errors = Vec::new();
    let mut at_least = |field: &str, value: Option<i64>, least: i64, bound: &str| {
        if let Some(value) = value.filter(|value| *value < least) {
            errors.push(format!("{field}: Invalid value: {value}: must be greater than {bound}"));
        }
    };
    at_least("tailLines", parameters.tail_lines, 0, "or equal to 0");
    at_least("limitBytes", parameters.limit_bytes, 1, "0");
    if parameters.since_time.is_some() && parameters.since_seconds.is_some() {
        let message = ": Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified";
        errors.push(message.to_owned());
    } else {
        at_least("sinceSeconds", parameters.since_seconds, 1, "0");
    }
    if errors.is_empty() { Ok(()) } else { Err(Status::invalid("PodLogOptions", pod, &errors)) }
}

/// The container with this name, or the only one, and whether it is the only one. The errors are those of an API server
/// (registry/core/pod, strategy.go, validateContainer).
fn container(pod: &str, tree: &Node, name: &str) -> Result<(String, bool), Status> {
    let names = |list: &str| -> Vec<&str> {
        let containers = view::list(tree, &format!("spec.{list}"));
        containers.iter().map(|container| view::text(container, "name")).collect()
    };
    // The order of the lists is that of podutil.VisitContainers.
    let [init, own, ephemeral] = ["initContainers", "containers", "ephemeralContainers"].map(names);
    let is_only = own.len() == 1 && init.is_empty() && ephemeral.is_empty();
    let all = [&init[..], &own, &ephemeral].concat();
    let message = match own[..] {
        _ if all.contains(&name) && !name.is_empty() => return Ok((name.to_owned(), is_only)),
        _ if !name.is_empty() => format!("container {name} is not valid for pod {pod}"),
        [name] => return Ok((name.to_owned(), is_only)),
        [] => format!("a container name must be specified for pod {pod}"),
        _ => {
            let names = all.join(" ");
            format!("a container name must be specified for pod {pod}, choose one of: [{names}]")
        }
    };
    Err(Status::bad_request(go::printable(&message)))
}

/// Sends the parts of a log, at most so many bytes.
fn write(
    parts: Vec<Log>,
    cut: &LogCut<'_>,
    limit: Option<u64>,
    reply: &mut Reply,
    log: &dyn Fn(&dyn Display),
) -> Result<(), Failure> {
    let path = parts.first().map_or_else(String::new, |part| part.path.clone());
    let mut out = BufWriter::with_capacity(CHUNK, Limited { reply, left: limit.unwrap_or(u64::MAX) });
    let written = logs::write(parts, cut, &mut out).and_then(|applied| out.flush().map(|()| applied));
    drop(out);
    match written {
        Ok(true) => Ok(()),
        Ok(false) => {
            let so = if cut.since.is_some() { ", so none is known to be recent" } else { "" };
            let message = format!("{path}: no line begins with a time{so}");
            reply.warnings.push(go::printable(&message).into_owned());
            Ok(())
        }
        // The limit is reached.
        Err(error) if error.kind() == ErrorKind::WriteZero => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Gone),
        Err(error) => {
            let message = go::printable(&format!("{path}: {error}")).into_owned();
            log(&message);
            Err(Status::internal(message).into())
        }
    }
}

/// Sends bytes until there are enough.
struct Limited<'r> {
    reply: &'r mut Reply,
    /// How many bytes may follow.
    left: u64,
}

impl Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if count > 0 {
            let sent = self.reply.send(bytes[..count].to_vec());
            sent.map_err(|_| io::Error::from(ErrorKind::BrokenPipe))?;
            self.left -= count as u64;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
