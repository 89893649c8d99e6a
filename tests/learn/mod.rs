mod figure;
mod matching;
mod mended;
mod relevance;
mod statistics;
mod timing;
mod work;
mod worked;
