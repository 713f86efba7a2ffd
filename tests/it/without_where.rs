//! A build without the feature `where` rejects expressions with a message, and does everything else.

use crate::support::Kselect;

const MANIFEST: &str = "{kind: Pod, apiVersion: v1, metadata: {name: a, labels: {app: web}}}";

#[test]
fn an_expression_is_refused_with_a_way_to_have_them() {
    let stderr = "error: this kselect was built without --where\n\
                  hint: cargo install builds it with --where, unless --no-default-features is given\n";
    Kselect::get(["--where", "true"]).stdin(MANIFEST).status(2).stderr(stderr).prints("");
}

#[test]
fn labels_and_fields_select() {
    let args = ["-l", "app", "--field-selector", "status.phase=Pending", "-o", "name"];
    Kselect::get(args).stdin(MANIFEST).prints("pod/a\n");
}
