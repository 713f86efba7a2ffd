//! From the arguments of `label`, `annotate`, `set`, `scale` and `patch` to an edit.

use std::collections::BTreeMap;
use std::io::Write;

use change::Edit;
use change::account::ServiceAccount;
use change::env::{self, Env, KeySource};
use change::image::{self, Images};
use change::labels::{self, Change, Field};
use change::patch::{Patch, PatchType};
use change::resources::Resources;
use change::scale::Scale;
use kinds::catalog::grammar::{self, Request};
use kselect_core::scan::Scan;
use manifest::object::Object;
use selector::validation::label_key;
use syntax::tree::{Map, Node};
use text::{excerpt, go};
use validation::strict_env_name;

use super::objects::Listed;
use super::request::{EditInput, EditRequest, mode};
use crate::cli::{EditArgs, LabelArgs, PatchArgs, ScaleArgs, SetArgs, SetValueArgs, Setting};
use crate::commands::diagnostic::CommandError;
use crate::commands::input;
use crate::commands::report::{Outcome, Report};

/// The pattern for all containers.
const ALL_CONTAINERS: &str = "*";

const LAST_IS_ACCOUNT: &str = "the last argument is the name of the account";

/// Runs `label` or `annotate`.
pub fn label(
    field: Field,
    args: &LabelArgs,
    mut report: Report,
    out: &mut dyn Write,
) -> anyhow::Result<Outcome> {
    let (resources, pairs) =
        labels::classify(&args.arguments, labels::is_pair, field.noun()).map_err(|error| {
            let hint = with_equals_sign(&args.arguments);
            let hint = hint.or_else(|| input::name_files(&args.arguments));
            CommandError::usage(error).with_hint(hint)
        })?;
    let change = Change {
        overwrite: args.change.overwrite,
        resource_version: args.change.resource_version.clone(),
        templates: args.change.templates || args.change.selectors,
        selectors: args.change.selectors,
        ..Change::parse(field, pairs).map_err(CommandError::usage)?
    };
    let mode = mode(&args.edit.result, args.change.list, &mut report)?;
    if change.is_empty() && change.resource_version.is_none() && !args.change.list {
        let refusal =
            CommandError::usage(format_args!("at least one {} update is required", change.field.noun()));
        return Err(refusal.with_hint(with_equals_sign(&args.arguments)).into());
    }
    let is_version = change.resource_version.is_some();
    let single = is_version.then_some("--resource-version may only be used with a single resource");
    let request = EditRequest {
        arguments: &args.arguments,
        list: Listed::Field(field),
        single,
        ..EditRequest::of(resources, &args.edit, &mode)
    };
    request.make(&change, report, out)
}

/// Runs `set`.
pub fn set(args: &SetArgs, report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    check_flags(args)?;
    match args.what {
        Setting::Image => set_image(args, report, out),
        Setting::Env => set_env(args, report, out),
        Setting::Resources => {
            let SetValueArgs { limits, requests, containers, .. } = &args.values;
            let list = |list: &'_ Option<String>| list.clone().unwrap_or_default();
            let containers = containers.as_deref().unwrap_or(ALL_CONTAINERS);
            let resources =
                Resources::parse(&list(limits), &list(requests), containers).map_err(CommandError::usage)?;
            make(&resources, &args.changes, &args.edit, report, out)
        }
        Setting::Serviceaccount => {
            let Some((account, resources)) = args.changes.split_last() else {
                let refusal = CommandError::usage("serviceaccount is required");
                return Err(refusal.hint(LAST_IS_ACCOUNT).into());
            };
            // *Compatibility* (account-names): TYPE/NAME without an account would be the account of all objects.
            if account.contains('/') {
                let account = excerpt::quote(account);
                let refusal = CommandError::usage(format_args!("{account} is not the name of an account"));
                return Err(refusal.hint(LAST_IS_ACCOUNT).into());
            }
            make(&ServiceAccount(account.clone()), resources, &args.edit, report, out)
        }
    }
}

/// Rejects flags of other settings.
fn check_flags(args: &SetArgs) -> Result<(), CommandError> {
    let SetValueArgs { containers, env, from, keys, prefix, overwrite, list, limits, requests } =
        &args.values;
    let is_env = args.what == Setting::Env;
    let is_resources = args.what == Setting::Resources;
    let flags = [
        ("--containers", containers.is_some(), is_env || is_resources, "env and set resources"),
        ("--env", !env.is_empty(), is_env, "env"),
        ("--from", from.is_some(), is_env, "env"),
        ("--keys", !keys.is_empty(), is_env, "env"),
        ("--prefix", prefix.is_some(), is_env, "env"),
        ("--overwrite", !overwrite, is_env, "env"),
        ("--list", *list, is_env, "env"),
        ("--limits", limits.is_some(), is_resources, "resources"),
        ("--requests", requests.is_some(), is_resources, "resources"),
    ];
    match flags.iter().find(|(_, is_given, is_own, _)| *is_given && !is_own) {
        Some((flag, _, _, owner)) => {
            Err(CommandError::usage(format_args!("{flag} is a flag of set {owner}")))
        }
        None => Ok(()),
    }
}

/// Runs an edit with arguments that all name resources.
fn make(
    edit: &dyn Edit,
    resources: &[String],
    args: &EditArgs,
    mut report: Report,
    out: &mut dyn Write,
) -> anyhow::Result<Outcome> {
    let mode = mode(&args.result, false, &mut report)?;
    EditRequest::of(resources, args, &mode).make(edit, report, out)
}

fn set_image(args: &SetArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let (resources, pairs) = labels::classify(&args.changes, image::is_pair, "image")
        .map_err(|error| CommandError::usage(error).with_hint(input::name_files(&args.changes)))?;
    let mut images = Images::parse(pairs).map_err(|error| {
        let hint =
            "write CONTAINER=IMAGE: web=example.com/web:1.2, or '*=:1.2' for the tag of all containers";
        CommandError::usage(error).hint(hint)
    })?;
    images.paths.clone_from(&args.image_paths);
    let mode = mode(&args.edit.result, false, &mut report)?;
    let request = EditRequest { arguments: &args.changes, ..EditRequest::of(resources, &args.edit, &mode) };
    request.make(&images, report, out)
}

/// kubectl, set_env.go, Complete, Validate and RunEnv.
fn set_env(args: &SetArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let values = &args.values;
    let (resources, pairs) = labels::classify(&args.changes, env::is_pair, "environment")
        .map_err(|error| CommandError::usage(error).with_hint(input::name_files(&args.changes)))?;
    if !values.keys.is_empty() && values.from.is_none() {
        let refusal = "when specifying --keys, a configmap or secret must be provided with --from";
        return Err(CommandError::usage(refusal).into());
    }
    let read = match values.env.iter().any(|pair| pair == "-") {
        true => variables_of_stdin(&args.edit, &report)?,
        false => Vec::new(),
    };
    let given = values.env.iter().chain(pairs).filter(|pair| *pair != "-").chain(&read);
    let mut env = Env::parse(given.map(String::as_str)).map_err(CommandError::usage)?;
    for name in env.names() {
        let messages = strict_env_name(name);
        if !messages.is_empty() {
            let (name, messages) = (go::quote(name), messages.join(";"));
            let refusal = format_args!("{name} is not a valid key name: {messages}");
            return Err(CommandError::usage(refusal).into());
        }
    }
    env.containers = values.containers.clone().unwrap_or(ALL_CONTAINERS.to_owned());
    env.overwrite = values.overwrite;
    if env.is_empty() && values.from.is_none() && !values.list {
        let refusal = CommandError::usage("at least one environment variable is required");
        return Err(refusal.hint("write KEY=VAL, or KEY- to remove one").into());
    }
    let mode = mode(&args.edit.result, values.list, &mut report)?;
    let containers = env.containers.clone();
    let list = Listed::Env(&containers);
    let request =
        EditRequest { arguments: &args.changes, list, ..EditRequest::of(resources, &args.edit, &mode) };
    let input = request.open(&mut report)?;
    if let Some(from) = &values.from {
        let (source, name, keys) = keys_of(from, &values.keys, &input)?;
        for (key, variable) in env.refer(source, &name, &keys) {
            let (key, variable) = (go::printable(key), go::printable(&variable));
            report.warning(format_args!("key {key} transferred to {variable}"));
        }
    }
    env.prefix(values.prefix.as_deref().unwrap_or_default());
    request.run(&env, input, report, out)
}

/// The lines KEY=VAL of standard input, without comments (env_parse.go, readEnv).
fn variables_of_stdin(args: &EditArgs, report: &Report) -> Result<Vec<String>, CommandError> {
    if args.input.is_empty() || args.input.filename.iter().any(|name| name == "-") {
        let refusal = CommandError::usage("standard input cannot hold both variables and manifests");
        return Err(refusal.hint("name the files with -f"));
    }
    let text = report.read_stdin().map_err(|error| {
        CommandError::failure(format_args!("cannot read standard input: {}", error.kind()))
    })?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    Ok(lines.filter(|line| line.contains('=')).map(str::to_owned).collect())
}

/// The keys of the object of `--from` in the input, or those of `wanted`, with its kind and name.
fn keys_of(
    from: &str,
    wanted: &[String],
    input: &EditInput<'_>,
) -> Result<(KeySource, String, Vec<String>), CommandError> {
    let query = &input.query;
    let requests = grammar::requests(&query.catalog, &[from.to_owned()]).unwrap_or_default();
    let source = match requests.first().map(|request| request.resource.kind()) {
        Some("ConfigMap") => KeySource::ConfigMap,
        Some("Secret") => KeySource::Secret,
        _ => return Err(CommandError::usage("unsupported resource specified in --from")),
    };
    let [Request { name: Some(name), .. }] = &requests[..] else {
        return Err(CommandError::usage("--from names no object").hint("write configmap/NAME or secret/NAME"));
    };
    let visit = |object: &Object<'_>, found: &mut Vec<(String, Vec<String>)>| {
        let is_named = object.head.name.is_some_and(|own| name.matches(own));
        if !is_named || !requests[0].is_for(object.head, &query.catalog) {
            return;
        }
        let namespace = query.selection.namespace_of(object.head, &query.catalog);
        // An object that cannot be parsed is reported when it is edited.
        let Ok(tree) = object.tree() else { return };
        let fields = ["data", "stringData"].iter().filter_map(|field| tree.get(field).and_then(Node::as_map));
        let keys = fields.flat_map(Map::iter).map(|entry| entry.key.to_string());
        found.push((namespace.to_string(), keys.collect()));
    };
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    Scan::of(&query.sources).objects(visit, |objects| found.extend(objects));
    if let Some(namespace) = &query.selection.namespace {
        found.retain(|own, _| namespace.admit(own));
    }
    let name = name.to_string();
    let mut keys = found.into_values().map(|mut keys| {
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|key| wanted.is_empty() || wanted.contains(key));
        keys
    });
    let Some(first) = keys.next() else {
        let refusal = CommandError::failure(format_args!("{} not found", excerpt::cut(from)));
        return Err(refusal.hint("the object of --from must be in the input"));
    };
    if keys.any(|other| other != first) {
        let refusal = CommandError::usage(format_args!(
            "{} is in several namespaces, with other keys in each",
            excerpt::cut(from)
        ));
        return Err(refusal.hint("-n selects a namespace"));
    }
    Ok((source, name, first))
}

/// Runs `scale` (kubectl, scale.go, Validate).
pub fn scale(args: &ScaleArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let Some(replicas) = args.replicas else {
        return Err(CommandError::usage("required flag(s) \"replicas\" not set").into());
    };
    if replicas < 0 {
        let refusal = "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0";
        return Err(CommandError::usage(refusal).into());
    }
    if replicas > i64::from(i32::MAX) {
        return Err(CommandError::usage(format_args!("--replicas must be at most {}", i32::MAX)).into());
    }
    if args.current_replicas.is_some_and(|current| current < -1) {
        let refusal = "The --current-replicas must specify an integer of -1 or greater";
        return Err(CommandError::usage(refusal).into());
    }
    let mode = mode(&args.edit.result, false, &mut report)?;
    let resource_version = args.resource_version.as_deref().filter(|version| !version.is_empty());
    let single = resource_version.map(|_| "cannot use --resource-version with multiple resources");
    let request = EditRequest {
        single,
        needs_definitions: true,
        ..EditRequest::of(&args.resources, &args.edit, &mode)
    };
    let input = request.open(&mut report)?;
    let catalog = input.query.catalog.clone();
    let current = args.current_replicas.filter(|current| *current >= 0);
    request.run(&Scale { replicas, current, resource_version, catalog: &catalog }, input, report, out)
}

/// Runs `patch` (kubectl, patch.go, Validate and RunPatch).
pub fn patch(args: &PatchArgs, report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let sort = match args.sort.as_str() {
        "strategic" => PatchType::Strategic,
        "merge" => PatchType::Merge,
        "json" => PatchType::Json,
        other => {
            let other = excerpt::quote(other);
            let refusal = format_args!("--type must be one of [json merge strategic], not {other}");
            return Err(CommandError::usage(refusal).into());
        }
    };
    let text = match (args.patch.as_deref().filter(|patch| !patch.is_empty()), &args.patch_file) {
        (Some(_), Some(_)) => {
            return Err(CommandError::usage("cannot specify --patch and --patch-file together").into());
        }
        (Some(patch), None) => patch.to_owned(),
        (None, Some(path)) => std::fs::read_to_string(path).map_err(|error| {
            let path = go::printable(path);
            CommandError::usage(format_args!("unable to read patch file: {path}: {}", error.kind()))
        })?,
        (None, None) => {
            let refusal = "must specify --patch or --patch-file containing the contents of the patch";
            return Err(CommandError::usage(refusal).into());
        }
    };
    let patch = Patch::parse(&text, sort).map_err(CommandError::usage)?;
    make(&patch, &args.resources, &args.edit, report, out)
}

/// The hint about arguments if one of them is written like a label in YAML: `team:shop`.
fn with_equals_sign(arguments: &[String]) -> Option<String> {
    let is_label = |argument: &&String| {
        argument.split_once(':').is_some_and(|(key, value)| !value.is_empty() && label_key(key).is_empty())
    };
    let meant = arguments.iter().find(is_label)?.replacen(':', "=", 1);
    Some(format!("join a key and its value with an equals sign: {}", excerpt::cut(&meant)))
}
