//! Tables that only one system knows: its reader fills them, its analyses read them, everybody else passes them on.

use std::any::{Any, TypeId};

/// At most one value of each type.
#[derive(Default)]
pub struct Extensions(Vec<Box<dyn Any>>);

impl Extensions {
    /// The value of this type; `None` when nobody has made one. Costs the number of types, which is small.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.get(self.place(TypeId::of::<T>())?)?.downcast_ref()
    }

    /// The value of this type, made when there is none yet.
    pub fn get_or_default<T: Any + Default>(&mut self) -> &mut T {
        let at = self.place(TypeId::of::<T>()).unwrap_or_else(|| {
            self.0.push(Box::<T>::default());
            self.0.len() - 1
        });
        self.0[at].downcast_mut().unwrap_or_else(|| unreachable!("it was found or made above"))
    }

    fn place(&self, of: TypeId) -> Option<usize> {
        self.0.iter().position(|value| (**value).type_id() == of)
    }
}
