//! Rounding as the originals round: each of them in its own way.

/// A count as the number that rates are computed with.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts of events and sums of millionths stay far below 2^52")]
pub fn real(count: impl Into<i128>) -> f64 {
    count.into() as f64
}

/// The number with so many decimals, half to even on the exact binary value. What is not finite stays as it is.
#[must_use]
pub(crate) fn round_half_even(value: f64, decimals: usize) -> f64 {
    // Multiplying first would round twice: 0.285 times 100 is more than 28.5, and 0.285 itself is less than it looks.
    format!("{value:.decimals$}").parse().unwrap_or(value)
}

/// The number with so many decimals, half away from zero on the exact binary value. What is not finite stays as it is.
///
/// Neither printing, which takes halves to the even neighbour, nor multiplying first, which rounds twice, gives this.
#[must_use]
pub fn round_half_away(value: f64, decimals: u32) -> f64 {
    const FRACTION_BITS: u32 = f64::MANTISSA_DIGITS - 1;
    let bits = value.abs().to_bits();
    let exponent = i64::from(u32::try_from(bits >> FRACTION_BITS).unwrap_or(u32::MAX));
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    // What is not finite has no decimals, and from 2^52 on numbers are whole.
    let places = 1075 - exponent;
    if places <= 0 {
        return value;
    }
    let (mantissa, places) = if exponent == 0 { (fraction, 1074) } else { (fraction | (1 << FRACTION_BITS), places) };
    let scale = 10_u128.pow(decimals);
    // The value is mantissa / 2^places. So small a number is no half of the last decimal.
    let units = if places > 126 { 0 } else { (u128::from(mantissa) * scale + (1 << (places - 1))) >> places };
    #[expect(clippy::cast_precision_loss, reason = "both are whole numbers below 2^53, so their quotient is rounded once")]
    let rounded = if units >> f64::MANTISSA_DIGITS == 0 {
        units as f64 / scale as f64
    } else {
        format!("{units}e-{decimals}").parse().unwrap_or(value)
    };
    if value < 0.0 && units > 0 { -rounded } else { rounded }
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
