//! Rounding, held to its definition: the exact decimal expansion of the binary value, cut where it is asked, half away from zero.

use fastrand::Rng;
use learn::round_half_away;

/// Rust prints the exact expansion when it is asked for enough digits, so the digit behind the last one decides.
fn by_definition(value: f64, decimals: usize) -> f64 {
    let exact = format!("{:.1080}", value.abs());
    let (whole, fraction) = exact.split_once('.').expect("a point");
    let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes().take(decimals)).map(|digit| digit - b'0').collect();
    if fraction.as_bytes()[decimals] >= b'5' {
        let mut place = digits.len();
        loop {
            if place == 0 {
                digits.insert(0, 1);
                break;
            }
            place -= 1;
            if digits[place] < 9 {
                digits[place] += 1;
                break;
            }
            digits[place] = 0;
        }
    }
    let text: String = digits.iter().map(|digit| char::from(digit + b'0')).collect();
    let point = text.len() - decimals;
    let rounded: f64 = format!("{}.{}", &text[..point], &text[point..]).parse().expect("a number");
    if value < 0.0 && rounded > 0.0 { -rounded } else { rounded }
}

#[test]
#[expect(clippy::float_cmp, reason = "to the last bit")]
fn the_numbers_that_shortcuts_get_wrong_are_right() {
    for (value, decimals, rounded) in
        [(0.0625, 3, 0.063), (0.3125, 3, 0.313), (0.5375, 3, 0.537), (0.7625, 3, 0.762), (-0.03125, 4, -0.0313)]
    {
        assert_eq!(round_half_away(value, decimals), rounded, "{value}");
        assert_eq!(by_definition(value, decimals as usize), rounded, "{value}, by definition");
    }
    assert!(round_half_away(-0.00001, 3).is_sign_positive(), "there is no minus nought");
    assert!(round_half_away(f64::NAN, 3).is_nan());
    assert_eq!(round_half_away(f64::INFINITY, 3), f64::INFINITY);
}

#[test]
fn a_hundred_thousand_ratios_are_rounded_by_the_definition() {
    let mut random = Rng::with_seed(4);
    for _ in 0..100_000 {
        let all = random.u32(1..5000);
        let part = random.u32(0..=all);
        let value = f64::from(part) / f64::from(all) * if random.bool() { 1.0 } else { -0.75 };
        for decimals in [3_u32, 4] {
            let (rounded, wanted) = (round_half_away(value, decimals), by_definition(value, decimals as usize));
            assert_eq!(rounded.to_bits(), wanted.to_bits(), "{part}/{all} as {value} with {decimals} decimals");
        }
    }
}

#[test]
fn any_number_is_rounded_by_the_definition() {
    let mut random = Rng::with_seed(5);
    for round in 0..20_000 {
        let value = match round % 4 {
            // Exact halves of the last decimal, and their neighbours.
            0 => f64::from(random.u32(..1 << 20)) / 1024.0,
            1 => f64::from_bits((f64::from(random.u32(..1 << 20)) / 1024.0).to_bits() + 1),
            2 => random.f64() * 10_f64.powi(random.i32(-20..16)),
            _ => f64::from_bits(random.u64(..0x7ff0_0000_0000_0000) >> random.u32(..3)),
        };
        if value.is_finite() && value < 1e300 {
            let (rounded, wanted) = (round_half_away(value, 3), by_definition(value, 3));
            assert_eq!(rounded.to_bits(), wanted.to_bits(), "{value:e}");
        }
    }
}
