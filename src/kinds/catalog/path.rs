//! Infers kinds from paths: dumps name files and directories after resources.

use super::builtin;
use super::resource::Resource;

/// How many directories above a file are considered before the words of its own name: those of a namespace and a
/// resource.
const NEAR: usize = 2;

/// The `apiVersion` and `kind` of the objects in a file with this path, from its name or else from the nearest
/// directory named after a built-in resource: `config/pod/NS/NAME.json`, `custom-resource-definitions.json`,
/// `k8s-pods.yaml`. `None` if there is none.
pub fn type_of_path(path: &str) -> Option<(String, String)> {
    let mut names = path.rsplit('/');
    let file = names.next()?;
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let words =
        || stem.rsplit(['-', '_']).find_map(|word| resource(word).filter(|found| found.plural() == word));
    // The directory above that of a namespace contains all namespaces.
    let is_above = |(depth, resource): &(usize, &Resource)| *depth > 0 && resource.kind() == "Namespace";
    let mut directories = names.enumerate().filter_map(|(depth, name)| Some((depth, resource(name)?)));
    let directory = directories.find(|found| !is_above(found));
    let near = directory.filter(|(depth, _)| *depth < NEAR).map(|(_, resource)| resource);
    let far = || directory.map(|(_, resource)| resource);
    let resource = resource(stem).or(near).or_else(words).or_else(far)?;
    Some((resource.api_version()?, resource.kind().to_owned()))
}

/// The built-in resource of a name in a dump: its plural, its singular or the plural of its short name, possibly with
/// hyphens between words and followed by a group, in upper or lower case.
fn resource(name: &str) -> Option<&'static Resource> {
    let (name, group) = name.split_once('.').unwrap_or((name, ""));
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    let joined: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    if joined.is_empty() {
        return None;
    }
    let is_short = |short: &str| joined.strip_suffix('s') == Some(short);
    let means = |resource: &&Resource| {
        (group.is_empty() || resource.group() == group)
            && (resource.plural() == joined
                || *resource.singular() == *joined
                || resource.short_names().any(is_short))
    };
    builtin::RESOURCES.iter().find(means)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_directories_are_named_after_resources() {
        for (path, kind) in [
            ("config/pod/openshift-etcd/etcd-0.example.com.json", Some("Pod")),
            ("config/node/worker-0.example.com.json", Some("Node")),
            ("cluster-resources/custom-resource-definitions.json", Some("CustomResourceDefinition")),
            ("cluster-resources/replicasets/default.json", Some("ReplicaSet")),
            ("cluster-resources/pvcs/default.json", Some("PersistentVolumeClaim")),
            ("cluster-resources/pvs.json", Some("PersistentVolume")),
            ("kubectl/table-pods.json", Some("Pod")),
            ("resources/ns/shop/Pods.json", Some("Pod")),
            ("resources/cluster/CustomResourceDefinitions.json", Some("CustomResourceDefinition")),
            ("resources/deployments.apps/namespaces/a/web.json", Some("Deployment")),
            ("config/pod/openshift-ingress-operator/ingress-operator-6557486749.json", Some("Pod")),
            ("secrets/of/mine/k8s-pods-20251103.yaml", Some("Pod")),
            ("config/alerts.json", None),
            ("values.yaml", None),
        ] {
            assert_eq!(type_of_path(path).map(|(_, kind)| kind).as_deref(), kind, "{path}");
        }
    }
}
