mod injection;
mod overview;
mod prompt;
mod sanitise;
mod statistics;
mod table;
mod timing;
mod toon;
