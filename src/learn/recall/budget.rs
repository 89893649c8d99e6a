//! How much of a block fits its budget of tokens.

/// How many tokens a line takes, its line break included.
pub type TokenCounter<'c> = &'c dyn Fn(&str) -> usize;

/// One token for every four characters, rounded up.
#[must_use]
pub fn characters_as_tokens(line: &str) -> usize {
    line.chars().count().div_ceil(4)
}

/// How much of the selection is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Full,
    /// A summary of it that was made before.
    Summary,
    /// The first lines.
    Truncated,
    /// Nothing.
    None,
}

impl Reach {
    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Summary => "summary",
            Self::Truncated => "truncated",
            Self::None => "none",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    /// How much of it.
    pub reach: Reach,
    /// How many of the lines.
    pub lines: usize,
    /// How many tokens that takes, with everything around it.
    pub tokens: usize,
}

impl Fit {
    /// Nothing is shown.
    pub const NOTHING: Self = Self { reach: Reach::None, lines: 0, tokens: 0 };
}

/// Fits lines into a budget: all of them, else a summary of them, else those of the highest rank up to the first that does not fit.
/// `frame` says what everything around takes when so many lines are shown.
#[must_use]
pub fn fit_lines(lines: &[usize], summary: Option<usize>, frame: impl Fn(usize) -> usize, budget: usize) -> Fit {
    let all: usize = lines.iter().sum::<usize>() + frame(lines.len());
    if lines.is_empty() {
        return Fit::NOTHING;
    }
    if all <= budget {
        return Fit { reach: Reach::Full, lines: lines.len(), tokens: all };
    }
    if let Some(tokens) = summary.map(|summary| summary + frame(lines.len())).filter(|tokens| *tokens <= budget) {
        return Fit { reach: Reach::Summary, lines: 0, tokens };
    }
    let mut taken = 0;
    let mut shown = 0;
    for line in lines {
        if taken + line + frame(shown + 1) > budget {
            break;
        }
        taken += line;
        shown += 1;
    }
    if shown == 0 { Fit::NOTHING } else { Fit { reach: Reach::Truncated, lines: shown, tokens: taken + frame(shown) } }
}
