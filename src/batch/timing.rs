//! `outerloop timing` over the lake: where the time of runs went whose folders are gone.

use cli::printer::Printer;
use cli::timing::{TimingArgs, show};
use engine::Horizon;
use engine::cycle::Inquiry;
use event::cell::Row as _;
use learn::timing::TimingEvent;
use store::deadline::Deadline;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Sums up the timings of the lake's most recent runs.
pub(crate) fn run(workspace: &Workspace, options: &TimingArgs, printer: &Printer) -> Outcome<Exit> {
    let inquiry = Inquiry::open(workspace, Horizon::EVERYTHING, Deadline::NEVER)?;
    let events: Vec<TimingEvent> = inquiry.load("recent_timing", |rows| rows.padded(&TimingEvent::schema())?.read())?;
    if events.is_empty() {
        return Err(Diagnostic::edit(
            "no timings found, neither here nor in the lake",
            "name the folder that holds perf.jsonl with --workdir",
        ));
    }
    show(&events, options, printer)
}
