//! What views keep of a document between questions.

use std::any::Any;

/// One value of each type, made when it is asked for first. Looking one up costs a comparison for each.
#[derive(Default)]
pub struct Kept(Vec<Box<dyn Any>>);

impl Kept {
    /// What is kept of a type; `None` before anything is.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.iter().find_map(|kept| kept.downcast_ref())
    }

    /// Keeps this instead of what was kept of its type.
    pub fn set<T: Any>(&mut self, new: T) {
        self.0.retain(|kept| !kept.is::<T>());
        self.0.push(Box::new(new));
    }

    /// The same to be changed; the default before anything is.
    pub fn of<T: Any + Default>(&mut self) -> &mut T {
        let at = self.0.iter().position(|kept| kept.is::<T>()).unwrap_or(self.0.len());
        if at == self.0.len() {
            self.0.push(Box::new(T::default()));
        }
        let kept = self.0.get_mut(at).and_then(|kept| kept.downcast_mut());
        kept.unwrap_or_else(|| unreachable!("it was found or pushed as this type"))
    }
}
