//! The input files of the benchmarks: generated once, and reused.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::generate::{self, Syntax};

/// The names of the inputs in their directory, and their sizes.
pub struct Inputs {
    /// The directory.
    pub directory: PathBuf,
    /// A stream as `helm template` prints it.
    pub helm: Input,
    /// A List of pods as YAML.
    pub list_yaml: Input,
    /// The same List as JSON.
    pub list_json: Input,
    /// A directory of [`FILES`] small files.
    pub files: Input,
    /// One small file.
    pub one: Input,
}

/// A file or directory.
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its bytes, or those of its files.
    pub bytes: u64,
}

/// The number of files in the directory of small files.
pub const FILES: usize = 20_000;

/// The number of files in each of its subdirectories.
const FILES_TOGETHER: usize = 100;

/// The number of pods in a List for each megabyte of the stream: at 50 MB, the List is about 44 MB of YAML.
const PODS_PER_MEGABYTE: usize = 106;

impl Inputs {
    /// Generates missing inputs in `directory`, with a stream of `megabytes` and Lists to match.
    pub fn make(directory: PathBuf, megabytes: usize) -> io::Result<Self> {
        fs::create_dir_all(&directory)?;
        let pods = megabytes * PODS_PER_MEGABYTE;
        let list = |syntax| move |path: &Path| file(path, |out| generate::pod_list(pods, syntax, out));
        let helm = |path: &Path| file(path, |out| generate::helm(megabytes * 1_000_000, out));
        let one = |path: &Path| {
            let (_, manifest) = generate::manifests().nth(4).expect("impossible: there is no end");
            fs::write(path, manifest)
        };
        Ok(Self {
            helm: input(&directory, format!("helm-{megabytes}.yaml"), helm)?,
            list_yaml: input(&directory, format!("pods-{pods}.yaml"), list(Syntax::Yaml))?,
            list_json: input(&directory, format!("pods-{pods}.json"), list(Syntax::Json))?,
            files: input(&directory, format!("files-{FILES}"), files)?,
            one: input(&directory, "one.yaml".to_owned(), one)?,
            directory,
        })
    }
}

/// Generates an input unless it exists; an incomplete one does not count.
fn input(directory: &Path, name: String, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<Input> {
    let path = directory.join(&name);
    if !path.exists() {
        eprintln!("making {}", path.display());
        let partial = directory.join(format!("partial-{}-{name}", std::process::id()));
        make(&partial)?;
        fs::rename(partial, &path)?;
    }
    Ok(Input { name, bytes: size(&path)? })
}

fn size(path: &Path) -> io::Result<u64> {
    if path.is_file() {
        return Ok(fs::metadata(path)?.len());
    }
    fs::read_dir(path)?.map(|entry| size(&entry?.path())).sum()
}

fn file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    write(&mut out)?;
    out.flush()
}

/// A repository of small files, one object each.
fn files(directory: &Path) -> io::Result<()> {
    // Long rendered files belong to charts, and do not occur by the thousand.
    let small = generate::manifests().filter(|(_, manifest)| manifest.len() < 4000).take(FILES);
    for (number, (name, manifest)) in small.enumerate() {
        let subdirectory = directory.join(format!("app-{:03}", number / FILES_TOGETHER));
        fs::create_dir_all(&subdirectory)?;
        fs::write(subdirectory.join(format!("{:02}-{name}", number % FILES_TOGETHER)), manifest)?;
    }
    Ok(())
}
