//! `honinbo analysis`: analysis for programs, on standard input and output.

use std::io;
use std::path::PathBuf;

use anyhow::{Context, bail};
use honinbo::json::session::{self, Identity, Setup};
use honinbo::json::settings::{DEFAULT_VISITS, Perspective, SettingError, Settings};
use honinbo::notice;

use super::katago;
use super::options::refusals::{Idle, OF_PLAYERS, hiding};
use super::options::{Options, config_bytes, place};

/// What the command has no use for: of its clients only the version is asked.
pub(super) const IDLE: [Idle; 3] = [
    (&["size", "rules", "komi"], "each query tells its own"),
    (&["name"], "no client is told it"),
    OF_PLAYERS,
];
/// Most positions that may be asked to be searched at the same time.
const MOST_WORKERS: usize = 1024;

/// The options of the command.
#[derive(clap::Args)]
#[command(mut_args(hiding(&IDLE)))]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// Positions searched at the same time [default: one for each of --threads]
    #[arg(long, value_name = "N")]
    analysis_threads: Option<usize>,
    /// The side that values are told for: side (to move), black or white [default: side]
    #[arg(long, value_name = "SIDE", value_parser = perspective)]
    perspective: Option<Perspective>,
    /// Another name of --weights, which KataGo's clients use
    #[arg(long, value_name = "FILE", conflicts_with = "weights")]
    model: Option<PathBuf>,
    /// Settings by KataGo's names, with commas between them; those that do not apply are told on standard error
    #[arg(long, value_name = "NAME=VALUE,…")]
    override_config: Vec<String>,
    /// End as soon as the input ends, dropping what still waits
    #[arg(long)]
    quit_without_waiting: bool,
    /// Accepted for KataGo's clients, and not used
    #[arg(long, value_name = "FILE", hide = true)]
    human_model: Option<PathBuf>,
}

fn perspective(text: &str) -> Result<Perspective, String> {
    Perspective::parse(text).ok_or_else(|| format!("expected side, black or white, found {text:?}"))
}

/// What KataGo's settings come to.
struct Told {
    settings: Settings,
    workers: Option<usize>,
    threads: usize,
    /// Names of settings that do not apply.
    idle: Vec<String>,
}

impl Told {
    fn set(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        let count = || match value.parse() {
            Ok(count @ 1..=MOST_WORKERS) => Ok(count),
            _ => bail!("{name}: expected a number from 1 to {MOST_WORKERS}, found {value:?}"),
        };
        match name {
            "numAnalysisThreads" => self.workers = Some(count()?),
            "numSearchThreadsPerAnalysisThread" => self.threads = count()?,
            _ => match self.settings.set(name, value) {
                Ok(()) => {}
                Err(SettingError::Unknown(name)) => self.idle.push(name),
                Err(error) => return Err(error.into()),
            },
        }
        Ok(())
    }
}

/// Serves until the input ends and all is answered.
pub fn run(mut args: Args) -> anyhow::Result<()> {
    args.options.expect_none(&IDLE)?;
    let foreign = args.options.config.take_if(|path| {
        // Files of this program are TOML.
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("cfg"))
    });
    let mut pairs = Vec::new();
    if let Some(path) = foreign {
        let settings = katago::settings_of_file(&config_bytes(&path)?);
        pairs = settings.with_context(|| place(&path))?;
    }
    for text in &args.override_config {
        pairs.extend(katago::settings_of_option(text).context("--override-config")?);
    }
    let mut options = args.options.clone().resolved()?;
    options.weights = args.model.clone().or(options.weights);
    let told = told(&args, &options, &pairs)?;
    name_idle(&told, &args);
    let setup = setup(&args, &options, told)?;
    // KataGo's words: some clients ask nothing before they have read them.
    notice::say("Started, ready to begin handling requests");
    session::run(setup, io::stdin(), Box::new(io::stdout()))?;
    Ok(())
}

/// KataGo's settings, and over them what the command line or this program's own file say.
fn told(args: &Args, options: &Options, pairs: &[(String, String)]) -> anyhow::Result<Told> {
    let own = options.settings()?;
    let mut told = Told {
        settings: Settings {
            visits: None,
            params: own.params,
            ..Settings::default()
        },
        workers: None,
        threads: 1,
        idle: Vec::new(),
    };
    for (name, value) in pairs {
        told.set(name, value)?;
    }
    let settings = &mut told.settings;
    settings.visits = own.visits.or(settings.visits);
    settings.time = own.time.or(settings.time);
    settings.perspective = args.perspective.unwrap_or(settings.perspective);
    if settings.visits.is_none() && settings.time.is_none() {
        settings.visits = Some(DEFAULT_VISITS);
    }
    Ok(told)
}

/// Says once what is not applied.
fn name_idle(told: &Told, args: &Args) {
    let mut idle: Vec<&str> = told.idle.iter().map(String::as_str).collect();
    idle.sort_unstable();
    idle.dedup();
    if args.human_model.is_some() {
        idle.push("-human-model");
    }
    if !idle.is_empty() {
        notice::say(format_args!(
            "honinbo: without effect in this engine: {}",
            idle.join(", ")
        ));
    }
}

fn setup(args: &Args, options: &Options, told: Told) -> anyhow::Result<Setup> {
    let workers = match args.analysis_threads.or(told.workers) {
        None => (options.thread_count()? / told.threads).max(1),
        Some(workers @ 1..=MOST_WORKERS) => workers,
        Some(other) => bail!("--analysis-threads: expected 1 to {MOST_WORKERS}, found {other}"),
    };
    let own = options.settings()?;
    let stack = options.joined(workers * told.threads)?;
    let identity = options.identity(&stack);
    Ok(Setup {
        evaluator: stack.evaluator,
        identity: Identity {
            version: identity.version,
            model: identity.model,
            imitates: identity.imitates,
            batch: (workers * told.threads).div_ceil(options.thread_count()?),
        },
        settings: told.settings,
        workers,
        threads: told.threads,
        tree_bytes: own.tree_mib << 20,
        seed: own.seed,
        finish: !args.quit_without_waiting,
        log: options.open_log()?,
    })
}
