//! The options that all playing commands share, from the command line and from a TOML file.

mod config;
mod evaluators;
#[cfg(test)]
mod tests;
pub mod unsupported;

pub use config::{config_bytes, config_context};

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use honinbo::engine::level::Level;
use honinbo::engine::settings::{EngineSettings, MAX_THREADS, MAX_TIME_SECONDS};
use honinbo::eval::UnsupportedSizeError;
use honinbo::eval::stack::EvaluatorStack;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::{Komi, Rules};
use honinbo::gtp::context::Identity;
use honinbo::io::protocol_log::ProtocolLog;
use honinbo::net::precision::Precision;
use honinbo::search::alphabeta::MAX_DEPTH;
use honinbo::search::params::{Algorithm, Formula};
use serde::Deserialize;

use super::precision;

/// Default memory of tree and cache together, in MiB.
const DEFAULT_MEMORY_MIB: u32 = 2048;
/// The cache's share of the memory: an answer takes twice as much as a node, and there are fewer of them.
const CACHE_DIVISOR: u32 = 2;
/// The least seconds that a move may be given.
const MIN_SECONDS: f64 = 0.001;

macro_rules! options {
    ($($(#[doc = $doc:literal])+ $(#[arg($($arg:tt)*)])? $(#[serde($($serde:tt)*)])? $name:ident: $type:ty,)*) => {
        /// The shared options; each can stand in the file that `--config` names, by the same name.
        #[derive(Clone, Debug, Default, clap::Args, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub struct Options {
            $($(#[doc = $doc])+ #[arg(long, $($($arg)*)?)] $(#[serde($($serde)*)])? pub $name: Option<$type>,)*

            /// A search parameter, NAME=VALUE; may be repeated (in a file: a table `param`)
            #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_param)]
            #[serde(default, rename = "param", deserialize_with = "params_from_table")]
            pub params: Vec<(String, f32)>,

            /// A TOML file of these options; the command line takes precedence. For `honinbo analysis` a file *.cfg is
            /// KataGo's
            #[arg(long, value_name = "FILE")]
            #[serde(skip)]
            pub config: Option<PathBuf>,
        }

        impl Options {
            /// These options, and where they say nothing those of `file`.
            fn or(self, file: Self) -> Self {
                let params = [file.params, self.params].concat();
                Self { $($name: self.$name.or(file.$name),)* params, config: self.config }
            }

            /// The options by their names on the command line, with what each was told to be, if it was.
            fn explicit_values(&self) -> Vec<(String, Option<String>)> {
                vec![$((
                    stringify!($name).replace('_', "-"),
                    self.$name.as_ref().map(|value| format!("{value:?}")),
                ),)*]
            }
        }
    };
}

options! {
    /// Network to play with, of this program, KataGo or Leela Zero [default: the one inside the program]
    #[arg(value_name = "FILE")]
    weights: PathBuf,
    /// Who plays, for KataGo's nets that imitate humans: rank_5k, rank_3k_1d, preaz_1d, proyear_1846, …
    #[arg(value_name = "NAME")]
    profile: String,
    /// How strong to play, from 1 (a beginner) to 10 (full strength) [default: 10; of `honinbo play` 5 or what the game
    /// file says, but 10 with --time, --visits, --search alphabeta or --evaluator rollout]
    #[arg(value_name = "1..10")]
    level: u32,
    /// Search threads [default: all cores]
    #[arg(value_name = "N")]
    threads: u32,
    /// Visits of the root a move, those of a kept subtree included; alone it lifts the default time
    #[arg(value_name = "N")]
    visits: u64,
    /// Seconds a move; on a clock that the client sets, at most so many [default: 3 without a clock; of
    /// `honinbo review` 200 visits, of `honinbo analysis` 500]
    #[arg(value_name = "SECONDS")]
    time: f64,
    /// Rules by name, such as chinese, japanese, tromp-taylor [default: chinese]
    #[arg(value_name = "NAME")]
    rules: String,
    /// Komi [default: that of the rules]
    #[arg(value_name = "POINTS", allow_negative_numbers = true)]
    komi: f64,
    /// Board size, N or WxH; games of files have their own [default: 19]
    #[arg(value_name = "SIZE")]
    #[serde(default, deserialize_with = "size_as_number_or_text")]
    size: String,
    /// What judges positions [default: net]
    #[arg(value_enum)]
    evaluator: EvaluatorKind,
    /// How to search [default: puct; with the evaluator rollout: uct]
    #[arg(value_enum)]
    search: SearchKind,
    /// Moves that alpha-beta looks ahead; alone it lifts the default time
    #[arg(value_name = "N")]
    depth: u32,
    /// Think in the opponent's time, at level 10 with a tree search
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    ponder: bool,
    /// Seconds of each move on a client's clock set aside for transmission; more where the times that the client tells
    /// show more [default: 0.05]
    #[arg(value_name = "SECONDS")]
    lag: f64,
    /// Resign when the chance to win, in per cent, is below this three own turns in a row, but not before as many moves
    /// as an eighth of the board has points (half of it as White in a handicap game); 0 never [default: 5; of levels
    /// below 9 less, below 4 never]
    #[arg(value_name = "PERCENT")]
    resign: f64,
    /// Seed: one thread and a seed give the same moves every time where visits bound the search [default: 0; of
    /// `honinbo play` and `honinbo serve` random]
    #[arg(value_name = "N")]
    seed: u64,
    /// Memory of tree and cache together in MiB [default: 2048]
    #[arg(value_name = "MIB")]
    memory: u32,
    /// Precision of the network's arithmetic [default: auto]
    #[arg(value_parser = precision::parser(), value_name = "PRECISION")]
    precision: Precision,
    /// Write all traffic with clients to this file
    #[arg(value_name = "FILE")]
    log: PathBuf,
    /// The name that clients are told [default: Honinbo]
    #[arg(value_name = "TEXT")]
    name: String,
    /// The version that clients are told
    #[arg(value_name = "TEXT")]
    version_string: String,
}

/// What judges positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvaluatorKind {
    /// The network
    #[default]
    Net,
    /// Random playouts: plain UCT without a network
    Rollout,
    /// Nothing: every position is even and every move as good as another; for trying out clients
    Uniform,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchKind {
    /// A tree grown where the evaluator's priors point: for networks
    Puct,
    /// A tree grown by upper confidence bounds: for random playouts
    Uct,
    /// All moves to some depth, then a plain estimate: a simple opponent. The evaluator only judges what is dead at the
    /// end
    Alphabeta,
}

fn parse_param(text: &str) -> Result<(String, f32), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("expected NAME=VALUE, found {text:?}"))?;
    let value = value
        .parse()
        .map_err(|_| format!("expected a number after {name}=, found {value:?}"))?;
    Ok((name.to_owned(), value))
}

fn params_from_table<'de, D: serde::Deserializer<'de>>(
    source: D,
) -> Result<Vec<(String, f32)>, D::Error> {
    std::collections::BTreeMap::deserialize(source).map(|table| table.into_iter().collect())
}

/// The size of a square board may stand in a file as a number.
fn size_as_number_or_text<'de, D: serde::Deserializer<'de>>(
    source: D,
) -> Result<Option<String>, D::Error> {
    match toml::Value::deserialize(source)? {
        toml::Value::Integer(side) => Ok(Some(side.to_string())),
        toml::Value::String(text) => Ok(Some(text)),
        other => Err(serde::de::Error::custom(format!(
            "expected a side, or a text as \"9x13\", found {other}"
        ))),
    }
}

impl Options {
    /// The options with those of the file they name, if any. What only the file makes wrong is told with its name.
    pub fn with_config_file(self) -> anyhow::Result<Self> {
        let Some(path) = self.config.clone() else {
            return Ok(self);
        };
        let is_valid = self.validate().is_ok();
        let file = Self::read(&path)?.without_overridden(&self);
        let merged = self.or(file);
        match merged.validate() {
            Err(error) if is_valid => Err(error.context(config_context(&path))),
            _ => Ok(merged),
        }
    }

    /// Whether all values are in their ranges and go together.
    fn validate(&self) -> anyhow::Result<()> {
        self.settings()?;
        self.game_rules()?;
        self.board_size()?;
        Ok(())
    }

    /// The player's settings.
    pub fn settings(&self) -> anyhow::Result<EngineSettings> {
        let mut settings = EngineSettings {
            threads: self.thread_count()?,
            level: self.level_setting()?,
            visits: self.visits,
            time: (self.time.map(|time| checked_seconds(MIN_SECONDS, time))).transpose()?,
            resign: self.resign,
            lag: self.lag.unwrap_or(EngineSettings::default().lag),
            seed: self.seed.unwrap_or(0),
            tree_mib: (self.memory_mib()? - self.cache_mib()?) as usize,
            ponder: self.ponder.unwrap_or(false),
            ..EngineSettings::default()
        };
        if settings.visits == Some(0) {
            bail!("--visits: expected at least 1, found 0");
        }
        if self.search == Some(SearchKind::Alphabeta) && !settings.level.is_full() {
            let level = settings.level.number;
            bail!(
                "--level: expected none with --search alphabeta (--depth weakens it), found {level}"
            );
        }
        if settings.ponder && self.search == Some(SearchKind::Alphabeta) {
            bail!("--ponder: expected a tree search, which keeps what it finds, found alphabeta");
        }
        if settings.ponder && !settings.level.is_full() {
            let level = settings.level.number;
            bail!(
                "--ponder: expected level 10, others do not think meanwhile, found level {level}"
            );
        }
        for (option, value, max) in [
            ("--resign", settings.resign.unwrap_or(0.0), 100.0),
            ("--lag", settings.lag, 60.0),
        ] {
            if !(0.0..=max).contains(&value) {
                bail!("{option}: expected a number from 0 to {max}, found {value}");
            }
        }
        settings.params.formula = self.formula();
        settings.params.algorithm = self.algorithm()?;
        for (name, value) in &self.params {
            settings.params.set(name, *value).context("--param")?;
        }
        Ok(settings)
    }

    fn formula(&self) -> Formula {
        let is_rollout = self.evaluator == Some(EvaluatorKind::Rollout);
        match self.search {
            Some(SearchKind::Uct) => Formula::Ucb1,
            None if is_rollout => Formula::Ucb1,
            _ => Formula::Puct,
        }
    }

    fn algorithm(&self) -> anyhow::Result<Algorithm> {
        match (self.search, self.depth) {
            (Some(SearchKind::Alphabeta), depth @ (None | Some(1..=MAX_DEPTH))) => {
                Ok(Algorithm::AlphaBeta { depth })
            }
            (Some(SearchKind::Alphabeta), Some(other)) => {
                bail!("--depth: expected 1 to {MAX_DEPTH}, found {other}")
            }
            (_, None) => Ok(Algorithm::Tree),
            (_, Some(_)) => bail!("--depth: expected --search alphabeta with it"),
        }
    }

    /// Search threads.
    pub fn thread_count(&self) -> anyhow::Result<usize> {
        let cores = super::core_count();
        match self.threads {
            None => Ok(cores),
            Some(threads) if (1..=MAX_THREADS).contains(&(threads as usize)) => {
                Ok(threads as usize)
            }
            Some(other) => bail!("--threads: expected 1 to {MAX_THREADS}, found {other}"),
        }
    }

    fn level_setting(&self) -> anyhow::Result<&'static Level> {
        let Some(number) = self.level else {
            return Ok(Level::full());
        };
        let level = u8::try_from(number).ok().and_then(Level::by_number);
        level.with_context(|| {
            let max = Level::full().number;
            format!("--level: expected 1 to {max}, found {number}")
        })
    }

    /// Memory of the cache.
    pub fn cache_mib(&self) -> anyhow::Result<u32> {
        Ok((self.memory_mib()? / CACHE_DIVISOR).max(1))
    }

    fn memory_mib(&self) -> anyhow::Result<u32> {
        match self.memory.unwrap_or(DEFAULT_MEMORY_MIB) {
            memory @ 16.. => Ok(memory),
            memory => bail!("--memory: expected at least 16 MiB, found {memory}"),
        }
    }

    /// The log of traffic with clients.
    pub fn open_log(&self) -> anyhow::Result<ProtocolLog> {
        match &self.log {
            None => Ok(ProtocolLog::disabled()),
            Some(path) => ProtocolLog::open(path).context("--log"),
        }
    }

    /// The rules with their komi.
    pub fn game_rules(&self) -> anyhow::Result<Rules> {
        let rules = match &self.rules {
            None => Rules::default(),
            Some(name) => name.parse().context("--rules")?,
        };
        match self.komi {
            Some(points) => Ok(rules.with_komi(komi_from_points(points)?)),
            None => Ok(rules),
        }
    }

    /// The size of the board.
    pub fn board_size(&self) -> anyhow::Result<BoardSize> {
        match &self.size {
            None => Ok(BoardSize::STANDARD),
            Some(text) => text.parse().context("--size"),
        }
    }

    /// The size of the board, on which this evaluator can judge positions.
    pub fn playable_board_size(&self, stack: &EvaluatorStack) -> anyhow::Result<BoardSize> {
        let size = self.board_size()?;
        UnsupportedSizeError::check(&stack.evaluator, size).context("--size")?;
        Ok(size)
    }

    /// Who clients are told they talk to, and what judges positions there.
    pub fn identity(&self, stack: &EvaluatorStack) -> Identity {
        let defaults = Identity::default();
        Identity {
            name: self.name.clone().unwrap_or(defaults.name),
            version: self.version_string.clone().unwrap_or(defaults.version),
            model: self.model_name(),
            uses_human_sl_profile: stack.uses_human_sl_profile,
        }
    }

    /// The network's name for clients: that of its file.
    pub fn model_name(&self) -> String {
        let file = self.weights.as_ref().and_then(|path| path.file_name());
        file.map_or("default".into(), |name| name.to_string_lossy().into_owned())
    }
}

/// The komi that `--komi` gives.
pub fn komi_from_points(points: f64) -> anyhow::Result<Komi> {
    Komi::from_points(points)
        .with_context(|| format!("--komi: expected {}, found {points}", Komi::EXPECTED))
}

/// The duration that `--time` tells, `min` seconds or more.
pub fn checked_seconds(min: f64, seconds: f64) -> anyhow::Result<Duration> {
    let max = MAX_TIME_SECONDS;
    // NaN is in no range.
    if !(min..=max).contains(&seconds) {
        bail!("--time: expected seconds from {min} to {max}, found {seconds}");
    }
    Ok(Duration::from_secs_f64(seconds))
}
