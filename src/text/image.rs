//! The names of container images.

/// The repository of an image, and its tag and digest with their separators.
pub fn split(image: &str) -> (&str, &str) {
    let name = image.split('@').next().unwrap_or_default();
    let host = name.rfind('/').map_or(0, |at| at + 1);
    image.split_at(name[host..].find(':').map_or(name.len(), |at| host + at))
}
