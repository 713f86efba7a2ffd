//! Conversions from and to the types of k8s-openapi, with the feature `k8s-openapi`.
//!
//! Lists and maps that are absent there are empty here, and the other way round.

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as meta;

use super::error::ConversionError;
use super::labels::{Expression, LabelSelector, Selector};
use super::nodes::{NodeSelector, NodeSelectorTerm, PreferredSchedulingTerm};

fn read<'a, E: 'a, T: From<&'a E>>(list: &'a Option<Vec<E>>) -> Vec<T> {
    list.iter().flatten().map(T::from).collect()
}

fn written<'a, E: 'a, T: From<&'a E>>(list: &'a [E]) -> Option<Vec<T>> {
    (!list.is_empty()).then(|| list.iter().map(T::from).collect())
}

impl From<&meta::LabelSelector> for LabelSelector {
    fn from(object: &meta::LabelSelector) -> LabelSelector {
        LabelSelector {
            match_labels: object.match_labels.clone().into_iter().flatten().collect(),
            match_expressions: read(&object.match_expressions),
        }
    }
}

/// Of two entries of `match_labels` with one key, the later one counts.
impl From<&LabelSelector> for meta::LabelSelector {
    fn from(object: &LabelSelector) -> meta::LabelSelector {
        meta::LabelSelector {
            match_labels: (!object.match_labels.is_empty())
                .then(|| object.match_labels.iter().cloned().collect()),
            match_expressions: written(&object.match_expressions),
        }
    }
}

impl TryFrom<&meta::LabelSelector> for Selector {
    type Error = ConversionError;

    fn try_from(object: &meta::LabelSelector) -> Result<Selector, ConversionError> {
        Selector::try_from(&LabelSelector::from(object))
    }
}

/// See [`LabelSelector::parse`] for what can be converted.
impl TryFrom<&Selector> for meta::LabelSelector {
    type Error = ConversionError;

    fn try_from(selector: &Selector) -> Result<meta::LabelSelector, ConversionError> {
        LabelSelector::try_from(selector).map(|object| meta::LabelSelector::from(&object))
    }
}

/// Conversions of a type of requirements; all of them have the same fields.
macro_rules! expressions {
    ($requirement:ty) => {
        impl From<&$requirement> for Expression {
            fn from(object: &$requirement) -> Expression {
                let (key, operator) = (object.key.clone(), object.operator.clone());
                Expression { key, operator, values: object.values.clone() }
            }
        }

        impl From<&Expression> for $requirement {
            fn from(object: &Expression) -> $requirement {
                let (key, operator) = (object.key.clone(), object.operator.clone());
                Self { key, operator, values: object.values.clone() }
            }
        }
    };
}

expressions!(meta::LabelSelectorRequirement);
expressions!(core::NodeSelectorRequirement);

impl From<&core::NodeSelectorTerm> for NodeSelectorTerm {
    fn from(object: &core::NodeSelectorTerm) -> NodeSelectorTerm {
        NodeSelectorTerm {
            match_expressions: read(&object.match_expressions),
            match_fields: read(&object.match_fields),
        }
    }
}

impl From<&NodeSelectorTerm> for core::NodeSelectorTerm {
    fn from(object: &NodeSelectorTerm) -> core::NodeSelectorTerm {
        core::NodeSelectorTerm {
            match_expressions: written(&object.match_expressions),
            match_fields: written(&object.match_fields),
        }
    }
}

/// See [`NodeSelector::new`].
impl From<&core::NodeSelector> for NodeSelector {
    fn from(object: &core::NodeSelector) -> NodeSelector {
        let terms: Vec<_> = object.node_selector_terms.iter().map(NodeSelectorTerm::from).collect();
        NodeSelector::new(&terms)
    }
}

impl From<&core::PreferredSchedulingTerm> for PreferredSchedulingTerm {
    fn from(object: &core::PreferredSchedulingTerm) -> PreferredSchedulingTerm {
        PreferredSchedulingTerm { weight: object.weight, preference: (&object.preference).into() }
    }
}

impl From<&PreferredSchedulingTerm> for core::PreferredSchedulingTerm {
    fn from(object: &PreferredSchedulingTerm) -> core::PreferredSchedulingTerm {
        core::PreferredSchedulingTerm { weight: object.weight, preference: (&object.preference).into() }
    }
}
