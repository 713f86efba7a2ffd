//! Benchmarks of the functions that process every byte or every object.

mod generate;

use std::fs;
use std::hint::black_box;
use std::io;
use std::path::Path;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use kinds::catalog::object::ObjectLabels;
use kselect_core::output::table;
use manifest::document::{Document, Form, Syntax};
use manifest::objects::objects;
use manifest::source::Source;
use manifest::stream::Blocks;
use manifest::walk::{self, WalkOptions};
use selector::labels::Selector;
use syntax::fields::Fields;
use syntax::head::Head;
use syntax::list::Notation;
use syntax::yaml::head::{Skimmed, skim, skim_with};
use syntax::yaml::index::Index;
use syntax::yaml::list::cut;
use syntax::yaml::value;

/// The size of a stream in bytes, and of a List in pods: small enough for the caches that hold a block.
const STREAM: usize = 4_000_000;
const PODS: usize = 400;

const ROWS: usize = 100_000;

fn helm() -> Vec<u8> {
    let mut text = Vec::new();
    generate::helm(STREAM, &mut text).expect("impossible: memory takes all text");
    text
}

fn pods(syntax: generate::Syntax) -> Vec<u8> {
    let mut text = Vec::new();
    generate::pod_list(PODS, syntax, &mut text).expect("impossible: memory takes all text");
    text
}

/// The documents of a stream, without their separators.
fn documents(stream: &str) -> Vec<&[u8]> {
    stream.split("---\n").filter(|text| !text.is_empty()).map(str::as_bytes).collect()
}

/// A stream in a file, cut into documents.
fn split(criterion: &mut Criterion) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hot.yaml");
    fs::write(&path, helm()).expect("the target directory can be written");
    let (sources, _) = walk::expand(&[path.to_string_lossy().into_owned()], &WalkOptions::default());
    let mut group = criterion.benchmark_group("split");
    group.throughput(Throughput::Bytes(fs::metadata(&path).map_or(0, |file| file.len())));
    group.bench_function("helm", |bencher| bencher.iter(|| sources.iter().map(count).sum::<usize>()));
    group.finish();
}

fn count(source: &Source) -> usize {
    let mut blocks = Blocks::open(source).expect("the file is there");
    let mut count = 0;
    while let Ok(Some(block)) = blocks.next_block() {
        count += block.documents(source).count();
    }
    count
}

/// Heads read from YAML: documents with many labels and short bodies, and the long items of a List.
fn skimming(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("skim");
    let helm = String::from_utf8(helm()).expect("impossible: the stream is text");
    let documents = documents(&helm);
    group.throughput(Throughput::Bytes(helm.len() as u64));
    group.bench_function("helm", |bencher| {
        let mut head = Head::default();
        bencher.iter(|| documents.iter().for_each(|text| skimmed(text, Form::Document, &mut head)));
    });

    group.bench_function("whole objects of helm", |bencher| {
        bencher.iter(|| {
            documents
                .iter()
                .filter(|text| black_box(value::read(text, Form::Document, Fields::ALL)).is_ok())
                .count();
        });
    });

    let list = pods(generate::Syntax::Yaml);
    let mut index = Index::default();
    let Skimmed::List(start) = skim_with(&mut index, &list, Form::Document, &mut Head::default()) else {
        panic!("a List is a List")
    };
    let Notation::Block { dash } = start.notation else { panic!("a List in YAML is in block style") };
    let form = start.notation.form();
    let items = cut(&list, &index, start.items, dash, true).items;
    group.throughput(Throughput::Bytes(list.len() as u64));
    group.bench_function("cut a List", |bencher| {
        bencher.iter(|| black_box(cut(&list, &index, start.items, dash, true)));
    });
    group.bench_function("items of a List", |bencher| {
        let mut head = Head::default();
        bencher.iter(|| {
            items.iter().for_each(|item| skimmed(&list[start.items..][item.clone()], form, &mut head));
        });
    });
    group.finish();
}

fn skimmed<'t>(text: &'t [u8], form: Form, head: &mut Head<'t>) {
    assert_eq!(skim(text, form, black_box(head)), Skimmed::Object);
}

/// Heads of a JSON List.
fn json(criterion: &mut Criterion) {
    let list = pods(generate::Syntax::Json);
    let source = Source::stdin();
    let document = Document::new(&list, Syntax::Json, &source);
    let mut group = criterion.benchmark_group("json");
    group.throughput(Throughput::Bytes(list.len() as u64));
    group.bench_function("heads of a List", |bencher| {
        bencher.iter(|| {
            objects(document, &mut |object| {
                black_box(object.is_ok_and(|object| object.head.name.is_some()));
            });
        });
    });
    group.finish();
}

/// The question asked about every object.
fn matching(criterion: &mut Criterion) {
    let labels = vec![
        ("helm.sh/chart", "web-1.4.2"),
        ("app.kubernetes.io/name", "web"),
        ("app.kubernetes.io/instance", "shop-web"),
        ("app.kubernetes.io/version", "1.4.2"),
        ("app.kubernetes.io/managed-by", "Helm"),
        ("tier", "frontend"),
        ("env", "prod"),
    ];
    let head = Head { labels, ..Head::default() };
    let mut group = criterion.benchmark_group("matches");
    for text in ["tier=frontend", "env in (prod,staging),tier!=cache,!legacy"] {
        let selector = Selector::parse(text).expect("the selector is valid");
        group.bench_function(text, |bencher| {
            bencher.iter(|| selector.matches(&ObjectLabels(black_box(&head))));
        });
    }
    group.finish();
}

/// The layout of a long table.
fn layout(criterion: &mut Criterion) {
    let headers = ["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE"].map(str::to_owned);
    let rows = || -> Vec<Vec<String>> {
        let row = |row: usize| {
            let (team, name) = (format!("team-{}", row % 40), format!("web-{row}-7c9d8f6b5-x2{}", row % 97));
            vec![team, name, "1/1".into(), "Running".into(), "0".into(), format!("{}d", row % 90)]
        };
        (0..ROWS).map(row).collect()
    };
    let mut group = criterion.benchmark_group("table");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.sample_size(20);
    group.bench_function("layout", |bencher| {
        let write = |rows: Vec<Vec<String>>| {
            table::write(Some(&headers), &rows, None, &mut io::sink()).expect("nothing to fail");
            rows
        };
        bencher.iter_batched(rows, write, BatchSize::LargeInput);
    });
    group.finish();
}

criterion_group!(benches, split, skimming, json, matching, layout);
criterion_main!(benches);
