//! What users of `kselect::selector` rely on.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::path::Path;
use std::process::Command;
use std::str::FromStr;
use std::{env, fs};

use kselect::selector::labels::{Expression, LabelSelector};
use kselect::selector::nodes::{
    NodeSelector, NodeSelectorTerm, PreferredSchedulingTerm, PreferredSchedulingTerms,
};
use kselect::selector::{
    ConversionError, FieldError, FieldErrors, Operator, ParseError, Requirement, fields, labels,
};

/// The directory is compiled as a crate of its own, without dependencies.
#[test]
fn selectors_need_the_standard_library_alone() {
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/selector/mod.rs");
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("selector-alone.rmeta");
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = Command::new(compiler)
        .args(["--edition", "2024", "--crate-type", "lib", "--crate-name", "selector", "--emit", "metadata"])
        .args(["-D", "warnings", "-o"])
        .args([&output, &module])
        .output()
        .expect("the compiler runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let _ = fs::remove_file(output);
}

/// Compiling this checks that types have the expected traits.
#[test]
fn types_have_the_usual_traits_and_can_be_shared_between_threads() {
    fn plain<T: Clone + Debug + Eq + Send + Sync + Unpin + 'static>() {}
    fn key<T: Hash>() {}
    fn text<T: FromStr<Err: Error> + Display>() {}
    fn error<T: Error + Send + Sync + 'static>() {}

    plain::<labels::Selector>();
    plain::<LabelSelector>();
    plain::<Expression>();
    plain::<Requirement>();
    plain::<Operator>();
    plain::<fields::Selector>();
    plain::<fields::Term>();
    plain::<fields::Operator>();
    plain::<NodeSelector>();
    plain::<NodeSelectorTerm>();
    plain::<PreferredSchedulingTerm>();
    plain::<PreferredSchedulingTerms>();
    plain::<ParseError>();
    plain::<ConversionError>();
    plain::<FieldError>();
    plain::<FieldErrors>();

    key::<(labels::Selector, LabelSelector, Expression, Requirement, Operator)>();
    key::<(fields::Selector, fields::Term, fields::Operator, NodeSelectorTerm, PreferredSchedulingTerm)>();

    text::<labels::Selector>();
    text::<LabelSelector>();
    text::<fields::Selector>();

    error::<ParseError>();
    error::<ConversionError>();
    error::<FieldError>();
    error::<FieldErrors>();
}
