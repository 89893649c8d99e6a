//! What another store knew of patterns when they were taken over.

use super::life::Stage;
use event::cell::Word as _;

/// What another store knew of a pattern when it was taken over.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Inheritance {
    /// What counted for it.
    pub successes: Option<u32>,
    /// How often it was rejected.
    pub ignored: u32,
    /// What that counts against it. Stores of old hold nothing or 0 here; the rejections then count one each.
    pub weight: Option<f64>,
    /// How often it was reinforced.
    pub reinforced: u32,
    /// How often it was seen.
    pub seen: Option<u32>,
    pub is_trusted: bool,
    /// How far it had come.
    pub stage: Option<Stage>,
    /// When it was last used, in microseconds since 1970.
    pub used_micros: Option<i64>,
}

impl Inheritance {
    /// What counts against it.
    #[must_use]
    pub fn penalty(&self) -> f64 {
        self.weight.filter(|weight| *weight > 0.0).unwrap_or(f64::from(self.ignored))
    }
}

/// What another store knew of the patterns of a deliberation, in their order.
pub(super) fn parse_inheritances(json: &str) -> Vec<Inheritance> {
    let one = |value: &serde_json::Value| {
        let count = |name: &str| value.get(name).and_then(serde_json::Value::as_u64).and_then(|count| u32::try_from(count).ok());
        let time = value.get("last_used").and_then(serde_json::Value::as_str).and_then(|text| text.parse::<jiff::Timestamp>().ok());
        Inheritance {
            successes: count("success_count"),
            ignored: count("ignore_count").unwrap_or(0),
            weight: value.get("ignore_weight_score").and_then(serde_json::Value::as_f64).filter(|weight| weight.is_finite()),
            reinforced: count("reinforce_count").unwrap_or(0),
            seen: count("seen_count"),
            is_trusted: value.get("was_validated").and_then(serde_json::Value::as_bool).unwrap_or(false),
            stage: value.get("lifecycle_state").and_then(serde_json::Value::as_str).and_then(Stage::from_word),
            used_micros: time.map(jiff::Timestamp::as_microsecond),
        }
    };
    match serde_json::from_str::<serde_json::Value>(json) {
        Ok(serde_json::Value::Array(all)) => all.iter().map(one).collect(),
        Ok(object @ serde_json::Value::Object(_)) => vec![one(&object)],
        _ => Vec::new(),
    }
}
