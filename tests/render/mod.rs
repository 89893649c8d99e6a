mod timing;
mod toon;
