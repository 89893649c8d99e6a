mod injection;
mod prompt;
mod sanitise;
mod statistics;
mod table;
mod timing;
mod toon;
