mod injection;
mod prompt;
mod sanitise;
mod statistics;
mod timing;
mod toon;
