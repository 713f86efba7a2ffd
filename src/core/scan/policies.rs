//! What admission policies are read from.

use manifest::object::Object;
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
        let generated = kustomization::generated(&files).map(|one| [one.kind.to_owned(), one.name]);
        generated.chain(kustomization::is_open(&files).then(Default::default)).collect()
    }
}
