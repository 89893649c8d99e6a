//! The limits of events, defined once: later code need not handle what input validation refuses.

/// The longest line that is taken, in bytes. A transcript's text fits; a runaway log does not.
pub const LINE_BYTES: usize = 1 << 20;
/// The longest text of one field, in bytes.
pub const TEXT_BYTES: usize = 256 << 10;
/// The longest item of a list, in bytes.
pub const ITEM_BYTES: usize = 16 << 10;
/// The longest identifier or name, in bytes: still a file name on every common file system.
pub const NAME_BYTES: usize = 200;
/// The longest label (an id, a path, a model name), in bytes.
pub const LABEL_BYTES: usize = 1024;
pub const LIST_ITEMS: usize = 1000;
/// The most fields in one event: far beyond every kind, and a bound for what one line can cost.
pub const FIELDS: usize = 256;
/// The deepest nesting of a value that is kept as JSON. Engines that read the column stop at various depths above this.
pub const DEPTH: usize = 64;
/// The earliest time an event may carry: 2000-01-01. Earlier means a broken clock or seconds taken for milliseconds.
pub const EARLIEST_MICROS: i64 = 946_684_800 * 1_000_000;
/// How far an event's time may lie ahead of the reader's clock: a day covers every time zone mistake.
pub const AHEAD_MICROS: i64 = 86_400 * 1_000_000;
/// The most retries of one run: two thousand million such runs can be summed up before a number of 64 bits overflows.
pub const RETRIES: i64 = 4_294_967_295;
