//! Runs that are missing from every figure.

use std::collections::BTreeMap;

use super::{Finding, bad, good, warning};
use crate::program;
use engine::Horizon;
use engine::cycle::{Aim, CycleOptions, Inquiry, load_missing};
use learn::policy::Refusals;
use render::plain_text;
use store::clock;
use store::deadline::Deadline;
use store::workspace::{Workspace, load_settings};

/// Runs that are missing from every figure, because they were refused or never reported.
pub(super) fn check_missing(workspace: &Workspace) -> [Finding; 2] {
    let load = || {
        let settings = load_settings(workspace)?;
        let options =
            CycleOptions { settings: &settings, horizon: Horizon::EVERYTHING, deadline: Deadline::NEVER, program: program() };
        load_missing(&Inquiry::of_cycle(workspace, options, Aim::None)?, &settings, clock::now().as_microsecond())
    };
    match load() {
        Ok(missing) => [tell_refused(&missing), tell_unreported(&missing)],
        Err(diagnostic) => [bad("refused", &diagnostic), bad("unreported", &diagnostic)],
    }
}

fn by_adapter(runs: &BTreeMap<String, i64>) -> Vec<String> {
    runs.iter().map(|(adapter, runs)| format!("{runs} of {}", plain_text(adapter, 40))).collect()
}

fn tell_unreported(missing: &Refusals) -> Finding {
    if missing.unreported.is_empty() {
        return good("unreported", "every run that a gate let through has reported, or has time left");
    }
    warning(
        "unreported",
        format!("runs that a gate let through and that never reported: {}", by_adapter(&missing.unreported).join(", ")),
        "record how they ended: outerloop record --kind run; the setting `overlay.settle_hours` says how long a run may take",
    )
}

fn tell_refused(refused: &Refusals) -> Finding {
    let mut parts = by_adapter(&refused.by_adapter);
    if refused.unknown > 0 {
        parts.push(format!("{} that name no adapter", refused.unknown));
    }
    if parts.is_empty() {
        return good("refused", "no runs are missing");
    }
    warning(
        "refused",
        format!("refused runs that were not recorded properly since: {}", parts.join(", ")),
        "quarantine/ holds their lines and what is wrong with them; correct them and record them again under the same `run_id`. A line \
         that had none is settled by `outerloop policy clear --refused --reason ...`, for one adapter or for all",
    )
}
