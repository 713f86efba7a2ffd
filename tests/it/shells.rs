//! Completion in real shells: the scripts in `completions/` are loaded, a line is typed, and all resulting candidates
//! are compared. A shell that is not installed is skipped with a message (`--nocapture` shows it).

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support;

/// Lines up to the cursor, and their candidates.
const CASES: &[(&str, &[&str])] = &[
    ("kselect ann", &["annotate"]),
    ("kselect get --selec", &["--selected-by", "--selector", "--selects"]),
    ("kselect get -f fixtures/shop/web.yaml ", &["all", "deployments", "services"]),
    ("kselect get -f fixtures/shop/web.yaml dep", &["deploy", "deployments"]),
    ("kselect get -f fixtures/shop/web.yaml svc,dep", &["svc,deploy", "svc,deployments"]),
    ("kselect get -R -f fixtures/shop sts ", &["orders"]),
    ("kselect get --filename=fixtures/shop sts ", &["orders"]),
    ("kselect get -f fixtures/shop cm/", &["cm/orders"]),
    ("kselect get -f fixtures/shop -n ", &["shop"]),
    ("kselect get -f fixtures/shop/web.yaml -l ", &["app.kubernetes.io/version=", "app=", "env=", "tier="]),
    ("kselect get -f fixtures/shop -l app=", &["app=orders", "app=report", "app=web"]),
    ("kselect get -f fixtures/shop -l app=web,ti", &["app=web,tier="]),
    ("kselect get -f fixtures/shop --selector=app=or", &["--selector=app=orders"]),
    ("kselect get -f fixtures/shop -l 'app in (web,re", &["app in (web,report"]),
    ("kselect get -o js", &["json", "jsonl", "jsonpath-as-json=", "jsonpath-file=", "jsonpath="]),
    ("kselect label -f fixtures/shop/web.yaml svc web env=", &["env=prod"]),
    ("kselect get -f fixtures/sho", &["fixtures/shop"]),
    ("kselect get --filename=fixtures/sho", &["--filename=fixtures/shop"]),
    ("kselect check --disable dangling-s", &["dangling-service"]),
    ("kselect get -f fixtures/shop pods ", &[]),
    ("kselect get -f fixtures/shop deploy --sort-by .spec.replic", &[".spec.replicas"]),
    (
        "kselect get -f fixtures/shop deploy --where 'spec.replicas > 1 && status.av",
        &["spec.replicas > 1 && status.availableReplicas"],
    ),
    (
        "kselect get -f fixtures/shop deploy -o custom-columns=N:.spec.replic",
        &["custom-columns=N:.spec.replicas"],
    ),
    (
        "kselect get -f fixtures/shop deploy -o jsonpath='{.items[*].spec.replic",
        &["jsonpath={.items[*].spec.replicas"],
    ),
];

/// A shell function that prints the words of the line, in place of the program.
const PRINT_WORDS: &str = r#"kselect() { printf "[%s]" "$@"; echo; }"#;

/// Runs a shell on `input` in the root of the repository, and returns its output; `None` if it is not installed.
fn run(mut shell: Command, input: &str) -> Option<String> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shells");
    fs::create_dir_all(&home).expect("a home directory");
    let programs = Path::new(env!("CARGO_BIN_EXE_kselect")).parent().expect("a directory").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([programs].into_iter().chain(std::env::split_paths(&others)));
    crate::environment::fix(&mut shell);
    let spawned = shell
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", path.expect("a path"))
        .env("HOME", &home)
        .env("TERM", "dumb")
        .env_remove("INPUTRC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = spawned else {
        support::not_run(&format!("{} is not installed", shell.get_program().display()));
        return None;
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("the shell reads");
    drop(stdin);
    Some(output(child))
}

/// The output of a shell until it ends, which must not take too long.
fn output(mut child: Child) -> String {
    let mut pipe = child.stdout.take().expect("a pipe");
    let reader = thread::spawn(move || std::io::read_to_string(&mut pipe));
    let deadline = Instant::now() + Duration::from_secs(120);
    while child.try_wait().expect("a child").is_none() {
        if Instant::now() > deadline {
            child.kill().expect("a child");
            panic!("the shell waits for something");
        }
        thread::sleep(Duration::from_millis(10));
    }
    reader.join().expect("no panic").expect("text")
}

/// The words after those of the line in `[get][-f][...]`, without the slash of a directory.
fn completed(printed: &str, line: &str) -> Vec<String> {
    let words = printed.trim().trim_start_matches('[').trim_end_matches(']').split("][");
    let typed = line[..line.find('\'').unwrap_or(line.len())].split(' ').count() - 2;
    words
        .skip(typed)
        .map(|word| word.trim_end_matches('/').to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

#[track_caller]
fn check(shell: &str, cases: &[(&str, &[&str])], found: &[Vec<String>]) {
    assert_eq!(cases.len(), found.len(), "answers of {shell}");
    for ((line, expected), found) in cases.iter().zip(found) {
        assert_eq!(found, expected, "{shell}: {line}");
    }
}

#[test]
fn bash_completes_as_the_program_answers() {
    let mut found = Vec::new();
    for (line, expected) in CASES {
        let mut bash = Command::new("bash");
        bash.args(["--norc", "--noprofile", "-i"]);
        // Readline also works on pipes. Its M-* inserts all candidates; TAB inserts a single one, with a closing quote.
        let key = if expected.len() > 1 { "\x1b*" } else { "\t" };
        let input = format!("PS1=\nsource completions/kselect.bash\n{PRINT_WORDS}\n{line}{key}\n");
        let Some(printed) = run(bash, &input) else { return };
        let mut words = completed(&printed, line);
        // bash splits words at the = before the cursor, and also its candidates.
        let cut = line.rsplit(' ').next().and_then(|word| word.rfind('=').map(|at| &word[..=at]));
        if let Some(cut) = cut {
            words.iter_mut().skip(1).for_each(|word| word.insert_str(0, cut));
        }
        found.push(words);
    }
    check("bash", CASES, &found);
}

#[test]
fn bash_completes_before_other_words() {
    let mut bash = Command::new("bash");
    bash.args(["--norc", "--noprofile", "-i"]);
    // Back to between the two blanks.
    let back = "\x02".repeat(" -f fixtures/shop/web.yaml".len());
    let line = format!("kselect get svc  -f fixtures/shop/web.yaml{back}\t");
    let input = format!("PS1=\nsource completions/kselect.bash\n{PRINT_WORDS}\n{line}\n");
    let Some(printed) = run(bash, &input) else { return };
    assert_eq!(printed.trim(), "[get][svc][web][-f][fixtures/shop/web.yaml]");
}

/// Types each line into an interactive zsh in a pseudo-terminal, and prints what its words become.
const ZSH: &str = r#"
zmodload zsh/zpty || exit 77
zpty inner zsh -f -i
zpty -w inner 'PS1= PS2= PROMPT_EOL_MARK=; unset zle_bracketed_paste; stty -echo columns 400
LOAD; PRINT_WORDS
zstyle ":completion:*" completer _all_matches _complete; zstyle ":completion:*" insert yes
bindkey "^I" complete-word; unsetopt beep; echo re""ady'
zpty -r inner out '*ready*'
while IFS= read -r line; do
    zpty -w -n inner "$line"$'\t\n'
    zpty -r inner out $'*\][\r\n]##*'
    [[ $out =~ $'\\[[^\r\n\e]*\\]\r' ]]
    print -r -- "${MATCH%$'\r'}"
done
"#;

#[track_caller]
fn check_zsh(load: &str) {
    let mut zsh = Command::new("zsh");
    let script = ZSH.replace("LOAD", load).replace("PRINT_WORDS", PRINT_WORDS);
    zsh.args(["-f", "-o", "extendedglob", "-c", &script]);
    let lines: String = CASES.iter().map(|(line, _)| format!("{line}\n")).collect();
    let Some(printed) = run(zsh, &lines) else { return };
    let found: Vec<_> =
        printed.lines().zip(CASES).map(|(printed, (line, _))| completed(printed, line)).collect();
    check("zsh", CASES, &found);
}

#[test]
fn zsh_completes_as_the_program_answers_with_a_script_that_is_sourced() {
    check_zsh("autoload -Uz compinit; compinit -D -u; source completions/_kselect");
}

#[test]
fn zsh_completes_as_the_program_answers_with_a_script_of_the_function_path() {
    check_zsh("fpath=($PWD/completions $fpath); autoload -Uz compinit; compinit -D -u");
}

#[test]
fn fish_completes_as_the_program_answers() {
    let mut fish = Command::new("fish");
    fish.args(["--no-config", "-c"]);
    fish.arg("source completions/kselect.fish; while read line; echo \"> $line\"; complete --do-complete $line; end");
    let lines: String = CASES.iter().map(|(line, _)| format!("{line}\n")).collect();
    let Some(printed) = run(fish, &lines) else { return };
    let mut found: Vec<Vec<String>> = Vec::new();
    for line in printed.lines() {
        match (line.starts_with("> "), found.last_mut()) {
            (true, _) => found.push(Vec::new()),
            (false, Some(words)) => {
                let word = line.split('\t').next().unwrap_or_default();
                words.push(word.trim_end_matches('/').to_owned());
            }
            (false, None) => panic!("{line}"),
        }
    }
    // fish sorts candidates itself.
    found.iter_mut().for_each(|words| words.sort());
    let sorted: Vec<(&str, Vec<&str>)> = CASES
        .iter()
        .map(|(line, words)| {
            let mut words = words.to_vec();
            words.sort();
            (*line, words)
        })
        .collect();
    let cases: Vec<(&str, &[&str])> = sorted.iter().map(|(line, words)| (*line, &words[..])).collect();
    check("fish", &cases, &found);
}

#[test]
fn descriptions_are_shown_by_fish() {
    let mut fish = Command::new("fish");
    fish.args(["--no-config", "-c"]);
    fish.arg("source completions/kselect.fish; complete --do-complete 'kselect get -f fixtures/shop dep'");
    let Some(printed) = run(fish, "") else { return };
    assert_eq!(printed, "deploy\tdeployments, 1 object\ndeployments\tDeployment (deploy), 1 object\n");
}
