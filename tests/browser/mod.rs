//! The page in a real browser: headless Chromium, fetched and checked by `./dev browser`, driven over its DevTools protocol.

mod driver;
mod made;
mod page;
