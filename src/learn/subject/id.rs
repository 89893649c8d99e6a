//! Ids such as `P-017`: a prefix and a number that is given once and never again.

/// The ids of one sort of subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Series(&'static str);

impl Series {
    pub const LESSON: Self = Self("P-");
    /// Patterns of roles.
    pub const ROLE: Self = Self("D-");
    /// Lessons about the tool itself.
    pub const TOOL: Self = Self("SL-");

    /// The id of a number: the prefix and at least three digits.
    #[must_use]
    pub fn id(self, number: u32) -> String {
        format!("{}{number:03}", self.0)
    }

    /// The number of an id. Nothing else than the prefix and three to nine digits is one, and no number has two ids.
    #[must_use]
    pub fn number(self, id: &str) -> Option<u32> {
        let digits = id.strip_prefix(self.0).filter(|digits| (3..=9).contains(&digits.len()))?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|number| is_number && *number > 0)?;
        (self.id(number) == id).then_some(number)
    }
}
