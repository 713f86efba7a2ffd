//! Objects, lists of them, tables and watches.

use std::fmt::Display;

use compact_str::CompactString;
use serde_json::{Value as Json, json};

use super::api::Api;
use super::discovery;
use super::index::{ObjectReader, Types};
use super::logs;
use super::reply::{Failure, Reply};
use super::request::{Accepted, Objects, Parameters};
use super::scale;
use super::status::Status;
use kinds::catalog::Resource;
use kinds::catalog::grammar;
use kinds::catalog::object::{NAMESPACE_NAME, ObjectLabels};
use kselect_core::output::TableLayout;
use kselect_core::output::rows::{ColumnDefinition, Rows, TableOptions};
use kselect_core::selection::{Selection, SelectionError};
use manifest::object::Object;
use selector::{fields, labels};
use syntax::emit;
use syntax::fields::{FieldSet, Fields};
use syntax::gvk;
use syntax::head::Head;
use syntax::tree::{Map, Node, Span, Value};

/// The group of tables and of objects without anything but metadata.
const META: &str = "meta.k8s.io";

/// The annotation of the bookmark after the objects there are (apimachinery, meta/v1, InitialEventsAnnotationKey).
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// How many objects the pages have of clients that read a list to its end: kubectl, and the pagers of client-go and kube-rs.
const BULK: usize = 500;

/// How many objects their pages have after the first.
const PAGE: usize = 10_000;

/// A watch whose first events were sent.
#[derive(Debug)]
pub struct Silence {
    /// How long nothing happens, in seconds; `None` if the client did not say.
    pub seconds: Option<u64>,
    /// The last event.
    pub last: String,
}

/// Answers a request for objects.
///
/// # Errors
///
/// There is no such resource or object, a parameter is wrong, or the client is gone.
pub(super) fn answer(
    api: &Api,
    of: &Objects,
    parameters: &Parameters,
    accepted: &[Accepted],
    reply: &mut Reply,
    log: &dyn Fn(&dyn Display),
) -> Result<Option<Silence>, Failure> {
    let resource = api.resource(&of.group, &of.version, &of.plural).ok_or_else(Status::no_resource)?;
    if of.namespace.is_some() && !resource.is_namespaced() {
        return Err(Status::no_resource().into());
    }
    if discovery::is_review(resource) {
        return Err(Status::method_not_allowed().into());
    }
    let query = Query::new(api, of, resource, parameters, accepted, log)?;
    match (&of.name, of.subresource.as_deref()) {
        (Some(name), None) if !parameters.watch => query.object(name, reply).map(|()| None),
        // A client that reads the status alone gets it with its object, as from an API server.
        (Some(name), Some("status")) => query.object(name, reply).map(|()| None),
        (Some(name), Some("log")) if discovery::has_logs(resource) => {
            let at = query.find(name)?;
            logs::answer(api, at, parameters, reply, log).map(|()| None)
        }
        (Some(name), Some("scale")) if discovery::has_scale(resource) => {
            reply.text.push_str(&scale::of(api, query.find(name)?)?.to_string());
            Ok(None)
        }
        // A client that enters a pod begins with a GET, too.
        (Some(_), Some("exec" | "attach" | "portforward" | "proxy")) => {
            Err(Status::method_not_allowed().into())
        }
        (Some(_), Some(_)) => Err(Status::no_resource().into()),
        (_, _) if parameters.watch => query.watch(reply).map(Some),
        (_, _) => query.list(reply).map(|()| None),
    }
}

/// The form in which objects are written.
enum Form<'a> {
    /// Whole.
    Whole,
    /// Only their metadata.
    Metadata,
    /// Rows of a table.
    Rows { rows: Rows<'a>, columns: Vec<ColumnDefinition>, include: Include },
}

/// What a row has of its object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Include {
    Nothing,
    Metadata,
    Whole,
}

/// A request for objects of one resource.
struct Query<'a> {
    api: &'a Api,
    of: &'a Objects,
    resource: &'a Resource,
    parameters: &'a Parameters,
    accepted: &'a [Accepted],
    log: &'a dyn Fn(&dyn Display),
    selection: Selection,
    types: Types,
    /// The `apiVersion` that the objects are served in.
    api_version: String,
}

impl<'a> Query<'a> {
    fn new(
        api: &'a Api,
        of: &'a Objects,
        resource: &'a Resource,
        parameters: &'a Parameters,
        accepted: &'a [Accepted],
        log: &'a dyn Fn(&dyn Display),
    ) -> Result<Self, Status> {
        let malformed = |error: &dyn Display| Status::bad_request(error.to_string());
        let by_labels =
            labels::Selector::parse(&parameters.label_selector).map_err(|error| malformed(&error))?;
        let by_fields =
            fields::Selector::parse(&parameters.field_selector).map_err(|error| malformed(&error))?;
        let api_version = gvk::api_version(&of.group, &of.version);
        let request = grammar::request(resource, None);
        let types = api.index.types_of(&request);
        let selection = Selection {
            requests: vec![request],
            labels: vec![by_labels],
            fields: vec![by_fields],
            ..Selection::default()
        };
        let mut of_version = selection.clone();
        of_version.requests[0].api_version = Some(api_version.clone());
        match of_version.refuse_unsupported_fields().first() {
            Some(unsupported) => Err(Status::bad_request(unsupported.message.clone())),
            None => Ok(Self { api, of, resource, parameters, accepted, log, selection, types, api_version }),
        }
    }

    /// The form of answers, in the first format that the client accepts, and the media type. `list` is the kind of a list
    /// of metadata, if there can be one.
    fn form(&self, metadata: &str) -> Result<(Form<'a>, String), Status> {
        let form = self.accepted.iter().find_map(|accepted| {
            let is_meta = accepted.group == META && ["v1", "v1beta1"].contains(&accepted.version.as_str());
            let form = match accepted.as_kind.as_str() {
                "" => Form::Whole,
                "Table" if is_meta => {
                    let options = TableOptions { layout: TableLayout::Wide, ..TableOptions::default() };
                    let rows = Rows::new(options, &self.api.index.catalog);
                    let columns = rows.columns(&self.api_version, self.resource.kind());
                    let include = match self.parameters.include_object.as_str() {
                        "None" => Include::Nothing,
                        "Object" => Include::Whole,
                        _ => Include::Metadata,
                    };
                    Form::Rows { rows, columns, include }
                }
                kind if is_meta && kind == metadata => Form::Metadata,
                _ => return None,
            };
            Some((form, accepted.clone()))
        });
        let (form, accepted) = form.ok_or_else(Status::not_acceptable)?;
        Ok((form, accepted.media_type()))
    }

    /// The objects that may be selected, judging by what is known without reading them, from `start` on.
    fn candidates(&self, start: usize) -> impl Iterator<Item = usize> {
        let index = &self.api.index;
        let (entries, namespace) = (self.entries(), self.of.namespace.as_deref());
        let (selection, types) = (&self.selection, &self.types);
        // An object in several namespaces is an entry in each.
        let is_in = move |term: &fields::Term, at| {
            (index.namespace(at) == term.value) == (term.operator == fields::Operator::Equals)
        };
        let of_namespace = selection.fields.iter().flat_map(fields::Selector::terms);
        let of_namespace: Vec<_> = of_namespace.filter(|term| term.field == "metadata.namespace").collect();
        let is_one = move |at: &usize| {
            if !index.is_of(*at, types) || !of_namespace.iter().all(|term| is_in(term, *at)) {
                return false;
            }
            if namespace.is_some_and(|namespace| index.namespace(*at) != namespace) {
                return false;
            }
            if selection.labels.iter().all(|selector| selector.requirements().is_empty()) {
                return true;
            }
            let head = index.head(*at);
            selection.has_labels(&head)
        };
        let start = start.min(entries.len());
        (start..).zip(&entries[start..]).filter(move |(_, at)| is_one(at)).map(|(place, _)| place)
    }

    /// The objects of the kind, among which are those of the resource.
    fn entries(&self) -> &'a [usize] {
        self.api.index.of_kind(self.resource.kind())
    }

    fn has_fields(&self) -> bool {
        self.selection.fields.iter().any(|selector| !selector.is_empty())
    }

    /// The maximum number of objects of a list; `None` for all of them.
    ///
    /// *Compatibility* (long-pages): who goes on with a list in pages of 500 gets longer ones, as the API allows a server
    /// (apimachinery, meta/v1, ListOptions): kubectl waits for a fifth of a second before each request after the tenth.
    fn limit(&self) -> Option<usize> {
        let goes_on = self.parameters.continues.is_some();
        self.parameters.limit.map(|limit| if goes_on && limit >= BULK { limit.max(PAGE) } else { limit })
    }

    fn list(&self, reply: &mut Reply) -> Result<(), Failure> {
        let (form, media_type) = self.form("PartialObjectMetadataList")?;
        reply.media_type = media_type;
        let entries = self.entries();
        let mut writer = Writer::new(self, form);
        reply.text.push_str(&writer.list_head());
        let (mut count, mut next, limit) = (0, None, self.limit());
        for place in self.candidates(self.parameters.continues.unwrap_or(0)) {
            if limit.is_some_and(|limit| count >= limit) {
                next = Some(place);
                break;
            }
            let before = reply.text.len();
            if count > 0 {
                reply.text.push(',');
            }
            match writer.write(entries[place], &mut reply.text) {
                Ok(true) => count += 1,
                Ok(false) => reply.text.truncate(before),
                Err(error) => {
                    reply.text.truncate(before);
                    reply.warnings.push(error.to_string());
                    (self.log)(&error);
                }
            }
            reply.advance()?;
        }
        let mut metadata = json!({"resourceVersion": self.resource_version()});
        if let Some(next) = next {
            metadata["continue"] = next.to_string().into();
            let is_counted = self.parameters.label_selector.is_empty() && !self.has_fields();
            if is_counted {
                metadata["remainingItemCount"] = self.candidates(next).count().into();
            }
        }
        reply.text.push_str(&format!("],\"metadata\":{metadata}}}"));
        Ok(())
    }

    fn object(&self, name: &str, reply: &mut Reply) -> Result<(), Failure> {
        let (form, media_type) = self.form("PartialObjectMetadata")?;
        reply.media_type = media_type;
        let at = self.find(name)?;
        Writer::new(self, form).write_alone(at, &mut reply.text).map_err(|error| {
            reply.text.clear();
            (self.log)(&error);
            Status::internal(error)
        })?;
        Ok(())
    }

    /// The object with this name in the namespace of the request.
    fn find(&self, name: &str) -> Result<usize, Status> {
        let index = &self.api.index;
        let namespace = self.of.namespace.as_deref().unwrap_or_default();
        let is_one = |at: &&usize| {
            index.name(**at) == name && index.is_of(**at, &self.types) && index.namespace(**at) == namespace
        };
        let found = self.entries().iter().find(is_one);
        let is_namespace = self.resource.kind() == "Namespace" && self.of.group.is_empty();
        let made_up = || index.made_up().iter().find(|at| is_namespace && index.name(**at) == name);
        let found = found.or_else(made_up).copied();
        found.ok_or_else(|| Status::not_found(self.resource.group(), self.resource.plural(), name))
    }

    /// Writes the first events of a watch.
    fn watch(&self, reply: &mut Reply) -> Result<Silence, Failure> {
        let (form, media_type) = self.form("PartialObjectMetadata")?;
        reply.media_type = media_type + ";stream=watch";
        let parameters = self.parameters;
        let mut writer = Writer::new(self, form);
        let has_state = !matches!(parameters.resource_version.as_str(), "" | "0");
        if parameters.send_initial_events.unwrap_or(!has_state) {
            let entries = self.entries();
            for place in self.candidates(0) {
                let at = entries[place];
                if self.of.name.as_deref().is_some_and(|name| self.api.index.name(at) != name) {
                    continue;
                }
                let before = reply.text.len();
                reply.text.push_str("{\"type\":\"ADDED\",\"object\":");
                match writer.write_alone(at, &mut reply.text) {
                    Ok(true) => reply.text.push_str("}\n"),
                    Ok(false) => reply.text.truncate(before),
                    Err(error) => {
                        reply.text.truncate(before);
                        (self.log)(&error);
                    }
                }
                reply.advance()?;
            }
        }
        if parameters.send_initial_events == Some(true) && parameters.bookmarks {
            reply.text.push_str(&self.bookmark(&writer, json!({INITIAL_EVENTS_END: "true"})));
        }
        let last = if parameters.bookmarks { self.bookmark(&writer, Json::Null) } else { String::new() };
        Ok(Silence { seconds: parameters.timeout, last })
    }

    /// A bookmark with these annotations.
    fn bookmark(&self, writer: &Writer<'_>, annotations: Json) -> String {
        let mut metadata = json!({"resourceVersion": self.resource_version(), "creationTimestamp": null});
        if !annotations.is_null() {
            metadata["annotations"] = annotations;
        }
        let object = match writer.form {
            Form::Rows { .. } => json!({
                "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "columnDefinitions": [], "rows": [],
            }),
            Form::Metadata => json!({
                "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
            }),
            Form::Whole => {
                json!({"kind": self.resource.kind(), "apiVersion": self.api_version, "metadata": metadata})
            }
        };
        format!("{}\n", json!({"type": "BOOKMARK", "object": object}))
    }

    fn resource_version(&self) -> String {
        self.api.index.resource_version.to_string()
    }
}

/// Writes objects in one form.
struct Writer<'q> {
    query: &'q Query<'q>,
    reader: ObjectReader<'q>,
    form: Form<'q>,
    metadata: FieldSet,
}

impl<'q> Writer<'q> {
    fn new(query: &'q Query<'q>, form: Form<'q>) -> Self {
        let mut metadata = FieldSet::default();
        metadata.add(["metadata"]);
        Self { query, reader: query.api.index.reader(), form, metadata }
    }

    /// The beginning of a list, up to its first item.
    fn list_head(&self) -> String {
        let (kind, api_version) = match &self.form {
            Form::Whole => (format!("{}List", self.query.resource.kind()), self.query.api_version.as_str()),
            Form::Metadata => ("PartialObjectMetadataList".to_owned(), "meta.k8s.io/v1"),
            Form::Rows { columns, .. } => {
                let definitions = columns.iter().map(|column| {
                    json!({
                        "name": titled(&column.header), "type": "string",
                        "format": if column.is_name { "name" } else { "" },
                        "description": "", "priority": column.priority,
                    })
                });
                let definitions = Json::from(definitions.collect::<Vec<_>>());
                return format!(
                    "{{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"columnDefinitions\":{definitions},\"rows\":["
                );
            }
        };
        let (kind, api_version) = (Json::from(kind), Json::from(api_version));
        format!("{{\"kind\":{kind},\"apiVersion\":{api_version},\"items\":[")
    }

    /// Does the same as `write`, with a table around a row.
    fn write_alone(&mut self, at: usize, out: &mut String) -> Result<bool, String> {
        let is_table = matches!(self.form, Form::Rows { .. });
        if is_table {
            out.push_str(&self.list_head());
        }
        let is_selected = self.write(at, out)?;
        if is_table {
            let metadata = json!({"resourceVersion": self.query.resource_version()});
            out.push_str(&format!("],\"metadata\":{metadata}}}"));
        }
        Ok(is_selected)
    }

    /// Appends an object if it is selected. Returns whether it is.
    fn write(&mut self, at: usize, out: &mut String) -> Result<bool, String> {
        let Self { query, reader, form, metadata } = self;
        let namespace = query.api.index.namespace(at);
        let has_fields = query.has_fields();
        reader.read(at, |object| {
            if has_fields {
                let mut slots = Vec::new();
                match query.selection.slots(object, &query.api.index.catalog, &mut slots) {
                    Err(SelectionError::Unreadable(error)) => return Err(error),
                    // Other errors were reported before anything was read.
                    Ok(()) | Err(_) if slots.is_empty() => return Ok(false),
                    Ok(()) | Err(_) => (),
                }
            }
            match form {
                Form::Whole => query.whole(object, namespace, out)?,
                Form::Metadata => query.partial(object, namespace, metadata, out)?,
                Form::Rows { rows, columns, include } => {
                    let row = rows.row(object, namespace, "")?.at(query.api.as_of);
                    out.push_str("{\"cells\":[");
                    cells(row.cells(), columns.len(), out);
                    out.push(']');
                    if *include != Include::Nothing {
                        out.push_str(",\"object\":");
                    }
                    match include {
                        Include::Nothing => (),
                        Include::Metadata => query.partial(object, namespace, metadata, out)?,
                        Include::Whole => query.whole(object, namespace, out)?,
                    }
                    out.push('}');
                }
            }
            Ok(true)
        })
    }
}

/// Appends the cells of a row under this many columns: objects in other versions may have fewer or more.
fn cells(cells: &[CompactString], columns: usize, out: &mut String) {
    for at in 0..columns {
        if at > 0 {
            out.push(',');
        }
        emit::json::string(cells.get(at).map_or("", |cell| cell), out);
    }
}

/// The name of a column as an API server writes it; clients that look for `Age` find it.
fn titled(header: &str) -> String {
    let words = header.split(' ').map(|word| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| format!("{first}{}", letters.as_str().to_lowercase()))
    });
    words.collect::<Vec<_>>().join(" ")
}

impl Query<'_> {
    /// Appends a whole object.
    ///
    /// *Compatibility* (served-versions): an object is served in the version that the client requests with the fields that it
    /// has; a server converts them.
    fn whole(
        &self,
        object: &Object<'_>,
        namespace: &str,
        out: &mut String,
    ) -> Result<(), syntax::error::Error> {
        let mut tree = object.value()?.clone();
        self.api.times.apply(object.head.api_version, object.head.kind, &mut tree);
        self.complete(object.head, namespace, &mut tree);
        state_replicas(object.head, &mut tree);
        if let Some(map) = tree.as_map_mut() {
            set(map, "apiVersion", &self.api_version);
            set(map, "kind", self.resource.kind());
        }
        emit::json::compact(&tree, out);
        Ok(())
    }

    /// Appends the metadata of an object.
    fn partial(
        &self,
        object: &Object<'_>,
        namespace: &str,
        metadata: &FieldSet,
        out: &mut String,
    ) -> Result<(), syntax::error::Error> {
        let mut tree =
            object.fields(Fields { only: Some(metadata), without: &["managedFields"] })?.into_owned();
        self.api.times.apply(object.head.api_version, object.head.kind, &mut tree);
        self.complete(object.head, namespace, &mut tree);
        if let Some(metadata) = tree.at_mut("metadata").and_then(Node::as_map_mut) {
            metadata.remove("managedFields");
        }
        out.push_str("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":");
        match tree.get("metadata") {
            Some(metadata) => emit::json::compact(metadata, out),
            None => out.push_str("{}"),
        }
        out.push('}');
        Ok(())
    }

    /// Adds what a server knows of every object: its namespace, its state and the labels that all builds add, and of a Namespace its
    /// name, also as a label.
    fn complete(&self, head: &Head<'_>, namespace: &str, tree: &mut Node) {
        let Some(object) = tree.as_map_mut() else { return };
        if object.get("metadata").is_none_or(|metadata| metadata.as_map().is_none()) {
            object.insert("metadata", Span::default(), Node::new(Value::Map(Map::new())));
        }
        let Some(metadata) = object.get_mut("metadata").and_then(Node::as_map_mut) else { return };
        if !namespace.is_empty() {
            set(metadata, "namespace", namespace);
        }
        let has_state = metadata.get("resourceVersion").is_some_and(|version| version.as_str().is_some());
        if !has_state {
            set(metadata, "resourceVersion", &self.resource_version());
        }
        let name = ObjectLabels(head).namespace_name();
        name.into_iter().for_each(|name| set(metadata, "name", name));
        let given = head.given_labels.into_iter().flat_map(|given| &**given.all());
        let given = given.filter(|(_, label)| label.is_in_all);
        let given = given.filter_map(|(key, label)| Some((&**key, label.value.as_deref()?)));
        for (key, value) in given.chain(name.map(|name| (NAMESPACE_NAME, name))) {
            if metadata.get("labels").is_none_or(|labels| labels.as_map().is_none()) {
                metadata.insert("labels", Span::default(), Node::new(Value::Map(Map::new())));
            }
            if let Some(labels) = metadata.get_mut("labels").and_then(Node::as_map_mut) {
                set(labels, key, value);
            }
        }
    }
}

/// States the number of replicas as a server does: `kubectl describe` does not ask whether it is there.
fn state_replicas(head: &Head<'_>, tree: &mut Node) {
    let (group, _) = gvk::split_api_version(head.api_version);
    let has_replicas = matches!(
        (group, head.kind),
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet") | ("", "ReplicationController")
    );
    if has_replicas
        && let Some(spec) = tree.at_mut("spec").and_then(Node::as_map_mut)
        && spec.get("replicas").is_none_or(Node::is_null)
    {
        spec.insert("replicas", Span::default(), Node::new(Value::Int(1)));
    }
}

fn set(map: &mut Map, key: &str, text: &str) {
    map.insert(key, Span::default(), Node::text(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_written_as_a_server_writes_them() {
        for (header, name) in
            [("NAME", "Name"), ("UP-TO-DATE", "Up-to-date"), ("NOMINATED NODE", "Nominated Node"), ("", "")]
        {
            assert_eq!(titled(header), name);
        }
    }
}
