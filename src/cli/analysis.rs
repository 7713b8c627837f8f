//! `honinbo analysis`: KataGo's JSON analysis protocol on standard input and output.

use std::io;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::ValueHint;
use honinbo::eval::network_source::NetworkSource;
use honinbo::io::stderr;
use honinbo::json_analysis::session::{self, SessionSetup};
use honinbo::json_analysis::settings::{
    DEFAULT_VISITS, Perspective, QuerySettingError, QuerySettings,
};

use super::katago;
use super::options::unsupported::{PLAYER_OPTIONS, UnsupportedOptions, hide_unsupported};
use super::options::{Options, config_bytes, config_context};
use super::values::network_parser;

/// Shared options that have no effect in this command. `version-string` has an effect: clients can query it.
pub(super) const UNSUPPORTED_OPTIONS: [UnsupportedOptions; 3] = [
    (&["size", "rules", "komi"], "each query sets its own"),
    (&["name"], "the protocol does not report a name"),
    PLAYER_OPTIONS,
];
/// Maximum number of concurrent searches.
const MAX_WORKERS: usize = 1024;

#[derive(clap::Args)]
#[command(mut_args(hide_unsupported(&UNSUPPORTED_OPTIONS)))]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// Maximum number of positions searched at the same time [default: value of --threads]
    #[arg(long, value_name = "N")]
    analysis_threads: Option<usize>,
    /// Perspective of reported values: side (to move), black or white [default: side]
    #[arg(long, value_name = "SIDE", value_parser = parse_perspective)]
    perspective: Option<Perspective>,
    /// Alias of --weights, used by KataGo clients
    #[arg(long, value_name = "FILE", conflicts_with = "weights", value_parser = network_parser(), value_hint = ValueHint::AnyPath)]
    model: Option<NetworkSource>,
    /// KataGo settings, separated by commas
    ///
    /// Settings that this engine ignores are listed on standard error.
    #[arg(long, value_name = "NAME=VALUE,…")]
    override_config: Vec<String>,
    /// Exit at end of input without finishing pending queries
    #[arg(long)]
    quit_without_waiting: bool,
    /// Accepted for KataGo clients; ignored
    #[arg(long, value_name = "FILE", hide = true)]
    human_model: Option<PathBuf>,
}

fn parse_perspective(text: &str) -> Result<Perspective, String> {
    Perspective::parse(text).ok_or_else(|| "must be side, black or white".to_owned())
}

/// Session settings that can be changed by KataGo settings (`NAME = VALUE`).
struct KataGoSettings {
    settings: QuerySettings,
    workers: Option<usize>,
    threads: usize,
    /// Names of settings that this engine ignores.
    unsupported: Vec<String>,
}

impl KataGoSettings {
    fn apply(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        let count = || match value.parse() {
            Ok(count @ 1..=MAX_WORKERS) => Ok(count),
            _ => bail!("{name} must be between 1 and {MAX_WORKERS}, not {value:?}"),
        };
        match name {
            "numAnalysisThreads" => self.workers = Some(count()?),
            "numSearchThreadsPerAnalysisThread" => self.threads = count()?,
            _ => match self.settings.set(name, value) {
                Ok(()) => {}
                Err(QuerySettingError::Unknown(name)) => self.unsupported.push(name),
                Err(error) => return Err(error.into()),
            },
        }
        Ok(())
    }
}

/// Serves requests until the end of input.
pub fn run(mut args: Args) -> anyhow::Result<()> {
    args.options.reject_unsupported(&UNSUPPORTED_OPTIONS)?;
    let katago_config = args.options.config.take_if(|path| {
        // Configuration files with other extensions are TOML files of this program.
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("cfg"))
    });
    let mut katago_pairs = Vec::new();
    if let Some(path) = katago_config {
        let settings = katago::parse_config(&config_bytes(&path)?);
        katago_pairs = settings.with_context(|| config_context(&path))?;
    }
    for text in &args.override_config {
        katago_pairs.extend(katago::parse_override(text).context("--override-config")?);
    }
    let mut options = args.options.clone().with_config_file()?;
    options.weights = args.model.clone().or(options.weights);
    let katago_settings = resolve_katago_settings(&args, &options, &katago_pairs)?;
    report_unsupported(&katago_settings, &args);
    let setup = session_setup(&args, &options, katago_settings)?;
    // KataGo prints this line, and some clients wait for it before they send the first query.
    stderr::eprint_line("Started, ready to begin handling requests");
    session::run(setup, io::stdin(), Box::new(io::stdout()))?;
    Ok(())
}

/// Combines KataGo settings with the other options. Options from the command line and the TOML file take precedence
/// over KataGo settings.
fn resolve_katago_settings(
    args: &Args,
    options: &Options,
    katago_pairs: &[(String, String)],
) -> anyhow::Result<KataGoSettings> {
    let engine_settings = options.settings()?;
    let mut katago_settings = KataGoSettings {
        settings: QuerySettings {
            max_visits: None,
            params: engine_settings.params,
            ..QuerySettings::default()
        },
        workers: None,
        threads: 1,
        unsupported: Vec::new(),
    };
    for (name, value) in katago_pairs {
        katago_settings.apply(name, value)?;
    }
    let settings = &mut katago_settings.settings;
    settings.max_visits = engine_settings.visits.or(settings.max_visits);
    settings.max_time = engine_settings.time.or(settings.max_time);
    settings.perspective = args.perspective.unwrap_or(settings.perspective);
    if settings.max_visits.is_none() && settings.max_time.is_none() {
        settings.max_visits = Some(DEFAULT_VISITS);
    }
    Ok(katago_settings)
}

/// Lists the ignored settings on standard error.
fn report_unsupported(katago_settings: &KataGoSettings, args: &Args) {
    let mut unsupported: Vec<&str> = katago_settings
        .unsupported
        .iter()
        .map(String::as_str)
        .collect();
    unsupported.sort_unstable();
    unsupported.dedup();
    if args.human_model.is_some() {
        unsupported.push("-human-model");
    }
    if !unsupported.is_empty() {
        stderr::eprint_line(format_args!(
            "honinbo: ignored KataGo settings: {}",
            unsupported.join(", ")
        ));
    }
}

fn session_setup(
    args: &Args,
    options: &Options,
    katago_settings: KataGoSettings,
) -> anyhow::Result<SessionSetup> {
    let workers = match args.analysis_threads.or(katago_settings.workers) {
        None => (options.thread_count()? / katago_settings.threads).max(1),
        Some(workers @ 1..=MAX_WORKERS) => workers,
        Some(other) => bail!("--analysis-threads must be between 1 and {MAX_WORKERS}, not {other}"),
    };
    let engine_settings = options.settings()?;
    let stack = options.evaluator_stack_for_searches(
        workers * katago_settings.threads,
        options.calibration_mode()?,
    )?;
    Ok(SessionSetup {
        identity: options.identity(&stack),
        evaluator: stack.evaluator,
        max_batch_size: (workers * katago_settings.threads).div_ceil(options.thread_count()?),
        settings: katago_settings.settings,
        workers,
        threads: katago_settings.threads,
        batch_size: engine_settings.batch_size,
        tree_bytes: engine_settings.tree_mib << 20,
        seed: engine_settings.seed,
        finish_on_eof: !args.quit_without_waiting,
        log: options.open_log()?,
    })
}
