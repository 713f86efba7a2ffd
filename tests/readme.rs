//! The examples of the README: each `console` block is run in the repository's root and prints what it says.
//!
//! A line that starts with `$ ` is a command for the shell; lines that start with `> ` continue it. What follows
//! is its output, standard error included, up to the next command. A line `...` stands for all the rest.
//! Blocks marked `console,ignore` are not run.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

/// A command of a block and what the README says it prints.
#[derive(Debug, Default)]
struct Example {
    line: usize,
    command: String,
    output: String,
}

#[test]
fn the_readmes_examples_print_what_they_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Ok(readme) = std::fs::read_to_string(root.join("README.md")) else {
        println!("there is no README.md: no examples were run");
        return;
    };
    let examples = examples(&readme);
    let differences: Vec<String> = examples.iter().filter_map(|example| check(example, root).err()).collect();
    println!("{} examples were run", examples.len());
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

/// Runs an example with kselect in the search path.
fn check(example: &Example, root: &Path) -> Result<(), String> {
    let directory = Path::new(env!("CARGO_BIN_EXE_kselect")).parent().expect("a directory");
    let others = env::var_os("PATH").unwrap_or_default();
    let path =
        env::join_paths([directory.to_owned()].into_iter().chain(env::split_paths(&others))).expect("a path");
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{}", example.command)])
        .current_dir(root)
        .env("PATH", path)
        .env_remove("KSELECT_NOW")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let printed = String::from_utf8_lossy(&output.stdout);
    let same = match example.output.strip_suffix("...\n") {
        Some(beginning) => printed.starts_with(beginning),
        None => trimmed(&printed) == trimmed(&example.output),
    };
    let Example { line, command, output } = example;
    if same {
        Ok(())
    } else {
        Err(format!("README.md:{line}: {command}\nexpected:\n{output}\nprinted:\n{printed}"))
    }
}

/// The lines without blanks at their ends, which no reader of a page sees.
fn trimmed(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}
