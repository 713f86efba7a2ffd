//! The picture at the top of the README: an animated terminal as SVG, for light and dark pages. It shows real runs on
//! `fixtures/shop`; this test fails if it is out of date.
//!
//! `KSELECT_UPDATE=1 cargo test --test it cast::` redraws it.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

/// The text that is typed, and the command that is run if it is different: a shell asks the program for completions.
const SCENES: &[(&str, &[&str])] = &[
    (
        "kselect get deploy,sts,svc -f fixtures/shop -l app=<TAB>",
        &["__complete", "6", "kselect", "get", "deploy,sts,svc", "-f", "fixtures/shop", "-l", "app="],
    ),
    (
        "kselect get deploy,sts,svc -f fixtures/shop -l 'app in (orders,web)' -L app,tier",
        &["get", "deploy,sts,svc", "-f", "fixtures/shop", "-l", "app in (orders,web)", "-L", "app,tier"],
    ),
    (
        "kselect label deploy -f fixtures/shop -l app=web tier=fe --overwrite --diff",
        &["label", "deploy", "-f", "fixtures/shop", "-l", "app=web", "tier=fe", "--overwrite", "--diff"],
    ),
];

/// The sizes of the picture, in pixels.
const LINE_HEIGHT: usize = 19;
const MARGIN: usize = 18;
const WIDTH: usize = 820;

/// How long a command is typed and its output is shown, in tenths of a second.
const TYPING: usize = 8;
const READING: usize = 25;

/// The colours of a page: background, text, and the named colours of terminals.
struct Palette {
    file: &'static str,
    background: &'static str,
    frame: &'static str,
    text: &'static str,
    /// Red, green, yellow, cyan and dimmed.
    colors: [&'static str; 5],
}

const PALETTES: [Palette; 2] = [
    Palette {
        file: "docs/cast-light.svg",
        background: "#ffffff",
        frame: "#d0d7de",
        text: "#1f2328",
        colors: ["#cf222e", "#1a7f37", "#9a6700", "#0a6c74", "#6e7781"],
    },
    Palette {
        file: "docs/cast-dark.svg",
        background: "#0d1117",
        frame: "#30363d",
        text: "#e6edf3",
        colors: ["#ff7b72", "#3fb950", "#d29922", "#39c5cf", "#8b949e"],
    },
];

#[test]
fn the_picture_shows_what_the_program_prints() {
    let lines = lines();
    for palette in PALETTES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(palette.file);
        let drawn = draw(&lines, &palette);
        if env::var_os("KSELECT_UPDATE").is_some() {
            fs::write(&path, &drawn).expect("a picture");
        }
        let kept = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        let advice = "draw it anew: KSELECT_UPDATE=1 cargo test --test it cast::";
        assert!(kept == drawn, "{} is out of date; {advice}", palette.file);
    }
}

/// The lines of the picture with the time at which each appears, in tenths of a second.
fn lines() -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut now = 5;
    for (typed, args) in SCENES {
        if !lines.is_empty() {
            lines.push((now, String::new()));
        }
        lines.push((now, format!("\u{1b}[32m$\u{1b}[0m {typed}")));
        now += TYPING;
        let output = run(args);
        let is_completion = args[0] == "__complete";
        let shown = output.lines().filter(|line| !(is_completion && line.starts_with(':')));
        lines.extend(shown.map(|line| (now, line.replace('\t', "   "))));
        now += READING;
    }
    lines
}

/// The output of the program, with colours and messages.
fn run(args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kselect"));
    crate::environment::fix(&mut command);
    command.args(args).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    // A shell shows completions without colours and notes.
    if args[0] != "__complete" {
        command.args(["--color=always", "-q"]);
    }
    let output = command.output().expect("the program runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn draw(lines: &[(usize, String)], palette: &Palette) -> String {
    let height = 2 * MARGIN + lines.len() * LINE_HEIGHT;
    let Palette { background, frame, text, colors: [red, green, yellow, cyan, dimmed], .. } = palette;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"kselect in a terminal\">\n\
         <style>\n\
         text {{ font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: {text}; white-space: pre; }}\n\
         .r {{ fill: {red}; }} .g {{ fill: {green}; }} .y {{ fill: {yellow}; }} .c {{ fill: {cyan}; }}\n\
         .d {{ fill: {dimmed}; }} .b {{ font-weight: bold; }}\n\
         @media (prefers-reduced-motion: no-preference) {{\n\
         g {{ opacity: 0; animation: appear 0.2s forwards; }}\n\
         @keyframes appear {{ to {{ opacity: 1; }} }}\n\
         }}\n\
         </style>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"{background}\" stroke=\"{frame}\"/>\n",
        WIDTH - 1,
        height - 1,
    );
    for (number, (moment, line)) in lines.iter().enumerate() {
        let y = MARGIN + (number + 1) * LINE_HEIGHT - 6;
        let delay = format!("{}.{}s", moment / 10, moment % 10);
        writeln!(
            svg,
            "<g style=\"animation-delay: {delay}\"><text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\">{}</text></g>",
            spans(line)
        )
        .expect("a String takes all");
    }
    svg + "</svg>\n"
}

/// A line with escape sequences converted to elements.
fn spans(line: &str) -> String {
    let mut text = String::new();
    let mut classes: Vec<&str> = Vec::new();
    let mut pieces = line.split("\u{1b}[");
    push(pieces.next().unwrap_or_default(), &classes, &mut text);
    for piece in pieces {
        let (codes, rest) = piece.split_once('m').expect("a whole escape sequence");
        for code in codes.split(';') {
            match code {
                "" | "0" => classes.clear(),
                "1" => classes.push("b"),
                "2" => classes.push("d"),
                "31" => classes.push("r"),
                "32" => classes.push("g"),
                "33" => classes.push("y"),
                "36" => classes.push("c"),
                other => panic!("a colour that the picture does not know: {other}"),
            }
        }
        push(rest, &classes, &mut text);
    }
    text
}

fn push(piece: &str, classes: &[&str], text: &mut String) {
    let escaped = piece.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    match (escaped.is_empty(), classes.is_empty()) {
        (true, _) => (),
        (_, true) => *text += &escaped,
        _ => *text += &format!("<tspan class=\"{}\">{escaped}</tspan>", classes.join(" ")),
    }
}
