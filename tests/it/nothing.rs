//! If nothing is selected, a note says how much was read, and which conditions no object meets.

use crate::support::Kselect;

const OBJECTS: &str = "\
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {app: web, tier: fe}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web, tier: fe}}
spec: {replicas: 3}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cache, namespace: ops, labels: {app: cache}}
spec: {replicas: 1}
";

#[track_caller]
fn check(args: &[&str], message: &str) {
    Kselect::get(args.iter().copied()).stdin(OBJECTS).stderr(message).prints_nothing();
}

#[test]
fn how_much_was_read_is_said_in_every_format() {
    const READ: &str = "kselect: read 3 objects, 2 of the requested type; --why shows why none is selected\n";
    // Output for programs is not followed by kubectl's message.
    for (format, words) in [
        (&[][..], "No resources found\n"),
        (&["-o", "wide"], "No resources found\n"),
        (&["-o", "name"], ""),
        (&["-o", "yaml"], ""),
    ] {
        let args = [&["deploy", "-l", "app=db"], format].concat();
        check(&args, &format!("{words}{READ}"));
    }
    check(
        &["-l", "app=db"],
        "No resources found\nkselect: read 3 objects; --why shows why none is selected\n",
    );
}

#[test]
fn conditions_that_no_object_meets_are_reported() {
    check(
        &["secrets", "-n", "shop"],
        "No resources found in shop namespace.\n\
         kselect: read 3 objects, none of the requested type and namespace; kselect count lists the kinds in the input\n",
    );
    check(
        &["deploy", "--name", "x*", "-n", "dev"],
        "No resources found in dev namespace.\n\
         kselect: read 3 objects, none of the requested type, name and namespace; kselect count lists the kinds in the input\n",
    );
    check(
        &["--exclude", "svc,deploy"],
        "No resources found\nkselect: read 3 objects, all of which are excluded\n",
    );
    Kselect::get(["svc"]).stdin("# nothing\n").stderr("No resources found\n").prints_nothing();
}

#[test]
fn a_label_that_no_object_has_is_named_with_the_nearest() {
    check(
        &["-l", "ap=web"],
        "No resources found\nkselect: read 3 objects; --why shows why none is selected\n\
         hint: no object has the label ap; did you mean app?\n",
    );
    check(
        &["-l", "app in (wbe,db)"],
        "No resources found\nkselect: read 3 objects; --why shows why none is selected\n\
         hint: no object has app=wbe; did you mean app=web?\n",
    );
    // One object has the first, and none has the second.
    check(
        &["deploy", "-l", "tier=be,environment in (prod)"],
        "No resources found\nkselect: read 3 objects, 2 of the requested type; --why shows why none is selected\n\
         hint: no object has the label environment\n",
    );
    // Labels that must not exist may be missing everywhere.
    check(
        &["-l", "app=db,!legacy,env!=prod"],
        "No resources found\nkselect: read 3 objects; --why shows why none is selected\n",
    );
}

#[test]
fn a_field_that_no_object_has_is_named_with_the_nearest() {
    check(
        &["deploy", "--where", "spec.replica > 1"],
        "kselect: left out 2 objects for which --where \"spec.replica > 1\" cannot be evaluated (no spec.replica); write \
         spec.?replica.orValue(...)\nNo resources found\nkselect: read 3 objects, 2 of the requested type; --why shows why \
         none is selected\nhint: no object has the field replica; did you mean replicas?\n",
    );
    check(
        &["--where", "labels.teir == 'fe'"],
        "kselect: left out 3 objects for which --where \"labels.teir == 'fe'\" cannot be evaluated (no labels.teir); write \
         labels.?teir.orValue(...)\nNo resources found\nkselect: read 3 objects; --why shows why none is selected\n\
         hint: no object has the field teir; did you mean tier?\n",
    );
    // A field that Kubernetes has, though not in these objects, is not misspelt.
    check(
        &["deploy", "--where", "spec.nodeName == 'a'"],
        "kselect: left out 2 objects for which --where \"spec.nodeName == 'a'\" cannot be evaluated (no spec.nodeName); \
         write spec.?nodeName.orValue(...)\nNo resources found\nkselect: read 3 objects, 2 of the requested type; --why shows \
         why none is selected\n",
    );
    check(
        &["deploy", "--where", "spec.replicas > 3"],
        "No resources found\nkselect: read 3 objects, 2 of the requested type; --why shows why none is selected\n",
    );
}

#[test]
fn where_the_exit_status_tells_of_it_a_selector_that_never_holds_is_a_warning() {
    let stderr = "No resources found\nkselect: read 3 objects; --why shows why none is selected\n\
                  warning: no object has the label ap; did you mean app?\n";
    Kselect::get(["-l", "ap=web", "-e"]).stdin(OBJECTS).status(4).stderr(stderr).prints_nothing();
    // Even if there is no other message.
    Kselect::get(["-l", "ap=web", "-e", "-q"])
        .stdin(OBJECTS)
        .status(4)
        .stderr("warning: no object has the label ap; did you mean app?\n")
        .prints_nothing();
}

#[test]
fn every_command_that_selects_says_it() {
    let stderr = "No resources found\nkselect: read 3 objects; kselect get --why shows why none is selected\n\
                  hint: no object has the label ap; did you mean app?\n";
    Kselect::new(["count", "-l", "ap=web"]).stdin(OBJECTS).stderr(stderr).prints_nothing();
    Kselect::new(["tree", "-l", "ap=web"]).stdin(OBJECTS).stderr(stderr).prints_nothing();
    Kselect::new(["label", "-l", "ap=web", "a=b"]).stdin(OBJECTS).stderr(stderr).prints(OBJECTS);
}

#[test]
fn quiet_and_ignored_are_silent() {
    Kselect::get(["-l", "ap=web", "-q"]).stdin(OBJECTS).prints_nothing();
    Kselect::get(["-l", "ap=web", "--ignore-not-found"]).stdin(OBJECTS).prints_nothing();
}

#[test]
fn rows_of_several_namespaces_without_that_column_are_noted() {
    const ROWS: &str = "NAME    READY   UP-TO-DATE   AVAILABLE   AGE\n\
                        web     0/3     0            0           <unknown>\n\
                        cache   0/1     0            0           <unknown>\n";
    Kselect::get(["deploy"])
        .stdin(OBJECTS)
        .stderr("kselect: the objects are in several namespaces; -A adds a NAMESPACE column\n")
        .prints(ROWS);
    Kselect::get(["deploy", "-q"]).stdin(OBJECTS).prints(ROWS);
    Kselect::get(["deploy", "-o", "name"])
        .stdin(OBJECTS)
        .prints("deployment.apps/web\ndeployment.apps/cache\n");
    // Objects without a namespace may be in the same one.
    Kselect::get(["deploy", "--no-headers"])
        .stdin(OBJECTS.replace("namespace: ops, ", ""))
        .prints("web     0/3   0     0     <unknown>\ncache   0/1   0     0     <unknown>\n");
}
