//! Whether what is quoted was said: a quotation that stands nowhere supports nothing.

use super::sighting::normal_form;
use crate::transcript::Exchange;

/// A shorter part of a quotation stands everywhere.
const LEAST_CHARACTERS: usize = 8;

/// Who said what is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    User,
    Agent,
}

/// What was said in a session, in its comparable form.
#[derive(Debug, Clone)]
pub(super) struct Sayings {
    users: Vec<String>,
    agents: Vec<String>,
}

impl Sayings {
    pub(super) fn new(exchanges: &[Exchange]) -> Self {
        Self {
            users: exchanges.iter().map(|exchange| normal_form(&exchange.user)).collect(),
            agents: exchanges.iter().filter_map(|exchange| exchange.prior.as_deref()).map(normal_form).collect(),
        }
    }

    /// Who said what is quoted; none if nobody did. What a person repeats of the agent's words is the person's.
    pub(super) fn find(&self, quote: &str) -> Option<Side> {
        let parts = parts_of(quote);
        let holds = |texts: &[String]| texts.iter().any(|text| parts.iter().all(|part| text.contains(&**part)));
        if parts.is_empty() {
            None
        } else if holds(&self.users) {
            Some(Side::User)
        } else {
            holds(&self.agents).then_some(Side::Agent)
        }
    }
}

/// The parts of a quotation between its gaps, without who is said to speak.
fn parts_of(quote: &str) -> Vec<String> {
    let named = ["prior:", "user:", "assistant:", "agent:"].iter().find_map(|name| {
        let (head, rest) = quote.split_at_checked(name.len())?;
        head.eq_ignore_ascii_case(name).then_some(rest)
    });
    let text = named.unwrap_or(quote).replace('…', "...");
    let parts: Vec<String> = text.split("...").map(normal_form).filter(|part| !part.is_empty()).collect();
    let is_telling = parts.iter().any(|part| part.chars().count() >= LEAST_CHARACTERS);
    if is_telling { parts } else { Vec::new() }
}
