mod figure;
mod matching;
mod mended;
mod relevance;
mod work;
mod worked;
