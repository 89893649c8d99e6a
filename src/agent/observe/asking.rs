//! Asking the command of the workspace. The one file here that knows how commands are asked.

use std::time::Duration;

use setting::ObserveSettings;
use store::command::ask;
use store::deadline::Deadline;
use store::subprocess::Allowance;

/// Asks the command, and gives what it wrote, or why it gave no answer. A session that it starts is not observed in turn.
pub(super) fn ask_command(settings: &ObserveSettings, request: &str, deadline: Deadline) -> Result<String, String> {
    let most = Duration::from_secs(settings.timeout_seconds);
    let time = deadline.remaining().map_or(most, |remaining| remaining.min(most));
    let allowance = Allowance { time, output_bytes: settings.most_answer_kib.saturating_mul(1024) };
    ask(&settings.command, request, allowance).map_err(|failure| failure.to_string())
}
