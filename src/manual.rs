//! The manual pages in `docs/man/`: they are what clap says of each command, and this test says when they are not.
//!
//! `KSELECT_UPDATE=1 cargo test manual` writes them anew.

use std::path::Path;
use std::{env, fs};

use clap::Command;
use clap_mangen::Man;

use crate::cli;

/// How a page defines the straight apostrophe.
const APOSTROPHE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

/// The pages by their names: that of the program, and one for each command.
fn pages() -> Vec<(String, String)> {
    let mut program = cli::command().disable_help_subcommand(true);
    program.build();
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set());
    [&program].into_iter().chain(commands).map(page).collect()
}

fn page(command: &Command) -> (String, String) {
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
    // Each section defines the apostrophe; once is enough.
    let mut text = format!("{APOSTROPHE}{}", text.replace(APOSTROPHE, ""));
    if let Some(examples) = examples {
        text += ".SH EXAMPLES\n.nf\n";
        // The heading says it already; blanks and line ends stay.
        for line in examples.lines().filter(|line| *line != "Examples:") {
            let line = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\*(Aq");
            text += &format!("\\&{line}\n");
        }
        text += ".fi\n";
    }
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
            "{name} is not what help says; write it anew: KSELECT_UPDATE=1 cargo test manual"
        );
    }
}
