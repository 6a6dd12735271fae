//! `mcplock guard`: stands between an agent and a server.
//!
//! Prepares what the guard needs. What goes wrong here is told to the agent, call by call: a guard
//! that ends at once looks like a server that is broken, and people take it out of the way.

use std::process::ExitCode;
use std::time::Duration;

use crate::config::{Environment, Policy, ResolvedLaunch, parse_duration};
use crate::error::{Error, Result};
use crate::exit;
use crate::guard::{Ending, Options, Pins, Settings, run};
use crate::rules::FailOn;
use crate::text::{names, visible};
use crate::transport::{adopt_orphans, end_orphans};

use super::args::{GlobalArgs, GuardArgs, LimitArgs};
use super::live;
use super::printer::Printer;
use super::workspace::{Need, Workspace};
use crate::report;

/// Bytes of stack of the thread that does the work: schemas may nest deep.
const STACK: usize = 16 << 20;

/// Runs `mcplock guard` on a thread of its own, which obeys the signals.
pub(crate) fn main(
    global: GlobalArgs,
    args: GuardArgs,
    environment: Environment,
    printer: Printer,
) -> ExitCode {
    let work = move || {
        guard(&global, &args, &environment).unwrap_or_else(|error| {
            printer.error(&report::render_error(
                &error,
                printer.width(),
                printer.error_colors(),
            ));
            ExitCode::from(error.kind().reason().code())
        })
    };
    let started = std::thread::Builder::new()
        .name("guard".to_owned())
        .stack_size(STACK)
        .spawn(work);
    // A panic of the work has told itself already.
    let code = started.map_or(ExitCode::from(exit::USAGE), |thread| {
        thread.join().unwrap_or(ExitCode::from(101))
    });
    // Whatever the server left behind.
    end_orphans();
    code
}

fn guard(global: &GlobalArgs, args: &GuardArgs, environment: &Environment) -> Result<ExitCode> {
    let name = args
        .server
        .as_ref()
        .or(args.ad_hoc.name.as_ref())
        .cloned()
        .unwrap_or_default();
    let flags = Flags::of(args)?;
    let limits = args.limits.as_limits();
    let (options, start) = prepared(global, args, environment, &name, &flags, &limits)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::usage(format!("could not start the runtime: {error}")))?;
    adopt_orphans();
    let ending = runtime.block_on(run(&options, start));
    // A thread that still reads a terminal must not be waited for.
    runtime.shutdown_background();
    Ok(ExitCode::from(match ending? {
        Ending::Agent => exit::OK,
        Ending::Server => exit::NOT_JUDGED,
    }))
}

/// Flags that can be wrong.
struct Flags {
    fail_on: Option<FailOn>,
    max_age: Option<Duration>,
}

impl Flags {
    fn of(args: &GuardArgs) -> Result<Self> {
        let fail_on = args.fail_on.as_deref().map(|text| {
            FailOn::parse(text).ok_or_else(|| {
                Error::usage(format!(
                    "--fail-on: `{}` is no level: use breaking, risky, compatible or never",
                    visible(text)
                ))
            })
        });
        let max_age = args.max_age.as_deref().map(|text| {
            parse_duration(text).ok_or_else(|| {
                Error::usage(format!("--max-age: `{}` is no duration", visible(text)))
                    .help("write it as `500ms`, `30s` or `2m`")
            })
        });
        Ok(Flags {
            fail_on: fail_on.transpose()?,
            max_age: max_age.transpose()?,
        })
    }
}

type Start = Result<(ResolvedLaunch, Pins)>;

/// The options, and how to start or why not. An error only for a command line that is wrong.
fn prepared(
    global: &GlobalArgs,
    args: &GuardArgs,
    environment: &Environment,
    name: &str,
    flags: &Flags,
    limits: &LimitArgs,
) -> Result<(Options, Start)> {
    let opened = Workspace::read(global, &args.ad_hoc, environment, Need::Lockfile);
    let none = Policy::default();
    let policy = opened
        .as_ref()
        .map_or(&none, |workspace| &workspace.discovered.policy);
    let mut fetching = live::fetch_options(limits, policy)?;
    let start = match &opened {
        Ok(workspace) => start(workspace, args, environment, name, flags).map(|(launch, pins)| {
            let settings = policy.settings(&pins.name, pins.profile.as_deref());
            live::apply(&settings, limits, &mut fetching);
            (launch, pins)
        }),
        Err(errors) => Err(errors
            .first()
            .cloned()
            .unwrap_or_else(|| Error::usage("the project can't be read"))),
    };
    let options = Options {
        server: name.to_owned(),
        report_only: args.report_only,
        max_age: flags.max_age,
        recheck_after: args.recheck_after,
        check_results: args.strict.check_results,
        limits: fetching.limits,
        ca_file: args.limits.ca_file.clone(),
        log: args.log.clone(),
    };
    Ok((options, start))
}

fn start(
    workspace: &Workspace,
    args: &GuardArgs,
    environment: &Environment,
    name: &str,
    flags: &Flags,
) -> Start {
    let named = [name.to_owned()];
    if let Some(error) = workspace.config_errors(&named).find(|error| {
        // What is wrong with other servers is their business.
        let place = error.place();
        let of = |server: &String| names(name, server, place.profile.as_deref());
        place.server.as_ref().is_some_and(of)
    }) {
        return Err(error.clone());
    }
    let asked: &[String] = if args.ad_hoc.name.is_some() {
        &[]
    } else {
        &named
    };
    let subjects = workspace.subjects(asked)?;
    let subject = match subjects.as_slice() {
        [one] => *one,
        [] => {
            return Err(Error::usage(format!(
                "no server is called `{}`",
                visible(name)
            )));
        }
        _ => {
            return Err(
                Error::usage(format!("`{}` has several profiles", visible(name)))
                    .help("say which one: `NAME@PROFILE`"),
            );
        }
    };
    let Some(entry) = subject.entry else {
        return Err(Error::lockfile(format!(
            "`{}` is not pinned in {}",
            visible(name),
            visible(&workspace.lockfile_shown().display().to_string())
        ))
        .help("pin it, then start the session again"));
    };
    let Some(spec) = subject.spec else {
        return Err(Error::usage(format!(
            "nothing says how `{}` is started",
            visible(name)
        )));
    };
    let policy = &workspace.discovered.policy;
    let mut settings = Settings::of(policy, &entry.name, entry.profile.as_deref())?;
    settings.fail_on = flags.fail_on.unwrap_or(settings.fail_on);
    settings.require_list = args.strict.require_list;
    settings.deny_undeclared = args.strict.deny_undeclared;
    let pins = Pins {
        lockfile: workspace.project.lockfile.clone(),
        shown: workspace.lockfile_shown(),
        name: entry.name.clone(),
        profile: entry.profile.clone(),
        launch: spec.launch.clone(),
        settings,
    };
    // Judged before anything of the launch is looked at more closely, let alone started.
    pins.gate()?;
    let launch = spec.resolve(environment)?;
    Ok((launch, pins))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use crate::cli::Cli;
    use crate::config::GUARD_FLAGS_WITH_VALUE;

    #[test]
    fn discovery_knows_every_flag_of_the_guard_that_takes_a_value() {
        let mut command = Cli::command();
        command.build();
        let guard = command.find_subcommand("guard").unwrap();
        let of_clap: BTreeSet<String> = guard
            .get_arguments()
            .filter(|arg| arg.get_action().takes_values())
            .filter_map(|arg| arg.get_long())
            .map(|long| format!("--{long}"))
            .collect();
        let known = GUARD_FLAGS_WITH_VALUE.map(str::to_owned).into();
        assert_eq!(of_clap, known);
    }
}
