mod injection;
mod prompt;
mod statistics;
mod timing;
mod toon;
