//! Commands in scripts and documents: what they make, and what they replace.

use memchr::memmem;

/// The programs whose commands say something: Argo CD's, eksctl, Helm, kubectl and what takes its verbs, and what replaces text.
/// Seen in sixeyed/kubernetes-ckad and cchen666/OpenShift-Labs.
const PROGRAMS: [&str; 8] = ["argocd", "eksctl", "helm", "k", "kubectl", "oc", "perl", "sed"];

/// Flags that have a value behind them, unless it follows a `=`.
const WITH_VALUES: [&str; 24] = [
    "--cert",
    "--cluster",
    "--context",
    "--dest-namespace",
    "--env",
    "--filename",
    "--from-file",
    "--from-literal",
    "--image",
    "--key",
    "--kubeconfig",
    "--labels",
    "--name",
    "--namespace",
    "--output",
    "--port",
    "--replicas",
    "--set",
    "--type",
    "--values",
    "-f",
    "-l",
    "-n",
    "-o",
];

/// The shortest text that tells a place in a manifest, in bytes, unless it is in capitals.
const SHORTEST: usize = 4;

/// What a command says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// The objects that it makes: the name of a resource, as in the command, and that of the object.
    pub objects: Vec<(String, String)>,
    /// The labels of an object that it makes or changes.
    pub labels: Vec<(String, String)>,
    /// The name of the release that it installs, from which the names of its objects begin.
    pub release: Option<String>,
    /// The namespace into which it installs what the input lacks: a chart, or manifests of the web.
    pub installs_in: Option<String>,
    /// Texts that it replaces in files.
    pub replaced: Vec<String>,
    /// The files that it gives to Helm as values.
    pub values: Vec<String>,
}

/// Whether a line may have a command that says something: most lines of documents have none.
pub(super) fn may_say(line: &str) -> bool {
    let is_called = |program: &str| {
        memmem::find_iter(line.as_bytes(), program.as_bytes())
            .any(|at| line.as_bytes().get(at + program.len()).is_some_and(u8::is_ascii_whitespace))
    };
    PROGRAMS.iter().any(|program| is_called(program))
}

/// What the commands of a line say.
pub(super) fn said(line: &str) -> impl Iterator<Item = Said> {
    split(line).into_iter().filter_map(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut programs = words.iter().map(|word| word.rsplit('/').next().unwrap_or(word));
        let at = programs.position(|program| PROGRAMS.contains(&program))?;
        let arguments = &words[at + 1..];
        match words[at].rsplit('/').next()? {
            "sed" | "perl" => Some(Said {
                replaced: arguments.iter().flat_map(|word| replaced(word)).collect(),
                ..Said::default()
            }),
            "helm" => of_helm(arguments),
            "argocd" => of_argo_cd(arguments),
            "eksctl" => of_eksctl(arguments),
            _ => of_kubectl(arguments),
        }
    })
}

/// Divides a line into the words of its commands, without quotes. An apostrophe within a word is none.
fn split(line: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(mark), _) if character == mark => quote = None,
            (None, '"' | '\'') if word.as_ref().is_none_or(|word| word.ends_with(['=', '$'])) => {
                word.get_or_insert_default();
                quote = Some(character);
            }
            (None, '|' | ';' | '&' | '`' | '(' | ')') => {
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    commands.push(words);
    commands
}

/// The values of a flag, in one of its forms.
fn values<'w>(words: &'w [&'w str], flags: &'w [&str]) -> impl Iterator<Item = &'w str> {
    let next = words.iter().skip(1).copied().chain([""]);
    words.iter().zip(next).filter_map(|(&word, next)| match word.split_once('=') {
        Some((flag, value)) => flags.contains(&flag).then_some(value),
        None => flags.contains(&word).then_some(next),
    })
}

/// The words that are neither flags nor their values.
fn operands<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let before = [""].into_iter().chain(words.iter().copied());
    let is_operand = |(word, before): &(&str, &str)| !word.starts_with('-') && !WITH_VALUES.contains(before);
    words.iter().copied().zip(before).filter(is_operand).map(|(word, _)| word).collect()
}

fn namespace(words: &[&str]) -> Option<String> {
    values(words, &["-n", "--namespace", "--dest-namespace"]).next().map(str::to_owned)
}

fn of_kubectl(words: &[&str]) -> Option<Said> {
    let operands = operands(words);
    let (verb, others) = operands.split_first()?;
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let label = |label: &str| label.split_once('=').map(|(key, value)| pair(key, value));
    let named = || values(words, &["--name"]);
    Some(match (*verb, others) {
        ("run", [name, ..]) => {
            let given = values(words, &["--labels", "-l"]).flat_map(|labels| labels.split(','));
            let mut labels: Vec<_> = given.filter_map(label).collect();
            if labels.is_empty() {
                labels.push(pair("run", name));
            }
            Said { objects: vec![pair("pod", name)], labels, ..Said::default() }
        }
        // The names of some are behind their types: `create secret generic NAME`.
        ("create", [resource, names @ ..]) => {
            let objects = names.iter().map(|name| pair(resource, name)).collect();
            let is_workload = matches!(*resource, "deployment" | "deploy");
            let labels = names.first().filter(|_| is_workload).map(|name| pair("app", name));
            Said { objects, labels: labels.into_iter().collect(), ..Said::default() }
        }
        ("expose", [.., last]) => {
            let name = named().next().unwrap_or(last.rsplit('/').next().unwrap_or(last));
            Said { objects: vec![pair("service", name)], ..Said::default() }
        }
        ("new-app", [name, ..]) => {
            let app = named().next().unwrap_or(name);
            let objects = ["deployment", "service"].map(|resource| pair(resource, app)).to_vec();
            let labels = ["app", "deployment"].map(|key| pair(key, app)).to_vec();
            Said { objects, labels, ..Said::default() }
        }
        ("new-project", [name, ..]) => Said { objects: vec![pair("namespace", name)], ..Said::default() },
        ("label", _) => {
            Said { labels: others.iter().filter_map(|word| label(word)).collect(), ..Said::default() }
        }
        ("apply" | "create" | "replace", _) => {
            let is_remote = words.iter().any(|word| word.contains("://") || word.starts_with("github.com/"));
            Said { installs_in: namespace(words).filter(|_| is_remote), ..Said::default() }
        }
        _ => return None,
    })
}

fn of_helm(words: &[&str]) -> Option<Said> {
    let operands = operands(words);
    let values = values(words, &["-f", "--values"]).flat_map(|files| files.split(',')).map(str::to_owned);
    let said = Said { values: values.collect(), ..Said::default() };
    Some(match operands[..] {
        ["install" | "upgrade", name, ..] => {
            Said { release: Some(name.to_owned()), installs_in: namespace(words), ..said }
        }
        _ => said,
    })
}

fn of_argo_cd(words: &[&str]) -> Option<Said> {
    let is_creation = operands(words).starts_with(&["app", "create"]);
    is_creation.then(|| Said { installs_in: namespace(words), ..Said::default() })
}

fn of_eksctl(words: &[&str]) -> Option<Said> {
    let is_creation = operands(words).starts_with(&["create", "iamserviceaccount"]);
    let name = values(words, &["--name"]).next().filter(|_| is_creation)?;
    Some(Said { objects: vec![("serviceaccount".to_owned(), name.to_owned())], ..Said::default() })
}

/// The texts that the expressions of sed in a word replace, such as `s|IMAGE|$IMAGE|g`: of regular expressions, the parts that
/// stand for themselves.
fn replaced(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for expression in word.split(';') {
        let Some(rest) = expression.trim_start().strip_prefix('s') else { continue };
        let Some(mark) = rest.chars().next().filter(char::is_ascii_punctuation) else { continue };
        let Some(pattern) = rest[mark.len_utf8()..].split(mark).next() else { continue };
        // What a shell fills in is not known.
        let parts = pattern.split(['^', '$', '*', '+', '?', '[', ']', '(', ')', '\\', '"', '\'']);
        // A key alone is on too many lines.
        let is_telling = |part: &&str| {
            part.len() >= SHORTEST && !part.trim_end().ends_with(':')
                || part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_uppercase())
        };
        found.extend(parts.map(|part| part.trim_matches('.')).filter(is_telling).map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn commands_say_what_they_make() {
        let made = |line| said(line).collect::<Vec<_>>();
        for (line, expected) in [
            (
                "kubectl run test --image=a:1 --labels=app=web,tier=fe",
                Said {
                    objects: pairs(&[("pod", "test")]),
                    labels: pairs(&[("app", "web"), ("tier", "fe")]),
                    ..Said::default()
                },
            ),
            (
                "$ sudo k run web --image a:1",
                Said {
                    objects: pairs(&[("pod", "web")]),
                    labels: pairs(&[("run", "web")]),
                    ..Said::default()
                },
            ),
            (
                "You can't do without `kubectl create deployment web --image=a`.",
                Said {
                    objects: pairs(&[("deployment", "web")]),
                    labels: pairs(&[("app", "web")]),
                    ..Said::default()
                },
            ),
            (
                "kubectl -n shop create secret generic keys --from-literal=a=b",
                Said { objects: pairs(&[("secret", "generic"), ("secret", "keys")]), ..Said::default() },
            ),
            (
                "kubectl label pod/a tier=fe app-",
                Said { labels: pairs(&[("tier", "fe")]), ..Said::default() },
            ),
            (
                "kubectl apply -n argocd -f https://example.com/install.yaml",
                Said { installs_in: Some("argocd".to_owned()), ..Said::default() },
            ),
            (
                "helm upgrade --install web bitnami/nginx --namespace=shop -f a.yaml --values b.yaml",
                Said {
                    release: Some("web".to_owned()),
                    installs_in: Some("shop".to_owned()),
                    values: texts(&["a.yaml", "b.yaml"]),
                    ..Said::default()
                },
            ),
            (
                "eksctl create iamserviceaccount --name ebs --namespace kube-system",
                Said { objects: pairs(&[("serviceaccount", "ebs")]), ..Said::default() },
            ),
            (
                "argocd app create web --dest-namespace shop",
                Said { installs_in: Some("shop".to_owned()), ..Said::default() },
            ),
        ] {
            assert_eq!(made(line), [expected], "{line}");
        }
        for line in ["kubectl get pods -l app=web", "helmet", "kubectl", ""] {
            assert_eq!(made(line), [], "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_may_be_a_command(line in "(kubectl|helm|sed|oc) ?([ -~äß]|'|\"|s/|-n |--[a-z]=){0,24}") {
            prop_assert!(said(&line).count() <= line.len());
        }
    }

    #[test]
    fn expressions_of_sed_say_what_they_replace() {
        let found = |line| said(line).flat_map(|said| said.replaced).collect::<Vec<_>>();
        assert_eq!(found("sed -i \"s|IMAGE_TAG|$TAG|g;s/XX/01/\" a.yaml"), ["IMAGE_TAG", "XX"]);
        assert_eq!(found("cat a.yaml | sed -e 's/image: .*$/image: a/' | kubectl apply -f -"), [""; 0]);
        assert_eq!(found("sed -n 's/ab/c/p'"), [""; 0]);
        assert_eq!(found("sed 's/image: shop.*/image: a/' a.yaml"), ["image: shop"]);
    }
}
