//! What lands from the work of agents: captured lessons, observed sessions, artifacts that people changed.

mod artifact;
mod capture;
mod cursor;
mod observe;

pub use artifact::{ArtifactOptions, cite_session, cite_text, load_rows, reconcile_folder, render_folder, render_ready};
pub use capture::{Captures, capture_all, own_workdirs, workdirs};
pub use cursor::{Cursor, Timing, count_imported, folder as cursor_folder};
pub use observe::{count_mention, known_observations, observe_waiting};
