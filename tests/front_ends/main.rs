//! Everything users and other programs talk to.

mod match_play;
mod gtp;
mod help;
mod json;
mod labels;
mod review;
mod samples;
mod selfplay;
mod service;
mod terminal;
