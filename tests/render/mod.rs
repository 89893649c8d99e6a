mod injection;
mod prompt;
mod statistics;
mod table;
mod timing;
mod toon;
