//! The images that fields name: a text, or in parts, as in the values of Helm charts.

use expression::jsonpath;
use syntax::tree::{Map, Node};

/// How a map names an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageForm {
    /// By a text.
    Text,
    /// By a map of parts.
    Parts,
    /// By one of the parts beside the others, as in NVIDIA's ClusterPolicy.
    Beside,
}

impl ImageForm {
    /// How a map names an image in a field, which has this value; `None` if it does not.
    pub fn of(map: &Map, field: &str, value: &Node) -> Option<Self> {
        let is_beside =
            |name: &str| !name.is_empty() && !name.contains('/') && !part(map, "repository").is_empty();
        match (field, value.as_str()) {
            ("image", Some(name)) if is_beside(name) => Some(Self::Beside),
            ("image" | "imageName", Some(_)) => Some(Self::Text),
            (field, None) if field == "image" || field.ends_with("Image") => {
                (!value.text_of("repository").is_empty()).then_some(Self::Parts)
            }
            _ => None,
        }
    }
}

/// A part of an image in a map, such as its tag; empty if there is none.
pub fn part(map: &Map, field: &str) -> String {
    map.get(field).filter(|value| !value.is_null()).map(jsonpath::text_of).unwrap_or_default()
}

/// The image that a map names in a field with this value; empty if it names none.
pub fn image_of(map: &Map, field: &str, value: &Node) -> String {
    let join = |map: &Map, fields: [(&str, &str, &str); 4]| {
        let part = |(before, field, after)| match part(map, field) {
            text if text.is_empty() => text,
            text => format!("{before}{text}{after}"),
        };
        fields.map(part).concat()
    };
    match ImageForm::of(map, field, value) {
        Some(ImageForm::Text) => value.as_str().unwrap_or_default().to_owned(),
        Some(ImageForm::Parts) => value.as_map().map_or_else(String::new, |parts| {
            join(
                parts,
                [("", "registry", "/"), ("", "repository", ""), (":", "tag", ""), ("@", "digest", "")],
            )
        }),
        Some(ImageForm::Beside) => {
            join(map, [("", "repository", "/"), ("", "image", ""), (":", "version", ""), (":", "tag", "")])
        }
        // A volume has a reference; a name alone may be that of something else.
        None if field == "image" => {
            let named = ["reference", "name"].map(|key| value.text_of(key));
            named.into_iter().find(|text| text.contains(['/', ':'])).unwrap_or_default().to_owned()
        }
        None => String::new(),
    }
}

/// Whether a field, or a file, has values of a release by its name.
pub fn has_values(name: &str) -> bool {
    name.to_ascii_lowercase().contains("values") || name == "parameters"
}
