//! Everything users and other programs talk to.

mod gtp;
mod help;
mod json;
mod labels;
mod match_play;
mod review;
mod samples;
mod selfplay;
mod service;
mod terminal;
