//! Results as files: one module a format. Bytes out, nothing is written here.

pub mod artifact;
pub mod overview;
pub mod policy;
pub mod prompt;
pub mod reference;
pub mod toon;

mod brief;
mod change;
mod figure;
mod html;
mod hud;
mod injection;
mod json;
mod markdown;
mod metrics;
mod notice;
mod observation;
mod report;
mod role;
mod statistics;
mod table;
mod terminal;
mod timing;
mod tool;
mod truth;

pub use brief::{Brief, read_briefs};
pub use change::{Change, Changes, compare, render_changes};
pub use figure::{bar, rounded};
pub use html::{JOBS_PLACE, JobLine, PageData, fill_jobs, render_html};
pub use hud::{Tally, capacity_line};
pub use injection::{Coins, IndexReader, Summary, render_index};
pub use json::render_json;
pub use markdown::{render_markdown, tasks_behind};
pub use metrics::{Metric, render_metrics};
pub use notice::{Notice, Notices, Severity};
pub use observation::{ObservationLine, ObservationReport, ObservationShare, make_observation_report};
pub use report::{FlagCount, Holding, Merging, Refusal, RejectedLesson, Report, Totals, VoidLine, toon_rows};
pub use role::{RoleLine, RoleReport, compare_roles, make_role_report};
pub use statistics::render_statistics;
pub use table::{parse_table, render_table};
pub use terminal::{Line, Span, Style, render_terminal, sparkline};
pub use text::fit::plain_text;
pub use timing::{render_timeline, render_timing};
pub use tool::render_tool_lessons;
pub use truth::{
    Cost, TruthReport, WhatIf, loop_sentence, odds, points, render_truth, subject_sentence, truth_metrics, verdict_words, what_if,
};
