//! What stands in a project's knowledge files: entries under headings such as `## ADR-001: title`.

/// A knowledge file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shelf {
    /// Its name without the ending.
    pub name: &'static str,
    /// What its entries are called.
    pub prefix: &'static str,
}

/// The two knowledge files.
pub const SHELVES: [Shelf; 2] = [Shelf { name: "decisions", prefix: "ADR" }, Shelf { name: "pitfalls", prefix: "PF" }];

/// The folder of knowledge files in a project.
pub const KNOWLEDGE: &str = ".memory/knowledge";

/// How many active entries a knowledge file may hold.
pub const CEILING: i64 = 100;

impl Shelf {
    /// The entries that are in force, in the order of the file. An entry ends at the next heading of its level; what stands inside of a
    /// fence is no heading.
    #[must_use]
    pub fn active<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut active: Vec<&str> = Vec::new();
        let (mut is_inside, mut has_status, mut is_fenced) = (false, false, false);
        for line in text.lines() {
            if line.starts_with("```") || line.starts_with("~~~") {
                is_fenced = !is_fenced;
            } else if is_fenced {
            } else if let Some(heading) = line.strip_prefix("## ") {
                (is_inside, has_status) = (false, false);
                if let Some(anchor) = self.anchor(heading) {
                    is_inside = true;
                    active.push(anchor);
                }
            } else if is_inside
                && !has_status
                && let Some(status) = line.strip_prefix("- **Status**:")
            {
                has_status = true;
                let word: String = status.trim_start().chars().take_while(|letter| letter.is_alphabetic()).collect();
                if matches!(&*word, "Deprecated" | "Superseded") {
                    active.pop();
                }
            }
        }
        active
    }

    /// The entry that a heading names.
    fn anchor<'t>(&self, heading: &'t str) -> Option<&'t str> {
        let (anchor, _) = heading.split_once(':')?;
        let number = anchor.strip_prefix(self.prefix)?.strip_prefix('-')?;
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(anchor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_entries_in_force_are_counted() {
        let text = "# Architectural Decisions\n\n## ADR-001: one\n\n- **Status**: Accepted\n- **Status**: Deprecated\n\n## ADR-002: two\n\
            - **Status**: Deprecated (by ADR-001)\n\n```\n## ADR-777: forged\n```\n## Notes\n- **Status**: Deprecated\n## ADR-003: three\n\
            see ## ADR-009: no\n## PF-001: another's\n## ADR-x: no\n## ADR-: no\n";
        assert_eq!(SHELVES[0].active(text), ["ADR-001", "ADR-003"]);
        assert_eq!(SHELVES[1].active(text), ["PF-001"]);
    }
}
