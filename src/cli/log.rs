//! The log: quiet by default, text for people, JSON under systemd.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

use super::args::LogFormat;

/// How the log is written: as asked for, else JSON under systemd and text for people.
pub(crate) fn choose_format(asked: Option<LogFormat>) -> LogFormat {
    let under_systemd = std::env::var_os("JOURNAL_STREAM").is_some();
    asked.unwrap_or(if under_systemd { LogFormat::Json } else { LogFormat::Text })
}

/// Starts the log. `OUTERLOOP_LOG` may name more exactly what is wanted.
pub(crate) fn start(verbose: u8, format: LogFormat, in_color: bool) {
    let level = match (verbose, format) {
        (0, LogFormat::Text) => LevelFilter::WARN,
        // What people are told goes into this log too, and each job's summary with it.
        (0, LogFormat::Json) | (1, _) => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let filter = EnvFilter::builder().with_default_directive(level.into()).with_env_var("OUTERLOOP_LOG").from_env_lossy();
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(in_color);
    // A second start in one process would only fail to replace the first.
    let _ = match format {
        LogFormat::Json => builder.json().try_init(),
        LogFormat::Text => builder.with_target(false).without_time().try_init(),
    };
}
