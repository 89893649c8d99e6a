mod figure;
mod matching;
mod mended;
mod relevance;
mod timing;
mod work;
mod worked;
