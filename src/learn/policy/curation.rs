//! What people decided about policies: cleared failures, annotated adapters, accepted and dismissed suggestions.

use serde::Deserialize;

use super::failure::failure_id;
use event::parse_time;
use event::row::Rows;
use text::diagnostic::Outcome;
use text::key::key;

/// What decisions about suggestions are aimed at: this and the suggestion's key.
pub const CONSTRAINT: &str = "constraint:";

/// What people decided, in the order of landing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curations {
    /// Failures and adapters that were cleared.
    pub clears: Vec<Clear>,
    /// Refused runs that were dealt with.
    pub settlements: Vec<Settlement>,
    /// What was said of adapters.
    pub annotations: Vec<Annotation>,
    /// Suggestions that were accepted, dismissed or opened again.
    pub constraints: Vec<ConstraintDecision>,
    /// Decisions that say nothing that could be followed, and why.
    pub void: Vec<(String, String)>,
}

/// A person's decision that a failure is fixed: it resets the failure count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clear {
    /// Its place in the order of landing.
    pub sequence: i64,
    pub micros: i64,
    /// The adapter.
    pub adapter: String,
    /// The failure pattern; all of the adapter's, and what the ratchet holds, where none is named.
    pub failure: Option<String>,
    pub actor: String,
    pub note: String,
}

impl Clear {
    /// Whether it is about a failure.
    #[must_use]
    pub fn covers(&self, adapter: &str, failure: &str) -> bool {
        self.adapter == adapter && self.failure.as_deref().is_none_or(|own| own == failure)
    }

    /// Its place in time. Who reports and who decides write to different files, and it must not matter which was taken first;
    /// the order of landing decides between equal times.
    #[must_use]
    pub const fn moment(&self) -> (i64, i64) {
        (self.micros, self.sequence)
    }
}

/// The target of a decision about the refused runs of all adapters, and of those that name none.
pub const EVERY_ADAPTER: &str = "*";

/// A person's decision that refused runs are dealt with: those that were refused before it are missing no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// The adapter that they name; all of them, and those that name none, where there is none.
    pub adapter: Option<String>,
    pub micros: i64,
}

/// What a person says of an adapter.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// The adapter.
    pub adapter: String,
    pub actor: String,
    pub note: String,
    pub micros: i64,
    /// Until when it holds.
    pub expires_micros: Option<i64>,
    /// Whether a person must approve.
    pub force_approval: Option<bool>,
    /// How many retries there may be.
    pub max_retries: Option<u32>,
    /// What the risk is multiplied by.
    pub risk_multiplier: Option<f64>,
    /// Whether it takes the place of what was learned, rather than making it stricter.
    pub is_override: bool,
    /// Whether it only takes back what was said before.
    pub is_withdrawn: bool,
}

/// What a person decided about suggestions of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstraintDecision {
    /// Its place in the order of landing.
    pub sequence: i64,
    /// When, in microseconds since 1970. Suggestions before it are meant.
    pub micros: i64,
    /// The kind of suggestion.
    pub key: String,
    /// The run that it is about; all of them, where none is named.
    pub run_id: Option<String>,
    /// `accepted`, `dismissed` or `open`.
    pub status: &'static str,
}

impl Curations {
    /// When what was said of adapters ends.
    pub fn expiries(&self) -> impl Iterator<Item = i64> {
        self.annotations.iter().filter_map(|said| said.expires_micros)
    }

    /// What holds of an adapter at an instant. Words that only make rules stricter hold side by side; one that takes their place, or
    /// takes them back, ends those before it. What has expired leaves the others as they were.
    #[must_use]
    pub fn annotations_of(&self, adapter: &str, as_of_micros: i64) -> Vec<&Annotation> {
        let mut own: Vec<&Annotation> = self.annotations.iter().filter(|said| said.adapter == adapter).collect();
        own.sort_by_key(|said| said.micros);
        let mut holding = Vec::new();
        for said in own.into_iter().filter(|said| said.expires_micros.is_none_or(|expires| as_of_micros < expires)) {
            if said.is_override || said.is_withdrawn {
                holding.clear();
            }
            if !said.is_withdrawn {
                holding.push(said);
            }
        }
        holding
    }

    /// The last time that a failure was cleared before a moment.
    #[must_use]
    pub fn last_clear(&self, adapter: &str, failure: &str, before: (i64, i64)) -> Option<&Clear> {
        let clears = self.clears.iter().filter(|clear| clear.covers(adapter, failure) && clear.moment() < before);
        clears.max_by_key(|clear| clear.moment())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct RawValue {
    #[serde(alias = "failure_pattern")]
    failure_pattern: Option<String>,
    #[serde(alias = "run_id")]
    run_id: Option<String>,
    #[serde(alias = "force_approval")]
    force_approval: Option<bool>,
    #[serde(alias = "max_retries")]
    max_retries: Option<u32>,
    #[serde(alias = "risk_multiplier")]
    risk_multiplier: Option<f64>,
    #[serde(alias = "expires_at")]
    expires_at: Option<String>,
    #[serde(rename = "override")]
    is_override: bool,
    withdrawn: bool,
    refused: bool,
}

impl RawValue {
    const fn says_nothing(&self) -> bool {
        let is_silent = self.force_approval.is_none() && self.max_retries.is_none() && self.risk_multiplier.is_none();
        is_silent && !self.withdrawn
    }
}

event::row! {
    struct Decision {
        landing_seq: i64,
        ts_us: i64,
        action: String,
        target: String,
        value: Option<String>,
        actor: String,
        reason: String,
    }
}

/// Reads the rows of `sql/policy/curation.sql`, which come in the order of landing.
pub fn parse_curations(rows: &Rows) -> Outcome<Curations> {
    let mut curations = Curations::default();
    for decision in rows.read::<Decision>()? {
        let target = key(&decision.target).into_owned();
        if let Err(why) = take(&mut curations, &target, decision) {
            curations.void.push((target, why));
        }
    }
    Ok(curations)
}

fn take(curations: &mut Curations, target: &str, decision: Decision) -> Result<(), String> {
    let Decision { landing_seq: sequence, ts_us: micros, action, value, actor, reason: note, .. } = decision;
    let value: RawValue = serde_json::from_str(value.as_deref().unwrap_or("{}")).map_err(|error| error.to_string())?;
    if let Some(key) = target.strip_prefix(CONSTRAINT) {
        let status = match &*action {
            "promote" => "accepted",
            "reject" => "dismissed",
            "restore" => "open",
            _ => return Err(format!("`{action}` is not a valid action for a suggestion")),
        };
        curations.constraints.push(ConstraintDecision { sequence, micros, key: key.to_owned(), run_id: value.run_id, status });
        return Ok(());
    }
    let adapter = target.to_owned();
    match &*action {
        "clear" if value.refused => {
            let adapter = Some(adapter).filter(|adapter| adapter != EVERY_ADAPTER);
            curations.settlements.push(Settlement { adapter, micros });
        }
        "clear" => {
            let failure = value
                .failure_pattern
                .map(|name| key(&name).into_owned())
                .map(|name| if name.starts_with(&format!("{adapter}::")) { name } else { failure_id(&adapter, &name) });
            curations.clears.push(Clear { sequence, micros, adapter, failure, actor, note });
        }
        "annotate" if value.says_nothing() => return Err("it changes nothing".to_owned()),
        "annotate" => curations.annotations.push(Annotation {
            adapter,
            actor,
            note,
            micros,
            expires_micros: value.expires_at.map(|text| parse_time(&text).ok_or(format!("`{text}` is not a time"))).transpose()?,
            force_approval: value.force_approval,
            max_retries: value.max_retries,
            risk_multiplier: match value.risk_multiplier {
                Some(factor) if !factor.is_finite() || factor <= 0.0 => {
                    return Err(format!("a risk cannot be multiplied by {factor}"));
                }
                factor => factor,
            },
            is_override: value.is_override,
            is_withdrawn: value.withdrawn,
        }),
        _ => return Err(format!("`{action}` is not a valid action for an adapter")),
    }
    Ok(())
}
