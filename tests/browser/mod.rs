//! The page in a real browser: headless Chromium, fetched and checked by `./dev browser`, driven over its protocol for developers.

mod driver;
pub mod made;
mod page;
mod picture;
