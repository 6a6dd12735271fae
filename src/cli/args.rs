//! What may be typed: clap types only, no logic.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::config::Client;
use crate::projection::Provider;

/// The lockfile for MCP tool contracts.
#[derive(Debug, Parser)]
#[command(
    name = "mcplock",
    version,
    max_term_width = 100,
    after_help = "Examples:
  mcplock pin                      pin every server that this project's configs name
  mcplock verify                   fail when a server's contract has drifted
  mcplock diff                     show the drift, meaning first
  mcplock pin --name time -- uvx mcp-server-time@2026.10.19
  mcplock demo                     see it all on a built-in server

Exit codes: 0 clean, 1 drift, 2 usage or config, 3 a server could not be judged, 4 unfit."
)]
pub struct Cli {
    /// Options that every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
pub struct GlobalArgs {
    /// The lockfile [default: `mcp-lock.toml`, looked for upward to the git root]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Files")]
    pub lockfile: Option<PathBuf>,
    /// The policy file [default: `mcplock.toml` beside the lockfile]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Files")]
    pub policy: Option<PathBuf>,
    /// Another client config to read servers from (repeatable)
    #[arg(long, global = true, value_name = "FILE", help_heading = "Files")]
    pub client_config: Vec<PathBuf>,
    /// A client whose user-level config is read as well (repeatable)
    #[arg(long, global = true, value_name = "CLIENT", value_parser = client(), help_heading = "Files")]
    pub client: Vec<Client>,
    /// When to colour
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        help_heading = "Output"
    )]
    pub color: ColorWhen,
    /// Print less: nothing on success, one line on failure
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Output"
    )]
    pub quiet: bool,
    /// Print more: equivalent changes, notes, pointers and whole values
    #[arg(short, long, global = true, help_heading = "Output")]
    pub verbose: bool,
    /// No progress lines on standard error
    #[arg(long, global = true, help_heading = "Output")]
    pub no_progress: bool,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write what servers advertise into the lockfile
    Pin(PinArgs),
    /// Fetch the catalogs again and fail on drift
    Verify(VerifyArgs),
    /// The same judgement, printed for reading; or two lockfiles or catalogs compared
    Diff(DiffArgs),
    /// Judge contracts on their own: can they be relied on?
    Check(CheckArgs),
    /// Save a server's catalog to a file
    Fetch(FetchArgs),
    /// Stand between an agent and a server, and stop calls on drift
    Guard(Box<GuardArgs>),
    /// List the servers found and whether they are pinned; starts nothing
    List(ListArgs),
    /// Print a lockfile for reading, e.g. in `git diff`
    Show(ShowArgs),
    /// Explain a rule
    Explain(ExplainArgs),
    /// Print a shell's completion script
    Completions(CompletionsArgs),
    /// Watch mcplock catch three silent changes of a built-in server
    Demo,
    /// The server of `demo`
    #[command(hide = true)]
    DemoServer(DemoServerArgs),
}

/// A server given on the command line.
#[derive(Debug, Clone, Default, Args)]
pub struct AdHocArgs {
    /// Name of a server given here, by `-- CMD ARG…` or `--url`
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "A server that no config names"
    )]
    pub name: Option<String>,
    /// Its profile, for a catalog that depends on credentials, flags or platform
    #[arg(
        long,
        value_name = "PROFILE",
        requires = "name",
        help_heading = "A server that no config names"
    )]
    pub profile: Option<String>,
    /// Its URL
    #[arg(
        long,
        value_name = "URL",
        requires = "name",
        conflicts_with = "server_command",
        help_heading = "A server that no config names"
    )]
    pub url: Option<String>,
    /// A header for --url, with variables: 'Authorization: Bearer ${TOKEN}' (repeatable)
    #[arg(
        long,
        value_name = "HEADER",
        requires = "url",
        help_heading = "A server that no config names"
    )]
    pub header: Vec<String>,
    /// A variable that it needs, by name or with a template: TOKEN, HOME='${workspace}' (repeatable)
    #[arg(
        long = "env",
        value_name = "NAME[=TEMPLATE]",
        requires = "name",
        help_heading = "A server that no config names"
    )]
    pub env: Vec<String>,
    /// Its command and arguments, after `--`
    #[arg(last = true, value_name = "CMD ARG", requires = "name")]
    pub server_command: Vec<String>,
}

/// Bounds on the conversation with servers.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Servers fetched at the same time [default: 8]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub jobs: Option<usize>,
    /// Seconds for a server to start and answer the first request [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub start_timeout: Option<f64>,
    /// Seconds for each further request [default: 30]
    #[arg(long, value_name = "SECONDS")]
    pub request_timeout: Option<f64>,
    /// Seconds for everything with one server [default: 120]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Bytes of the largest message accepted [default: 16 MiB]
    #[arg(long, value_name = "BYTES", value_parser = at_least_one())]
    pub max_message: Option<usize>,
    /// Bytes of the largest catalog accepted [default: 64 MiB]
    #[arg(long, value_name = "BYTES", value_parser = at_least_one())]
    pub max_catalog: Option<usize>,
    /// Items of the longest list accepted [default: 10000]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub max_items: Option<usize>,
    /// Pages of the longest list accepted [default: 1000]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub max_pages: Option<usize>,
    /// Messages accepted that nobody asked for [default: 10000]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub max_unasked: Option<usize>,
    /// Times that one list is fetched again because the server says that it changed [default: 5]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub max_relists: Option<usize>,
    /// Bytes kept of a server's standard error, for messages [default: 64 KiB]
    #[arg(long, value_name = "BYTES", value_parser = at_least_one())]
    pub max_stderr: Option<usize>,
    /// Fail when a server prints anything but JSON on its standard output
    #[arg(long)]
    pub strict_stdout: bool,
    /// Trust these certificate authorities too (a PEM file)
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Speak only this revision of the protocol, e.g. 2025-06-18
    #[arg(long, value_name = "REVISION")]
    pub protocol: Option<String>,
}

/// A bound of 0 would only refuse everything.
fn at_least_one() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(1..)
}

/// How a report is printed.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct ReportArgs {
    /// Format of the report on standard output
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: String,
    /// A further report into a file, e.g. json=out/report.json (repeatable)
    #[arg(long, value_name = "FORMAT=PATH")]
    pub report: Vec<String>,
}

/// When drift fails.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Judgement")]
pub struct JudgeArgs {
    /// The least drift that fails: breaking, risky, compatible or never [default: compatible]
    #[arg(long, value_name = "LEVEL")]
    pub fail_on: Option<String>,
    /// Start a server though its launch differs from the pinned one
    #[arg(long)]
    pub allow_launch_change: bool,
    /// Let advice fail too
    #[arg(long)]
    pub strict: bool,
}

/// `mcplock pin`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mcplock pin                             pin what is new, show what has changed
  mcplock pin files --yes                 accept the changes of one server
  mcplock pin files --item tool:read_file accept one tool
  mcplock pin --check                     write nothing; exit 1 if it would
  mcplock pin --twice                     find words that depend on the machine or the day
  mcplock pin --name time -- uvx mcp-server-time@2026.10.19")]
pub struct PinArgs {
    /// Servers to pin, as NAME or NAME@PROFILE [default: all]
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    /// See [`ConsentArgs`].
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Only this item, as KIND:NAME, e.g. `tool:read_file` (repeatable)
    #[arg(long, value_name = "KIND:NAME")]
    pub item: Vec<String>,
    /// Drop servers that no config names: all of them, or those named
    #[arg(long)]
    pub prune: bool,
    /// Start each server a second time with another folder, HOME, time zone and build date; pin it
    /// only if both catalogs are the same, else print what would cover the difference
    #[arg(long)]
    pub twice: bool,
    /// See [`AdHocArgs`].
    #[command(flatten)]
    pub ad_hoc: AdHocArgs,
    /// See [`ReportArgs`].
    #[command(flatten)]
    pub report: ReportArgs,
    /// See [`LimitArgs`].
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Whether changes of pinned contracts are written.
#[derive(Debug, Clone, Copy, Args)]
pub struct ConsentArgs {
    /// Accept changes of pinned contracts without asking
    #[arg(short, long)]
    pub yes: bool,
    /// Write nothing; exit 1 if something would be written
    #[arg(long, conflicts_with = "yes")]
    pub check: bool,
}

/// `mcplock verify`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mcplock verify                          every server, as CI does
  mcplock verify files --fail-on risky    let proved additions pass
  mcplock verify files --catalog saved.json  judge a saved catalog, offline")]
pub struct VerifyArgs {
    /// Servers to verify, as NAME or NAME@PROFILE [default: all]
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    /// Judge this saved catalog in place of the one server named (a folder: all lists in it)
    #[arg(long, value_name = "FILE", conflicts_with = "server_command")]
    pub catalog: Option<PathBuf>,
    /// See [`JudgeArgs`].
    #[command(flatten)]
    pub judge: JudgeArgs,
    /// See [`AdHocArgs`].
    #[command(flatten)]
    pub ad_hoc: AdHocArgs,
    /// See [`ReportArgs`].
    #[command(flatten)]
    pub report: ReportArgs,
    /// See [`LimitArgs`].
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// `mcplock diff`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mcplock diff                            pinned against live
  mcplock diff --from git:HEAD            what this change of the lockfile means; no server
  mcplock diff --from git:v1.0 --to git:v1.1
  mcplock diff --from old.json --to new.json  two saved catalogs")]
pub struct DiffArgs {
    /// Servers to compare, as NAME or NAME@PROFILE [default: all]
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    /// The older side, without any server: a lockfile, git:REVISION, or a saved catalog
    #[arg(long, value_name = "FILE|git:REVISION", conflicts_with_all = ["name", "catalog"])]
    pub from: Option<String>,
    /// The newer side [default: the lockfile]
    #[arg(long, value_name = "FILE|git:REVISION", requires = "from")]
    pub to: Option<String>,
    /// Compare with this saved catalog in place of the one server named
    #[arg(long, value_name = "FILE", conflicts_with = "server_command")]
    pub catalog: Option<PathBuf>,
    /// See [`JudgeArgs`].
    #[command(flatten)]
    pub judge: JudgeArgs,
    /// See [`AdHocArgs`].
    #[command(flatten)]
    pub ad_hoc: AdHocArgs,
    /// See [`ReportArgs`].
    #[command(flatten)]
    pub report: ReportArgs,
    /// See [`LimitArgs`].
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// `mcplock check`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mcplock check                           every server: can its contracts be relied on?
  mcplock check --catalog saved.json      a saved catalog, offline
  mcplock check --strict                  for a server's author: advice fails too
  mcplock check jobs --projection request.json    against what a provider got
  mcplock check jobs --via gateway        against what a gateway shows
  mcplock check jobs --for gemini         against a provider's documented subset
  mcplock check jobs --call call.json --received args.json")]
pub struct CheckArgs {
    /// Servers to check, as NAME or NAME@PROFILE [default: all]
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    /// Check this saved catalog; starts nothing
    #[arg(long, value_name = "FILE", conflicts_with = "server_command")]
    pub catalog: Option<PathBuf>,
    /// Compare the server's tools with those in this file: what a client, SDK or provider was given
    /// (repeatable)
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "What arrives on the far side"
    )]
    pub projection: Vec<PathBuf>,
    /// Compare them with what this other server, a gateway, shows (repeatable)
    #[arg(
        long,
        value_name = "SERVER",
        conflicts_with = "catalog",
        help_heading = "What arrives on the far side"
    )]
    pub via: Vec<String>,
    /// The same from the gateway's saved catalog (repeatable)
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "What arrives on the far side"
    )]
    pub via_catalog: Vec<PathBuf>,
    /// Say what this provider's documented subset of JSON Schema refuses or ignores (repeatable)
    #[arg(long = "for", value_name = "PROVIDER", value_parser = provider(), help_heading = "What arrives on the far side")]
    pub provider: Vec<Provider>,
    /// A captured tool call of a model, to be compared with --received
    #[arg(
        long,
        value_name = "FILE",
        requires = "received",
        help_heading = "What arrives on the far side"
    )]
    pub call: Option<PathBuf>,
    /// The arguments that the server received for --call
    #[arg(
        long,
        value_name = "FILE",
        requires = "call",
        help_heading = "What arrives on the far side"
    )]
    pub received: Option<PathBuf>,
    /// Let advice fail too
    #[arg(long, help_heading = "Judgement")]
    pub strict: bool,
    /// See [`AdHocArgs`].
    #[command(flatten)]
    pub ad_hoc: AdHocArgs,
    /// See [`ReportArgs`].
    #[command(flatten)]
    pub report: ReportArgs,
    /// See [`LimitArgs`].
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// `mcplock fetch`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mcplock fetch files -o files.json       for `verify --catalog` and `diff --from`
  mcplock fetch --name time -- uvx mcp-server-time@2026.10.19")]
pub struct FetchArgs {
    /// The server, as NAME or NAME@PROFILE
    #[arg(value_name = "SERVER", required_unless_present = "name")]
    pub server: Option<String>,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// See [`AdHocArgs`].
    #[command(flatten)]
    pub ad_hoc: AdHocArgs,
    /// See [`LimitArgs`].
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// `mcplock guard`
#[derive(Debug, Args)]
#[command(after_help = "An agent's config names it in place of the server:
  {\"command\": \"mcplock\", \"args\": [\"guard\", \"files\"]}

Examples:
  mcplock guard files                          the server `files`, started as the lockfile says
  mcplock guard files --log guard.log          the log in a file
  mcplock guard files --max-age 30s            do not list again within 30 seconds
  mcplock guard files --report-only            let everything through, and log what would be refused
  mcplock guard --name time -- uvx mcp-server-time@2026.10.19

Exit codes: 0 the agent ended the session, 2 usage, 3 the server ended by itself.")]
pub struct GuardArgs {
    /// The server, as the lockfile names it: NAME, or NAME@PROFILE
    #[arg(
        value_name = "SERVER",
        required_unless_present = "name",
        conflicts_with = "name"
    )]
    pub server: Option<String>,
    /// The least drift that refuses a call: breaking, risky, compatible or never [default: compatible]
    #[arg(long, value_name = "LEVEL", help_heading = "Judgement")]
    pub fail_on: Option<String>,
    /// List again only when the list is older than this: 500ms, 30s, 2m [default: before every call]
    #[arg(long, value_name = "DURATION", help_heading = "Judgement")]
    pub max_age: Option<String>,
    /// List again after each call, and withhold its result if the contract moved
    #[arg(long, help_heading = "Judgement")]
    pub recheck_after: bool,
    /// See [`StrictArgs`].
    #[command(flatten)]
    pub strict: StrictArgs,
    /// Let everything through, and log what would have been refused
    #[arg(long, help_heading = "Judgement")]
    pub report_only: bool,
    /// Where the log goes, a JSON object a line [default: standard error]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub log: Option<PathBuf>,
    /// See [`AdHocArgs`].
    #[command(flatten)]
    pub ad_hoc: AdHocArgs,
    /// See [`GuardLimitArgs`].
    #[command(flatten)]
    pub limits: GuardLimitArgs,
}

/// What a guard refuses beyond drift.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Judgement")]
pub struct StrictArgs {
    /// Refuse what the agent has not listed in this session
    #[arg(long)]
    pub require_list: bool,
    /// Refuse arguments that the pinned schema does not declare
    #[arg(long)]
    pub deny_undeclared: bool,
    /// Validate the structured content of results against the pinned output schema
    #[arg(long)]
    pub check_results: bool,
}

/// Bounds on the conversation with the one server of a guard.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub struct GuardLimitArgs {
    /// Seconds for a remote server to open its stream [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub start_timeout: Option<f64>,
    /// Seconds for each page of a list that the guard asks for [default: 30]
    #[arg(long, value_name = "SECONDS")]
    pub request_timeout: Option<f64>,
    /// Seconds for such a list while the server works on earlier requests [default: 120]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Bytes of the largest message accepted [default: 16 MiB]
    #[arg(long, value_name = "BYTES", value_parser = at_least_one())]
    pub max_message: Option<usize>,
    /// Bytes of the largest list accepted [default: 64 MiB]
    #[arg(long, value_name = "BYTES", value_parser = at_least_one())]
    pub max_catalog: Option<usize>,
    /// Items of the longest list accepted [default: 10000]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub max_items: Option<usize>,
    /// Pages of the longest list accepted [default: 1000]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub max_pages: Option<usize>,
    /// Times that one list is fetched again because the server says that it changed [default: 5]
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    pub max_relists: Option<usize>,
    /// Trust these certificate authorities too (a PEM file)
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
}

impl GuardLimitArgs {
    /// The same as bounds on a fetch.
    pub(crate) fn as_limits(&self) -> LimitArgs {
        LimitArgs {
            jobs: None,
            start_timeout: self.start_timeout,
            request_timeout: self.request_timeout,
            timeout: self.timeout,
            max_message: self.max_message,
            max_catalog: self.max_catalog,
            max_items: self.max_items,
            max_pages: self.max_pages,
            max_unasked: None,
            max_relists: self.max_relists,
            max_stderr: None,
            strict_stdout: false,
            ca_file: self.ca_file.clone(),
            protocol: None,
        }
    }
}

/// `mcplock list`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mcplock list                  every server, and where it is configured
  mcplock list --check          for a commit hook: exit 1 unless configs and lockfile agree")]
pub struct ListArgs {
    /// Exit 1 unless every server is pinned as configured, and configured if pinned
    #[arg(long)]
    pub check: bool,
    /// `human` or `json`
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "human",
        help_heading = "Output"
    )]
    pub format: String,
}

/// `mcplock show`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mcplock show                            every pinned contract, a line for each fact
  mcplock show old/mcp-lock.toml
  git config diff.mcplock.textconv 'mcplock show --textconv'")]
pub struct ShowArgs {
    /// The file [default: the lockfile]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// For git: print a file that is no lockfile as it is, in place of an error
    #[arg(long, requires = "file")]
    pub textconv: bool,
}

/// `mcplock explain`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mcplock explain                         all rules, a line each
  mcplock explain argument-removed")]
pub struct ExplainArgs {
    /// Id of a rule [default: list all rules]
    #[arg(value_name = "RULE")]
    pub rule: Option<String>,
}

/// `mcplock completions`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mcplock completions bash > ~/.local/share/bash-completion/completions/mcplock
  mcplock completions zsh > ~/.zfunc/_mcplock")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// The hidden `mcplock demo-server`
#[derive(Debug, Args)]
pub struct DemoServerArgs {
    /// File that holds the number of the release to advertise
    #[arg(value_name = "FILE")]
    pub release: PathBuf,
}

/// The name of a provider.
fn provider() -> impl TypedValueParser<Value = Provider> {
    PossibleValuesParser::new(Provider::ALL.map(Provider::word)).try_map(|word| {
        Provider::ALL
            .into_iter()
            .find(|provider| provider.word() == word)
            .ok_or("no provider of that name")
    })
}

/// Reads the word of a client that keeps a user-level config.
fn client() -> impl TypedValueParser<Value = Client> {
    let words = Client::ALL
        .into_iter()
        .filter(|client| client.has_user_file())
        .map(Client::word);
    PossibleValuesParser::new(words)
        .try_map(|word| Client::from_word(&word).ok_or("no client is called so"))
}
