//! The words of a path, and the parts of a file's name.

/// The words of a text as they are written: parted at everything that is neither letter nor digit, and where capital letters
/// open a word, so that `useAuth` and `HTTPServer` are two words each and `APIs` is one.
pub(crate) fn split_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for part in text.split(|letter: char| !letter.is_alphanumeric()) {
        // Only a capital letter behind the first one opens a word.
        if part.is_ascii() && !part.bytes().skip(1).any(|letter| letter.is_ascii_uppercase()) {
            words.push(part);
            continue;
        }
        let letters: Vec<(usize, char)> = part.char_indices().collect();
        let mut start = 0;
        for at in 1..letters.len() {
            if opens_word(&letters, at) {
                words.push(&part[start..letters[at].0]);
                start = letters[at].0;
            }
        }
        words.push(&part[start..]);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The name of a path's file.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What stands behind the last dot of a file's name. A name that only begins or ends with its dot has no ending.
pub(super) fn ending(name: &str) -> Option<&str> {
    name.rsplit_once('.').filter(|(stem, ending)| !stem.is_empty() && !ending.is_empty()).map(|(_, ending)| ending)
}

fn opens_word(letters: &[(usize, char)], at: usize) -> bool {
    let letter = |at: usize| letters.get(at).map(|(_, letter)| *letter);
    let is_small = |at: usize| letter(at).is_some_and(char::is_lowercase);
    let is_capital = |at: usize| letter(at).is_some_and(char::is_uppercase);
    if !is_capital(at) {
        return false;
    }
    // The capitals of an acronym belong together, except the last one, which opens the next word; a plural `s` opens none.
    let ends_in_plural = letter(at + 1) == Some('s') && !is_small(at + 2);
    !is_capital(at - 1) || (is_small(at + 1) && !ends_in_plural)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parted_at_signs_and_at_capitals() {
        for (text, words) in [
            ("src/components/Button.tsx", &["src", "components", "Button", "tsx"][..]),
            ("useAuth.ts", &["use", "Auth", "ts"]),
            ("HTTPServer", &["HTTP", "Server"]),
            ("parseAPIs.go", &["parse", "APIs", "go"]),
            ("APIsOfUse", &["APIs", "Of", "Use"]),
            ("OAuth2Client", &["O", "Auth2", "Client"]),
            ("e2e_test--x", &["e2e", "test", "x"]),
            ("größeÄndern", &["größe", "Ändern"]),
            ("A", &["A"]),
            ("...", &[]),
        ] {
            assert_eq!(split_words(text), words, "{text}");
        }
    }

    #[test]
    fn a_file_that_begins_or_ends_with_its_dot_has_no_ending() {
        for (name, wanted) in [("a.py", Some("py")), ("a.b.md", Some("md")), (".yaml", None), ("a.", None), ("Makefile", None)] {
            assert_eq!(ending(name), wanted, "{name}");
        }
        assert_eq!(ending(".config.json"), Some("json"));
        assert_eq!(file_name("a/b/c.py"), "c.py");
    }
}
