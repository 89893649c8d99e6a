//! Blocks of patterns for an agent's context: what stands around them, and how a pattern's text is kept from being more than text.

mod block;
mod line;

pub use block::{Block, EXAMPLE, Style};
pub use line::{historical_line, organization_line, tool_line, track_record};
pub use text::fit::{prompt_name, prompt_text};
