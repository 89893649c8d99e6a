//! Names as numbers: of runs, files and labels there are few, and they are compared often.

use std::collections::HashMap;

/// A name as a number; 0 stands for none.
pub(super) type NameId = u32;

/// Gives every name a number.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<String, NameId>,
    names: Vec<String>,
}

impl Names {
    /// The number of a name.
    pub(super) fn number(&mut self, name: &str) -> NameId {
        if name.is_empty() {
            return 0;
        }
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.names.push(name.to_owned());
        let number = NameId::try_from(self.names.len()).unwrap_or(NameId::MAX);
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The number of a name; one that no name has, where it was never given.
    pub(super) fn known(&self, name: &str) -> NameId {
        if name.is_empty() { 0 } else { self.numbers.get(name).copied().unwrap_or(NameId::MAX) }
    }

    /// The name of a number.
    pub(super) fn name(&self, number: NameId) -> &str {
        let place = (number as usize).checked_sub(1);
        place.and_then(|place| self.names.get(place)).map_or("", String::as_str)
    }
}
