//! `kselect diff`: the differences between two inputs, object by object.
//!
//! Both inputs are read once for digests of their objects, of a few dozen bytes each; an object whose text is also in the
//! first input is not parsed again. Then they are read again for the objects that differ, as many at a time as fit into
//! memory.

mod changed_object;
mod printer;

use super::arguments;
use super::diagnostic::{CommandError, Diagnostic, causes};
use super::input::Knowledge;
use super::kustomize;
use super::names::MatchedNames;
use super::query::{Needs, Query, Tally};
use super::report::{Outcome, Report};
use crate::cli::{Arguments, DiffArgs, DiffFormat, DiffInput};
use changed_object::ChangedObject;
use kinds::catalog::held;
use kinds::held::{Stage, allocated};
use kselect_core::diff::text::Texts;
use kselect_core::diff::value::{Ignore, digest_of, digests, text_digest};
use kselect_core::diff::{self, Change, CommonAffixes, Digest, Digests, Identity, Occurrences, live};
use kselect_core::output::neat;
use kselect_core::scan::{Skipped, kustomization};
use manifest::names::Affixes;
use manifest::object::Object;
use manifest::source::{Applier, Built, Pass, Source};
use manifest::walk::{self, Unread};
use printer::ChangePrinter;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::env;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use syntax::emit;
use syntax::fields::Fields;
use syntax::given;
use syntax::gvk::GroupVersionKind;
use syntax::head::Head;
use syntax::tree::{Node, Span};
use text::go;
use text::hash::Interned;
use text::plural::counted;

/// The maximum total length of the texts in memory, in bytes. The input is read again for each such part.
const HELD: usize = 64 << 20;

/// The two inputs.
fn inputs(args: &DiffArgs) -> Result<[DiffInput; 2], CommandError> {
    let Some(inputs) = args.sides() else {
        let refusal = CommandError::usage("diff compares two inputs");
        return Err(refusal.hint("kselect diff A B, diff A -k DIR or diff -k DIR -k DIR"));
    };
    // What is built would be compared with the files of another kustomization, which `-k A B` would mean.
    if args.kustomize.len() == 1 && kustomize::is_buildable(Path::new(&inputs[0].name)) {
        let [unbuilt, built] = inputs.each_ref().map(|input| go::printable(&input.name));
        let message =
            format!("{unbuilt} is a directory for -k, and is compared with what is built of {built}");
        // Which of them is meant to be the first is known from what was typed alone.
        let typed: Vec<String> = env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        let place = |name: &str| typed.iter().position(|word| word.ends_with(name));
        let is_first = place(&inputs[0].name) < place(&inputs[1].name);
        let (one, other) = if is_first { (&unbuilt, &built) } else { (&built, &unbuilt) };
        let hint = format!("kselect diff -k {one} -k {other} compares what both build");
        return Err(CommandError::usage(message).hint(hint));
    }
    if inputs.iter().all(|input| input.name == "-") {
        return Err(CommandError::usage("only one input can be standard input"));
    }
    Ok(inputs)
}

/// The fields that are not compared: those of all objects, and these with those that always differ in live ones.
fn ignored(args: &DiffArgs) -> Result<[Ignore; 2], CommandError> {
    let of_server = (args.neat || args.defaults).then(neat::paths).into_iter().flatten();
    let asked: Vec<String> = args.ignore.iter().cloned().chain(of_server).collect();
    let of_live = live::fields().into_iter().map(str::to_owned);
    let parsed = |paths: Vec<String>| {
        Ignore::parse(&paths)
            .map_err(|(number, error)| arguments::path_error("--ignore", &paths[number], &error))
    };
    Ok([parsed(asked.clone())?, parsed(asked.into_iter().chain(of_live).collect())?])
}

/// The exit status after an error, as in diff.
const TROUBLE: u8 = 2;

/// Runs `diff`.
pub fn run(args: &DiffArgs, report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    // Status 1 means that the inputs differ.
    compare(args, report, out).map_err(|error| {
        let refusal = match error.downcast::<CommandError>() {
            Ok(refusal) => refusal,
            Err(error) => CommandError::failure(causes(&error)),
        };
        CommandError { status: TROUBLE, ..refusal }.into()
    })
}

fn compare(args: &DiffArgs, mut report: Report, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let inputs = inputs(args)?;
    let ignored = ignored(args)?;
    let resources = args.types();
    let mut kinds = Interned::default();
    let mut old = Side::open(args, &inputs[0], &resources, &mut report)?;
    let mut new = Side::open(args, &inputs[1], &resources, &mut report)?;
    old.query.catalog.learn_missing(&new.query.catalog);
    new.query.catalog.learn_missing(&old.query.catalog);
    old.read(&ignored, &Digests::default(), &mut kinds, &mut report)?;
    new.read(&ignored, &old.digests, &mut kinds, &mut report)?;
    let is_nothing = |side: &Side<'_>| side.has_errors && side.digests.is_empty();
    if is_nothing(&old) || is_nothing(&new) || is_one_unbuilt([&old, &new], &mut report) {
        // There is nothing to compare, as when a file is missing for diff.
        return Ok(Outcome::Trouble);
    }
    pair_overlays([&mut old, &mut new], &ignored, &mut kinds, &report)?;
    let is_live = args.live.unwrap_or_else(|| are_live(&old.digests) && are_live(&new.digests));
    if is_live {
        keep_what_changes(&mut old.digests, &kinds, resources.is_empty());
        keep_what_changes(&mut new.digests, &kinds, resources.is_empty());
    }
    note_left_out(args, is_live, [&old, &new], &report);
    let renamed = pair(&old.digests, &mut new.digests, &report);
    note_moved([&old.digests, &new.digests], &report);
    let (mut changes, same) = diff::compare(&old.digests, &new.digests);
    leave_out(&mut changes, [&old, &new], &report);
    note_unlisted(&changes, [&old, &new], &report);
    let same = same.into_iter().map(|(kind, count)| (kinds.get(kind).cloned().unwrap_or_default(), count));
    let colors = report.terminals().stdout.colors;
    let mut printer = ChangePrinter { args, changes: Vec::new(), same: same.collect(), is_live, out, colors };
    let [own, of_live] = &ignored;
    let ignore = if is_live { of_live } else { own };
    for chunk in chunks(&changes, args.output, &old.digests, &new.digests) {
        let wanted: HashMap<Identity, usize> =
            chunk.iter().enumerate().map(|(at, (identity, _))| (*identity, at)).collect();
        let texts = Texts::default();
        let mut before = old.pieces(&wanted, ignore, &texts, args.output, &mut report)?;
        let others = wanted.iter().filter(|(identity, _)| !renamed.contains_key(identity));
        let others = others.map(|(identity, at)| (*identity, *at));
        let paired = renamed.iter().filter_map(|(own, paired)| Some((*own, *wanted.get(paired)?)));
        let wanted = others.chain(paired).collect();
        let mut after = new.pieces(&wanted, ignore, &texts, args.output, &mut report)?;
        for (at, (_, change)) in chunk.iter().enumerate() {
            printer.print(*change, before.remove(&at), after.remove(&at))?;
        }
    }
    printer.finish()?;
    let selected = report_inputs(args, &inputs, [old, new], &mut report);
    Ok(match changes.is_empty() {
        _ if report.has_failed() => Outcome::Trouble,
        _ if selected == [0, 0] && args.filter.conditions.exit_status => Outcome::NothingSelected,
        true => Outcome::Done,
        false => Outcome::Different,
    })
}

/// Whether one of the inputs is a kustomization alone, which is an error.
fn is_one_unbuilt(sides: [&Side<'_>; 2], report: &mut Report) -> bool {
    let is_unbuilt =
        sides.map(|side| side.tally.objects() == 0 && side.tally.skipped.has(Skipped::Kustomization));
    if is_unbuilt[0] == is_unbuilt[1] {
        return false;
    }
    let argument = |side: usize| {
        let name = &sides[side].name;
        let is_built = is_unbuilt[side] || kustomize::is_buildable(Path::new(&**name));
        format!("{}{}", if is_built { "-k " } else { "" }, go::printable(name))
    };
    let (old, new) = (argument(0), argument(1));
    report.error("one input is a kustomization alone, so nothing was compared");
    report.hint(format_args!("-k compares what kustomize builds: kselect diff {old} {new}"));
    true
}

/// Notes which fields and kinds are left out of the comparison, unless that was asked for.
fn note_left_out(args: &DiffArgs, is_live: bool, sides: [&Side<'_>; 2], report: &Report) {
    if is_live && args.live.is_none() {
        let kinds = if args.types().is_empty() { ", Leases and Events" } else { "" };
        report.note(format_args!(
            "both inputs are live, so resourceVersion, managedFields, heartbeats{kinds} are left out; --live=false compares them"
        ));
    }
    let allocated = sides.iter().map(|side| side.allocated.load(Ordering::Relaxed)).sum::<usize>();
    if allocated > 0 {
        let fields = counted(allocated, "field");
        report.note(format_args!("left out {fields} that a controller or an allocation wrote"));
    }
}

/// Notes how many objects move between namespaces in which others of their builds stay.
fn note_moved([old, new]: [&Digests; 2], report: &Report) {
    let both = old.iter().filter_map(|(identity, old)| Some([old.applied, new.get(identity)?.applied]));
    let moved = both.filter(|[old, new]| old != new && ![old, new].contains(&&0)).count();
    if moved > 0 {
        let (objects, verb, its) = (
            counted(moved, "object"),
            if moved == 1 { "moves" } else { "move" },
            if moved == 1 { "its" } else { "their" },
        );
        report.note(format_args!(
            "{objects} {verb} between namespaces in which {its} other builds stay; tree shows where"
        ));
    }
}

/// Gives objects of the second input the identities of those in the first one that they are compared with, and returns these by
/// their own.
fn pair(old: &Digests, new: &mut Digests, report: &Report) -> HashMap<Identity, Identity> {
    let mut renamed = diff::pair(old, new);
    let strangers = diff::pair_strangers(old, new);
    if !strangers.is_empty() {
        report.note(
            "no object has one name in both, so those that are the only ones of their kinds are compared",
        );
        renamed.extend(strangers);
    }
    renamed
}

/// Reports what of the inputs was not compared, and returns how many objects are selected in each.
fn report_inputs(
    args: &DiffArgs,
    inputs: &[DiffInput; 2],
    [old, new]: [Side<'_>; 2],
    report: &mut Report,
) -> [usize; 2] {
    let selected = [old.tally.selected, new.tally.selected];
    let moments = [&old, &new].map(|side| side.query.moment(&side.tally));
    let mut tally = old.tally;
    tally.add(new.tally);
    // A name that only one input has is a difference.
    old.query.report_input(&MatchedNames::all(&old.query.selection), &tally, report);
    report.note_empty_input(&new.query.sources);
    for ((input, sources), (selected, moment)) in
        inputs.iter().zip([&old.query.sources, &new.query.sources]).zip(selected.into_iter().zip(moments))
    {
        moment.note(report);
        if !(report.has_failed() || selected > 0 || args.filter.conditions.ignore_not_found) {
            report.note(format_args!("nothing is selected in {}", go::printable(&input.name)));
            report.note_unopened(sources);
        }
    }
    if tally.objects() == 0 && tally.skipped.counts().next().is_some() {
        report.error("no object was read, so nothing was compared");
    }
    if tally.skipped.has(Skipped::Kustomization)
        && inputs.iter().all(|input| kustomize::is_buildable(Path::new(&input.name)))
    {
        let [a, b] = inputs.each_ref().map(|input| go::printable(&input.name));
        let is_below = |DiffInput { input, .. }: &DiffInput| {
            let unread = walk::unread(&input.filename, &input.paths, &input.walk_options());
            matches!(unread, Some(Unread::Below(_)))
        };
        let built = format!("-k compares what kustomize builds: kselect diff -k {a} -k {b}");
        let below = format!("; -R compares the files below: kselect diff -R {a} {b}");
        report.hint(built + if inputs.iter().any(is_below) { &below } else { "" });
    } else {
        note_differing_kustomizations(inputs, [&old.query.sources, &new.query.sources], report);
    }
    // What differs may be in files that are not read.
    inputs.iter().for_each(|input| report.hint_at_unread(&input.input, 0));
    selected
}

/// How much of a file of a generator is compared: more fits into no ConfigMap and no Secret.
const MOST_OF_FILE: u64 = 1 << 20;

/// Notes how many kustomizations, patches and files of generators differ between the inputs, or are in one of them alone.
fn note_differing_kustomizations(inputs: &[DiffInput; 2], sources: [&[Source]; 2], report: &Report) {
    let [old, new] = [0, 1].map(|side| {
        let root = Path::new(&*inputs[side].name);
        let below = |path: &Path| path.strip_prefix(root).ok().map(Path::to_owned);
        let part = |source: &Source| match &source.kustomization {
            Some(root) => Some(vec![(**root).clone()]),
            None => source.is_patch.then(|| kustomization::documents(source)),
        };
        let found = sources[side].iter().filter_map(|one| Some((below(Path::new(&*one.name))?, part(one)?)));
        let files = sources[side].iter().filter_map(|source| {
            let directory = Path::new(&*source.name).parent()?;
            Some(kustomization::generator_files(source.kustomization.as_deref()?, directory))
        });
        let text = |path: &Path| {
            let mut text = Vec::new();
            path.is_file().then_some(())?;
            File::open(path).ok()?.take(MOST_OF_FILE).read_to_end(&mut text).ok()?;
            Some(vec![Node::text(&String::from_utf8_lossy(&text))])
        };
        let files = files.flatten().filter_map(|path| Some((below(&path)?, text(&path)?)));
        found.chain(files).collect::<HashMap<PathBuf, Vec<Node>>>()
    });
    let added = new.keys().filter(|path| !old.contains_key(*path)).count();
    let count = added + old.iter().filter(|(path, part)| new.get(*path) != Some(part)).count();
    if count > 0 {
        let files = counted(count, "file");
        report.note(format_args!(
            "{files} of kustomizations, their patches and generators {} in the inputs; -k compares what kustomize builds",
            if count == 1 { "differs" } else { "differ" }
        ));
    }
}

/// Compares two namespaces as one if all objects of each input are in one, and names without what all of one input have around them
/// and those of the other have not, as two overlays give them. More objects must be in both by that.
fn pair_overlays(
    [old, new]: [&mut Side<'_>; 2],
    ignored: &[Ignore; 2],
    kinds: &mut Interned<String>,
    report: &Report,
) -> anyhow::Result<()> {
    let namespaces = match (&old.common.namespaces[..], &new.common.namespaces[..]) {
        ([one], [other]) if one != other => Some([one, other].map(|name| go::printable(name).into_owned())),
        _ => None,
    };
    let affixes = old.common.affixes.differences(&new.common.affixes);
    if namespaces.is_none() && affixes.is_none() {
        return Ok(());
    }
    let in_both =
        |old: &Digests, new: &Digests| new.keys().filter(|identity| old.contains_key(identity)).count();
    let digests = [std::mem::take(&mut old.digests), std::mem::take(&mut new.digests)];
    (old.is_one_namespace, new.is_one_namespace) = (namespaces.is_some(), namespaces.is_some());
    [old.affixes, new.affixes] = affixes.clone().unwrap_or_default();
    // What cannot be read was reported before.
    let mut silent = Report::silent();
    (old.digests, _) = old.digests(ignored, &Digests::default(), kinds, &mut silent)?;
    (new.digests, _) = new.digests(ignored, &old.digests, kinds, &mut silent)?;
    if in_both(&old.digests, &new.digests) <= in_both(&digests[0], &digests[1]) {
        [old.digests, new.digests] = digests;
        (old.is_one_namespace, new.is_one_namespace) = (false, false);
        [old.affixes, new.affixes] = Default::default();
        return Ok(());
    }
    if let Some([one, other]) = namespaces {
        report.note(format_args!(
            "namespaces {one} and {other} are compared as one; --ignore metadata.namespace leaves the field out"
        ));
    }
    if let Some(affixes) = affixes {
        let [one, other] = affixes.map(|around| go::printable(&around.surround("NAME")).into_owned());
        report.note(format_args!(
            "names {one} and {other} are compared as one; --ignore metadata.name leaves the field out"
        ));
    }
    Ok(())
}

/// Leaves out what only one input has and a cluster makes by itself, and what the other one may have where it cannot be read.
fn leave_out(changes: &mut Vec<(Identity, Change)>, [old, new]: [&Side<'_>; 2], report: &Report) {
    let mut leave_out = |is_meant: &dyn Fn(&(Identity, Change)) -> bool, which: &str| {
        let before = changes.len();
        changes.retain(|change| !is_meant(change));
        if changes.len() < before {
            report.note(format_args!("left out {} that {which}", counted(before - changes.len(), "object")));
        }
    };
    let is_made = |(identity, change): &(Identity, Change)| match change {
        Change::Changed => false,
        Change::Added => new.digests[identity].is_made,
        Change::Removed => old.digests[identity].is_made,
    };
    leave_out(&is_made, "only one input has and a cluster makes by itself");
    for (of_one, has, lacks) in [(Change::Added, new, old), (Change::Removed, old, new)] {
        if lacks.has_errors {
            let [has, lacks] = [has, lacks].map(|side| go::printable(&side.name));
            let which = format!("only {has} has, because {lacks} has errors");
            leave_out(&|(_, change)| *change == of_one, &which);
        }
    }
}

/// Notes how many objects that one input has alone are not in the build that their directories are for.
fn note_unlisted(changes: &[(Identity, Change)], [old, new]: [&Side<'_>; 2], report: &Report) {
    for (of_one, has) in [(Change::Removed, old), (Change::Added, new)] {
        let of_one = changes.iter().filter(|(_, change)| *change == of_one);
        let count = of_one.filter(|(identity, _)| has.digests[identity].is_unlisted).count();
        if count > 0 {
            let (objects, name) = (counted(count, "object"), go::printable(&has.name));
            let [verb, its] = if count == 1 { ["is", "its"] } else { ["are", "their"] };
            report.note(format_args!(
                "{objects} that only {name} has {verb} not listed by the kustomization in {its} directory, so perhaps in no build"
            ));
        }
    }
}

/// Whether most of the objects are live.
fn are_live(digests: &Digests) -> bool {
    let live = digests.values().filter(|digest| digest.live_value.is_some()).count();
    live * 2 > digests.len()
}

/// Compares objects without what always differs; without `named`, also leaves out the kinds that do.
fn keep_what_changes(digests: &mut Digests, kinds: &Interned<String>, by_kind: bool) {
    let changing = live::kinds();
    digests.retain(|_, digest| {
        let kind = kinds.get(digest.kind).map_or("", String::as_str);
        !(by_kind && changing.contains(&kind))
    });
    for digest in digests.values_mut() {
        digest.value = digest.live_value.unwrap_or(digest.value);
    }
}

/// Splits the changes into parts whose texts fit into memory. If no texts are needed, there is one part.
fn chunks<'c>(
    changes: &'c [(Identity, Change)],
    format: Option<DiffFormat>,
    old: &Digests,
    new: &Digests,
) -> Vec<&'c [(Identity, Change)]> {
    if matches!(format, Some(DiffFormat::Name | DiffFormat::Summary)) {
        return vec![changes];
    }
    let length = |identity: &Identity| {
        let of = |digests: &Digests| digests.get(identity).map_or(0, |digest| digest.length);
        of(old) + of(new)
    };
    let (mut chunks, mut start, mut held) = (Vec::new(), 0, 0);
    for (at, (identity, _)) in changes.iter().enumerate() {
        held += length(identity);
        if held > HELD as u64 {
            chunks.push(&changes[start..=at]);
            (start, held) = (at + 1, 0);
        }
    }
    chunks.push(&changes[start..]);
    chunks
}

/// The length of the text of an object that is shown, in bytes. Of an object that was parsed with its List, its value is
/// shown.
fn shown_length(object: &Object<'_>, tree: &Node) -> u64 {
    if object.part().path.is_empty() {
        return object.text_len() as u64;
    }
    emit::json::text(tree).len() as u64
}

/// One of the two inputs.
struct Side<'a> {
    name: String,
    query: Query<'a>,
    /// Whether objects are compared as a server holds them.
    defaults: bool,
    /// Its objects, and how many were read; none yet before [`Side::read`].
    digests: Digests,
    tally: Tally,
    /// Whether a part of it cannot be read.
    has_errors: bool,
    /// What its objects have in common.
    common: Common,
    /// Whether objects are known by their kinds and names alone.
    is_one_namespace: bool,
    /// What their names are known without.
    affixes: Affixes,
    /// The directories of kustomizations that list something.
    listing: HashSet<PathBuf>,
    /// How many fields were left out that a controller or an allocation writes.
    allocated: AtomicUsize,
}

impl<'a> Side<'a> {
    fn open(
        args: &'a DiffArgs,
        DiffInput { name, input }: &'a DiffInput,
        resources: &'a [String],
        report: &mut Report,
    ) -> anyhow::Result<Self> {
        let asked = Arguments { input, filter: args.filter.filter(), resources };
        let needs = Needs { knowledge: Knowledge::Definitions, pass: Pass::Earlier, ..Needs::default() };
        let before = report.errors();
        let mut query = Query::open(asked, needs, report)?;
        query.is_gate = true;
        let allocated = AtomicUsize::new(0);
        let (common, affixes) = (Common::default(), Affixes::default());
        let (name, defaults, has_errors) = (name.clone(), args.defaults, report.errors() > before);
        let (digests, tally) = (Digests::default(), Tally::default());
        let lists = |source: &&Source| {
            let listed = source.kustomization.as_ref().and_then(|root| root.get("resources")?.as_seq());
            listed.is_some_and(|listed| !listed.is_empty())
        };
        let listing = query.sources.iter().filter(lists);
        let listing =
            listing.filter_map(|source| Some(Path::new(&*source.name).parent()?.to_owned())).collect();
        Ok(Self {
            name,
            query,
            defaults,
            digests,
            tally,
            has_errors,
            common,
            is_one_namespace: false,
            affixes,
            listing,
            allocated,
        })
    }

    /// Reads its objects. Those in `first` are of the other input.
    fn read(
        &mut self,
        ignored: &[Ignore; 2],
        first: &Digests,
        kinds: &mut Interned<String>,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        let before = report.errors();
        (self.digests, self.tally) = self.digests(ignored, first, kinds, report)?;
        self.tally.leave_out(self.tally.selected - self.digests.len());
        self.has_errors |= report.errors() > before;
        Ok(())
    }

    /// The digests of the selected objects. Those in `first` are of the other input.
    fn digests(
        &mut self,
        ignored: &[Ignore; 2],
        first: &Digests,
        kinds: &mut Interned<String>,
        report: &mut Report,
    ) -> anyhow::Result<(Digests, Tally)> {
        let (mut digests, mut occurrences) = (Digests::default(), Occurrences::default());
        let (mut number, mut common) = (0, Common::default());
        let each = |object: &Object<'_>, (found, common): &mut (Vec<_>, Common)| {
            let identity = self.identity(object);
            // What a server would hold also depends on the definitions in the input.
            let text = if self.defaults { None } else { text_digest(object) };
            let known = first.get(&identity).filter(|known| text.is_some() && known.text == text);
            let digest = match known {
                Some(known) => *known,
                None => Digest { text, ..self.digest(object, ignored)? },
            };
            let namespace = self.query.selection.namespace_of(object.head, &self.query.catalog);
            let is_unplaced = object.head.namespace.is_none() && !self.is_known(object);
            let digest = Digest {
                generated: Identity::generated(
                    object.head,
                    if self.is_one_namespace { "" } else { namespace },
                    &self.affixes,
                ),
                unplaced: is_unplaced.then(|| Identity::of(object.head, "")),
                applied: self.applied(object),
                is_unlisted: self.is_unlisted(object.document.source),
                ..digest
            };
            common.add_namespace(namespace);
            common.affixes.add(object.head);
            let kind = GroupVersionKind::new(object.head.api_version, object.head.kind).lower();
            found.reserve_exact(usize::from(found.is_empty()));
            found.push((identity, kind, digest));
            Ok(())
        };
        let merge = |(found, others): (Vec<(Identity, String, Digest)>, Common)| {
            others.namespaces.iter().for_each(|other| common.add_namespace(other));
            common.affixes.merge(others.affixes);
            for (identity, kind, digest) in found {
                let identity = occurrences.next(identity, digest.resource_version);
                diff::add(&mut digests, identity, Digest { kind: kinds.number(kind), number, ..digest });
                number += 1;
            }
            Ok(())
        };
        let tally = self.query.run(report, each, merge)?;
        self.common = common;
        Ok((digests, tally))
    }

    /// The hash of where what applies an object puts it; 0 if that does not differ.
    fn applied(&self, object: &Object<'_>) -> u64 {
        let place = |by: &Applier, _: &Built, _: &Head<'_>, namespace: &str| {
            [&by.kind, by.namespace.as_deref().unwrap_or_default(), &by.name, namespace].map(str::to_owned)
        };
        let each: BTreeSet<_> = self.query.applied(object.head, object.built(), place).into_iter().collect();
        if each.is_empty() { 0 } else { digest_of(&each) }
    }

    fn is_unlisted(&self, source: &Source) -> bool {
        let is_beside =
            || Path::new(&*source.name).parent().is_some_and(|parent| self.listing.contains(parent));
        !source.is_listed && !source.named && source.built.roots.is_none() && is_beside()
    }

    /// The digest of an object, as far as its value says it.
    fn digest(&self, object: &Object<'_>, [ignore, live_ignore]: &[Ignore; 2]) -> Result<Digest, Diagnostic> {
        let held = self.held(object)?;
        let tree = held.as_ref().unwrap_or(object).value()?;
        let sent = object.value()?;
        let ignored = |tree: &Node, ignore: &Ignore| {
            ignore.ignored(tree).map_err(|error| Diagnostic::of(object, error))
        };
        let is_live = sent.at("metadata.uid").is_some_and(|uid| !uid.is_null());
        let own = ignored(tree, ignore)?;
        let [value, live_value] = match is_live {
            true => digests(tree, [&own, &ignored(tree, live_ignore)?]),
            false => [digests(tree, [&own])[0]; 2],
        };
        let sent_tree =
            if self.defaults { allocated::without_admitted(tree, object.head.kind) } else { None };
        let sent_value =
            sent_tree.map(|sent| Ok::<_, Diagnostic>(digests(&sent, [&ignored(&sent, ignore)?])[0]));
        Ok(Digest {
            value,
            live_value: is_live.then_some(live_value),
            sent_value: sent_value.transpose()?,
            resource_version: resource_version(sent),
            length: shown_length(object, tree),
            is_made: self.defaults && allocated::is_made(sent, object.head.kind),
            ..Digest::default()
        })
    }

    /// The data of the wanted objects, by their numbers. The input is read again, because what differs, which is little of most
    /// inputs, is only known when both have been read.
    fn pieces(
        &self,
        wanted: &HashMap<Identity, usize>,
        ignore: &Ignore,
        texts: &Texts,
        format: Option<DiffFormat>,
        report: &mut Report,
    ) -> anyhow::Result<HashMap<usize, ChangedObject>> {
        let mut pieces: HashMap<usize, ChangedObject> = HashMap::new();
        if wanted.is_empty() {
            return Ok(pieces);
        }
        let names: HashSet<Identity> = wanted.keys().map(|identity| identity.first()).collect();
        let each = |object: &Object<'_>, found: &mut Vec<(Identity, ChangedObject)>| {
            let identity = self.identity(object);
            if !names.contains(&identity) {
                return Ok(());
            }
            let resource_version = resource_version(object.value()?);
            let held = self.held(object)?;
            let object = held.as_ref().unwrap_or(object);
            let with_value = matches!(format, Some(DiffFormat::Paths | DiffFormat::Wide | DiffFormat::Json));
            let tree = if format.is_none() { object.tree()? } else { object.value()? };
            let ignored = ignore.ignored(tree).map_err(|error| Diagnostic::of(object, error))?;
            let piece = ChangedObject {
                api_version: object.head.api_version.to_owned(),
                kind: object.head.kind.to_owned(),
                namespace: self.query.selection.namespace_of(object.head, &self.query.catalog).to_owned(),
                name: object.head.type_and_name(),
                place: object.place().without_document(),
                resource_version,
                text: if format.is_none() { texts.of(object, &ignored)? } else { Vec::new() },
                tree: with_value.then(|| texts.value(object, tree, &ignored)),
            };
            found.push((identity, piece));
            Ok(())
        };
        let mut occurrences = Occurrences::default();
        let merge = |found: Vec<(Identity, ChangedObject)>| {
            for (identity, piece) in found {
                let identity = occurrences.next(identity, piece.resource_version);
                let Some(&at) = wanted.get(&identity) else { continue };
                match pieces.get(&at) {
                    Some(known) if known.resource_version > piece.resource_version => (),
                    _ => drop(pieces.insert(at, piece)),
                }
            }
            Ok(())
        };
        // Errors were reported when the input was read for the first time.
        let mut silent = Report::silent();
        self.query.run(&mut silent, each, merge)?;
        if silent.has_failed() && !report.has_failed() {
            report.error(format_args!("{}: the input changed while it was read", go::printable(&self.name)));
        }
        Ok(pieces)
    }

    /// The object as a server holds it, without what is written after its creation; `None` if objects are compared as they are.
    fn held<'t>(&self, object: &Object<'t>) -> Result<Option<Object<'t>>, Diagnostic> {
        if !self.defaults {
            return Ok(None);
        }
        let (value, catalog) = (object.value()?, &self.query.catalog);
        let mut held = held::held(object.head, value, Fields::ALL, catalog, Stage::Stored);
        let count = allocated::remove(&mut held, object.head.kind);
        self.allocated.fetch_add(count, Ordering::Relaxed);
        let namespace = self.query.selection.namespace_of(object.head, &self.query.catalog);
        if let Some(metadata) = held.at_mut("metadata").and_then(Node::as_map_mut) {
            if !self.is_known(object) {
                // The other input may know that the object is in none.
                metadata.remove("namespace");
            } else if !namespace.is_empty() && metadata.get("namespace").is_none() {
                metadata.insert("namespace", Span::default(), Node::text(namespace));
            }
        }
        Ok(Some(object.with_value(held)))
    }

    /// Whether anything is known of the kind of an object.
    fn is_known(&self, object: &Object<'_>) -> bool {
        self.query.catalog.of(object.head.api_version, object.head.kind).is_some()
    }

    fn identity(&self, object: &Object<'_>) -> Identity {
        let namespace = self.query.selection.namespace_of(object.head, &self.query.catalog);
        let namespace = if self.is_one_namespace { "" } else { namespace };
        match object.head.name {
            Some(name) if self.affixes != Affixes::default() => {
                let own = diff::own_name(&self.affixes, object.head.kind, name);
                Identity::of(&Head { name: Some(own), ..object.head.clone() }, namespace)
            }
            _ => Identity::of(object.head, namespace),
        }
    }
}

/// What the objects of an input have in common.
#[derive(Default)]
struct Common {
    /// Their namespaces, two of them if there are more.
    namespaces: Vec<String>,
    affixes: CommonAffixes,
}

impl Common {
    /// Adds the namespaces in a text.
    fn add_namespace(&mut self, joined: &str) {
        for namespace in given::each(joined).filter(|namespace| !namespace.is_empty()) {
            if self.namespaces.len() < 2 && !self.namespaces.iter().any(|known| known == namespace) {
                self.namespaces.push(namespace.to_owned());
            }
        }
    }
}

/// The resourceVersion as a number; 0 if it has none.
fn resource_version(tree: &Node) -> u64 {
    let version = tree.at("metadata.resourceVersion").and_then(Node::as_str);
    version.and_then(|text| text.parse().ok()).unwrap_or(0)
}
