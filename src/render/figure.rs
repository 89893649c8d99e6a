//! How figures and other people's texts are shown.

use text::fit::is_unprintable;

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
        if letter.is_whitespace() || letter.is_control() {
            if !plain.is_empty() && !plain.ends_with(' ') {
                plain.push(' ');
            }
        } else if !is_unprintable(letter) {
            plain.push(letter);
        }
    }
    let plain = plain.trim_end();
    if plain.chars().count() <= most {
        return plain.to_owned();
    }
    let cut: String = plain.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}
