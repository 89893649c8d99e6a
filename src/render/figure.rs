//! How figures and other people's texts are shown.

/// How wide a bar is, in characters.
const BAR: u32 = 10;

/// A rate with two decimals; a dash where there is none.
#[must_use]
pub fn rounded(rate: Option<f64>) -> String {
    rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.2}"))
}

/// A rate as a bar.
#[must_use]
pub fn bar(rate: Option<f64>) -> String {
    let Some(rate) = rate else { return " ".repeat(BAR as usize) };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate lies from 0 to 1")]
    let filled = (rate * f64::from(BAR)).round() as usize;
    format!("{}{}", "█".repeat(filled), "░".repeat((BAR as usize).saturating_sub(filled)))
}

/// Text that somebody else wrote, as one harmless line of at most so many characters. Control and direction characters
/// could move or hide what stands around it, and an escape sequence could do worse.
#[must_use]
pub fn plain_text(text: &str, most: usize) -> String {
    let mut plain = String::new();
    for letter in text.chars() {
        let is_space = letter.is_whitespace() || letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
        if is_invisible(letter) {
            continue;
        }
        if !is_space {
            plain.push(letter);
        } else if !plain.is_empty() && !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    let plain = plain.trim_end();
    if plain.chars().count() <= most {
        return plain.to_owned();
    }
    let cut: String = plain.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// Characters that take no room but change how others are read.
const fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}
