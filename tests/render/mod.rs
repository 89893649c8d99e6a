mod statistics;
mod timing;
mod toon;
