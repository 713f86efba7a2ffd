//! Admission policies and their bindings, read and compiled. Mutating ones are compiled, but not evaluated.

use super::matching::{Constraints, InvalidSelector};
use crate::COMPILATION_FAILED;
use crate::compile::{Purpose, compile};
use crate::language::program::Program;
use crate::language::types::{Fields, Type};
use crate::verdict::ExpressionError;
use kinds::catalog::{Catalog, Resource};
use kinds::fields::TypeId;
use kinds::view;
use selector::labels::Selector;
use syntax::error::Place;
use syntax::gvk;
use syntax::tree::Node;

/// The group of policies, bindings and webhooks.
pub const GROUP: &str = "admissionregistration.k8s.io";

/// The variables of expressions, besides those that a policy defines, and their types.
pub fn variables<'s>(has_params: bool) -> Vec<(&'static str, Type<'s>)> {
    let mut variables = vec![
        ("object", Type::Dyn),
        ("oldObject", Type::Dyn),
        ("request", Type::parse("kubernetes.AdmissionRequest")),
        ("namespaceObject", Type::parse("kubernetes.Namespace")),
    ];
    variables.extend(has_params.then_some(("params", Type::Dyn)));
    variables.push((AUTHORIZER, Type::Unknown));
    variables
}

const AUTHORIZER: &str = "authorizer";
const VARIABLES: &str = "variables";
/// The type of operations and the library of patches, which only mutating policies have, besides types of objects.
const PATCHES: [&str; 2] = ["JSONPatch", "jsonpatch"];
const MUTATIONS: &str = "spec.mutations";

/// A policy.
#[derive(Debug)]
pub struct Policy {
    pub name: String,
    /// Where the policy is.
    pub place: Place,
    /// Whether its errors deny a request, instead of being ignored.
    pub fails_closed: bool,
    /// The kind of its parameters; `None` if it has none.
    pub param_kind: Option<(String, String)>,
    pub constraints: Result<Constraints, InvalidSelector>,
    pub conditions: Vec<Named>,
    pub variables: Vec<Named>,
    pub validations: Vec<Validation>,
    /// Whether an expression does not compile; then the server refuses the policy.
    pub is_invalid: bool,
}

/// A condition of a match, or a variable.
#[derive(Debug)]
pub struct Named {
    pub name: String,
    pub program: Option<Program>,
}

/// An expression that must hold.
#[derive(Debug)]
pub struct Validation {
    pub text: String,
    pub program: Option<Program>,
    pub message: String,
    pub message_expression: Option<Program>,
}

/// The use of a policy.
#[derive(Debug)]
pub struct Binding {
    pub name: String,
    pub policy: String,
    /// `Deny`, `Warn`, `Audit`.
    pub actions: Vec<String>,
    pub constraints: Result<Constraints, InvalidSelector>,
    pub params: Option<ParamRef>,
}

/// The parameters of a binding.
#[derive(Debug)]
pub struct ParamRef {
    pub name: String,
    pub namespace: String,
    pub selector: Option<Result<Selector, InvalidSelector>>,
    /// Whether nothing is evaluated if there are no parameters, instead of an error.
    pub allows_missing: bool,
}

impl Policy {
    /// Reads a policy, and the errors in its expressions.
    pub fn read(node: &Node, place: Place) -> (Self, Vec<ExpressionError>) {
        Self::read_for(node, place, &Type::Dyn)
    }

    /// What is wrong in the expressions of a policy without errors for each of the kinds that it names. The server warns of
    /// it in the status of the policy (apiserver, pkg/admission/plugin/policy/validating/typechecking.go), or finds it when it
    /// patches.
    ///
    /// *Compatibility* (typos-in-policies): what is right for one of the kinds is not reported for the others, because an
    /// expression may have looked at the kind before.
    pub fn doubts(node: &Node, place: &Place, catalog: &Catalog) -> Vec<ExpressionError> {
        let Some(kinds) = kinds_of(node, catalog) else { return Vec::new() };
        let wrong_for = |of: &Type<'_>| Self::read_for(node, place.clone(), of).1;
        let mut kinds = kinds.iter();
        let mut doubts = kinds.next().map(wrong_for).unwrap_or_default();
        for of in kinds {
            if doubts.is_empty() {
                break;
            }
            let others = wrong_for(of);
            doubts.retain(|doubt| {
                others.iter().any(|other| (&other.path, &other.mark) == (&doubt.path, &doubt.mark))
            });
        }
        for ExpressionError { path, message, .. } in &mut doubts {
            let words = message.strip_prefix(COMPILATION_FAILED).unwrap_or(message);
            let end = match path.starts_with(MUTATIONS) {
                true => "each patch fails",
                false => "the API server only warns of it",
            };
            *message = format!("{words}, for every kind that the policy names; {end}");
        }
        doubts
    }

    /// Reads the policy for objects of this type.
    fn read_for(node: &Node, place: Place, of_object: &Type<'_>) -> (Self, Vec<ExpressionError>) {
        let mut errors = Vec::new();
        let spec = node.get("spec");
        let list = |key: &str| spec.map_or(&[][..], |spec| view::list(spec, key));
        let param_kind = spec.and_then(|spec| spec.get("paramKind")).filter(|kind| !kind.is_null());
        let mut declared = variables(param_kind.is_some());
        for (name, of) in &mut declared {
            if matches!(*name, "object" | "oldObject") {
                *of = of_object.clone();
            }
        }
        if list("mutations").iter().any(|mutation| !mutation.is_null()) {
            declared.extend(PATCHES.map(|name| (name, Type::Unknown)));
            declared.push(("Object", of_object.clone()));
        }
        // Conditions are evaluated before variables.
        let conditions = list("matchConditions").iter().enumerate().map(|(at, node)| {
            let path = || format!("spec.matchConditions[{at}].expression");
            let program = compile(node.get("expression"), path, &declared, Purpose::Condition, &mut errors);
            Named { name: view::text(node, "name").to_owned(), program: program.map(|(program, _)| program) }
        });
        let conditions = conditions.collect();
        // A variable may use those before it.
        let mut fields = Vec::new();
        let variables = list("variables").iter().enumerate().map(|(at, node)| {
            let path = || format!("spec.variables[{at}].expression");
            let compiled = compile(node.get("expression"), path, &declared, Purpose::Value, &mut errors);
            let (program, of) = compiled.map_or((None, Type::Unknown), |(program, of)| (Some(program), of));
            let name = view::text(node, "name").to_owned();
            fields.push((name.clone(), of));
            declared.retain(|(name, _)| *name != VARIABLES);
            declared.push((VARIABLES, Type::Object(Fields::Variables(fields.clone()))));
            Named { name, program }
        });
        let variables = variables.collect();
        let mut compiled = |node: &Node, path: String, purpose, declared: &[(&str, Type<'_>)]| {
            compile(Some(node), || path, declared, purpose, &mut errors).map(|(program, _)| program)
        };
        let of_messages: Vec<_> = declared.iter().filter(|(name, _)| *name != AUTHORIZER).cloned().collect();
        let validations = list("validations").iter().enumerate().map(|(at, node)| Validation {
            text: view::text(node, "expression").trim().to_owned(),
            program: node.get("expression").and_then(|node| {
                let path = format!("spec.validations[{at}].expression");
                compiled(node, path, Purpose::Condition, &declared)
            }),
            message: view::text(node, "message").trim().to_owned(),
            message_expression: node.get("messageExpression").and_then(|node| {
                let path = format!("spec.validations[{at}].messageExpression");
                compiled(node, path, Purpose::Message, &of_messages)
            }),
        });
        let validations = validations.collect();
        for (at, node) in list("mutations").iter().enumerate() {
            for (patch, purpose) in
                [("applyConfiguration", Purpose::Configuration), ("jsonPatch", Purpose::Patch)]
            {
                let path = format!("{MUTATIONS}[{at}].{patch}.expression");
                if let Some(node) = node.get(patch).and_then(|patch| patch.get("expression")) {
                    compiled(node, path, purpose, &declared);
                }
            }
        }
        for (at, node) in list("auditAnnotations").iter().enumerate() {
            if let Some(node) = node.get("valueExpression") {
                let path = format!("spec.auditAnnotations[{at}].valueExpression");
                compiled(node, path, Purpose::Annotation, &declared);
            }
        }
        for error in &mut errors {
            let is_variable = |name: &str| {
                name == VARIABLES || list(VARIABLES).iter().any(|node| view::text(node, "name") == name)
            };
            let hint = match error.text.get(error.mark.clone()) {
                Some("params") => "params need spec.paramKind",
                Some(VARIABLES) if error.path.starts_with("spec.matchConditions") => {
                    "match conditions are evaluated before variables"
                }
                Some(name) if error.path.starts_with("spec.variables") && is_variable(name) => {
                    "a variable can only use those before it"
                }
                _ => continue,
            };
            error.hint = Some(hint.to_owned());
        }
        let text = |path: &str| node.at(path).and_then(Node::as_str).unwrap_or_default().to_owned();
        let policy = Self {
            name: text("metadata.name"),
            place,
            fails_closed: text("spec.failurePolicy") != "Ignore",
            param_kind: param_kind.map(|_| (text("spec.paramKind.apiVersion"), text("spec.paramKind.kind"))),
            constraints: Constraints::read(spec.and_then(|spec| spec.get("matchConstraints"))),
            conditions,
            variables,
            validations,
            is_invalid: !errors.is_empty(),
        };
        (policy, errors)
    }

    /// A variable or a field that is only known to a server and that an expression of the policy uses; `None` if there is
    /// none.
    pub fn unknown_of(program: &Program) -> Option<&'static str> {
        if program.uses("authorizer") {
            return Some("authorizer");
        }
        let uses_user = program.keys_of("request").any(|key| matches!(key, "userInfo" | "uid" | "options"));
        uses_user.then_some("the user and options of the request")
    }
}

/// The types of the kinds that a policy names; `None` if it has a wildcard, or if the fields of one are not known.
fn kinds_of<'c>(policy: &Node, catalog: &'c Catalog) -> Option<Vec<Type<'c>>> {
    let mut kinds = Vec::new();
    for rule in view::list(policy, "spec.matchConstraints.resourceRules") {
        let texts = |key: &str| view::list(rule, key).iter().filter_map(Node::as_str);
        for group in texts("apiGroups") {
            for version in texts("apiVersions") {
                for plural in texts("resources") {
                    kinds.push(kind_of(group, version, plural, catalog)?);
                }
            }
        }
    }
    Some(kinds)
}

/// The type of the objects of a resource; `None` if its fields are not known.
fn kind_of<'c>(group: &str, version: &str, plural: &str, catalog: &'c Catalog) -> Option<Type<'c>> {
    let is_meant = |resource: &&Resource| resource.group() == group && resource.plural() == plural;
    let resource = catalog.resources().find(is_meant)?;
    match resource.definition() {
        Some(definition) => Some(Type::of_seen(definition.version(version)?.schema.as_deref()?, true)),
        None => {
            let id = TypeId::of_kind(&gvk::api_version(group, version), resource.kind())?;
            Some(Type::Object(Fields::BuiltIn(id)))
        }
    }
}

impl Binding {
    /// Reads a binding.
    pub fn read(node: &Node) -> Self {
        let text = |path: &str| node.at(path).and_then(Node::as_str).unwrap_or_default().to_owned();
        let params = node.at("spec.paramRef").filter(|params| !params.is_null()).map(|params| ParamRef {
            name: text("spec.paramRef.name"),
            namespace: text("spec.paramRef.namespace"),
            selector: params.get("selector").filter(|selector| !selector.is_null()).map(|selector| {
                Selector::try_from(&view::label_selector(selector))
                    .map_err(|error| InvalidSelector(error.to_string()))
            }),
            allows_missing: text("spec.paramRef.parameterNotFoundAction") == "Allow",
        });
        Self {
            name: text("metadata.name"),
            policy: text("spec.policyName"),
            actions: view::texts(node, "spec.validationActions"),
            constraints: Constraints::read(node.at("spec.matchResources").filter(|node| !node.is_null())),
            params,
        }
    }
}
