//! The jobs of `docs/scale.md`: each is run as it is written there and compared with one kselect over all. A test
//! whose tool is not installed is reported as not run.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::support;

/// How many dumps there are, and how many pods are in each.
const DUMPS: usize = 12;
const PODS: usize = 60;

/// Asks of all at once what the jobs ask of parts.
const WHOLE: &str = "kselect get pods -q -R -f dumps -l app=web -o name";

/// Whether a command says that a tool is there.
const PARALLEL: &str = "parallel --version | grep -q '^GNU parallel'";
const SPARK: &str = "python3 -c 'import pyspark' && java -version";
const DUCKDB: &str = "python3 -c 'import duckdb'";

/// A pod whose text has lines that look like separators.
fn pod(dump: usize, number: usize) -> String {
    let app = ["web", "db", "web-2"][number % 3];
    format!(
        "apiVersion: v1
kind: Pod
metadata:
  name: pod-{dump}-{number}
  namespace: team-{}
  labels: {{app: {app}}}  # --- not the end
  annotations:
    note: |
      ---
      kind: Service
      text
       ---
    long: {}
spec:
  nodeName: node-{}
  containers: [{{name: a, image: '---'}}]
",
        number % 4,
        "x".repeat(number * 7 % 300),
        (number * 5 + dump) % 7
    )
}

/// A directory with dumps, every third of them a directory with a file for each pod, and one stream of all.
fn input(name: &str) -> PathBuf {
    let directory =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scale-{name}-{}", std::process::id()));
    // A test that failed has left its own there.
    let _ = fs::remove_dir_all(&directory);
    let dumps = directory.join("dumps");
    fs::create_dir_all(&dumps).expect("a directory for dumps");
    let mut all = String::new();
    for dump in 0..DUMPS {
        let pods: Vec<String> = (0..PODS).map(|number| pod(dump, number)).collect();
        for pod in &pods {
            write!(all, "---\n{pod}").expect("impossible: a text can be written to");
        }
        let path = dumps.join(format!("dump {dump}"));
        if dump % 3 == 0 {
            fs::create_dir(&path).expect("a directory");
            for (number, pod) in pods.iter().enumerate() {
                fs::write(path.join(format!("{number}.yaml")), pod).expect("a file");
            }
        } else {
            fs::write(path.with_extension("yaml"), pods.join("---\n")).expect("a file");
        }
    }
    fs::write(directory.join("all.yaml"), all).expect("a file");
    directory
}

/// Runs the blocks below a heading of the page, with small parts instead of large ones, and compares the lines that the last
/// one prints with those of `whole`, in any order.
#[track_caller]
fn check(heading: &str, is_there: &str, whole: &str) {
    let directory = input(&heading.to_lowercase().replace([' ', ':'], "-"));
    let (there, _) = run(&format!("({is_there}) >/dev/null 2>&1"), &directory);
    if !there {
        support::not_run(&format!("for {heading}, this fails: {is_there}"));
        fs::remove_dir_all(directory).expect("the directory of the job");
        return;
    }
    let page = include_str!("../../docs/scale.md");
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect("a heading");
    let section = section.split("\n## ").next().unwrap_or_default();
    let blocks: Vec<(&str, &str)> =
        section.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect();
    assert!(!blocks.is_empty(), "{heading} has no job");
    let (_, all) = run(whole, &directory);
    let expected = sorted(&all);
    assert!(expected.len() > 5, "{whole}: {expected:?}");
    for (number, (language, block)) in blocks.iter().enumerate() {
        let command = match *language {
            "sh" => block.replace("100M", "20k"),
            "python" => {
                fs::write(directory.join("job.py"), block).expect("a file");
                "python3 job.py".to_owned()
            }
            other => panic!("{heading} has a block of {other}"),
        };
        let (is_done, printed) = run(&command, &directory);
        assert!(is_done, "{heading}: {command}\n{printed}");
        // A block before the last one of a job may only prepare the next one, and print nothing.
        let is_for_next = printed.is_empty() && number + 1 < blocks.len();
        assert!(is_for_next || sorted(&printed) == expected, "{heading}: {command}\n{printed}");
    }
    fs::remove_dir_all(directory).expect("the directory of the job");
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Whether a command succeeds, and what it prints.
fn run(command: &str, current: &Path) -> (bool, String) {
    let directory = Path::new(env!("CARGO_BIN_EXE_kselect")).parent().expect("a directory");
    let others = env::var_os("PATH").unwrap_or_default();
    let path =
        env::join_paths([directory.to_owned()].into_iter().chain(env::split_paths(&others))).expect("a path");
    let output = crate::environment::shell()
        .args(["-c", command])
        .current_dir(current)
        .env("PATH", path)
        // Partitions of 16 KiB, so that records are cut at many places.
        .env(
            "PYSPARK_SUBMIT_ARGS",
            "--master local[2] --conf spark.ui.enabled=false --conf spark.sql.files.maxPartitionBytes=16384 pyspark-shell",
        )
        .output()
        .expect("a shell");
    if !output.status.success() {
        println!("{}", String::from_utf8_lossy(&output.stderr));
    }
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn xargs_prints_what_one_process_prints() {
    check("xargs", "echo | xargs -0 -r -P 2 true", WHOLE);
}

#[test]
fn parallel_prints_what_one_process_prints() {
    check("GNU parallel", PARALLEL, WHOLE);
}

#[test]
fn spark_prints_what_one_process_prints_of_a_directory() {
    check("Spark: a directory of dumps", SPARK, WHOLE);
}

#[test]
fn spark_prints_what_one_process_prints_of_a_stream() {
    check("Spark: one large stream", SPARK, WHOLE);
}

#[test]
fn duckdb_sums_what_count_sums() {
    let count = "kselect count pods -q -R -f dumps -l app=web --by .spec.nodeName -o csv --no-headers";
    check("DuckDB", DUCKDB, count);
}
