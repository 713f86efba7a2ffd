//! ValidatingAdmissionPolicies and their bindings, read and compiled.

use super::matching::{Constraints, InvalidSelector};
use crate::kinds::view;
use crate::manifest::error::Place;
use crate::manifest::tree::Node;
use crate::policy::language::program::Program;
use crate::policy::verdict::ExpressionError;
use crate::selector::labels::Selector;

/// The variables of all expressions, besides those that a policy defines.
const VARIABLES: [&str; 6] = ["object", "oldObject", "request", "params", "namespaceObject", "authorizer"];

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
        let mut errors = Vec::new();
        let spec = node.get("spec");
        let list = |key: &str| spec.map_or(&[][..], |spec| view::list(spec, key));
        // A variable may use those before it.
        let mut compiler = Compiler { has_variables: false, errors: &mut errors };
        let named = |compiler: &mut Compiler<'_>, key: &str, is_variable: bool| -> Vec<Named> {
            let read = list(key).iter().enumerate().map(|(at, node)| {
                let path = format!("spec.{key}[{at}].expression");
                let program = compiler.compile(node.get("expression"), path);
                compiler.has_variables |= is_variable;
                Named { name: view::text(node, "name").to_owned(), program }
            });
            read.collect()
        };
        // Conditions are evaluated before variables.
        let conditions = named(&mut compiler, "matchConditions", false);
        let variables = named(&mut compiler, "variables", true);
        let validations = list("validations").iter().enumerate().map(|(at, node)| Validation {
            text: view::text(node, "expression").trim().to_owned(),
            program: compiler.compile(node.get("expression"), format!("spec.validations[{at}].expression")),
            message: view::text(node, "message").trim().to_owned(),
            message_expression: node.get("messageExpression").and_then(|node| {
                compiler.compile(Some(node), format!("spec.validations[{at}].messageExpression"))
            }),
        });
        let validations = validations.collect();
        for (at, node) in list("auditAnnotations").iter().enumerate() {
            compiler
                .compile(node.get("valueExpression"), format!("spec.auditAnnotations[{at}].valueExpression"));
        }
        let text = |path: &str| node.at(path).and_then(Node::as_str).unwrap_or_default().to_owned();
        let param_kind = spec.and_then(|spec| spec.get("paramKind")).filter(|kind| !kind.is_null());
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

/// Compiles the expressions of a policy.
struct Compiler<'e> {
    has_variables: bool,
    errors: &'e mut Vec<ExpressionError>,
}

impl Compiler<'_> {
    fn compile(&mut self, node: Option<&Node>, path: String) -> Option<Program> {
        let node = node.filter(|node| node.as_str().is_some_and(|text| !text.trim().is_empty()))?;
        let text = node.as_str().unwrap_or_default();
        let variables = VARIABLES.iter().copied().chain(self.has_variables.then_some("variables"));
        match Program::compile(text, &variables.collect::<Vec<_>>()) {
            Ok(program) => Some(program),
            Err(error) => {
                self.errors.push(ExpressionError { path, text: text.to_owned(), error, span: node.span });
                None
            }
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
            actions: view::list(node, "spec.validationActions")
                .iter()
                .filter_map(Node::as_str)
                .map(str::to_owned)
                .collect(),
            constraints: Constraints::read(node.at("spec.matchResources").filter(|node| !node.is_null())),
            params,
        }
    }
}
