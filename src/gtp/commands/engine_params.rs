//! Parameters that a client can change at run time: limits, threads, search parameters, and the random seed.
//!
//! Limits and similar settings have KataGo's names. Search parameters are listed under the names in [`SearchParams`],
//! but are also accepted under KataGo's names.

use std::time::Duration;

use crate::engine::Engine;
use crate::engine::setting_change::SettingChange;
use crate::engine::settings::{MAX_THREADS, MAX_TIME_SECONDS};
use crate::gtp::args::Args;
use crate::gtp::command::{Command, Context};
use crate::gtp::response::{CommandResult, GtpError, Response, text};
use crate::io::error_text;
use crate::search::params::{ParamInfo, SearchParams};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "kata-get-param",
        "NAME",
        "Returns the value of a parameter.",
        get_param,
    ),
    Command::new(
        "kata-set-param",
        "NAME VALUE",
        "Sets a parameter; discards search results that depend on it.",
        set_param,
    ),
    Command::new(
        "kata-list-params",
        "",
        "Lists the names of all parameters.",
        |_, _| {
            let names: Vec<_> = Param::all().map(|param| param.name()).collect();
            text(names.join(" "))
        },
    ),
    Command::new(
        "kata-get-params",
        "",
        "Returns all parameters as a JSON object.",
        get_params,
    ),
    Command::new(
        "kata-set-params",
        "JSON",
        "Sets the parameters in a JSON object; if one of them is invalid, sets none.",
        set_params,
    ),
    Command::new(
        "kata-get-models",
        "",
        "Lists the loaded network as JSON.",
        get_models,
    ),
    Command::new(
        "honinbo-param",
        "[NAME VALUE]",
        "Sets a parameter, or lists all parameters in the format of GoGui's parameter dialog.",
        gogui_param,
    ),
    Command::new(
        "get_random_seed",
        "",
        "Returns the random seed.",
        |context, _| text(context.engine.settings().seed),
    ),
    Command::new(
        "set_random_seed",
        "NUMBER",
        "Sets the random seed and clears the search tree.",
        set_seed,
    ),
];

/// Value of `maxVisits` that means no limit, as in KataGo.
const UNLIMITED_VISITS: u64 = 1 << 50;
/// Value of `maxTime` that means no limit, as in KataGo.
const UNLIMITED_SECONDS: f64 = 1e20;
/// Name of the search parameter that the engine itself sets for each move and that clients cannot access.
const INTERNAL_PARAM: &str = "lead_center";

/// An engine setting that is not a search parameter.
struct Setting {
    name: &'static str,
    /// Returns the value as JSON.
    get: fn(&Engine) -> String,
    /// Parses a new value.
    parse: fn(&mut Args<'_>) -> Result<SettingChange, GtpError>,
}

const SETTINGS: [Setting; 5] = [
    Setting {
        name: "maxVisits",
        get: |engine| {
            let visits = engine.settings().visits;
            visits.unwrap_or(UNLIMITED_VISITS).to_string()
        },
        parse: |args| {
            let visits = args.number("number of visits", 1..=UNLIMITED_VISITS)?;
            Ok(SettingChange::Visits(
                Some(visits).filter(|&visits| visits < UNLIMITED_VISITS),
            ))
        },
    },
    Setting {
        name: "maxTime",
        get: |engine| {
            let time = engine.settings().time_without_clock();
            (time.map(|time| time.as_secs_f64()))
                .filter(|&seconds| seconds < MAX_TIME_SECONDS)
                .unwrap_or(UNLIMITED_SECONDS)
                .to_string()
        },
        parse: |args| {
            let seconds = args.number("number of seconds", 0.001..=UNLIMITED_SECONDS)?;
            let time = Duration::from_secs_f64(seconds.min(MAX_TIME_SECONDS));
            Ok(SettingChange::Time(Some(time)))
        },
    },
    Setting {
        name: "numSearchThreads",
        get: |engine| engine.settings().threads.to_string(),
        parse: |args| {
            args.number("number of threads", 1..=MAX_THREADS)
                .map(SettingChange::Threads)
        },
    },
    Setting {
        name: "ponderingEnabled",
        get: |engine| engine.settings().ponder.to_string(),
        parse: |args| args.boolean("ponderingEnabled").map(SettingChange::Ponder),
    },
    Setting {
        name: "analysisWideRootNoise",
        get: |engine| {
            let play_noise = engine.search_params().wide_root_noise;
            let analysis_noise = engine.settings().analysis_noise;
            analysis_noise.unwrap_or(play_noise).to_string()
        },
        parse: |args| {
            args.number("value for analysisWideRootNoise", 0.0..=2.0)
                .map(SettingChange::AnalysisNoise)
        },
    },
];

/// Returns the search parameters that clients can access.
fn public_search_params() -> impl Iterator<Item = &'static ParamInfo> {
    SearchParams::TABLE
        .iter()
        .filter(|info| info.name != INTERNAL_PARAM)
}

/// A parameter: an engine setting or a search parameter.
enum Param {
    Setting(&'static Setting),
    Search(&'static ParamInfo),
}

impl Param {
    fn all() -> impl Iterator<Item = Self> {
        let settings = SETTINGS.iter().map(Self::Setting);
        settings.chain(public_search_params().map(Self::Search))
    }

    fn from_name(name: &str) -> Result<Self, GtpError> {
        let from_kata_name = || SearchParams::find_info(name).map(Self::Search);
        Self::all()
            .find(|param| param.name() == name)
            .or_else(|| from_kata_name().filter(|param| param.name() != INTERNAL_PARAM))
            .ok_or_else(|| {
                let names = Self::all().map(|param| param.name());
                let hint = "kata-list-params lists all parameters";
                let found = error_text::quote_with_fallback_hint(name, names, hint);
                GtpError::Syntax(format!("unknown parameter {found}"))
            })
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Setting(setting) => setting.name,
            Self::Search(info) => info.name,
        }
    }

    /// Returns the value as JSON.
    fn value(&self, engine: &Engine) -> String {
        match self {
            Self::Setting(setting) => (setting.get)(engine),
            Self::Search(info) => engine
                .search_params()
                .get(info.name)
                .unwrap_or(info.default)
                .to_string(),
        }
    }

    /// Parses a new value and checks that no arguments follow it.
    fn parse_change(&self, args: &mut Args<'_>) -> Result<SettingChange, GtpError> {
        let change = match self {
            Self::Setting(setting) => (setting.parse)(args)?,
            Self::Search(info) => {
                let description = format!("value for {}", info.name);
                let value = args.number(&description, info.min..=info.max)?;
                SettingChange::Search(info.name, value)
            }
        };
        args.expect_end()?;
        Ok(change)
    }
}

fn apply_change(context: &mut Context<'_, '_>, change: SettingChange) -> CommandResult {
    let result = context.engine.change_setting(change);
    result.map_err(|error| GtpError::Engine(error.to_string()))?;
    Ok(Response::EMPTY)
}

fn get_models(context: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    let identity = context.identity;
    let model = serde_json::json!({
        "name": identity.model, "internalName": identity.model, "usesHumanSLProfile": identity.takes_profile,
    });
    text(format!("[{model}]"))
}

fn get_param(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let name = args.parse_last(|args| args.word("parameter name"))?;
    text(Param::from_name(name)?.value(context.engine))
}

fn set_param(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let param = Param::from_name(args.word("parameter name")?)?;
    let change = param.parse_change(args)?;
    apply_change(context, change)
}

fn get_params(context: &mut Context<'_, '_>, _: &mut Args<'_>) -> CommandResult {
    let values: Vec<_> = Param::all()
        .map(|param| format!("\"{}\":{}", param.name(), param.value(context.engine)))
        .collect();
    text(format!("{{{}}}", values.join(",")))
}

fn set_params(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let (mut changes, mut unchanged) = (Vec::new(), Vec::new());
    for (name, value) in args.json_fields("parameters")? {
        let param = Param::from_name(&name)?;
        let change = param.parse_change(&mut Args::new(&value))?;
        // Clients also send the values that they have not changed. Such a value must not turn a default into an
        // explicit setting.
        if is_same_value(&param.value(context.engine), &value) {
            unchanged.push((param, change, value));
        } else {
            changes.push(change);
        }
    }
    // Apply the changes that can fail first.
    changes.sort_by_key(|change| {
        !matches!(change, SettingChange::Threads(_) | SettingChange::Seed(_))
    });
    for change in changes {
        apply_change(context, change)?;
    }
    // Restore values that were sent unchanged but have been affected by another change.
    for (param, change, value) in unchanged {
        if !is_same_value(&param.value(context.engine), &value) {
            apply_change(context, change)?;
        }
    }
    Ok(Response::EMPTY)
}

/// Returns true if two values are equal, either as text or as numbers.
fn is_same_value(left: &str, right: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    left == right || number(left).is_some_and(|value| number(right) == Some(value))
}

fn gogui_param(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    if !args.is_empty() {
        return set_param(context, args);
    }
    let lines: Vec<_> = Param::all()
        .map(|param| {
            let value = param.value(context.engine);
            match value.as_str() {
                "true" | "false" => format!("[list/false/true] {} {value}", param.name()),
                _ => format!("[string] {} {value}", param.name()),
            }
        })
        .collect();
    text(lines.join("\n"))
}

fn set_seed(context: &mut Context<'_, '_>, args: &mut Args<'_>) -> CommandResult {
    let seed = args.parse_last(|args| args.number("seed", 0..=u64::MAX))?;
    apply_change(context, SettingChange::Seed(seed))
}
