//! How figures are shown.

/// How wide a bar is, in characters.
const BAR: u32 = 10;

/// A rate with two decimals; a dash where there is none.
pub fn rounded(rate: Option<f64>) -> String {
    rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.2}"))
}

pub fn bar(rate: Option<f64>) -> String {
    let Some(rate) = rate else { return " ".repeat(BAR as usize) };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate lies from 0 to 1")]
    let filled = (rate * f64::from(BAR)).round() as usize;
    format!("{}{}", "█".repeat(filled), "░".repeat((BAR as usize).saturating_sub(filled)))
}
