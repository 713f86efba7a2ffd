//! What admission policies are read from.

use std::collections::HashMap;

use kustomization::Generated;
use manifest::names::ObjectNames;
use manifest::object::Object;
use manifest::source::Built;
use manifest::stream::BlockOf;
use policy::Input;

use super::{Scan, kustomization};

impl Input for Scan<'_> {
    fn blocks<T: Send + 'static>(&self, work: impl Fn(BlockOf<'_>) -> T + Sync, merge: impl FnMut(T)) {
        Scan::blocks(*self, work, merge);
    }

    fn objects<T: Default + Send + 'static>(
        &self,
        visit: impl Fn(&Object<'_>, &mut T) + Sync,
        merge: impl FnMut(T),
    ) {
        Scan::objects(*self, visit, merge);
    }

    fn made(&self) -> Vec<[String; 2]> {
        let files = kustomization::files(self.sources);
        let built: HashMap<&str, &Built> =
            self.sources.iter().map(|source| (&*source.name, &source.built)).collect();
        let names = |one: Generated| {
            let affixes = built.get(&*one.file).and_then(|built| built.affixes.as_deref());
            let names = ObjectNames::new(one.kind, &one.name, affixes).all();
            names.map(|name| [one.kind.to_owned(), name]).collect::<Vec<_>>()
        };
        let generated = kustomization::generated(&files).flat_map(names);
        generated.chain(kustomization::is_open(&files).then(Default::default)).collect()
    }
}
