//! Which known name a wrong one means.

/// How many letters must be added, left out or changed to get from one text to the other.
#[must_use]
pub fn slips(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (place, wanted) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *wanted);
            diagonal = row[place + 1];
            row[place + 1] = changed.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

/// The known name that comes nearest, if no more than two letters differ, and fewer than half of them: of `id` and `at` nothing is
/// the same.
#[must_use]
pub fn nearest<'k>(known: impl IntoIterator<Item = &'k str>, name: &str) -> Option<&'k str> {
    let most = 2.min(name.chars().count().saturating_sub(1) / 2);
    let near = known.into_iter().map(|known| (slips(known, name), known)).filter(|(slips, _)| *slips <= most);
    near.min_by_key(|(slips, _)| *slips).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::{nearest, slips};

    #[test]
    fn letters_are_counted() {
        for (one, other, expected) in
            [("", "", 0), ("run", "", 3), ("retires", "retries", 2), ("naïve", "naive", 1), ("ab", "abc", 1)]
        {
            assert_eq!((slips(one, other), slips(other, one)), (expected, expected), "{one} {other}");
        }
    }

    #[test]
    fn only_what_is_near_is_meant() {
        let known = ["retries", "result", "risk", "id"];
        assert_eq!(nearest(known, "retires"), Some("retries"));
        assert_eq!(nearest(known, "rsk"), Some("risk"));
        assert_eq!(nearest(known, "at"), None);
        assert_eq!(nearest(known, "colour"), None);
    }
}
