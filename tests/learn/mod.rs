mod figure;
mod matching;
mod mended;
mod work;
mod worked;
