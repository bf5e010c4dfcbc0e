//! Tables that only one system knows: its reader fills them, its analyses read them, everybody else passes them on.

use std::any::Any;

/// At most one value of each type.
#[derive(Default)]
pub struct Extensions(Vec<Box<dyn Any>>);

impl Extensions {
    /// The value of this type; `None` when nobody has made one. Costs the number of types, which is small.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.iter().find_map(|value| value.downcast_ref())
    }

    /// The value of this type, made when there is none yet.
    pub fn get_or_default<T: Any + Default>(&mut self) -> &mut T {
        if self.get::<T>().is_none() {
            self.0.push(Box::<T>::default());
        }
        let found = self.0.iter_mut().find_map(|value| value.downcast_mut());
        found.unwrap_or_else(|| unreachable!("it was made above"))
    }
}
