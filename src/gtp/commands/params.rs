//! Settings that a client may change while the program runs: limits, threads, parameters of the search, the seed.
//!
//! Limits and the like have the names that KataGo gives them, parameters of the search their own.

use std::time::Duration;

use crate::engine::Engine;
use crate::engine::settings::{LONGEST_TIME, MAX_THREADS};
use crate::engine::tune::Change;
use crate::gtp::args::Args;
use crate::gtp::context::{Answer, Command, Context, Outcome};
use crate::gtp::reply::Failure;
use crate::names;
use crate::search::params::{ParamInfo, SearchParams};

/// The group.
pub const COMMANDS: &[Command] = &[
    Command::new(
        "kata-get-param",
        "NAME",
        "Answers the value of a parameter.",
        get_param,
    ),
    Command::new(
        "kata-set-param",
        "NAME VALUE",
        "Sets a parameter; what was searched under another value is forgotten.",
        set_param,
    ),
    Command::new(
        "kata-list-params",
        "",
        "Answers the names of all parameters.",
        list_params,
    ),
    Command::new(
        "kata-get-params",
        "",
        "Answers all parameters as a JSON object.",
        get_params,
    ),
    Command::new(
        "kata-set-params",
        "JSON",
        "Sets the parameters that a JSON object names, all of them or none.",
        set_params,
    ),
    Command::new(
        "kata-get-models",
        "",
        "Answers the network as a JSON list of one.",
        get_models,
    ),
    Command::new(
        "honinbo-param",
        "[NAME VALUE]",
        "Answers all parameters as GoGui's dialog reads them, or sets one.",
        dialog,
    ),
    Command::new(
        "get_random_seed",
        "",
        "Answers the seed of everything random.",
        get_seed,
    ),
    Command::new(
        "set_random_seed",
        "NUMBER",
        "Sets the seed; what was searched is forgotten.",
        set_seed,
    ),
];

/// What stands for no limit of visits, as in KataGo.
const ENDLESS_VISITS: u64 = 1 << 50;
/// What stands for no limit of time, as in KataGo.
const ENDLESS_SECONDS: f64 = 1e20;
/// The parameter that the engine sets itself, move by move.
const OWN_BUSINESS: &str = "lead_center";

/// A setting that is no parameter of the search.
struct Setting {
    name: &'static str,
    /// The value, as JSON has it.
    show: fn(&Engine) -> String,
    /// Takes a value.
    read: fn(&mut Args<'_>) -> Result<Change, Failure>,
}

const SETTINGS: [Setting; 5] = [
    Setting {
        name: "maxVisits",
        show: |engine| {
            engine
                .settings()
                .visits
                .unwrap_or(ENDLESS_VISITS)
                .to_string()
        },
        read: |args| {
            let visits = args.number("visits", 1..=ENDLESS_VISITS)?;
            Ok(Change::Visits(
                Some(visits).filter(|&visits| visits < ENDLESS_VISITS),
            ))
        },
    },
    Setting {
        name: "maxTime",
        show: |engine| {
            let time = engine.settings().unclocked_time();
            (time.map(|time| time.as_secs_f64()))
                .filter(|&seconds| seconds < LONGEST_TIME)
                .unwrap_or(ENDLESS_SECONDS)
                .to_string()
        },
        read: |args| {
            let seconds = args.number("seconds", 0.001..=ENDLESS_SECONDS)?;
            let time = Duration::from_secs_f64(seconds.min(LONGEST_TIME));
            Ok(Change::Time(Some(time)))
        },
    },
    Setting {
        name: "numSearchThreads",
        show: |engine| engine.settings().threads.to_string(),
        read: |args| args.number("threads", 1..=MAX_THREADS).map(Change::Threads),
    },
    Setting {
        name: "ponderingEnabled",
        show: |engine| engine.settings().ponder.to_string(),
        read: |args| args.flag("ponderingEnabled").map(Change::Ponder),
    },
    Setting {
        name: "analysisWideRootNoise",
        show: |engine| {
            let play = engine.search_params().wide_root_noise;
            engine.settings().analysis_noise.unwrap_or(play).to_string()
        },
        read: |args| args.number("noise", 0.0..=2.0).map(Change::AnalysisNoise),
    },
];

/// The parameters of the search that a client may set.
fn of_search() -> impl Iterator<Item = &'static ParamInfo> {
    SearchParams::TABLE
        .iter()
        .filter(|info| info.name != OWN_BUSINESS)
}

/// One of either kind.
enum Param {
    Setting(&'static Setting),
    Search(&'static ParamInfo),
}

impl Param {
    fn all() -> impl Iterator<Item = Self> {
        let settings = SETTINGS.iter().map(Self::Setting);
        settings.chain(of_search().map(Self::Search))
    }

    fn named(name: &str) -> Result<Self, Failure> {
        let by_katagos_name = || SearchParams::info(name).map(Self::Search);
        Self::all()
            .find(|param| param.name() == name)
            .or_else(|| by_katagos_name().filter(|param| param.name() != OWN_BUSINESS))
            .ok_or_else(|| {
                let found = names::found(name, Self::all().map(|param| param.name()));
                Failure::Syntax(format!(
                    "expected one of the names of kata-list-params, {found}"
                ))
            })
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Setting(setting) => setting.name,
            Self::Search(info) => info.name,
        }
    }

    /// The value, as JSON has it.
    fn show(&self, engine: &Engine) -> String {
        match self {
            Self::Setting(setting) => (setting.show)(engine),
            Self::Search(info) => engine
                .search_params()
                .get(info.name)
                .unwrap_or(info.default)
                .to_string(),
        }
    }

    /// Takes a value, the last of the arguments.
    fn read(&self, args: &mut Args<'_>) -> Result<Change, Failure> {
        let change = match self {
            Self::Setting(setting) => (setting.read)(args)?,
            Self::Search(info) => {
                let value = args.number(info.name, info.min..=info.max)?;
                Change::Search(info.name, value)
            }
        };
        args.end()?;
        Ok(change)
    }
}

fn apply(context: &mut Context<'_, '_>, change: Change) -> Result<(), Failure> {
    context
        .engine
        .change(change)
        .map_err(|error| Failure::Engine(error.to_string()))
}

fn get_models(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let identity = context.identity;
    let model = serde_json::json!({
        "name": identity.model, "internalName": identity.model, "usesHumanSLProfile": identity.imitates,
    });
    Ok(Answer::Text(format!("[{model}]")))
}

fn get_param(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let name = args.word("the name of a parameter")?;
    args.end()?;
    Ok(Answer::Text(Param::named(name)?.show(context.engine)))
}

fn set_param(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let param = Param::named(args.word("the name of a parameter")?)?;
    let change = param.read(args)?;
    apply(context, change)?;
    Ok(Answer::NOTHING)
}

fn list_params(_: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let names: Vec<_> = Param::all().map(|param| param.name()).collect();
    Ok(Answer::Text(names.join(" ")))
}

fn get_params(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    let values: Vec<_> = Param::all()
        .map(|param| format!("\"{}\":{}", param.name(), param.show(context.engine)))
        .collect();
    Ok(Answer::Text(format!("{{{}}}", values.join(","))))
}

fn set_params(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    use serde_json::{Map, Value};
    let wanted: Map<String, Value> = serde_json::from_str(args.text()).map_err(|error| {
        Failure::Syntax(format!(
            "expected a JSON object of parameters, found {error}"
        ))
    })?;
    let (mut changes, mut kept) = (Vec::new(), Vec::new());
    for (name, value) in &wanted {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let param = Param::named(name)?;
        let change = param.read(&mut Args::new(&text))?;
        // What is sent back as it was told changes nothing: what no one has set stays the default's.
        if is_same(&param.show(context.engine), &text) {
            kept.push((param, change, text));
        } else {
            changes.push(change);
        }
    }
    // First what the machine may refuse.
    changes.sort_by_key(|change| !matches!(change, Change::Threads(_) | Change::Seed(_)));
    for change in changes {
        apply(context, change)?;
    }
    // Nor does it follow another that is set beside it.
    for (param, change, text) in kept {
        if !is_same(&param.show(context.engine), &text) {
            apply(context, change)?;
        }
    }
    Ok(Answer::NOTHING)
}

/// Whether two values are the same, as texts or as numbers.
fn is_same(one: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    one == other || number(one).is_some_and(|one| number(other) == Some(one))
}

fn dialog(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    if !args.is_empty() {
        return set_param(context, args);
    }
    let lines: Vec<_> = Param::all()
        .map(|param| {
            let value = param.show(context.engine);
            match value.as_str() {
                "true" | "false" => format!("[list/false/true] {} {value}", param.name()),
                _ => format!("[string] {} {value}", param.name()),
            }
        })
        .collect();
    Ok(Answer::Text(lines.join("\n")))
}

fn get_seed(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    args.end()?;
    Ok(Answer::Text(context.engine.settings().seed.to_string()))
}

fn set_seed(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> Outcome {
    let seed = args.number("a seed", 0..=u64::MAX)?;
    args.end()?;
    apply(context, Change::Seed(seed))?;
    Ok(Answer::NOTHING)
}
