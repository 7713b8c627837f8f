//! Options shared by the commands that run the engine. They are read from the command line and from a TOML file.

mod config;
#[cfg(test)]
mod tests;
pub mod unsupported;

pub use config::{config_bytes, config_context};

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::ValueHint;
use honinbo::engine::identity::Identity;
use honinbo::engine::level::Level;
use honinbo::engine::settings::{EngineSettings, MAX_BATCH_SIZE, MAX_THREADS};
use honinbo::eval::UnsupportedSizeError;
use honinbo::eval::network_source::NetworkSource;
use honinbo::eval::stack::EvaluatorStack;
use honinbo::game::point::BoardSize;
use honinbo::game::rules::Rules;
use honinbo::io::protocol_log::ProtocolLog;
use honinbo::net::candle::device::DeviceChoice;
use honinbo::net::precision::Precision;
use honinbo::search::alphabeta::options::{AlphaBetaOptions, MAX_DEPTH};
use honinbo::search::params::{Algorithm, SelectionFormula};
use serde::Deserialize;

use super::threads::core_count;
use super::values::{checked_seconds, komi_from_points, network_parser, precision_parser};

/// Default total memory of tree and cache, in MiB.
const DEFAULT_MEMORY_MIB: i64 = 2048;
/// Minimum total memory, in MiB.
const MIN_MEMORY_MIB: i64 = 16;
/// Maximum total memory, in MiB (16 TiB).
const MAX_MEMORY_MIB: i64 = 1 << 24;
/// Ratio of the total memory to the memory of the evaluation cache. A cached evaluation is twice as large as a node,
/// but there are fewer evaluations than nodes.
const CACHE_DIVISOR: u32 = 2;
/// Minimum time per move, in seconds.
const MIN_SECONDS: f64 = 0.001;

macro_rules! options {
    ($($(#[doc = $doc:literal])+ $(#[arg($($arg:tt)*)])? $(#[serde($($serde:tt)*)])? $name:ident: $type:ty,)*) => {
        /// The shared options. Each can also be set in the `--config` file, under the same name.
        #[derive(Clone, Debug, Default, clap::Args, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub struct Options {
            $($(#[doc = $doc])+ #[arg(long, $($($arg)*)?)] $(#[serde($($serde)*)])? pub $name: Option<$type>,)*

            /// Search parameter (repeatable)
            ///
            /// In a --config file, parameters are entries of the table `param`. `honinbo help --all` lists them.
            #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_param)]
            #[serde(default, rename = "param", deserialize_with = "params_from_table")]
            pub params: Vec<(String, f32)>,

            /// TOML file with these options; the command line takes precedence
            ///
            /// `honinbo analysis` also reads KataGo's configuration files (*.cfg).
            #[arg(long, value_name = "FILE")]
            #[serde(skip)]
            pub config: Option<PathBuf>,
        }

        impl Options {
            /// Merges two sources of options; `self` takes precedence over `file`.
            fn or(self, file: Self) -> Self {
                let params = [file.params, self.params].concat();
                Self { $($name: self.$name.or(file.$name),)* params, config: self.config }
            }

            /// Returns the long name of each option, and whether the option is set.
            fn set_options(&self) -> Vec<(String, bool)> {
                vec![$((stringify!($name).replace('_', "-"), self.$name.is_some()),)*]
            }
        }
    };
}

options! {
    /// Network file (Honinbo, KataGo or Leela Zero), or `classic` [default: built-in network]
    ///
    /// `classic` is a second built-in network, which is much smaller. A file of this name needs a path such as
    /// `./classic`.
    #[arg(value_name = "FILE", value_parser = network_parser(), value_hint = ValueHint::AnyPath)]
    #[serde(default, deserialize_with = "network_from_path")]
    weights: NetworkSource,
    /// Player to imitate, for KataGo's human-style networks (rank_5k, rank_3k_1d, preaz_1d, proyear_1846, …)
    #[arg(value_name = "NAME")]
    profile: String,
    /// Playing strength, from 1 (beginner) to 10 (full strength) [default: 10]
    ///
    /// Levels 1 to 9 have a fixed number of visits per move; --time and --visits affect only level 10. The default of
    /// `honinbo play` is 10 with --time, --visits, --depth, --search alphabeta or --evaluator rollout. Otherwise, it is
    /// the level stored in the game file, or 5 if there is none.
    #[arg(value_name = "1..10")]
    level: u32,
    /// Number of search threads [default: one per core]
    #[arg(value_name = "N", allow_negative_numbers = true)]
    threads: i64,
    /// Maximum number of positions that each search thread evaluates together [default: 1 on the CPU]
    ///
    /// Large batches are faster on a GPU, and for networks that do not fit in the processor's cache, but each visit is
    /// then worth slightly less. On a GPU, the default depends on the number of threads; with one thread it is 1.
    #[arg(value_name = "N")]
    batch_size: u32,
    /// Maximum visits per move, including reused visits. Without --time, removes the default time limit
    #[arg(value_name = "N")]
    visits: u64,
    /// Seconds per move; on a game clock, the maximum for one move [default: 3]
    ///
    /// On a game clock, the default is no maximum. `honinbo review` and `honinbo analysis` limit visits instead of time
    /// by default (200 and 500 visits per position).
    #[arg(value_name = "SECONDS")]
    time: f64,
    /// Name of the rule set, such as chinese, japanese or tromp-taylor [default: chinese-ogs]
    ///
    /// The default is area scoring with positional superko: no move may repeat an earlier position. Repetitions are
    /// detected by 64-bit Zobrist hashes of the game's positions; the probability that any legal move of a 1000-move
    /// game is wrongly rejected is below 10^-11. `chinese` and `japanese` have simple ko. `honinbo help --all` describes
    /// all rule sets.
    #[arg(value_name = "NAME")]
    rules: String,
    /// Komi [default: the komi of the rules]
    #[arg(value_name = "POINTS", allow_negative_numbers = true)]
    komi: f64,
    /// Board size, N or WxH (SGF files set their own) [default: 19]
    #[arg(value_name = "SIZE")]
    #[serde(default, deserialize_with = "size_as_number_or_text")]
    size: String,
    /// Position evaluator [default: net]
    #[arg(value_enum)]
    evaluator: EvaluatorKind,
    /// Search algorithm [default: puct; with --evaluator rollout: uct]
    #[arg(value_enum)]
    search: SearchKind,
    /// Maximum depth of alpha-beta or minimax search, in moves. Without --time, removes the default time limit
    #[arg(value_name = "N", allow_negative_numbers = true)]
    depth: i64,
    /// Think during the opponent's turn; needs level 10 and a tree search
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    ponder: bool,
    /// Seconds per move reserved for network delay on a game clock [default: 0.05]
    ///
    /// The engine raises the value automatically if the client's clock shows a longer delay.
    #[arg(value_name = "SECONDS")]
    lag: f64,
    /// Resign below this win rate, in percent; 0 = never [default: 5, or less for levels below 9]
    ///
    /// The engine resigns after three turns in a row below this win rate. It never resigns before move N/8 on a board
    /// of N points (N/2 as White in a handicap game). Levels 1 to 3 never resign by default.
    #[arg(value_name = "PERCENT")]
    resign: f64,
    /// Random seed [default: 0; random in `honinbo gtp`, `honinbo play` and `honinbo serve`]
    ///
    /// With --threads 1 and --visits or --depth, games with the same seed are identical.
    #[arg(value_name = "N")]
    seed: u64,
    /// Total memory of the search tree or transposition table and the evaluation cache, in MiB [default: 2048]
    #[arg(value_name = "MIB", allow_negative_numbers = true)]
    memory: i64,
    /// Number format for network evaluation [default: auto]
    #[arg(value_parser = precision_parser(), value_name = "PRECISION")]
    precision: Precision,
    /// Device that evaluates the network: auto, cpu, cuda, cuda:N, metal or candle [default: auto]
    ///
    /// A GPU can only be used if the program was built with the feature `cuda` or `metal`. `auto` selects a GPU if it
    /// can be used, otherwise the CPU. `candle` runs the operations of the GPU version on the CPU, for comparison.
    #[arg(value_name = "DEVICE")]
    device: DeviceChoice,
    /// Log all client traffic to this file
    #[arg(value_name = "FILE")]
    log: PathBuf,
    /// Engine name reported to clients [default: Honinbo]
    #[arg(value_name = "TEXT")]
    name: String,
    /// Engine version reported to clients
    #[arg(value_name = "TEXT")]
    version_string: String,
}

/// Evaluator selected with `--evaluator`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvaluatorKind {
    /// Neural network
    #[default]
    Net,
    /// Random playouts, without a network
    Rollout,
    /// No evaluation: all positions are equal (for testing clients)
    Uniform,
}

/// Search algorithm selected with `--search`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchKind {
    /// Tree search guided by the network's policy
    Puct,
    /// Tree search with upper confidence bounds, for random playouts
    Uct,
    /// Alpha-beta with a static evaluation: a classic, weaker opponent
    ///
    /// The evaluator is only used to find dead stones at the end of the game.
    Alphabeta,
    /// All moves to the depth set by --depth, with the same evaluation: the reference for alphabeta
    Minimax,
}

impl SearchKind {
    /// Returns true for searches that `--depth` makes weaker, instead of `--level`.
    pub fn has_depth(self) -> bool {
        matches!(self, Self::Alphabeta | Self::Minimax)
    }

    fn name(self) -> String {
        let value = clap::ValueEnum::to_possible_value(&self);
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

fn parse_param(text: &str) -> Result<(String, f32), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| "must be NAME=VALUE".to_owned())?;
    let value = value
        .parse()
        .map_err(|_| format!("{value:?} is not a number"))?;
    Ok((name.to_owned(), value))
}

fn params_from_table<'de, D: serde::Deserializer<'de>>(
    source: D,
) -> Result<Vec<(String, f32)>, D::Error> {
    std::collections::BTreeMap::deserialize(source).map(|table| table.into_iter().collect())
}

/// Deserialises the selection of a network from the text that `--weights` takes.
fn network_from_path<'de, D: serde::Deserializer<'de>>(
    source: D,
) -> Result<Option<NetworkSource>, D::Error> {
    PathBuf::deserialize(source).map(|path| Some(path.into()))
}

/// Deserialises a board size from text such as `13x19`, or from a number for a square board.
fn size_as_number_or_text<'de, D: serde::Deserializer<'de>>(
    source: D,
) -> Result<Option<String>, D::Error> {
    match toml::Value::deserialize(source)? {
        toml::Value::Integer(side) => Ok(Some(side.to_string())),
        toml::Value::String(text) => Ok(Some(text)),
        other => Err(serde::de::Error::custom(format!(
            "expected a board size such as 19 or \"9x13\", found {other}"
        ))),
    }
}

impl Options {
    /// Adds the options of the `--config` file, if one is set.
    ///
    /// If the command line is valid without the file, errors in the combined options are reported with the name of the
    /// file.
    pub fn with_config_file(self) -> anyhow::Result<Self> {
        let Some(path) = self.config.clone() else {
            return Ok(self);
        };
        let is_valid = self.validate().is_ok();
        let file = Self::read_config_file(&path)?.without_conflicts(&self);
        let merged = self.or(file);
        match merged.validate() {
            Err(error) if is_valid => Err(error.context(config_context(&path))),
            _ => Ok(merged),
        }
    }

    /// Checks that all values are in range and compatible with each other.
    fn validate(&self) -> anyhow::Result<()> {
        self.settings()?;
        self.game_rules()?;
        self.board_size()?;
        Ok(())
    }

    /// Chooses a random seed, unless one is set.
    pub fn randomise_seed(&mut self) {
        let random = || RandomState::new().hash_one(std::process::id());
        self.seed.get_or_insert_with(random);
    }

    pub fn settings(&self) -> anyhow::Result<EngineSettings> {
        let mut settings = EngineSettings {
            threads: self.thread_count()?,
            batch_size: self.batch_size_setting()?,
            level: self.level_setting()?,
            visits: self.visits,
            time: (self.time.map(|time| checked_seconds(MIN_SECONDS, time))).transpose()?,
            resign_percent: self.resign,
            lag: self.lag.unwrap_or(EngineSettings::default().lag),
            seed: self.seed.unwrap_or(0),
            tree_mib: (self.memory_mib()? - self.cache_mib()?) as usize,
            ponder: self.ponder.unwrap_or(false),
            ..EngineSettings::default()
        };
        if settings.visits == Some(0) {
            bail!("--visits must be at least 1");
        }
        if let Some(search) = self.search.filter(|search| search.has_depth()) {
            let name = search.name();
            if !settings.level.is_full() {
                bail!(
                    "--level cannot be combined with --search {name}; use --depth to weaken the search"
                );
            }
            if settings.ponder {
                bail!("--ponder cannot be combined with --search {name}");
            }
        }
        if settings.ponder && !settings.level.is_full() {
            let level = settings.level.number;
            bail!("--ponder needs --level 10, not {level}");
        }
        for (option, value, max) in [
            ("--resign", settings.resign_percent.unwrap_or(0.0), 100.0),
            ("--lag", settings.lag, 60.0),
        ] {
            if !(0.0..=max).contains(&value) {
                bail!("{option} must be between 0 and {max}, not {value}");
            }
        }
        settings.params.formula = self.formula();
        settings.params.algorithm = self.algorithm()?;
        for (name, value) in &self.params {
            settings.params.set(name, *value).context("--param")?;
        }
        Ok(settings)
    }

    fn formula(&self) -> SelectionFormula {
        let is_rollout = self.evaluator == Some(EvaluatorKind::Rollout);
        match self.search {
            Some(SearchKind::Uct) => SelectionFormula::Ucb1,
            None if is_rollout => SelectionFormula::Ucb1,
            _ => SelectionFormula::Puct,
        }
    }

    fn algorithm(&self) -> anyhow::Result<Algorithm> {
        let depth = match self.depth {
            Some(depth) if !(1..=i64::from(MAX_DEPTH)).contains(&depth) => {
                bail!("--depth must be between 1 and {MAX_DEPTH}, not {depth}")
            }
            depth => depth.map(|depth| depth as u32),
        };
        match (self.search, depth) {
            (Some(SearchKind::Alphabeta), depth) => {
                Ok(Algorithm::AlphaBeta(AlphaBetaOptions::with_depth(depth)))
            }
            (Some(SearchKind::Minimax), Some(depth)) => Ok(Algorithm::Minimax { depth }),
            (Some(SearchKind::Minimax), None) => bail!("--search minimax needs --depth"),
            (_, None) => Ok(Algorithm::Mcts),
            (_, Some(_)) => bail!("--depth needs --search alphabeta or minimax"),
        }
    }

    /// Returns the number of search threads.
    pub fn thread_count(&self) -> anyhow::Result<usize> {
        let cores = core_count();
        match self.threads {
            None => Ok(cores),
            Some(threads) if (1..=MAX_THREADS as i64).contains(&threads) => Ok(threads as usize),
            Some(other) => bail!("--threads must be between 1 and {MAX_THREADS}, not {other}"),
        }
    }

    fn batch_size_setting(&self) -> anyhow::Result<Option<usize>> {
        let batch_size = self.batch_size.map(|batch_size| batch_size as usize);
        match batch_size {
            None | Some(1..=MAX_BATCH_SIZE) => Ok(batch_size),
            Some(other) => {
                bail!("--batch-size must be between 1 and {MAX_BATCH_SIZE}, not {other}")
            }
        }
    }

    fn level_setting(&self) -> anyhow::Result<&'static Level> {
        let Some(number) = self.level else {
            return Ok(Level::full());
        };
        let level = u8::try_from(number).ok().and_then(Level::by_number);
        level.with_context(|| {
            let max = Level::full().number;
            format!("--level must be between 1 and {max}, not {number}")
        })
    }

    /// Returns the size of the evaluation cache, in MiB.
    pub fn cache_mib(&self) -> anyhow::Result<u32> {
        Ok(self.memory_mib()? / CACHE_DIVISOR)
    }

    fn memory_mib(&self) -> anyhow::Result<u32> {
        match self.memory.unwrap_or(DEFAULT_MEMORY_MIB) {
            memory @ MIN_MEMORY_MIB..=MAX_MEMORY_MIB => Ok(memory as u32),
            memory => bail!(
                "--memory must be between {MIN_MEMORY_MIB} and {MAX_MEMORY_MIB} MiB, not {memory} MiB"
            ),
        }
    }

    /// Opens the log of client traffic. Without `--log`, returns a log that is disabled.
    pub fn open_log(&self) -> anyhow::Result<ProtocolLog> {
        match &self.log {
            None => Ok(ProtocolLog::disabled()),
            Some(path) => ProtocolLog::open(path).context("--log"),
        }
    }

    /// Returns the rules, with `--komi` applied.
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

    pub fn board_size(&self) -> anyhow::Result<BoardSize> {
        match &self.size {
            None => Ok(BoardSize::STANDARD),
            Some(text) => text.parse().context("--size"),
        }
    }

    /// Returns the board size, or an error if the evaluator does not support it.
    pub fn playable_board_size(&self, stack: &EvaluatorStack) -> anyhow::Result<BoardSize> {
        let size = self.board_size()?;
        UnsupportedSizeError::check(&stack.evaluator, size).context("--size")?;
        Ok(size)
    }

    /// Returns the identity reported to clients: engine name, version and network.
    pub fn identity(&self, stack: &EvaluatorStack) -> Identity {
        let defaults = Identity::default();
        Identity {
            name: self.name.clone().unwrap_or(defaults.name),
            version: self.version_string.clone().unwrap_or(defaults.version),
            model: self.model_name(),
            takes_profile: stack.takes_profile,
        }
    }

    /// Returns the network name reported to clients; see [`NetworkSource::name`].
    pub fn model_name(&self) -> String {
        self.weights.clone().unwrap_or_default().name()
    }
}
