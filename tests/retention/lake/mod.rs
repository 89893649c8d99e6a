//! Sums in the place of old days: no figure changes, whatever happens while they are made.

mod law;
