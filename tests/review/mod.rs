//! The testimony room: what a role's text says.

mod block;
mod evidence;
mod location;
mod output;
mod section;
mod text;
mod wording;
