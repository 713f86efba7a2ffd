//! Kubernetes' selectors: parsed, matched, printed and converted, with Kubernetes' own messages.
//!
//! Without features the crate depends only on the standard library. It knows neither YAML nor JSON: objects are plain structs that a caller fills, and labels and
//! fields are traits that a caller implements. All types are `Send` and `Sync`. Parsed selectors are immutable, so
//! threads can share one.
//!
//! **Invariant:** printing a selector and parsing it again gives the same selector.
//!
//! ```
//! use kselect_selector::labels::{LabelSelector, Selector};
//!
//! // Read, ask.
//! let selector = Selector::parse("tier in (web, api), !legacy")?;
//! assert!(selector.matches(&[("app", "shop"), ("tier", "web")]));
//!
//! // The canonical form, that of the API's URLs, and that of objects.
//! assert_eq!(selector.to_string(), "!legacy,tier in (api,web)");
//! assert_eq!(selector.to_query(), "labelSelector=%21legacy%2Ctier+in+%28api%2Cweb%29");
//! let object = LabelSelector::try_from(&selector)?;
//! assert_eq!(object.match_expressions[0].operator, "DoesNotExist");
//!
//! // What is wrong, and where: the bytes 7 to 10.
//! let error = Selector::parse("app in web").unwrap_err();
//! assert_eq!(error.to_string(), "unable to parse requirement: found 'web' expected: '('");
//! assert_eq!(error.span(), 7..10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | selects by | type | from |
//! | --- | --- | --- |
//! | labels | [`labels::Selector`] | text, [`LabelSelector`](labels::LabelSelector), a plain map |
//! | fields | [`fields::Selector`] | text |
//! | labels and name of a node | [`nodes::NodeSelector`] | [`NodeSelectorTerm`](nodes::NodeSelectorTerm)s |
//!
//! # Label selectors
//!
//! ```text
//! selector    := [ requirement { "," requirement } ]
//! requirement := KEY                                                  the label is there
//!              | "!" KEY                                              it isn't
//!              | KEY ( "=" | "==" | "!=" | "<" | ">" ) [ VALUE ]
//!              | KEY ( "in" | "notin" ) "(" [ VALUE ] { "," [ VALUE ] } ")"
//! ```
//!
//! All requirements must hold. Blanks are optional where they separate nothing. `in` and `notin` are operators only in
//! the position of an operator. There are no quotes and no escapes: keys and values follow the rules of labels, see
//! [`validation`].
//!
//! | requirement | label absent | label there with value v |
//! | --- | --- | --- |
//! | `k=a`, `k==a`, `k in (a,b)` | no | v is listed |
//! | `k!=a`, `k notin (a,b)` | **yes** | v is not listed |
//! | `k` | no | yes |
//! | `!k` | yes | no |
//! | `k>5`, `k<5` | no | v is an integer and compares so |
//!
//! ```
//! use kselect_selector::labels::Selector;
//!
//! let selector = Selector::parse("tier!=db")?;
//! assert!(selector.matches(&[("tier", "web")]));
//! assert!(selector.matches(&[("app", "shop")])); // no tier is not the tier db
//!
//! // The empty value is a value: where one is missing, it is meant.
//! assert!(Selector::parse("canary=")?.matches(&[("canary", "")]));
//! assert_eq!(Selector::parse("canary in ()")?.requirements()[0].values(), [""]);
//!
//! // The empty selector selects everything.
//! assert!(Selector::parse("")?.matches(&[("app", "shop")]));
//! # Ok::<(), kselect_selector::ParseError>(())
//! ```
//!
//! If not all labels of an object are available at once, match requirement by requirement:
//!
//! ```
//! # use kselect_selector::labels::Selector;
//! let selector = Selector::parse("app=web,!legacy")?;
//! let first = &selector.requirements()[0];
//! assert_eq!((first.key(), first.admits(Some("web")), first.admits(None)), ("app", true, false));
//! # Ok::<(), kselect_selector::ParseError>(())
//! ```
//!
//! # Errors
//!
//! `Display` of every error is Kubernetes 1.36's message, word for word; [`ParseError::span`] is its position.
//!
//! ```
//! use kselect_selector::{fields, labels};
//!
//! let error = labels::Selector::parse("app in (web").unwrap_err();
//! assert_eq!(error.to_string(), "unable to parse requirement: found '', expected: ',' or ')'");
//! assert_eq!(error.span(), 11..11);
//!
//! let error = fields::Selector::parse("status.phase").unwrap_err();
//! assert_eq!(error.to_string(), "invalid selector: 'status.phase'; can't understand 'status.phase'");
//! ```
//!
//! # Features
//!
//! With `serde`, the object forms ([`labels::LabelSelector`], [`nodes::NodeSelectorTerm`] and what they consist of) are
//! read and written as the API does, and a [`nodes::NodeSelector`] is read. With `k8s-openapi`, they are converted from
//! and to the types of that crate.
//!
//! # Versions
//!
//! The crate follows Semantic Versioning. Errors are opaque, so new errors
//! and changed messages may follow Kubernetes in any version. The operators are deliberately exhaustive: code that
//! matches on them has to handle a new one, which would be a new major version. The object forms, such as
//! [`labels::LabelSelector`], have public fields because an object may hold anything; construct them with all fields or
//! with `..Default::default()`.

pub mod fields;
pub mod labels;
pub mod nodes;
pub mod validation;

mod contradiction;
mod error;
#[doc(hidden)]
pub mod escapes;
#[cfg(feature = "serde")]
mod json;
mod lookup;
#[cfg(feature = "k8s-openapi")]
mod openapi;
mod operator;
mod requirement;
mod syntax;

pub use error::{ConversionError, FieldError, FieldErrors, ParseError};
pub use operator::Operator;
pub use requirement::Requirement;

/// The examples on the page about the library.
#[cfg(doctest)]
#[doc = include_str!("../../docs/library.md")]
struct Page;
