//! Kustomizations: what `check` finds in them, and what commands make of what lists what.

use crate::support::Kselect;

const A: (&str, &str) = ("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");

/// Checks `a.yaml` and these files. `expected` are the findings.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let files = [A].iter().chain(files);
    let kselect = Kselect::new(["check", "-R", "-f", "."]);
    let output = files.fold(kselect, |kselect, (path, text)| kselect.file(path, text)).run();
    let stdout = String::from_utf8_lossy(&output.stdout).replace(" [invalid-kustomization]", "");
    let lines = stdout.lines().map(|line| line.trim_start_matches("./").replace("(./", "("));
    assert_eq!(lines.collect::<Vec<_>>(), expected, "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(i32::from(!expected.is_empty())));
}

/// Checks a kustomization with `a.yaml` and the field `field` with these items on the next lines.
#[track_caller]
fn check_field(field: &str, items: &str, expected: &[&str]) {
    check(&[("kustomization.yaml", &format!("resources: [a.yaml]\n{field}:\n{items}\n"))], expected);
}

#[test]
fn a_kustomization_with_a_missing_file_is_refused() {
    for field in ["bases", "components", "crds", "configurations", "generators", "transformers", "validators"]
    {
        let expected = format!("kustomization.yaml:3: error lost in {field} does not exist");
        check_field(field, "- lost", &[&expected]);
    }
    for field in ["patches", "patchesJson6902", "replacements"] {
        let expected = format!("kustomization.yaml:3: error lost.yaml in {field} does not exist");
        check_field(field, "- path: lost.yaml", &[&expected]);
    }
    check_field(
        "patchesStrategicMerge",
        "- b.yml",
        &["kustomization.yaml:3: error b.yml in patchesStrategicMerge does not exist"],
    );
    for (items, path) in
        [("files: [key=lost.conf]", "lost.conf"), ("envs: [lost.env]", "lost.env"), ("env: lost", "lost")]
    {
        let items = format!("- name: made\n  {items}");
        let expected = format!("kustomization.yaml:4: error {path} in configMapGenerator does not exist");
        check_field("configMapGenerator", &items, &[&expected]);
    }
    for field in ["valuesFile: lost.yaml", "additionalValuesFiles: [lost.yaml]"] {
        let expected = "kustomization.yaml:4: error lost.yaml in helmCharts does not exist";
        check_field("helmCharts", &format!("- name: c\n  {field}"), &[expected]);
        // A chart may bring it.
        check_field("helmCharts", &format!("- name: c\n  {}", field.replace("lost", "charts/c/lost")), &[]);
    }
    check_field(
        "openapi",
        "  path: lost.json",
        &["kustomization.yaml:3: error lost.json in openapi does not exist"],
    );
    check(
        &[("kustomization.yaml", "resources:\n- deploymet.yaml\n"), ("deployment.yml", A.1)],
        &[
            "kustomization.yaml:2: error deploymet.yaml in resources does not exist; did you mean deployment.yml?",
        ],
    );
    // kustomize knows no patterns.
    check_field(
        "components",
        "- '*/lost'",
        &["kustomization.yaml:3: error */lost in components does not exist"],
    );
}

#[test]
fn what_is_not_in_the_input_is_counted_and_not_refused() {
    let addresses = "- https://example.com/a.yaml\n- github.com/kubernetes/x\n- git@example.com:a/b\n- ../elsewhere\n- ${DIRECTORY}\n";
    let kustomization = format!("resources:\n- app.yaml\n{addresses}- made.yaml\n");
    let app = || Kselect::new(["check", "-f", "app"]).file("app/app.yaml", A.1);
    app()
        .file("app/.gitignore", "made.*\n")
        .file("app/kustomization.yaml", &*kustomization)
        .stderr(
            "checked 1 object in 1 file: no findings; left out: 1 kustomization (not built; see -k), 5 paths of kustomizations outside the input, 1 missing path of a kustomization that an ignore file \
             names\n",
        )
        .prints_nothing();
    // A stranger could write that file.
    Kselect::new(["check", "--untrusted", "-f", "app"])
        .file("app/app.yaml", A.1)
        .file("app/.gitignore", "made.*\n")
        .file("app/kustomization.yaml", "resources:\n- app.yaml\n- made.yaml\n")
        .stderr(
            "kselect: left out app/kustomization.yaml:1 (document 1): kustomization (not built; see -k)\n",
        )
        .status(1)
        .prints(
            "app/kustomization.yaml:3: error [invalid-kustomization] made.yaml in resources does not exist\n",
        );
    app().file("app/kustomization.yaml", "resources:\n- app.yaml\n- made.yaml\n").status(1).prints(
        "app/kustomization.yaml:3: error [invalid-kustomization] made.yaml in resources does not exist\n",
    );
    // Files of other types, and what the walk leaves out, are there.
    check(
        &[
            ("kustomization.yaml", "configMapGenerator: [{name: a, files: [app.conf, .hidden/b.yaml]}]\n"),
            ("app.conf", "a\n"),
            (".hidden/b.yaml", "a: b\n"),
        ],
        &[],
    );
}

/// They tell kustomize which fields are what, and add no objects.
#[test]
fn configurations_and_openapi_do_not_hide_what_is_missing() {
    let patch = "patches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: w}}'}]\n";
    let lost = "overlay/kustomization.yaml:2: error a patch is for configmap/w, which this kustomization does not have";
    let overlay = format!("resources: [../base]\n{patch}");
    let configured = |configuration: &str, expected: &[&str]| {
        let base = ("base/kustomization.yaml", "{resources: [../a.yaml], configurations: [names.yaml]}\n");
        let files =
            [base, ("base/names.yaml", configuration), ("overlay/kustomization.yaml", overlay.as_str())];
        check(&files, expected);
    };
    configured("images: [{kind: Thing, path: spec/image}]\n", &[lost]);
    configured("nameReference: [{kind: A, fieldSpecs: [{kind: B, path: metadata/name}]}]\n", &[lost]);
    // A prefix comes twice then.
    configured("namePrefix: [{kind: ConfigMap, path: metadata/name}]\n", &[]);
    check_field(
        "openapi",
        "  path: lost.json\nconfigMapGenerator: [{name: w, behavior: merge}]",
        &[
            "kustomization.yaml:3: error lost.json in openapi does not exist",
            "kustomization.yaml:4: error w in configMapGenerator merges into configmap/w, which this kustomization does not have",
        ],
    );
}

#[test]
fn a_path_is_what_its_field_takes() {
    let component = "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nresources: []\n";
    let paths = "\
resources: [plain, part, part/kustomization.yaml, .]
components: [part, sub, a.yaml]
patches: [{path: sub}]
";
    let files = [
        ("kustomization.yaml", paths),
        ("part/kustomization.yaml", component),
        ("plain/b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"),
        ("sub/kustomization.yaml", "namePrefix: a-\n"),
    ];
    check(
        &files,
        &[
            "kustomization.yaml:1: error plain in resources is a directory without a kustomization",
            "kustomization.yaml:1: error part in resources is a component; list it in components",
            "kustomization.yaml:1: error part/kustomization.yaml in resources is a kustomization; list its directory",
            "kustomization.yaml:1: error . in resources contains this kustomization",
            "kustomization.yaml:2: error sub in components is not a component; list it in resources",
            "kustomization.yaml:2: error a.yaml in components is a file, and not the directory of a component",
            "kustomization.yaml:3: error sub in patches is a directory",
        ],
    );
    check(
        &[("kustomization.yaml", "resource: [a.yaml]\nresources: a.yaml\nnamePrefix: 1\nkind: Kustomize\n")],
        &[
            "kustomization.yaml:1: error kustomizations have no field resource; did you mean resources?",
            "kustomization.yaml:2: error resources is not a list",
            "kustomization.yaml:3: error namePrefix is not a string",
            "kustomization.yaml:4: error the kind is neither Kustomization nor Component",
        ],
    );
    check(
        &[("kustomization.yaml", "resources: [a.yaml]\n"), ("kustomization.yml", "resources: [a.yaml]\n")],
        &[
            "kustomization.yml:1: error kustomize refuses a directory with two kustomizations (kustomization.yaml)",
        ],
    );
}

#[test]
fn what_fields_hold_has_their_type() {
    let types = "\
resources: [a.yaml, 'https://example.com/a', 1]
images: [{name: nginx, newTag: 1.2}, {name: a, newTag: '1.2', digest: null}]
commonLabels: {a: 1, b: null}
configMapGenerator:
- {name: b, literals: [true], options: {disableNameSuffixHash: 'true', labels: {a: b}}}
replicas: [{name: a, count: '1'}, {name: a, count: '${COUNT}'}]
";
    check(
        &[("kustomization.yaml", types)],
        &[
            "kustomization.yaml:1: error resources[2] is not a string",
            "kustomization.yaml:2: error images[0].newTag is not a string",
            "kustomization.yaml:3: error commonLabels.a is not a string",
            "kustomization.yaml:5: error configMapGenerator[0].literals[0] is not a string",
            "kustomization.yaml:5: error configMapGenerator[0].options.disableNameSuffixHash is not a boolean",
            "kustomization.yaml:6: error replicas[0].count is not a whole number",
        ],
    );
    let unknown = "\
Resources: [a.yaml]
labels: [{pairs: {a: b}, include: true, Fields: [{path: a, kinds: A}]}]
images: [{name: nginx, tag: '1.2'}, {NAME: a, newTag: b}, latest]
patches: [{targets: {kind: A}, path: a.yaml}, {target: {names: a}, path: a.yaml, options: {any: true}}]
secretGenerator: [{name: b, literal: [a=b], typ: Opaque, options: {labels: a}}]
helmCharts: [{name: a, repository: b, valuesInline: {any: {value: 1}}}]
metadata: {name: a, uid: b}
replacements: [{source: {apiVersion: v1, kind: A, name: a}, targets: [{select: {kind: A}, fieldPaths: [a]}]}]
";
    check(
        &[("kustomization.yaml", unknown)],
        &[
            "kustomization.yaml:2: error labels[0] has no field include",
            "kustomization.yaml:2: error labels[0].Fields[0] has no field kinds; did you mean kind?",
            "kustomization.yaml:3: error images[0] has no field tag",
            "kustomization.yaml:3: error images[2] is not a map",
            "kustomization.yaml:4: error patches[0] has no field targets; did you mean target?",
            "kustomization.yaml:4: error patches[1].target has no field names; did you mean name?",
            "kustomization.yaml:5: error secretGenerator[0] has no field literal; did you mean literals?",
            "kustomization.yaml:5: error secretGenerator[0] has no field typ; did you mean type?",
            "kustomization.yaml:5: error secretGenerator[0].options.labels is not a map",
            "kustomization.yaml:6: error helmCharts[0] has no field repository",
            "kustomization.yaml:7: error metadata has no field uid",
            "kustomization.yaml:8: error replacements[0].source has no field apiVersion; did you mean version?",
        ],
    );
    let empty = "error kustomize refuses a kustomization without any field but its type";
    for text in ["", "# nothing\n", "apiVersion: kustomize.config.k8s.io/v1beta1\nresources:\n"] {
        let line = if text.ends_with(":\n") { ":1" } else { "" };
        check(&[("kustomization.yaml", text)], &[&format!("kustomization.yaml{line}: {empty}")]);
    }
    check(&[("kustomization.yaml", "resources: []\n")], &[]);
}

#[test]
fn patches_generators_and_listed_files_have_what_kustomize_needs() {
    let text = "
resources: [a.yaml, text.yaml, values.yaml, empty.yaml]
patches:
- patch: |-
    kind: ConfigMap
      metadata: {name: a}
- {target: {kind: ConfigMap}}
- {path: patch.yaml, patch: '{}'}
- patch: 'a: ${EXTRA}: b'
configMapGenerator:
- {name: b, literals: [x=1, word, x=2], files: [f=a.yaml, dir/f]}
- {name: c, literals: [x=1, x1=1]}
";
    let files = [
        ("kustomization.yaml", text),
        ("text.yaml", "The content of a page\n"),
        ("values.yaml", "a: 1\n"),
        ("empty.yaml", "# none\n"),
        ("patch.yaml", A.1),
        ("dir/f", "a"),
    ];
    check(
        &files,
        &[
            "kustomization.yaml:2: error text.yaml in resources is not an object with a kind",
            "kustomization.yaml:2: error values.yaml in resources is not an object with a kind",
            "kustomization.yaml:4: error a patch is not valid YAML",
            "kustomization.yaml:7: error a patch has neither patch nor path",
            "kustomization.yaml:8: error a patch has both patch and path",
            "kustomization.yaml:11: error an entry of configMapGenerator has the key f twice",
            "kustomization.yaml:11: error a literal in configMapGenerator is not KEY=VALUE",
            "kustomization.yaml:11: error an entry of configMapGenerator has the key x twice",
        ],
    );
}

#[test]
fn what_kustomize_cannot_parse_is_refused() {
    let neither = "kustomization.yaml:3: error a patch is neither a list of operations nor objects with a kind and a name";
    let no_json = "kustomization.yaml:3: error a JSON patch that starts with [ is not JSON; kustomize reads other YAML as a list of lines with -";
    let patch = |patch: &str, expected: &[&str]| {
        check_field("patches", &format!("- {{target: {{kind: ConfigMap}}, patch: \"{patch}\"}}"), expected);
    };
    let named = "kind: ConfigMap\\nmetadata: {name: x}";
    let operation = "- {op: add, path: /data, value: {}}";
    for text in [named, operation, "[]", "# a\\n[{op: add, path: /data, value: {}}]", "${PATCH}"] {
        patch(text, &[]);
    }
    for text in ["op: replace", "{a: 1}", "kind: ConfigMap", "- a", "text", &format!("{named}\\n---\\na: b")]
    {
        patch(text, &[neither]);
    }
    patch("[{op: remove, path: /data}]", &[no_json]);
    let expression = "kustomization.yaml:3: error the name of a target is not a regular expression";
    let of_name =
        |name: &str| format!("- {{target: {{kind: ConfigMap, name: '{name}'}}, patch: '{operation}'}}");
    check_field("patches", &of_name("("), &[expression]);
    check_field("patches", &of_name("a|b.*"), &[]);
    let nameless = "kustomization.yaml:3: error an entry of secretGenerator has no name";
    check_field("secretGenerator", "- literals: [a=b]", &[nameless]);
    let order = "kustomization.yaml:3: error sortOptions.order is neither fifo nor legacy";
    check_field("sortOptions", "  order: foo", &[order]);
    check_field("sortOptions", "  order: legacy", &[]);
}

#[test]
fn kustomizations_must_not_build_from_each_other() {
    check(
        &[
            ("x/kustomization.yaml", "resources:\n- ../y\n"),
            ("y/kustomization.yaml", "components:\n- ../z\n"),
            ("z/kustomization.yaml", "kind: Component\nresources:\n- ../x\n"),
        ],
        &["z/kustomization.yaml:3: error ../x in resources builds from this kustomization again"],
    );
}

#[test]
fn an_object_that_is_added_twice_is_refused() {
    let list = |paths: &str| format!("resources: [{paths}]\n");
    let twice = |path: &str| {
        format!("kustomization.yaml:1: error {path} in resources adds configmap/a again (a.yaml:1)")
    };
    let same = ("c/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n");
    check(&[("kustomization.yaml", &list("a.yaml, a.yaml"))], &[&twice("a.yaml")]);
    let duplicate =
        "c/a.yaml:3: warning [duplicate-object] configmap/a: the object is already defined (a.yaml:1)";
    check(&[("kustomization.yaml", &list("a.yaml, c/a.yaml")), same], &[duplicate, &twice("c/a.yaml")]);
    // Two bases of one: only where both are built.
    let middle =
        [("b/kustomization.yaml", "resources: [../x]\n"), ("c/kustomization.yaml", "resources: [../x]\n")];
    let base = [("x/kustomization.yaml", "resources: [b.yaml]\n"), ("x/b.yaml", A.1)];
    let both = ("kustomization.yaml", "resources: [b, c]\n");
    check(&[middle[0], middle[1], base[0], base[1]], &[]);
    let found = "kustomization.yaml:1: error c in resources adds configmap/a again (x/b.yaml:1)";
    check(&[both, middle[0], middle[1], base[0], base[1]], &[found]);
    // One that another name or namespace tells apart, or that a patch removes, is another one.
    let patched =
        "patches: [{target: {kind: ConfigMap}, patch: '- {op: add, path: /metadata/namespace, value: c}'}]";
    for field in ["namePrefix: c-", "nameSuffix: -c", "namespace: c", patched] {
        let other = ("c/kustomization.yaml", &*format!("resources: [../x]\n{field}\n"));
        check(&[both, middle[0], other, base[0], base[1]], &[]);
    }
    let removes = "resources: [../x]\npatches: [{patch: \"{$patch: delete, apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\"}]\n";
    check(&[both, middle[0], ("c/kustomization.yaml", removes), base[0], base[1]], &[]);
    // What all remove is there to be removed.
    check(&[("c/kustomization.yaml", removes), base[0], base[1]], &[]);
}

#[test]
fn what_generators_and_namespaces_make_the_same_is_refused() {
    check(
        &[("kustomization.yaml", "resources: [a.yaml]\nconfigMapGenerator:\n- {name: a, literals: [a=b]}\n")],
        &["kustomization.yaml:3: error a in configMapGenerator adds configmap/a again (a.yaml:1)"],
    );
    check(
        &[(
            "kustomization.yaml",
            "resources: [a.yaml]\nconfigMapGenerator:\n- {name: a, behavior: merge, literals: [a=b]}\n",
        )],
        &[],
    );
    // By each name that it has had; other behaviors than merge and replace are none.
    let base = |fields: &str| format!("configMapGenerator: [{{name: c}}]\n{fields}\n");
    let over = "resources: [../base]\nconfigMapGenerator: [{name: c, behavior: mrge}]\n";
    let again = "over/kustomization.yaml:2: error c in configMapGenerator adds configmap/c again";
    let deleted =
        "patches: [{patch: '{$patch: delete, apiVersion: v1, kind: ConfigMap, metadata: {name: c}}'}]";
    for (fields, expected) in
        [("namespace: shop", &[again][..]), ("namePrefix: p-", &[again]), (deleted, &[])]
    {
        let base = base(fields);
        check(&[("base/kustomization.yaml", &*base), ("over/kustomization.yaml", over)], expected);
    }
    let in_namespace =
        |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: b, namespace: {name}}}\n");
    let files = |kustomization| {
        [("b.yaml", in_namespace("b")), ("c.yaml", in_namespace("c")), ("kustomization.yaml", kustomization)]
    };
    let check_two = |kustomization: &str, expected: &[&str]| {
        let files = files(kustomization.to_owned());
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
        check(&files, expected);
    };
    check_two("resources: [b.yaml, c.yaml]\n", &[]);
    let found = "kustomization.yaml:2: error with the namespace or the prefix that is set here, two objects become one: configmap/b (b.yaml:1)";
    check_two("resources: [b.yaml, c.yaml]\nnamespace: d\n", &[found]);
}

#[test]
fn a_namespace_that_kustomizations_rename_is_another_one_in_each() {
    let namespace = |name: &str| format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n");
    let overlay = |name: &str| format!("{{namespace: {name}, resources: [../base]}}\n");
    let check_all = |top: &str, overlays: [&str; 2], expected: &[&str]| {
        let files = [
            ("base/kustomization.yaml", "resources: [ns.yaml]\n"),
            ("base/ns.yaml", &namespace("any")),
            ("one/kustomization.yaml", &overlay(overlays[0])),
            ("two/kustomization.yaml", &overlay(overlays[1])),
            ("top/kustomization.yaml", top),
            ("top/ns.yaml", &namespace("one")),
        ];
        check(&files, expected);
    };
    let both = "resources: [../one, ../two]\n";
    check_all(both, ["one", "two"], &[]);
    check_all("resources: [../two, ns.yaml]\n", ["one", "two"], &[]);
    check_all(
        both,
        ["one", "one"],
        &["top/kustomization.yaml:1: error ../two in resources adds namespace/one again (base/ns.yaml:1)"],
    );
    check_all(
        "resources: [../one, ns.yaml]\n",
        ["one", "two"],
        &["top/kustomization.yaml:1: error ns.yaml in resources adds namespace/one again (base/ns.yaml:1)"],
    );
}

#[test]
fn a_patch_knows_a_namespace_by_all_its_names() {
    for (name, delete) in
        [("system", ""), ("shop", ""), ("system", "$patch: delete, "), ("shop", "$patch: delete, ")]
    {
        let patch = format!("{{{delete}apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}");
        let top = format!("resources: [../middle]\npatches: [{{patch: '{patch}'}}]\n");
        let files = [
            ("middle/base/kustomization.yaml", "resources: [ns.yaml]\n"),
            ("middle/base/ns.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: system}\n"),
            ("middle/kustomization.yaml", "resources: [base]\nnamespace: shop\n"),
            ("top/kustomization.yaml", &top),
        ];
        check(&files, &[]);
        let kselect = Kselect::new(["get", "ns", "-R", "-f", ".", "-o", "name", "-q"]);
        let kselect = files.into_iter().fold(kselect, |kselect, (file, text)| kselect.file(file, text));
        kselect.prints(if delete.is_empty() { "namespace/shop\n" } else { "" });
    }
}

/// Checks an overlay with these lines of a base with `a.yaml` and the lines `base`.
#[track_caller]
fn check_overlay(base: &str, overlay: &str, expected: &[&str]) {
    let base = format!("resources: [a.yaml]\n{base}\n");
    let overlay = format!("resources: [../base]\n{overlay}\n");
    let part =
        "kind: Component\npatches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: part}}'}]\n";
    let files = [
        ("base/a.yaml", A.1),
        ("base/kustomization.yaml", &*base),
        ("part/kustomization.yaml", part),
        ("over/kustomization.yaml", &*overlay),
    ];
    let expected: Vec<String> =
        expected.iter().map(|found| format!("over/kustomization.yaml:2: error {found}")).collect();
    check(&files, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

fn patch(api_version: &str, metadata: &str) -> String {
    format!(
        "patches: [{{patch: '{{apiVersion: {api_version}, kind: ConfigMap, metadata: {{{metadata}}}}}'}}]"
    )
}

#[test]
fn what_a_kustomization_changes_or_reads_must_be_there() {
    let none = "which this kustomization does not have";
    check_overlay("", &patch("v1", "name: a"), &[]);
    let near = format!("a patch is for configmap/setings, {none}; did you mean settings?");
    check_overlay("configMapGenerator: [{name: settings}]", &patch("v1", "name: setings"), &[&near]);
    let of_file = "patchesStrategicMerge: [p.yaml]";
    check(
        &[
            ("kustomization.yaml", &format!("resources: [a.yaml]\n{of_file}\n")),
            ("p.yaml", "$patch: delete\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"),
        ],
        &[&format!(
            "kustomization.yaml:2: error p.yaml in patchesStrategicMerge is for secret/a, {none} (p.yaml)"
        )],
    );
    // Flux fills in variables when all is built.
    for (name, expected) in [
        (
            "${APPS}",
            Some(format!(
                "p.yaml in patches is for configmap/${{APPS}}, {none} (p.yaml); did you mean ${{APP}}?"
            )),
        ),
        ("${OTHER}", None),
        ("${APP}", None),
    ] {
        let object = |name| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: '{name}'}}\n");
        let root = ("kustomization.yaml", "resources: [b.yaml]\npatches: [{path: p.yaml}]\n");
        let expected = expected.map(|expected| format!("kustomization.yaml:2: error {expected}"));
        let expected: Vec<&str> = expected.as_deref().into_iter().collect();
        check(&[root, ("b.yaml", &object("${APP}")), ("p.yaml", &object(name))], &expected);
    }
    let of_version = format!("a patch is for configmap.v2/a, {none}; its apiVersion is v1");
    check_overlay("", &patch("v2/v1", "name: a"), &[&of_version]);
    for (lines, found) in [
        ("replicas: [{name: a, count: 1}]", "an entry of replicas is for the workload a"),
        (
            "configMapGenerator: [{name: b, behavior: merge}]",
            "b in configMapGenerator merges into configmap/b",
        ),
        ("secretGenerator: [{name: a, behavior: replace}]", "a in secretGenerator replaces secret/a"),
        (
            "vars: [{name: V, objref: {apiVersion: v1, kind: Secret, name: a}}]",
            "the var V is read from secret/a",
        ),
        (
            "replacements: [{source: {kind: Secret, name: a}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.x]}]}]",
            "a replacement is read from secret/a",
        ),
        ("components: [../part]", "../part in components: a patch is for configmap/part"),
    ] {
        check_overlay("", lines, &[&format!("{found}, {none}")]);
    }
    check_overlay("", "patches: [{patch: '- {op: remove, path: /data}'}]", &["a JSON patch has no target"]);
    check_overlay("", "patches: [../base/a.yaml]", &["patches[0] is not a map"]);
    check_overlay("", "replacements: [{targets: []}]", &["a replacement needs a source and targets"]);
}

#[test]
fn objects_are_found_by_all_names_that_they_have_had() {
    let none = "which this kustomization does not have";
    let base = "namespace: shop\nnamePrefix: x-\nnameSuffix: -y";
    for known in [
        "name: a",
        "name: a, namespace: default",
        "name: x-a-y, namespace: shop",
        "name: x-a, namespace: shop",
    ] {
        check_overlay(base, &patch("v1", known), &[]);
        let source = format!("source: {{kind: ConfigMap, {known}}}");
        let targets = "targets: [{select: {kind: ConfigMap}, fieldPaths: [data.x]}]";
        check_overlay(base, &format!("replacements: [{{{source}, {targets}}}]"), &[]);
    }
    let placed = format!("a patch is for configmap/a, {none}; it has no namespace yet");
    check_overlay("", &(patch("v1", "name: a, namespace: shop") + "\nnamespace: shop"), &[&placed]);
    // What is not known may be it.
    for open in ["resources: [../base, ../elsewhere]", "helmCharts: [{name: c}]", "generators: ['{kind: A}']"]
    {
        let lines =
            format!("{}\n{open}", patch("v1", "name: b")).replace("../elsewhere", "https://example.com/a");
        check_overlay("", &lines, &[]);
    }
    let renames =
        "patches: [{target: {kind: ConfigMap}, patch: '- {op: replace, path: /metadata/name, value: b}'}]";
    check_overlay(renames, &patch("v1", "name: b"), &[]);
    check_overlay("configMapGenerator: [{name: b}]", "configMapGenerator: [{name: b, behavior: merge}]", &[]);
}

#[test]
fn a_tree_says_that_kustomizations_cannot_be_built() {
    Kselect::new(["tree", "-f", ".", "-o", "mermaid"])
        .file(A.0, A.1)
        .file("kustomization.yaml", "resources: [a.yaml, lost.yaml]\nnameprefix: 1\n")
        .stderr(
            "kselect: kustomize refuses 2 entries of kustomizations, so what they would build is not shown; kselect check lists \
             them\n",
        )
        .prints("flowchart LR\n    n0[\"configmap/a\"]\n");
}

#[test]
fn a_name_that_kustomizations_give_is_known() {
    let get = |kustomization: &str| {
        Kselect::new(["get", "cm/y-x-a", "-R", "-f", ".", "-q", "-o", "name"])
            .file("base/a.yaml", A.1)
            .file("base/kustomization.yaml", "resources: [a.yaml]\n")
            .file("part/kustomization.yaml", "kind: Component\nnamePrefix: x-\n")
            .file("kustomization.yaml", kustomization)
    };
    get("{resources: [base], namePrefix: y-, components: [part]}\n").prints("configmap/a\n");
    let missing = "error: configmaps \"y-x-a\" not found\n";
    get("resources: [base]\n").status(1).stderr(missing).prints_nothing();
}

/// The kustomization of the directory `b`.
fn of_b(text: &str) -> (&str, &str) {
    ("b/kustomization.yaml", text)
}

#[test]
fn only_kustomizations_that_build_what_is_asked_for_are_reported() {
    let check = |args: &[&str], expected: &str| {
        Kselect::new(["check", "-R", "-f", "."].iter().chain(args).copied())
            .file("a.yaml", A.1)
            .file("b.yaml", A.1.replace("{name: a}", "{name: b, labels: {x: z}, namespace: shop}"))
            .file("one/kustomization.yaml", "resources: [../a.yaml, one]")
            .file("two/kustomization.yaml", "resources: [../b.yaml, two]")
            .file("all/kustomization.yaml", "resources: [../one, ../two, all]")
            .status(1)
            .prints(expected);
    };
    let finding = |name: &str| {
        format!(
            "./{name}/kustomization.yaml:1: error [invalid-kustomization] {name} in resources does not exist\n"
        )
    };
    let [all, one, two] = ["all", "one", "two"].map(finding);
    check(&[], &format!("{all}{one}{two}"));
    check(&["cm/a"], &format!("{all}{one}"));
    check(&["-l", "x=z"], &format!("{all}{two}"));
    check(&["-n", "other"], &format!("{all}{one}"));
}

#[test]
fn however_many_overlays_there_are_all_count() {
    let pod = |map: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{containers: [{{name: a, image: 'a:1', \
             envFrom: [{{configMapRef: {{name: {map}}}}}]}}]}}}}\n"
        )
    };
    let kselect = Kselect::new(["get", "-R", "-f", ".", "--uses", "cm/a", "-o", "name"])
        .file("base/kustomization.yaml", "resources: [a.yaml]")
        .file("base/a.yaml", A.1)
        .file("all/kustomization.yaml", "resources: [../base]")
        .file("p.yaml", pod("p9-a"));
    let overlay = |number| format!("resources: [../all]\nnamePrefix: p{number}-\n");
    (0..70)
        .fold(kselect, |kselect, number| {
            kselect.file(&format!("o{number}/kustomization.yaml"), overlay(number))
        })
        .stderr("kselect: skipped 72 kustomizations\n")
        .prints("pod/p\n");
    let kselect = Kselect::new(["check", "-R", "-f", ".", "--only", "dangling-reference"])
        .file("base/kustomization.yaml", "resources: [p.yaml]")
        .file("base/p.yaml", pod("wbe-config"));
    let map = |name: &str| A.1.replace("{name: a}", &format!("{{name: {name}}}"));
    ('a'..'u')
        .fold(kselect, |kselect, letter| {
            let name = if letter == 't' { "web-config".to_owned() } else { letter.to_string().repeat(9) };
            kselect
                .file(&format!("{letter}/kustomization.yaml"), "resources: [../base, a.yaml]")
                .file(&format!("{letter}/a.yaml"), map(&name))
        })
        .prints(
            "./base/p.yaml:1: warning [dangling-reference] pod/p: spec.containers[].envFrom[].configMapRef.name: the input has no \
             configmap/wbe-config (./t/a.yaml:1); did you mean web-config?\n",
        );
}

#[test]
fn a_hint_about_generators_is_for_the_namespace_that_is_asked_for() {
    let get = |namespace: &'static str| {
        Kselect::get(["cm", "-R", "-f", "k", "-n", namespace])
            .file(
                "k/kustomization.yaml",
                "namespace: shop\nconfigMapGenerator: [{name: a, literals: [a=b]}]\nresources: [s.yaml]\n",
            )
            .file("k/s.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n")
    };
    let none = |namespace: &str| {
        format!(
            "kselect: skipped 1 kustomization\nNo resources found in {namespace} namespace.\nkselect: read 1 object, none of the requested \
             type and namespace; kselect count lists the kinds in the input\n"
        )
    };
    let hint = "hint: k/kustomization.yaml makes configmaps; -k k reads what kustomize builds\n";
    get("shop").stderr(none("shop") + hint).prints_nothing();
    get("other").stderr(none("other")).prints_nothing();
    get("shop")
        .file(
            "k/other/kustomization.yaml",
            "namespace: shop\nsecretGenerator: [{name: c}]\nconfigMapGenerator: [{name: b, literals: [a=b]}]\n",
        )
        .stderr(
            none("shop").replace("1 kustomization", "2 kustomizations")
                + &hint.replace("yaml makes", "yaml and 1 other make"),
        )
        .prints_nothing();
    // Beside others, they are counted.
    Kselect::get(["cm", "-R", "-f", "k", "-n", "shop", "-o", "name"])
        .file("k/a.yaml", A.1)
        .file(
            "k/kustomization.yaml",
            "namespace: shop\nconfigMapGenerator: [{name: b, literals: [a=b]}]\nresources: [a.yaml]\n",
        )
        .stderr("kselect: skipped 1 kustomization\nkselect: 1 more configmap is made by generators; -k DIR reads what kustomize builds\n")
        .prints("configmap/a\n");
}

#[test]
fn what_is_built_in_too_many_ways_is_said() {
    let kselect = Kselect::new(["get", "-R", "-f", ".", "-o", "name"])
        .file("c0/kustomization.yaml", "resources: [a.yaml]")
        .file("c0/a.yaml", A.1);
    (1..23)
        .fold(kselect, |kselect, number| {
            let of = |letter| format!("resources: [../c{}]\nnamePrefix: {letter}{number}-\n", number - 1);
            kselect
                .file(&format!("a{number}/kustomization.yaml"), of('a'))
                .file(&format!("b{number}/kustomization.yaml"), of('b'))
                .file(&format!("c{number}/kustomization.yaml"), format!("resources: [../a{number}, ../b{number}]\n"))
        })
        .stderr(
            "kselect: kustomizations and applications build from each other in too many ways to follow all: namespaces, names and \
             labels that they give may be missing\nkselect: skipped 67 kustomizations\n",
        )
        .prints("configmap/a\n");
}

#[test]
fn transformers_that_are_listed_give_namespaces_names_and_labels() {
    let transformer =
        "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: x, namespace: two}\n";
    let inline = format!("resources: [a.yaml]\ntransformers:\n- |-\n  {}", transformer.replace('\n', "\n  "));
    let b = ("b/a.yaml", A.1);
    let files = [
        ("kustomization.yaml", "resources: [a, b]\n"),
        ("a/kustomization.yaml", "resources: [a.yaml]\ntransformers: [t.yaml]\n"),
        ("a/t.yaml", &*transformer.replace("two", "one")),
        ("a/a.yaml", A.1),
        ("b/kustomization.yaml", &*inline),
        b,
    ];
    // The objects of the two are not one.
    check(&files, &[]);
    let get = |args: &[&str], files: &[(&str, &str)]| {
        let kselect =
            Kselect::new(["get", "cm", "-R", "-f", ".", "--no-headers", "-o"].iter().chain(args).copied());
        let mut kselect = files.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text));
        String::from_utf8_lossy(&kselect.run().stdout).into_owned()
    };
    assert_eq!(get(&["name", "-n", "two"], &files), "configmap/a\n");
    let unset = inline.replace("namespace: two}", "namespace: two}\n  unsetOnly: true");
    let own = ("b/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: own}\n");
    assert_eq!(get(&["name", "-n", "two"], &[of_b(&unset), b]), "configmap/a\n");
    assert_eq!(get(&["name", "-n", "own"], &[of_b(&unset), own]), "configmap/a\n");
    assert_eq!(get(&["name", "-n", "two"], &[of_b(&inline), own]), "configmap/a\n");
    let labels = "resources: [a.yaml]\ntransformers:\n- |-\n  apiVersion: builtin\n  kind: LabelTransformer\n  metadata: {name: x}\n  \
                  labels: {team: x}\n  fieldSpecs: [{path: spec/template/metadata/labels, create: true}]\n";
    let web = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, \
               template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}}}\n---\n\
               {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {team: x}, ports: [{port: 80}]}}\n";
    let labelled = [of_b(labels), ("b/a.yaml", web)];
    let mut kselect = Kselect::new(["check", "--only=dangling-service", "-R", "-f", ".", "--advice"]);
    kselect = labelled.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text));
    assert_eq!(String::from_utf8_lossy(&kselect.run().stdout), "");
    let prefix = "resources: [a.yaml]\nnamePrefix: b-\ntransformers:\n- |-\n  apiVersion: builtin\n  kind: PrefixTransformer\n  metadata: {name: x}\n  \
                  prefix: a-\n  fieldSpecs: [{path: metadata/name}]\n";
    let web = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: x, envFrom: [{configMapRef: {name: a-b-a}}]}]}}\n";
    let files = [("b/kustomization.yaml", prefix), b, ("c/p.yaml", web)];
    let mut kselect = Kselect::new(["check", "--only=dangling-reference", "-R", "-f", ".", "--advice"]);
    kselect = files.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text));
    assert_eq!(String::from_utf8_lossy(&kselect.run().stdout), "");
}

/// Checks the targets of patches in `kustomization.yaml` and in these files. `expected` are the findings.
#[track_caller]
fn check_targets(files: &[(&str, &str)], expected: &[&str]) {
    let map = |name: &str, label: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{app: {label}}}}}\n---\n"
        )
    };
    let objects =
        map("web", "a") + &map("db", "b") + "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: db}\n";
    let kselect =
        Kselect::new(["check", "--only=unmatched-patch", "-R", "-f", "."]).file("base/o.yaml", &objects);
    let kselect =
        kselect.file("base/kustomization.yaml", "resources: [o.yaml]\nnamePrefix: x-\nnamespace: ns\n");
    let output = files.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text)).run();
    let found = String::from_utf8_lossy(&output.stdout);
    let found: Vec<&str> = found.lines().map(|line| line.trim_start_matches("./")).collect();
    assert_eq!(found, expected, "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_patch_whose_target_matches_nothing_is_found() {
    let nothing = "warning [unmatched-patch] no object of the build matches the target of this patch";
    let check_with = |fields: &str, target: &str, expected: Option<&str>| {
        let text = format!(
            "resources: [../base]\npatches:\n- patch: '[{{op: remove, path: /data}}]'\n  target: {target}\n{fields}\n"
        );
        let expected = expected.map(|rest| format!("over/kustomization.yaml:4: {nothing}: {rest}"));
        check_targets(
            &[("over/kustomization.yaml", &text)],
            &expected.as_deref().into_iter().collect::<Vec<_>>(),
        );
    };
    let check = |target: &str, expected: Option<&str>| check_with("", target, expected);
    // The name of the file, and the one that the base gives.
    for name in ["web", "x-web", "w.*", "(x-)?web", "${APP}"] {
        check(&format!("{{kind: ConfigMap, name: '{name}'}}"), None);
    }
    check("{kind: ConfigMap, name: wev}", Some("kind ConfigMap, name wev; did you mean web?"));
    check("{kind: ConfigMap, name: other}", Some("kind ConfigMap, name other"));
    check("{kind: Service, name: x-web}", Some("kind Service, name x-web; the build has configmap/x-web"));
    check("{kind: Config}", Some("kind Config"));
    check("{kind: Deployment, group: apps}", None);
    check("{kind: Deployment, group: extensions}", Some("group extensions, kind Deployment"));
    check("{kind: Deployment, version: v1beta1}", Some("version v1beta1, kind Deployment"));
    for namespace in ["ns", "default", "n.|m"] {
        check(&format!("{{kind: ConfigMap, namespace: '{namespace}'}}"), None);
    }
    check("{kind: ConfigMap, namespace: m}", Some("kind ConfigMap, namespace m"));
    check("{name: x-web, labelSelector: app=a}", None);
    check(
        "{name: x-web, labelSelector: app=b}",
        Some("name x-web, labelSelector ...; the build has configmap/x-web"),
    );
    check("{annotationSelector: a}", Some("annotationSelector a"));
    check("{annotationSelector: '!a'}", None);
    // What the input does not show may be it.
    let wrong = "{kind: ConfigMap, name: wev}";
    for open in
        ["helmCharts: [{name: c, repo: 'https://e.io'}]", "generators: [g.yaml]", "bases: ['https://e.io/b']"]
    {
        check_with(open, wrong, None);
    }
    check_with("configMapGenerator: [{name: wev, literals: [a=b]}]", wrong, None);
    // A patch that gives a name changes no kind.
    let rename = |name: &str| {
        format!(
            "- {{target: {{kind: Deployment}}, patch: '[{{op: replace, path: /metadata/name, value: {name}}}]'}}"
        )
    };
    check_with(&rename("new"), "{kind: Deployment}", None);
    check_with(&rename("new"), "{kind: Config}", Some("kind Config"));
    check_with(&rename("new"), "{kind: Config, name: new}", Some("kind Config, name new"));
    check_with(&rename("wev"), wrong, None);
    check_with(&rename("new"), wrong, Some("kind ConfigMap, name wev; did you mean web?"));
    check_with(&rename("${NEW}"), wrong, None);
    // One that changes a namespace renames nothing.
    let change = |operation: &str| {
        format!("- {{target: {{kind: Deployment}}, patch: '[{{{operation}}}]'}}\nnamespace: own")
    };
    for operation in [
        "op: remove, path: /metadata/namespace",
        "op: test, path: /kind, value: Deployment",
        "op: replace, path: /metadata/namespace, value: new",
    ] {
        check_with(&change(operation), wrong, Some("kind ConfigMap, name wev; did you mean web?"));
        check_with(&change(operation), "{kind: ConfigMap, namespace: default}", None);
    }
    let new = "{kind: ConfigMap, namespace: new}";
    check_with(&change("op: replace, path: /metadata/namespace, value: new"), new, None);
    check_with(&change("op: remove, path: /metadata/namespace"), new, Some("kind ConfigMap, namespace new"));
    check_with(&change("op: replace, path: /metadata/namespace, value: '${NEW}'"), wrong, None);
    // A component's is said once, whoever lists it.
    let patch = |fields: &str| {
        format!("{fields}\npatches: [{{target: {{name: nix}}, patch: '[{{op: remove, path: /data}}]'}}]\n")
    };
    let (over, part) = (
        patch("{resources: [../base], components: [../part]"),
        patch("{kind: Component, apiVersion: kustomize.config.k8s.io/v1alpha1"),
    );
    let [over, part] = [over, part].map(|text| text.replacen('\n', ",\n", 1) + "}");
    let found = ["a", "b", "part"].map(|of| format!("{of}/kustomization.yaml:2: {nothing}: name nix"));
    let files = [
        ("part/kustomization.yaml", &*part),
        ("a/kustomization.yaml", &over),
        ("b/kustomization.yaml", &over),
    ];
    check_targets(&files, &found.each_ref().map(String::as_str));
}

#[test]
fn a_patch_of_a_kind_is_no_doubt_about_others() {
    let check = |patches: &str, expected: &str| {
        let output = Kselect::new(["check", "--only=unmatched-patch,invalid-kustomization", "-R", "-f", "."])
            .file("a.yaml", "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}, rules: []}")
            .file("kustomization.yaml", format!("resources: [a.yaml]\npatches:\n{patches}"))
            .run();
        let found = String::from_utf8_lossy(&output.stdout);
        assert_eq!(found, expected, "{patches}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let kind = |name: &str| {
        format!(
            "- {{target: {{kind: ClusterRole, name: {name}}}, patch: '- {{op: replace, path: /kind, value: Role}}'}}\n"
        )
    };
    let of_role = |kind: &str, name: &str| {
        format!("- {{target: {{kind: {kind}, name: {name}}}, patch: '- {{op: remove, path: /rules}}'}}\n")
    };
    let object = |kind: &str| {
        format!(
            "- patch: '{{apiVersion: rbac.authorization.k8s.io/v1, kind: {kind}, metadata: {{name: b}}}}'\n"
        )
    };
    for patch in [String::new(), of_role("Role", "a"), of_role("Role|ClusterRole", "a"), object("Role")] {
        check(&(kind("a") + &patch), "");
    }
    let nothing = "warning [unmatched-patch] no object of the build matches the target of this patch: kind ClusterRole, name b";
    check(&kind("b"), &format!("./kustomization.yaml:3: {nothing}\n"));
    check(&(kind("a") + &of_role("ClusterRole", "b")), &format!("./kustomization.yaml:4: {nothing}\n"));
    check(
        &(kind("a") + &object("ClusterRole")),
        "./kustomization.yaml:4: error [invalid-kustomization] a patch is for clusterrole.rbac.authorization.k8s.io/b, which this \
         kustomization does not have\n",
    );
}

#[test]
fn an_image_that_no_container_of_the_build_has_is_found() {
    let pods = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: 'r.io:5000/web:1@sha256:ab'}]}\n---\n\
                apiVersion: a.b/v1\nkind: Runner\nmetadata: {name: a}\nspec: {tool: {image: 'x.io/tool:1'}, init: {initContainers: [{image: db}]}}\n";
    let check = |base: &str, over: &str, expected: Option<&str>| {
        let output = Kselect::new(["check", "--only=unmatched-image", "-R", "-f", "."])
            .file("base/o.yaml", pods)
            .file("base/kustomization.yaml", format!("resources: [o.yaml]\n{base}"))
            .file("over/kustomization.yaml", format!("resources: [../base]\n{over}"))
            .run();
        let found = String::from_utf8_lossy(&output.stdout);
        let nothing =
            "./over/kustomization.yaml:3: warning [unmatched-image] no container of the build has the image";
        let expected = expected.map(|rest| format!("{nothing} {rest}\n")).unwrap_or_default();
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(&output.stderr));
    };
    let image = |name: &str| format!("images:\n- {{name: '{name}', newTag: v2}}\n");
    for name in ["r.io:5000/web", "r.io:5000/web:1", "db", ".*/web", "${IMAGE}"] {
        check("", &image(name), None);
    }
    check("", &image("r.io:5000/wev"), Some("r.io:5000/wev; did you mean r.io:5000/web?"));
    check("", &image("web"), Some("web; did you mean r.io:5000/web?"));
    check("", &image("docker.io/library/db"), Some("docker.io/library/db; did you mean db?"));
    // That of a custom resource.
    check("", &image("x.io/tool"), None);
    check("", &image("other"), Some("other"));
    // What an earlier one makes of it, or a patch sets, and what the input does not show.
    let mirror = "images: [{name: db, newName: mirror/db}]\n";
    check(mirror, &image("mirror/db"), None);
    check("", &image("mirror/db"), Some("mirror/db; did you mean db?"));
    let patch = "[{op: replace, path: /spec/containers/0/image, value: \"other:1\"}]";
    check(&format!("patches: [{{target: {{kind: Pod}}, patch: '{patch}'}}]\n"), &image("other"), None);
    check("helmCharts: [{name: c, repo: 'https://e.io'}]\n", &image("other"), None);
    // What is left after one is removed may have no other.
    let removes = "patches: [{patch: '{apiVersion: v1, kind: Pod, metadata: {name: a}, $patch: delete}'}]\n";
    check(removes, &image("other"), Some("other"));
    check(removes, &image("r.io:5000/web"), None);
}

/// Of a Flux Kustomization, too. A file with nothing in it adds nothing.
#[test]
fn images_and_patches_of_flux_that_nothing_has_are_found() {
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: 'db:1'}]}\n";
    let check = |image: &str, target: &str, file: &str, expected: &[&str]| {
        let flux = format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: k, namespace: ns}}\nspec:\n  path: \
             ./apps\n  images:\n  - {{name: {image}, newTag: v2}}\n  patches:\n  - target: {{name: {target}}}\n    patch: '[{{op: \
             add, path: /spec/x, value: y}}]'\n"
        );
        let output = Kselect::new(["check", "--only=unmatched-image,unmatched-patch", "-R", "-f", "."])
            .file("apps/p.yaml", pod)
            .file("apps/other.yaml", file)
            .file("k.yaml", flux)
            .run();
        let found = String::from_utf8_lossy(&output.stdout)
            .replace("kustomization.kustomize.toolkit.fluxcd.io/k: ", "");
        assert_eq!(
            found.lines().collect::<Vec<_>>(),
            expected,
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let lost = [
        "./k.yaml:7: warning [unmatched-image] no container of the build has the image bd",
        "./k.yaml:9: warning [unmatched-patch] no object of the build matches the target of this patch: name x",
    ];
    for file in ["", "# later\n", "---\n"] {
        check("db", "p", file, &[]);
        check("bd", "x", file, &lost);
    }
    check("bd", "x", "a: [\n", &[]);
    check("bd", "x", "a: b\n", &[]);
}

#[test]
fn what_a_patch_may_rename_is_known_by_both_names() {
    let check = |name: &str, target: &str, expected: &[&str]| {
        let text = format!(
            "resources: [../base]\npatches:\n- patch: '{{kind: ConfigMap, apiVersion: v1, metadata: {{name: {name}}}}}'\n  target: \
             {{kind: ConfigMap, name: {target}}}\n  options: {{allowNameChange: true}}\n"
        );
        check_targets(&[("over/kustomization.yaml", &text)], expected);
    };
    let nothing = "over/kustomization.yaml:4: warning [unmatched-patch] no object of the build matches the target of this patch";
    check("live", "web", &[]);
    check("live", "wev", &[&format!("{nothing}: kind ConfigMap, name wev; did you mean web?")]);
    // Another patch may give a name before, as a placeholder may any.
    check("live", "live", &[]);
    check("'${NAME}'", "wev", &[]);
}

#[test]
fn a_patch_of_a_component_or_of_what_applies_a_kustomization_has_a_target() {
    let nothing = "warning [unmatched-patch]";
    let component = |name: &str| {
        format!(
            "kind: Component\npatches:\n- patch: '[{{op: remove, path: /data}}]'\n  target: {{name: {name}}}\n"
        )
    };
    let one = ("one/kustomization.yaml", "resources: [../base]\ncomponents: [../part]\n");
    let other = ("other/kustomization.yaml", "components: [../part]\n");
    check_targets(&[("part/kustomization.yaml", &component("web")), one, other], &[]);
    let expected = format!(
        "part/kustomization.yaml:4: {nothing} no object of the build matches the target of this patch: name wev; did you mean web?"
    );
    check_targets(&[("part/kustomization.yaml", &component("wev")), one], &[&expected]);
    // What Flux fills in changes no target.
    let filled = component("wev").replace("op: remove, path: /data", "op: add, path: /data, value: \"${X}\"");
    check_targets(&[("part/kustomization.yaml", &filled), one], &[&expected]);
    // A component that nothing lists is for any build.
    check_targets(&[("part/kustomization.yaml", &component("wev"))], &[]);
    let flux = |path: &str, target: &str| {
        format!(
            "apiVersion: v1\nkind: Namespace\nmetadata: {{name: ns}}\n---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n\
             metadata: {{name: k, namespace: ns}}\nspec:\n  path: {path}\n  sourceRef: {{kind: GitRepository, name: r}}\n  patches:\n  - \
             patch: '[{{op: remove, path: /data}}]'\n    target: {target}\n"
        )
    };
    let found = |target: &str| {
        format!(
            "ks.yaml:13: {nothing} kustomization.kustomize.toolkit.fluxcd.io/k: no object of the build matches the target of this patch: name {target}"
        )
    };
    check_targets(&[("ks.yaml", &flux("base", "{name: web}"))], &[]);
    check_targets(&[("ks.yaml", &flux("base", "{name: nix}"))], &[&found("nix")]);
    // Flux takes all files of a directory without a kustomization, and the kustomizations in it.
    let apps = [("apps/a.yaml", A.1), ("apps/b/kustomization.yaml", "resources: [../../base]\n")];
    for name in ["a", "x-db"] {
        check_targets(&[apps[0], apps[1], ("ks.yaml", &flux("apps", &format!("{{name: {name}}}")))], &[]);
    }
    check_targets(&[apps[0], apps[1], ("ks.yaml", &flux("apps", "{name: nix}"))], &[&found("nix")]);
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: ns}\nspec:\n  destination: {namespace: ns}\n  \
                       source:\n    repoURL: r\n    path: base\n    kustomize: {patches: [{patch: '[]', target: {name: nix}}]}\n";
    check_targets(
        &[("app.yaml", application)],
        &[
            "app.yaml:9: warning [unmatched-patch] application.argoproj.io/a: no object of the build matches the target of this patch: name nix",
        ],
    );
}

#[test]
fn a_file_that_no_kustomization_lists_is_advice() {
    let map = |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n");
    let check = |kustomization: &str, files: &[(&str, &str)], expected: &[&str]| {
        let kselect = Kselect::new(["check", "--only=unlisted-file", "-R", "-f", "."]);
        let kselect =
            kselect.file("k/kustomization.yaml", kustomization).file("k/listed.yaml", map("listed"));
        let output = files.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text)).run();
        let found = String::from_utf8_lossy(&output.stdout).replace("./", "");
        let expected = expected.iter().map(|object| {
            let (file, name) = object.split_once(' ').expect("a name");
            format!(
                "{file}:1: advice [unlisted-file] configmap/{name}: no kustomization lists this file, and nothing else of the input applies it (k/kustomization.yaml)"
            )
        });
        assert_eq!(found.lines().collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    };
    let (a, b, c) = (map("a") + "---\n" + &map("a2"), map("b"), map("c"));
    let files = [("k/a.yaml", &*a), ("k/sub/b.yaml", &b), ("c.yaml", &c)];
    check("resources: [listed.yaml]\n", &files, &["k/a.yaml a", "k/sub/b.yaml b"]);
    check("resources: [listed.yaml, sub/b.yaml]\npatches: [{path: a.yaml}]\n", &files, &[]);
    check("resources: []\n", &files, &["k/a.yaml a", "k/listed.yaml listed"]);
    check(
        "resources: [listed.yaml]\nconfigMapGenerator: [{name: m, files: [k=a.yaml, sub/b.yaml]}]\n",
        &files,
        &[],
    );
    // A plugin reads what its configuration names.
    let plugin =
        "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: g}\nfiles: [./a.yaml, sub/b.yaml]\n";
    let with_plugin = [files[0], files[1], ("k/g.yaml", plugin)];
    check("resources: [listed.yaml]\ngenerators: [g.yaml]\n", &with_plugin, &[]);
    let inline = plugin.replace('\n', "\n    ");
    check(&format!("resources: [listed.yaml]\ngenerators:\n  - |\n    {inline}\n"), &files[..2], &[]);
    // Below one that lists no file by name, others may be built on their own.
    check(
        "resources: [sub]\n",
        &[files[0], ("k/sub/kustomization.yaml", "resources: [b.yaml]\n"), files[1], ("k/apart/c.yaml", &c)],
        &["k/a.yaml a", "k/listed.yaml listed"],
    );
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: ns}\nspec:\n  destination: {namespace: ns}\n  \
                       source: {repoURL: r, path: k/sub}\n";
    check("resources: [listed.yaml]\n", &[files[1], ("app.yaml", application)], &[]);
}

#[test]
fn what_an_unlisted_file_has_is_not_applied_together_with_the_others() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n  - {name: c, image: x:1, envFrom: [{configMapRef: {name: \
               env}}, {configMapRef: {name: a}}]}\n";
    let kselect =
        Kselect::new(["check", "--advice", "--only=dangling-reference", "-R", "-f", "."]).file(A.0, A.1);
    let kselect = kselect.file("kustomization.yaml", "resources: [a.yaml, pod.yaml]\n").file("pod.yaml", pod);
    kselect.file("env.yaml", A.1.replace("name: a", "name: env")).prints(
        "./pod.yaml:6: warning [dangling-reference] pod/web: spec.containers[].envFrom[].configMapRef.name: no configmap/env is applied together with it (./env.yaml:1); no kustomization lists its file\n",
    );
}

#[test]
fn a_name_or_a_namespace_that_is_replaced_may_be_any() {
    let check = |kustomization: &str| {
        let kselect = Kselect::new(["check", "--advice", "--only=invalid-name", "-R", "-f", "."]);
        let kselect =
            kselect.file("ns.yaml", A.1.replace("ConfigMap", "Namespace").replace("name: a", "name: _"));
        let kselect = kselect.file("a.yaml", A.1.replace("name: a", "name: a, namespace: _"));
        let found = kselect.file("kustomization.yaml", kustomization).run().stdout;
        String::from_utf8_lossy(&found).lines().count()
    };
    assert_eq!(check("resources: [ns.yaml, a.yaml]\nnamespace: web\n"), 0);
    assert_eq!(check("resources: [ns.yaml, a.yaml]\n"), 2);
}

#[test]
fn the_summary_says_what_advice_is_counted_only_if_it_is_asked_for() {
    let summary = |args: &[&str]| {
        let kselect = Kselect::new(["check", "-R", "-f", "."].iter().chain(args).copied()).file(A.0, A.1);
        let service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n";
        let mut kselect = kselect.file("kustomization.yaml", "resources: [s.yaml]\n").file("s.yaml", service);
        String::from_utf8_lossy(&kselect.run().stderr).into_owned()
    };
    let checked = "checked 2 objects in 2 files";
    assert_eq!(
        summary(&[]),
        format!(
            "{checked}: no findings; 1 piece of advice (--advice); left out: 1 kustomization (not built; see -k)\n"
        )
    );
    let with_labels = format!(
        "{checked}: 2 pieces of advice (1 of missing-labels, only counted with --advice); left out: 1 kustomization (not built; see -k)\n"
    );
    assert_eq!(summary(&["--advice"]), with_labels);
}

#[test]
fn what_flux_builds_twice_from_a_directory_without_a_kustomization_is_refused() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k}\nspec:\n  path: ./apps\n  \
                interval: 1m\n  prune: true\n  sourceRef: {kind: GitRepository, name: all}\n";
    let listing = "resources: [../../a.yaml]\n";
    let found = |files: &[(&str, &str)]| {
        let files = [A, ("ks.yaml", flux), ("apps/a/kustomization.yaml", listing)]
            .into_iter()
            .chain(files.iter().copied());
        let kselect = Kselect::new(["check", "--only=invalid-kustomization", "-R", "-f", "."]);
        let output = files.fold(kselect, |kselect, (path, text)| kselect.file(path, text)).run();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let refused = |file: &str| {
        format!(
            "./ks.yaml:1: error [invalid-kustomization] kustomization.kustomize.toolkit.fluxcd.io/k: ./apps/{file} in spec.path adds \
             configmap/a again (./a.yaml:1)\n"
        )
    };
    assert_eq!(found(&[("apps/b/kustomization.yaml", listing)]), refused("b/kustomization.yaml"));
    assert_eq!(found(&[("apps/b/kustomization.yaml", &format!("namePrefix: b-\n{listing}"))]), "");
    assert_eq!(found(&[("apps/b.yaml", A.1)]), refused("b.yaml"));
    // Flux reads no other files, and not those that are left out.
    let json = r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}"#;
    assert_eq!(found(&[("apps/b.json", json)]), "");
    for (file, patterns, is_read) in [
        ("apps/.sourceignore", "b.yaml\n", false),
        (".sourceignore", "apps/b.yaml\n", false),
        (".sourceignore", "/*\n!/apps\n", true),
        (".sourceignore", "docs/\nb.yaml\n", false),
        (".sourceignore", "docs/\nb/\n", true),
    ] {
        let refused = refused("b.yaml").repeat(usize::from(is_read));
        assert_eq!(found(&[("apps/b.yaml", A.1), (file, patterns)]), refused, "{file} {patterns}");
    }
    assert_eq!(found(&[("apps/b.yaml", A.1), ("apps/kustomization.yaml", "resources: [a]\n")]), "");
}

/// Checks `base`, which lists a Deployment `web`, with these files. `expected` are the findings of the rule.
#[track_caller]
fn check_operations(files: &[(&str, &str)], expected: &[&str]) {
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {paused: true, template: {spec: {hostPID: true}}}\n";
    let kselect = Kselect::new(["check", "--only=invalid-kustomization", "-R", "-f", "."])
        .file("base/web.yaml", web)
        .file("base/kustomization.yaml", "resources: [web.yaml]\n");
    let output = files.iter().fold(kselect, |kselect, (path, text)| kselect.file(path, text)).run();
    let found = String::from_utf8_lossy(&output.stdout).replace(" [invalid-kustomization]", "");
    let found: Vec<&str> = found.lines().map(|line| line.trim_start_matches("./")).collect();
    assert_eq!(found, expected, "{files:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// A JSON patch of Deployments, which removes what `web` does not have, and what is said of it.
const REMOVE: &str = "- target: {kind: Deployment}\n  patch: |\n    - {op: remove, path: /spec/x}\n";
const REFUSED: &str =
    "over/kustomization.yaml:4: error op remove of /spec/x, which deployment.apps/web does not have";

#[test]
fn a_json_patch_of_what_an_object_does_not_have_is_refused() {
    let check = |fields: &str, expected: &[&str]| {
        let over = format!("resources: [../base]\n{fields}");
        check_operations(&[("over/kustomization.yaml", &over)], expected);
    };
    let patches = format!("patches:\n{REMOVE}");
    check(&patches, &[REFUSED]);
    check(&patches.replace("patches:", "patchesJson6902:"), &[REFUSED]);
    check(&format!("{patches}namespace: a\nreplicas: [{{name: web, count: 1}}]\n"), &[REFUSED]);
    check(&patches.replace("/x", "/paused"), &[]);
    // It is not for this object, or perhaps not.
    for target in ["{name: db}", "{labelSelector: a=b}", "{name: '${A}'}"] {
        check(&patches.replace("{kind: Deployment}", target), &[]);
    }
    // kustomize does not read this one.
    let text = "[{op: remove, path: /spec/x}]";
    let broken = "over/kustomization.yaml:4: error a JSON patch that starts with [ is not JSON; kustomize reads other YAML as a list of lines with -";
    check(&patches.replace("- {op: remove, path: /spec/x}", text), &[broken]);
    let file = ("over/p.yaml", "- op: test\n  path: /spec/paused\n  value: false\n");
    let over = "resources: [../base]\nnamePrefix: a-\npatches: [{target: {name: web}, path: p.yaml}]\n";
    let refused = "over/kustomization.yaml:3: error op test of /spec/paused, which has another value in deployment.apps/web (./over/p.yaml)";
    check_operations(&[file, ("over/kustomization.yaml", over)], &[refused]);
}

#[test]
fn a_json_patch_of_what_may_have_been_changed_is_not_judged() {
    let check_after = |base: &str, before: &str, expected: &[&str]| {
        let over = format!("resources: [../base]\npatches:\n{REMOVE}{before}");
        let base = format!("resources: [web.yaml]\n{base}\n");
        check_operations(&[("over/kustomization.yaml", &over), ("base/kustomization.yaml", &base)], expected);
    };
    for base in [
        "generators: [web.yaml]",
        "bases: ['https://e.io/b']",
        "replacements: [{source: {kind: Deployment, name: web}, targets: [{select: {kind: A}, fieldPaths: [a]}]}]",
        "replicas: [{name: web, count: 1}]",
    ] {
        check_after(base, "", &[]);
    }
    check_after("images: [{name: a, newTag: b}]\nlabels: [{pairs: {a: b}}]", "", &[REFUSED]);
    // Transformers only change the fields that configurations name.
    for (configuration, expected) in [
        ("varReference: [{path: metadata/annotations}]\n", &[REFUSED][..]),
        ("namespace: [{kind: Deployment, path: spec/y, create: true}]\n", &[REFUSED]),
        ("namespace: [{kind: Deployment, path: spec/x}]\n", &[REFUSED]),
        ("namespace: [{kind: Deployment, path: spec/x/y, create: true}]\n", &[]),
        ("images: [{kind: Deployment, path: spec/y}]\n", &[]),
    ] {
        let over = format!("resources: [../base]\npatches:\n{REMOVE}");
        let base = "{resources: [web.yaml], configurations: [c.yaml]}\n";
        let files = [
            ("over/kustomization.yaml", &*over),
            ("base/kustomization.yaml", base),
            ("base/c.yaml", configuration),
        ];
        check_operations(&files, expected);
    }
    for before in [
        "- target: {name: web}\n  patch: '[{\"op\": \"add\", \"path\": \"/spec/x\", \"value\": 1}]'\n",
        "- patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {x: 1}}'\n",
        "- patch: '{apiVersion: v1, kind: List, items: [{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {x: 1}}]}'\n",
    ] {
        let over = format!("resources: [../base]\npatches:\n{before}{REMOVE}");
        check_operations(&[("over/kustomization.yaml", &over)], &[]);
        // Also in a base, and by a name that it has had.
        check_after(&format!("patches:\n{before}"), "", &[]);
    }
    let later = "- target: {name: web}\n  patch: '{kind: Deployment, apiVersion: a, metadata: {name: a}}'\n";
    check_after("", later, &[REFUSED]);
    let by_prefix =
        "- patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: a-web}, spec: {x: 1}}'\n";
    let middle = format!("resources: [../base]\npatches:\n{by_prefix}namePrefix: b-\n");
    let over = format!("resources: [../middle]\npatches:\n{REMOVE}");
    let base = "resources: [web.yaml]\nnamePrefix: a-\n";
    let files = [
        ("over/kustomization.yaml", &*over),
        ("middle/kustomization.yaml", &middle),
        ("base/kustomization.yaml", base),
    ];
    check_operations(&files, &[]);
}

#[test]
fn a_json_patch_of_a_component_or_of_what_applies_a_kustomization_is_refused() {
    let component = format!("kind: Component\npatches:\n{REMOVE}");
    let over = ("over/kustomization.yaml", "resources: [../base]\nnamePrefix: a-\ncomponents:\n- ../part\n");
    let refused = REFUSED.replace("error", "error ../part in components:");
    check_operations(&[("part/kustomization.yaml", &component), over], &[&refused]);
    // Flux adds the patch to those of the kustomization, before names change.
    for (name, is_refused) in [("web", true), ("a-web", false)] {
        let flux = format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: k, namespace: ns}}\nspec:\n  path: over\n  \
             sourceRef: {{kind: GitRepository, name: r}}\n  patches:\n  - target: {{name: {name}}}\n    patch: |\n      - {{op: remove, path: /spec/x}}\n"
        );
        let over = ("over/kustomization.yaml", "resources: [../base]\nnamePrefix: a-\n");
        let refused = "k.yaml:9: error kustomization.kustomize.toolkit.fluxcd.io/k: op remove of /spec/x, which deployment.apps/a-web does not have";
        check_operations(&[over, ("k.yaml", &flux)], &[refused][..usize::from(is_refused)]);
    }
}

#[test]
fn transformers_in_a_directory_are_those_that_its_kustomization_builds() {
    let transformer = "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: t, namespace: x}\n\
                       fieldSpecs: [{path: spec/targetNamespace, kind: Kustomization, create: true}]\n";
    let applier = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k}\n\
                   spec: {path: ./app, sourceRef: {kind: GitRepository, name: r}}\n";
    // The namespaces of a, k and c.
    let check = |kustomization: &str, expected: [&str; 3]| {
        let mut kselect = Kselect::new(["get", "cm,kustomization", "-R", "-f", ".", "-A", "--no-headers"])
            .file("a/kustomization.yaml", "resources: [a.yaml, k.yaml]\ntransformers: [t]\n")
            .file("a/a.yaml", A.1)
            .file("a/k.yaml", applier)
            .file("a/t/kustomization.yaml", kustomization)
            .file("app/c.yaml", A.1.replace("name: a", "name: c"))
            .file("shared/kustomization.yaml", "resources: [t.yaml]\n")
            .file("shared/t.yaml", transformer);
        let output = String::from_utf8_lossy(&kselect.run().stdout).into_owned();
        let rows = output.lines().filter_map(|row| Some(row.split_whitespace().next()?.to_owned()));
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    };
    check("namespace: shop\nresources: [../../shared]\n", ["shop"; 3]);
    check("resources: [../../shared]\n", ["x"; 3]);
    // What patches make of the transformers is not known, and neither is what is elsewhere.
    let patched =
        "resources: [../../shared]\npatches: [{patch: '[]', target: {kind: NamespaceTransformer}}]\n";
    check(patched, ["<unknown>"; 3]);
    check("resources: [../../other]\n", ["<unknown>", "default", "<unknown>"]);
}

#[test]
fn a_namespace_has_the_names_that_all_its_kustomizations_give_it() {
    let kselect = |args: &[&str]| {
        let overlay = |name: &str| format!("namespace: {name}\nresources: [../base]\n");
        Kselect::new(args.iter().chain(&["-R", "-f", "."]).copied())
            .file("base/kustomization.yaml", "resources: [ns.yaml]\n")
            .file("base/ns.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: .invalid}\n")
            .file("one/kustomization.yaml", overlay("one"))
            .file("two/kustomization.yaml", overlay("two"))
            .stderr("kselect: skipped 3 kustomizations\n")
    };
    kselect(&["get", "ns"]).prints("NAME      STATUS   AGE\none,two   Active   <unknown>\n");
    kselect(&["get", "ns/two", "--no-headers"]).prints("one,two   Active   <unknown>\n");
    kselect(&["get", "ns", "-o", "name"]).prints("namespace/one,two\n");
    kselect(&["get", "ns", "-o", "custom-columns=A:.metadata.name"]).prints("A\none,two\n");
    kselect(&["check", "--only=invalid-name"]).stderr("").prints_nothing();
    // Relations know it by each.
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: flux}\n\
                spec: {path: ./web, targetNamespace: two, sourceRef: {kind: GitRepository, name: g}}\n";
    let flux = |args: &[&str]| kselect(args).file("flux.yaml", flux);
    flux(&["tree", "ks/web", "--no-headers"]).stderr("").prints(
        "kustomization.kustomize.toolkit.fluxcd.io/web                   -         -     -        <unknown>\n\
         ├─path/web of GitRepository/g (not in the input)                applies   -     -        -\n\
         ├─namespace/one,two                                             uses      -     Active   <unknown>\n\
         └─gitrepository.source.toolkit.fluxcd.io/g (not in the input)   uses      -     -        -\n",
    );
    flux(&["get", "ks", "--uses", "ns/two", "-o", "name"])
        .prints("kustomization.kustomize.toolkit.fluxcd.io/web\n");
}
