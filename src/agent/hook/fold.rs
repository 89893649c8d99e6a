//! Texts made comparable: what an agent repeats is seldom the same bytes that it was shown.

use text::fit::is_invisible;

/// A text in its comparable form, and where each part of it stood.
#[derive(Debug, Clone, Default)]
pub(super) struct Folded {
    text: String,
    /// Where the character of each byte of the text begins in the original.
    origins: Vec<usize>,
    /// The length of the original.
    end: usize,
}

impl Folded {
    /// Folds a text.
    pub(super) fn new(original: &str) -> Self {
        let mut folded = Self { end: original.len(), ..Self::default() };
        for (origin, character) in original.char_indices() {
            fold_character(character, |part| folded.push(part, origin));
        }
        folded
    }

    fn push(&mut self, character: char, origin: usize) {
        if character == ' ' && (self.text.is_empty() || self.text.ends_with(' ')) {
            return;
        }
        self.text.push(character);
        self.origins.resize(self.text.len(), origin);
    }

    /// The comparable text. White space in it is single blanks, and none opens it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where a place of the comparable text is in the original.
    pub(super) fn origin(&self, position: usize) -> usize {
        self.origins.get(position).copied().unwrap_or(self.end)
    }

    /// The place of the comparable text that stands for a place of the original, or the next one that has one.
    pub(super) fn position(&self, origin: usize) -> usize {
        self.origins.partition_point(|known| *known < origin)
    }
}

/// A text in its comparable form.
///
/// Case, kinds of white space, of quotes and of dashes make no difference, nor does what cannot be seen; nor do the look-alikes by
/// which a text is kept from becoming markup on its way into a prompt: full-width signs, angles, raised commas for backquotes.
#[must_use]
pub fn fold(text: &str) -> String {
    Folded::new(text).text.trim_end().to_owned()
}

/// The characters that stand for a character in comparable texts.
///
/// All quotes are one, apostrophes and backquotes too: agents put a text that holds one kind between another kind.
fn fold_character(character: char, mut push: impl FnMut(char)) {
    let plain = match character {
        // The full-width forms of ASCII stand in the same order as ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character),
        other => other,
    };
    match plain {
        '\'' | '`' | '´' | '«' | '»' | 'ʹ'..='ʽ' | 'ˈ' | 'ˊ' | 'ˋ' | '‘'..='‟' | '′' | '″' | '‴' | '‵' | '‶' =>
        {
            push('"');
        }
        '‹' | '〈' | '⟨' | '❮' | '˂' | '﹤' => push('<'),
        '›' | '〉' | '⟩' | '❯' | '˃' | '﹥' => push('>'),
        '‐'..='―' | '−' => push('-'),
        '∼' | '˜' | '〜' => push('~'),
        '…' => (0..3).for_each(|_| push('.')),
        space if space.is_whitespace() => push(' '),
        hidden if is_invisible(hidden) => {}
        other => other.to_lowercase().for_each(push),
    }
}
