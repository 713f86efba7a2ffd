//! The manual pages in `docs/man/`, generated from clap's definition of each command. A test fails if they are out of date;
//! `KSELECT_UPDATE=1 cargo test manual` regenerates them.

use std::path::Path;
use std::{env, fs};

use clap::Command;
use clap_mangen::Man;

use super::command;

/// The roff definition of the straight apostrophe.
const APOSTROPHE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

/// The pages with their names: one for the program, and one for each command.
fn pages() -> Vec<(String, String)> {
    let mut program = command().disable_help_subcommand(true);
    program.build();
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set());
    let commands: Vec<&Command> = [&program].into_iter().chain(commands).collect();
    let name = |command: &&Command| command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let names: Vec<String> = commands.iter().map(name).collect();
    commands.into_iter().map(|command| page(command, &names)).collect()
}

/// The terms below a heading, with their meanings.
type Entries = &'static [(&'static str, &'static str)];

const STATUS: Entries = &[
    ("0", "Success, even if nothing was selected or the reader of a pipe has closed it."),
    (
        "1",
        "Something failed: a document or file cannot be read, a TYPE is unknown, a NAME was not found, a kind does not \
         support a field. The rest was processed.",
    ),
    ("2", "The command line is wrong."),
    ("4", "Nothing was selected, with --exit-status."),
];

const STATUS_OF_CHECK: Entries = &[
    ("0", "No finding is as severe as --fail-on."),
    ("1", "A finding is as severe as --fail-on, something cannot be read, or there was nothing to read."),
    ("2", "The command line is wrong."),
];

const STATUS_OF_DIFF: Entries = &[
    ("0", "The inputs are the same."),
    ("1", "The inputs differ."),
    ("2", "Something went wrong."),
    ("4", "Nothing was selected in either input, with --exit-status."),
];

const ENVIRONMENT: Entries = &[
    ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM", "Whether output is coloured, unless --color is given."),
    ("KSELECT_NOW", "The time that ages are relative to, in RFC 3339; --as-of takes precedence."),
    ("KSELECT_KUSTOMIZE", "The command that -k runs instead of kustomize build or kubectl kustomize."),
    ("KSELECT_FILES", "The input, like -R -f, if no argument, pipe or redirected file gives one."),
    (
        "TMPDIR",
        "Directory for temporary files, for standard input that is read twice and does not fit into memory.",
    ),
];

const FILES: Entries = &[
    (
        ".gitignore, .ignore, .kselectignore",
        "Paths to skip in directories, unless --no-ignore is given; .gitignore only in Git repositories.",
    ),
    (".kselect.yaml", "Settings for a directory; see kselect help config."),
    (
        "*.yaml, *.yml, *.json",
        "Files that are read in directories, also compressed (.gz, .xz, .zst) and in archives.",
    ),
];

const SEE_ALSO: &str = "kselect help selectors, fields, relations, dumps, config and scripts explain topics that several commands share.";

fn status(command: &Command) -> Entries {
    match command.get_name() {
        "check" => STATUS_OF_CHECK,
        "diff" => STATUS_OF_DIFF,
        _ => STATUS,
    }
}

/// References to the pages of related tools, of the program, and on its page of all commands.
fn others(names: &[String], command: &Command) -> String {
    let others: Vec<&str> = match command.has_subcommands() {
        true => names.iter().map(String::as_str).filter(|name| *name != "kselect").collect(),
        false => vec!["kselect"],
    };
    let pages = others.into_iter().chain(["kubectl", "jq"]).map(|page| format!("\\fB{}\\fR(1)", roff(page)));
    pages.collect::<Vec<_>>().join(",\n")
}

/// Escapes the characters that are special in roff.
fn roff(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\*(Aq").replace("\n.", "\n\\&.")
}

fn page(command: &Command, command_names: &[String]) -> (String, String) {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let examples = command.get_after_help().map(ToString::to_string);
    let man = Man::new(command.clone())
        .manual("kselect manual")
        .source(concat!("kselect ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    let mut write = |render: fn(&Man, &mut dyn std::io::Write) -> std::io::Result<()>| {
        render(&man, &mut text).expect("impossible: a Vec takes all")
    };
    write(Man::render_title);
    write(Man::render_name_section);
    write(Man::render_synopsis_section);
    write(Man::render_description_section);
    write(Man::render_options_section);
    if command.has_subcommands() {
        write(Man::render_subcommands_section);
    }
    let text = String::from_utf8(text).expect("impossible: help is UTF-8");
    // Each section defines the apostrophe; one definition is enough.
    let mut text = format!("{APOSTROPHE}{}", text.replace(APOSTROPHE, ""));
    if let Some(examples) = examples {
        text += ".SH EXAMPLES\n.nf\n";
        // `.SH` is the heading; `.nf` keeps blanks and line ends.
        for line in examples.lines().filter(|line| *line != "Examples:") {
            text += &format!("\\&{}\n", roff(line));
        }
        text += ".fi\n";
    }
    let others = others(command_names, command);
    for (heading, entries) in
        [("EXIT STATUS", status(command)), ("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES)]
    {
        text += &format!(".SH {heading}\n");
        for (term, meaning) in entries {
            text += &format!(".TP\n\\fB{}\\fR\n{}\n", roff(term), roff(meaning));
        }
    }
    text += &format!(".SH \"SEE ALSO\"\n{others}\n.PP\n{}\n", roff(SEE_ALSO));
    (format!("{name}.1"), text)
}

#[test]
fn the_manual_is_what_help_says() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/man");
    let pages = pages();
    if env::var_os("KSELECT_UPDATE").is_some() {
        fs::create_dir_all(&directory).expect("a directory");
        for (name, text) in &pages {
            fs::write(directory.join(name), text).expect("a page");
        }
    }
    let mut files: Vec<String> = fs::read_dir(&directory)
        .expect("docs/man")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut names: Vec<String> = pages.iter().map(|(name, _)| name.clone()).collect();
    names.sort();
    assert_eq!(files, names, "pages of docs/man");
    for (name, text) in &pages {
        let written = fs::read_to_string(directory.join(name)).expect("a page").replace("\r\n", "\n");
        assert!(
            written == *text,
            "{name} is out of date; regenerate it with KSELECT_UPDATE=1 cargo test manual"
        );
    }
}
