//! Rounding as the original rounds.

/// The number with so many decimals, half to even on the exact binary value. What is not finite stays as it is.
#[must_use]
pub(crate) fn round_half_even(value: f64, decimals: usize) -> f64 {
    // Multiplying first would round twice: 0.285 times 100 is more than 28.5, and 0.285 itself is less than it looks.
    format!("{value:.decimals$}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_to_the_even_neighbour_and_near_halves_to_their_own() {
        for (value, decimals, rounded) in [
            (0.125, 2, 0.12),
            (0.375, 2, 0.38),
            (0.285, 2, 0.28),
            (1.005, 2, 1.0),
            (0.25, 1, 0.2),
            (0.75, 1, 0.8),
            (2.5, 0, 2.0),
            (59.5, 0, 60.0),
            (-0.25, 1, -0.2),
        ] {
            assert!((round_half_even(value, decimals) - rounded).abs() < 1e-12, "{value} with {decimals} decimals");
        }
        assert!(round_half_even(f64::NAN, 2).is_nan());
    }
}
