//! The event room: what one line of JSONL becomes, and why another is refused.

mod alias;
mod defect;
mod deliberation;
mod door;
mod identity;
mod key;
mod kind;
mod layout;
mod limit;
mod name;
mod plain;
mod rejection;
mod rule;
mod run;
mod scanner;
mod system;
mod table;
mod text;
mod time;
