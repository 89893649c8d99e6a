//! The coin: a salted hash decides whether a unit is shown a pattern, so anybody can recompute every logged arm.

use xxhash_rust::xxh3::Xxh3;

/// Chances that coins may have once they adapt.
pub const LADDER: [f64; 7] = [0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9];

/// How strongly a pooled lift moves tomorrow's coin.
const KAPPA: f64 = 2.0;

/// The salt of a workspace, made once. Without it the units of two workspaces would draw the same arms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salt(String);

impl Salt {
    /// The pattern that stands for the whole loop.
    pub const LOOP: &'static str = "*";

    #[must_use]
    pub const fn new(salt: String) -> Self {
        Self(salt)
    }

    /// What stands for an experiment, in the place of a pattern. No pattern is called so.
    #[must_use]
    pub fn experiment(name: &str) -> String {
        format!("{}{name}", Self::LOOP)
    }

    /// The salt itself, for the files of the workspace that must not depend on another.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// A short name for the salt, for the log: it says which salt drew an arm and not what it is.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(self.0.as_bytes()))
    }

    /// A number of a unit and a pattern that is independent of their coin.
    #[must_use]
    pub fn turn(&self, unit: &str, pattern: &str) -> u64 {
        hash(&self.0, unit, &format!("#{pattern}"))
    }

    /// Tosses the coin of a unit and a pattern.
    #[must_use]
    pub fn toss(&self, unit: &str, pattern: &str, chance: f64) -> Coin {
        let draw = uniform(hash(&self.0, unit, pattern));
        Coin { draw, is_shown: draw < chance }
    }
}

/// A coin that fell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coin {
    /// The draw, from 0 to below 1.
    pub draw: f64,
    pub is_shown: bool,
}

/// The hash behind a coin.
#[must_use]
pub fn hash(salt: &str, unit: &str, pattern: &str) -> u64 {
    let mut hasher = Xxh3::new();
    for (place, part) in [salt, unit, pattern].into_iter().enumerate() {
        if place > 0 {
            hasher.update(b"\0");
        }
        hasher.update(part.as_bytes());
    }
    hasher.digest()
}

/// 53 bits of a hash as a number below 1: exact in every language, and never rounded up to 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
fn uniform(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

/// The standard normal distribution function.
#[must_use]
pub fn phi(deviations: f64) -> f64 {
    0.5 * libm::erfc(-deviations / std::f64::consts::SQRT_2)
}

/// Tomorrow's coin: the step of the ladder next to the chance that the pattern helps.
#[must_use]
pub fn next_chance(lift: f64, deviation: f64) -> f64 {
    let wanted = phi(KAPPA * lift / deviation);
    let distance = |step: f64| (step - wanted).abs();
    LADDER.into_iter().reduce(|best, step| if distance(step) < distance(best) { step } else { best }).unwrap_or(0.8)
}
