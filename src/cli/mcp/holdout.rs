//! What a unit of work goes without. What hooks withhold, tools do not tell either: an agent could ask for what it is to do without.

use super::place::{Desk, Place};
use agent::hook::{Coins, Injection, Request, Situation, inject, is_withheld, record_exposures};
use text::diagnostic::Outcome;

/// The arm of the unit of work that a call belongs to.
pub(super) struct Holdout<'d> {
    desk: &'d Desk,
    coins: Option<Coins<'d>>,
    /// Whether the unit is one of those that are shown nothing.
    pub(super) is_off: bool,
}

impl<'d> Holdout<'d> {
    /// Draws the arm, and tells of it if nobody has. Where it cannot be drawn, everything is told, as hooks show everything.
    pub(super) fn open(place: &Place, desk: &'d Desk) -> Self {
        let coins = coins_of(desk);
        let draw = || {
            let now_micros = desk.situation.turn.time.as_microsecond();
            // Nothing fits no budget: the arms are drawn, and no pattern is.
            let request = Request { coins: coins.as_ref(), is_logged: true, budget: Some(0), now_micros, ..Request::default() };
            let drawn = inject(&desk.workspace, &desk.settings, &request)?;
            record(place, desk, &request, &drawn).map(|()| drawn.is_off())
        };
        let is_off = coins.is_some() && draw().unwrap_or(false);
        Self { desk, coins, is_off }
    }

    /// Whether a pattern is withheld, alone or with everything.
    pub(super) fn withholds(&self, id: &str) -> bool {
        let alone = |coins| is_withheld(&self.desk.workspace, &self.desk.settings, coins, id).unwrap_or(false);
        self.is_off || self.coins.as_ref().is_some_and(alone)
    }
}

/// The coins of the unit; none where no unit is known.
pub(super) fn coins_of(desk: &Desk) -> Option<Coins<'_>> {
    let Situation { turn, session, .. } = &desk.situation;
    let unit = desk.situation.unit_of_work()?;
    Coins::of(&desk.workspace, &desk.settings, turn, unit, Some(session))
}

/// Records what was found, where no hook records what agents are shown; and everywhere the arms of the unit, if nobody has told of them.
pub(super) fn record(place: &Place, desk: &Desk, request: &Request<'_>, found: &Injection) -> Outcome<()> {
    let (Situation { turn, unit, is_off, .. }, Some(coins)) = (&desk.situation, request.coins) else { return Ok(()) };
    let is_first = coins.is_untold() && !found.arms.is_empty();
    let has_exposures = place.records && !(found.shown.is_empty() && found.withheld.is_empty());
    if *is_off || !(is_first || has_exposures) {
        return Ok(());
    }
    let told = if place.records { found.clone() } else { Injection { shown: Vec::new(), withheld: Vec::new(), ..found.clone() } };
    record_exposures(&desk.workspace, &desk.settings, turn, unit.as_deref(), request, &told)
}
