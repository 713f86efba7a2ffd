//! The examples on pages: each `console` block is run and its output compared.
//!
//! A line that starts with `$ ` is a shell command; lines that start with `> ` continue it. The lines after it are its
//! output, including standard error, up to the next command. A line `...` matches the rest of the output. Blocks marked
//! `console,ignore` are not run.
//!
//! The examples of `README.md` run in the root of the repository, those of `docs/recipes.md` and `docs/ci.md` in a copy
//! of `fixtures/recipes` each, and those of `docs/dumps.md` in a copy of `fixtures/dumps`, one after the other. Files
//! replace `helm` and `kustomize` there. The commands in the tables of the README and of `docs/recipes.md` also run there, except on
//! dumps that are archives, and links between pages are followed.

use crate::support::commands;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::{env, fs};

/// A command of a block and its expected output.
#[derive(Debug, Default)]
struct Example {
    line: usize,
    command: String,
    output: String,
}

/// Programs on the pages that may not be installed, as shell functions.
const STAND_INS: &str = r#"
helm() { cat "rendered/${5:-1.3.0}.yaml"; } # helm template NAME CHART --version VERSION
kustomize() { cat rendered/prod.yaml; }
yq() { echo 'matchLabels: {app: web}'; }
kubectl() { cat; } # apply -f -
"#;

#[test]
fn the_readmes_examples_print_what_they_say() {
    check_page("README.md", root(), STAND_INS);
}

#[test]
fn the_readme_is_short_and_begins_with_two_commands() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let lines = readme.lines().count();
    assert!(lines <= 160, "README.md has {lines} lines");
    let mut blocks = readme.split("```sh\n").skip(1).map(|block| block.split("\n```").next());
    let run = "cargo run --release -- get -f fixtures/shop -l 'env in (prod)' -L tier";
    assert_eq!([blocks.next(), blocks.next()], [Some(Some(run)), Some(Some("cargo test"))]);
}

#[test]
#[cfg_attr(windows, ignore = "the commands are for a Unix shell")]
fn the_commands_of_tables_run() {
    let directory = recipes("tables");
    let read = |page: &str| fs::read_to_string(root().join(page)).expect("a page");
    let (readme, recipes) = (read("README.md"), read("docs/recipes.md"));
    let (_, tasks) = readme.split_once("\n## Tasks\n").expect("the table");
    let rows = tasks.lines().take_while(|line| !line.starts_with('#')).chain(recipes.lines());
    let commands: Vec<String> = rows
        .filter_map(|row| row.strip_suffix("` |")?.split_once(" | `"))
        .map(|(_, command)| command.replace("\\|", "|"))
        .filter(|command| !command.contains(".tgz"))
        .collect();
    assert!(commands.len() >= 40, "{} rows", commands.len());
    for command in commands {
        let printed = run(&format!("{STAND_INS}\n{command}\necho \"status $?\""), &directory);
        let wrong = ["error: ", "warning: ", "No resources found"].iter().any(|word| printed.contains(word));
        // diff exits with 1 if there are differences.
        let status = if command.starts_with("kselect diff") { 1 } else { 0 };
        assert!(printed.ends_with(&format!("status {status}\n")) && !wrong, "{command}\n{printed}");
    }
    fs::remove_dir_all(directory).expect("the directory of the commands");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let pages = fs::read_dir(root().join("docs")).expect("docs").map(|entry| entry.expect("an entry").path());
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let others = ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(|name| root().join(name));
    for page in pages.chain(others) {
        let text = fs::read_to_string(&page).expect("a page");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            if link.contains("://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => page.clone(),
                path => page.parent().expect("a directory").join(path),
            };
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
            let anchors = |text: &str| -> Vec<String> {
                text.lines().filter(|line| line.starts_with('#')).map(heading_anchor).collect()
            };
            let is_there =
                || anchors(&fs::read_to_string(&target).expect("a page")).iter().any(|known| known == anchor);
            assert!(anchor.is_empty() || is_there(), "{}: {link} leads to no heading", page.display());
        }
    }
}

/// The anchor of a heading on code hosts.
fn heading_anchor(line: &str) -> String {
    let text = line.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().replace(' ', "-")
}

#[test]
#[cfg_attr(windows, ignore = "the recipes are for a Unix shell")]
fn the_recipes_print_what_they_say() {
    let directory = recipes("recipes");
    check_page("docs/recipes.md", &directory, STAND_INS);
    fs::remove_dir_all(directory).expect("the directory of the recipes");
}

#[test]
#[cfg_attr(windows, ignore = "the commands are for a Unix shell")]
fn the_commands_for_dumps_print_what_they_say() {
    let directory = fixtures("dumps", "dumps");
    check_page("docs/dumps.md", &directory, "unset KSELECT_NOW");
    fs::remove_dir_all(directory).expect("the directory of the dumps");
}

#[test]
#[cfg_attr(windows, ignore = "the page is for a Unix shell")]
fn the_page_about_ci_prints_what_it_says() {
    let directory = recipes("ci");
    check_page("docs/ci.md", &directory, STAND_INS);
    fs::remove_dir_all(directory).expect("the directory of the page");
}

#[test]
#[cfg_attr(windows, ignore = "the examples are for a Unix shell")]
fn the_examples_of_help_run() {
    let directory = recipes("help");
    let fixture = |from: &str, to: &str| copy(&root().join("fixtures").join(from), &directory.join(to));
    fixture("recipes/k8s/apps/web.yaml", "app.yaml");
    fixture("kinds/apiextensions.yaml", "crds/definitions.yaml");
    fixture("recipes/dump.json", "dump/objects.json");
    let log = |pod: &str, file: &str| {
        let path = directory.join(format!("dump/namespaces/shop/pods/{pod}/web/web/logs/{file}"));
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory of logs");
        fs::write(path, "2026-05-04T09:00:00Z ready\n").expect("a log");
    };
    ["web-1", "web-5d9c-7xk2p", "web-5d9c-m4q8z"].iter().for_each(|pod| log(pod, "current.log"));
    log("web-1", "previous.log");
    run("tar -czf must-gather.tar.gz dump", &directory);
    // These Namespaces have labels that the examples would have to overwrite, and this policy denies the Deployment.
    fs::remove_dir_all(directory.join("k8s/base")).expect("a directory of the recipes");
    fs::remove_file(directory.join("policies/replicas.yaml")).expect("a policy of the recipes");
    // The examples of completion are for the start of shells.
    let commands = commands().into_iter().filter(|command| command != "completion");
    let topics = ["", "selectors", "fields", "relations", "dumps", "config", "scripts"].map(str::to_owned);
    for command in commands.chain(topics) {
        let examples = examples_of_help(&run(&format!("kselect help {command}"), root()));
        assert!(examples.len() >= 3, "kselect help {command} has {} examples", examples.len());
        for example in examples {
            // The programs of the examples may be missing, and without one, the server would not end.
            let served = example.split(" -- ").next().filter(|_| example.starts_with("kselect serve"));
            let example = served.map_or(example.clone(), |served| format!("{served} -- true"));
            let printed = run(&format!("{STAND_INS}\n{example}\necho \"status $?\""), &directory);
            let wrong = ["error: ", "warning: ", "not found"].iter().any(|word| printed.contains(word));
            // diff exits with 1 if there are differences.
            let differs = command == "diff" && printed.ends_with("status 1\n");
            let done = (printed.ends_with("status 0\n") || differs) && !wrong;
            assert!(done, "an example of kselect help {command}: {example}\n{printed}");
        }
    }
    fs::remove_dir_all(directory).expect("the directory of the examples");
}

/// The commands below `Examples:`, one per line, with continued lines joined.
fn examples_of_help(help: &str) -> Vec<String> {
    let (_, examples) = help.split_once("\nExamples:\n").unwrap_or_default();
    let examples = examples.replace("\\\n", "");
    let lines = examples.split("\n\n").take_while(|part| part.starts_with("  ")).flat_map(str::lines);
    let is_whole = |line: &&str| line.starts_with("  ");
    assert_eq!(
        lines.clone().find(|line| !is_whole(line)),
        None,
        "an example is too long for the help: shorten it"
    );
    let commands = lines.map(str::trim).filter(|line| !line.starts_with('#'));
    commands.map(str::to_owned).collect()
}

/// A copy of the directory for the recipes.
fn recipes(name: &str) -> PathBuf {
    fixtures("recipes", name)
}

/// A new directory `name` with a copy of a directory of fixtures.
fn fixtures(from: &str, name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", process::id()));
    // A failed test leaves its directory behind.
    let _ = fs::remove_dir_all(&directory);
    copy(&root().join("fixtures").join(from), &directory);
    directory
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Copies a file or a directory.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        for entry in fs::read_dir(from).expect("a directory of fixtures") {
            let name = entry.expect("a fixture").file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::create_dir_all(to.parent().expect("a directory")).expect("a directory for a copy");
        fs::copy(from, to).expect("a copy");
    }
}

/// Runs all examples of a page in `directory`, one after the other, each after the lines `before`.
#[track_caller]
fn check_page(page: &str, directory: &Path, before: &str) {
    let text = fs::read_to_string(root().join(page)).expect("a page");
    let examples = examples(&text);
    assert!(!examples.is_empty(), "{page} has no examples");
    let differences: Vec<String> = examples
        .iter()
        .filter_map(|example| check(example, directory, before).err())
        .map(|difference| format!("{page}:{difference}"))
        .collect();
    println!("{} examples of {page} were run", examples.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn examples(readme: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    let mut output = false;
    for (number, line) in readme.lines().enumerate() {
        if line.starts_with("```") {
            inside = !inside && line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            examples.push(Example { line: number + 1, command: command.to_owned(), output: String::new() });
            output = false;
        } else if let Some(example) = examples.last_mut().filter(|_| inside) {
            match line.strip_prefix("> ").filter(|_| !output) {
                Some(more) => example.command = format!("{}\n{more}", example.command),
                None => {
                    output = true;
                    example.output.push_str(line);
                    example.output.push('\n');
                }
            }
        }
    }
    examples
}

/// Runs an example and compares.
fn check(Example { line, command, output }: &Example, directory: &Path, before: &str) -> Result<(), String> {
    let printed = run(&format!("{before}\n{command}"), directory);
    let same = match output.strip_suffix("...\n") {
        Some(beginning) => printed.starts_with(beginning),
        None => trimmed(&printed) == trimmed(output),
    };
    if same { Ok(()) } else { Err(format!("{line}: {command}\nexpected:\n{output}\nprinted:\n{printed}")) }
}

/// The output of a shell command, including standard error, with kselect on the PATH.
fn run(command: &str, current: &Path) -> String {
    let directory = Path::new(env!("CARGO_BIN_EXE_kselect")).parent().expect("a directory");
    let others = env::var_os("PATH").unwrap_or_default();
    let path =
        env::join_paths([directory.to_owned()].into_iter().chain(env::split_paths(&others))).expect("a path");
    let output = crate::environment::shell()
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(current)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The lines without trailing blanks, which readers of a page do not see.
fn trimmed(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}
