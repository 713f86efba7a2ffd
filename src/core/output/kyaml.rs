//! `-o kyaml`: kubectl's KYAML, a single object or a `v1` List.

use super::list::ListSyntax;
use syntax::emit::kyaml;

/// The List of `-o kyaml`.
pub static KYAML: ListSyntax = ListSyntax {
    document: "---\n",
    open: "---\n{\n  apiVersion: \"v1\",\n  items: [",
    first: "",
    between: ", ",
    last: "",
    close: "],\n  kind: \"List\",\n  metadata: {\n    resourceVersion: \"\",\n  },\n}\n",
    indent: 2,
    write: kyaml::value,
};
