//! Moves bytes between an agent, a session and a server until one of them ends.
//!
//! One loop on one thread. Nothing is read from one side while too much waits for the other, so that
//! a side that does not read holds up the other as it would without the guard, and memory stays
//! bounded.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::time::{Interval, MissedTickBehavior, interval, sleep_until};

use crate::config::{Redactor, ResolvedLaunch};
use crate::error::{Error, Result};
use crate::transport::{Limits, Patience, Quoter, Shutdown, StandardError};

use super::front::{Cut, Input, LineBuffer, Output};
use super::log::Log;
use super::pins::{Pins, Stamp, closed};
use super::session::{Behaviour, Session};
use super::signals::{Signal, Signals};
use super::stand_in::StandIn;
use super::upstream::{self, Arrival, Upstream};

/// Bytes that may wait for one side before the other is no longer read.
const WAITING: usize = 1 << 20;
/// How often it is looked whether the lockfile has changed.
const LOOK: Duration = Duration::from_millis(500);
/// How long a server may take to end by itself once its input is closed.
const GRACE: Duration = Duration::from_millis(1_500);
/// How long the last words for the agent may take.
const LAST: Duration = Duration::from_secs(1);
/// How a server is ended when the agent has gone. A client kills after two seconds.
const PATIENCE: Patience = Patience {
    after_eof: Duration::from_millis(300),
    after_term: Duration::from_millis(1_200),
};

/// How the guard is run.
#[derive(Debug, Clone)]
pub struct Options {
    /// The name of the server, for messages.
    pub server: String,
    /// Decide and log, but let everything through.
    pub report_only: bool,
    /// How old a list may be; none to list before every call.
    pub max_age: Option<Duration>,
    /// List again after each call, and withhold the result if the contract moved.
    pub recheck_after: bool,
    /// Validate structured content against the pinned output schema.
    pub check_results: bool,
    /// Bounds.
    pub limits: Limits,
    /// Certificate authorities that are trusted beside those of the system.
    pub ca_file: Option<PathBuf>,
    /// Where the log goes; standard error if nowhere else.
    pub log: Option<PathBuf>,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The agent ended it, or the guard was told to.
    Agent,
    /// The server ended by itself.
    Server,
}

/// Guards one session on the standard streams of this program.
///
/// `start` is how the server is started and where it is pinned, or why it can't be. To be called
/// inside a tokio runtime on one thread.
///
/// # Errors
///
/// A log that can't be written, or streams that can't be set up. Everything else is told to the
/// agent, whose calls are refused.
pub async fn run(options: &Options, start: Result<(ResolvedLaunch, Pins)>) -> Result<Ending> {
    let log = Log::open(&options.server, options.log.as_deref())?;
    let signals = Signals::new()
        .map_err(|error| Error::usage(format!("could not wait for signals: {error}")))?;
    let front = Front {
        input: Input::open(),
        output: Output::open(),
        lines: LineBuffer::new(options.limits.message),
        ended: false,
        sending: Bytes::new(),
    };
    let opened = match start {
        Ok((launch, pins)) => open(options, &launch, pins, &log).await,
        Err(error) => Err(error),
    };
    let ending = match opened {
        Ok(relay) => relay.run(front, signals).await,
        Err(error) => {
            let why = closed(&error);
            log.decided("start", "refuse", &why, Duration::ZERO);
            stand_in(StandIn::new(&options.server, *why), front, signals, &log).await;
            Ending::Agent
        }
    };
    log.event(
        "end",
        match ending {
            Ending::Agent => "the agent ended the session",
            Ending::Server => "the server ended by itself",
        },
    );
    log.flush();
    Ok(ending)
}

/// The agent's side.
struct Front {
    input: Input,
    output: Output,
    lines: LineBuffer,
    ended: bool,
    /// What is being written.
    sending: Bytes,
}

impl Front {
    /// The next line of the agent; none at the end. Dropping the future loses nothing.
    async fn receive(&mut self) -> Option<Cut> {
        receive(&mut self.input, &mut self.lines, &mut self.ended).await
    }
}

async fn receive(input: &mut Input, lines: &mut LineBuffer, ended: &mut bool) -> Option<Cut> {
    loop {
        if let Some(cut) = lines.next() {
            return Some(cut);
        }
        if *ended {
            return lines.rest().map(Cut::Line);
        }
        *ended = !matches!(input.read(lines.room()).await, Ok(read) if read > 0);
    }
}

/// Writes what waits for the agent, a message at a time. Dropping the future loses nothing.
async fn write_out(
    output: &mut Output,
    sending: &mut Bytes,
    waiting: &mut VecDeque<Bytes>,
) -> std::io::Result<()> {
    if sending.is_empty()
        && let Some(next) = waiting.pop_front()
    {
        *sending = next;
    }
    if sending.is_empty() {
        return Ok(());
    }
    output.write(sending).await
}

async fn open(options: &Options, launch: &ResolvedLaunch, pins: Pins, log: &Log) -> Result<Relay> {
    let stamp = Stamp::of(&pins.lockfile);
    let gate = pins.gate()?;
    let quoter = Quoter::new(&launch.secrets);
    let standard_error = if options.log.is_some() {
        StandardError::Inherited
    } else {
        StandardError::Kept
    };
    let upstream = Upstream::open(
        launch,
        &options.limits,
        options.ca_file.as_deref(),
        &quoter,
        standard_error,
    )
    .await
    .map_err(|error| error.masked(|text| quoter.mask(text).into_owned()))?;
    log.event(
        "start",
        "the server was started, and nothing was sent to it",
    );
    let behaviour = Behaviour {
        server: options.server.clone(),
        report_only: options.report_only,
        max_age: options.max_age,
        recheck_after: options.recheck_after,
        check_results: options.check_results,
        limits: options.limits,
        secrets: Redactor::new(&launch.secrets),
        quoter: quoter.clone(),
    };
    let mut watch = interval(LOOK);
    watch.set_missed_tick_behavior(MissedTickBehavior::Delay);
    Ok(Relay {
        session: Session::new(behaviour, Ok(gate), log.clone()),
        upstream,
        quoter,
        pins,
        stamp,
        watch,
        log: log.clone(),
    })
}

struct Relay {
    session: Session,
    upstream: Upstream,
    quoter: Quoter,
    pins: Pins,
    stamp: Stamp,
    watch: Interval,
    log: Log,
}

/// What one turn of the loop has seen.
enum Turn {
    Signal(Signal),
    Wrote(std::io::Result<()>),
    Sent(std::io::Result<()>),
    Server(Arrival),
    Agent(Option<Cut>),
    Due,
    Look,
    Overdue,
    NobodyReads,
}

impl Relay {
    async fn run(mut self, mut front: Front, mut signals: Signals) -> Ending {
        let mut agent_gone = false;
        let mut overdue: Option<Instant> = None;
        let mut patience = Instant::now();
        let (ending, why) = loop {
            self.upstream.send(&mut self.session.to_server);
            if agent_gone && overdue.is_none() && self.is_quiet() {
                // The server gets to know that nothing more will come; what it still answers is
                // handed on.
                self.upstream.close_input();
                overdue = Some(Instant::now() + GRACE);
                patience = Instant::now() + self.session.limits().total;
            }
            match self
                .turn(&mut front, &mut signals, agent_gone, overdue)
                .await
            {
                Turn::Overdue if self.session.open_requests() > 0 && Instant::now() < patience => {
                    overdue = Some(Instant::now() + GRACE);
                }
                Turn::Signal(Signal::End) | Turn::NobodyReads | Turn::Overdue => {
                    break (Ending::Agent, None);
                }
                Turn::Signal(Signal::Reload) => self.reload(),
                Turn::Wrote(Ok(())) | Turn::Sent(Ok(())) => {}
                Turn::Wrote(Err(_)) => break (Ending::Agent, None),
                Turn::Sent(Err(_)) => {
                    self.session.to_server.clear();
                    if let Upstream::Child(child) = &mut self.upstream {
                        child.deaf();
                    }
                }
                Turn::Server(Arrival::Line(line)) => self.session.server_said(line, Instant::now()),
                Turn::Server(Arrival::NotTaken(token, error)) => {
                    self.session.not_taken(token, &error, Instant::now());
                }
                Turn::Server(Arrival::SessionLost(token, error)) => {
                    self.session.not_taken(token, &error, Instant::now());
                    self.session.session_lost(Instant::now());
                }
                Turn::Server(Arrival::Drained(token, cut)) => self.drained(token, cut),
                Turn::Server(Arrival::TryOld(handshake, error)) => {
                    if let Upstream::Remote(remote) = &mut self.upstream
                        && let Err(Arrival::NotTaken(token, error)) =
                            remote.fall_back(handshake, error).await
                    {
                        self.session.not_taken(token, &error, Instant::now());
                    }
                }
                Turn::Server(Arrival::Told(what)) => self.log.event("server", &what),
                Turn::Server(Arrival::TooLong) => {
                    let limits = self.pins_limits();
                    let error = limits.met(
                        crate::transport::Limit::Message,
                        "a message of the server is too long",
                    );
                    break (Ending::Server, Some(error.message().to_owned()));
                }
                Turn::Server(Arrival::Ended(why)) => {
                    let ending = if agent_gone {
                        Ending::Agent
                    } else {
                        Ending::Server
                    };
                    break (ending, Some(why));
                }
                Turn::Agent(Some(Cut::Line(line))) => {
                    self.session.agent_said(line, Instant::now());
                }
                Turn::Agent(Some(Cut::TooLong)) => {
                    let error = self.pins_limits().met(
                        crate::transport::Limit::Message,
                        "a message of the agent is too long",
                    );
                    self.session.agent_too_long(error.message());
                }
                Turn::Agent(None) => agent_gone = true,
                Turn::Due => self.session.time_passed(Instant::now()),
                Turn::Look => {
                    let stamp = Stamp::of(&self.pins.lockfile);
                    if stamp != self.stamp {
                        self.reload();
                    }
                }
            }
        };
        self.end(front, ending, why).await
    }

    fn pins_limits(&self) -> Limits {
        *self.session.limits()
    }

    /// Whether nothing of the agent waits here any more.
    fn is_quiet(&self) -> bool {
        !self.session.is_holding() && self.session.to_server.is_empty()
    }

    async fn turn(
        &mut self,
        front: &mut Front,
        signals: &mut Signals,
        agent_gone: bool,
        overdue: Option<Instant>,
    ) -> Turn {
        let session = &mut self.session;
        let (queued, kept) = session.held_bytes();
        let for_agent: usize = session.to_agent.iter().map(Bytes::len).sum();
        let for_server: usize = session
            .to_server
            .iter()
            .map(|message| message.bytes.len())
            .sum();
        let for_agent = for_agent + front.sending.len();
        // An agent that does not read its replies is not heard either.
        let hear_agent = !agent_gone
            && !session.is_crowded()
            && queued + for_server < WAITING
            && kept < WAITING
            && for_agent < 2 * WAITING;
        let hear_server = for_agent < WAITING;
        let due = session.due();
        let has_words = for_agent > 0;
        let Front {
            input,
            output,
            lines,
            ended,
            sending,
        } = front;
        let (mut pipe, mut child) = (None, None);
        let mut remote = None;
        match &mut self.upstream {
            Upstream::Child(own) => {
                pipe = own.input.take();
                child = Some(own);
            }
            Upstream::Remote(own) => remote = Some(own),
        }
        let has_messages = for_server > 0 && pipe.is_some();
        let to_server = &mut session.to_server;
        let to_agent = &mut session.to_agent;
        let turn = {
            let sending_on = async {
                match &mut pipe {
                    Some(pipe) => upstream::write(pipe, to_server).await,
                    None => std::future::pending().await,
                }
            };
            let for_agent = async {
                if has_words {
                    return Turn::Wrote(write_out(output, sending, to_agent).await);
                }
                output.broken().await;
                Turn::NobodyReads
            };
            let arriving = async {
                match (&mut child, &mut remote) {
                    (Some(child), _) => child.receive().await,
                    (None, Some(remote)) => remote.receive().await,
                    (None, None) => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                signal = signals.next() => Turn::Signal(signal),
                sent = sending_on, if has_messages => Turn::Sent(sent),
                turn = for_agent, if has_words || agent_gone => turn,
                arrival = arriving, if hear_server => Turn::Server(arrival),
                cut = receive(input, lines, ended), if hear_agent => Turn::Agent(cut),
                () = sleep_until(due.unwrap_or_else(Instant::now).into()), if due.is_some() => Turn::Due,
                _ = self.watch.tick() => Turn::Look,
                () = sleep_until(overdue.unwrap_or_else(Instant::now).into()), if overdue.is_some() => Turn::Overdue,
            }
        };
        if let (Some(child), Some(pipe)) = (child, pipe) {
            child.input = Some(pipe);
        }
        turn
    }

    /// The reply of a remote server has ended. If the answer was not in it, there is a rest to be had
    /// or there is none.
    fn drained(&mut self, token: u64, cut: Option<crate::transport::Cut>) {
        if !self.session.waits_for(token) {
            return;
        }
        if let (Some(cut), Upstream::Remote(remote)) = (cut, &self.upstream) {
            remote.resume(token, cut);
            return;
        }
        let error = Error::server("its reply ended without an answer")
            .help("report it to the author of the server");
        self.session.not_taken(token, &error, Instant::now());
    }

    fn reload(&mut self) {
        self.stamp = Stamp::of(&self.pins.lockfile);
        let gate = self.pins.gate().map_err(|error| closed(&error));
        self.session.repinned(gate, Instant::now());
    }

    async fn end(mut self, mut front: Front, ending: Ending, why: Option<String>) -> Ending {
        if let Some(why) = &why {
            self.session.server_ended(why);
            if ending == Ending::Server {
                let words = self.upstream.last_words(&self.quoter).await;
                let why = self.quoter.mask(why).into_owned();
                self.log
                    .event("server", &[&[why], &words[..]].concat().join("\n"));
            }
        }
        let shutdown: Shutdown = self.upstream.close(PATIENCE);
        let last_words = async {
            while !self.session.to_agent.is_empty() || !front.sending.is_empty() {
                let wrote = write_out(
                    &mut front.output,
                    &mut front.sending,
                    &mut self.session.to_agent,
                );
                if wrote.await.is_err() {
                    break;
                }
            }
        };
        let _ = tokio::time::timeout(LAST, last_words).await;
        shutdown.finished().await;
        ending
    }
}

/// Answers the agent without a server, to the end of the session.
async fn stand_in(stand_in: StandIn, mut front: Front, mut signals: Signals, log: &Log) {
    let mut waiting: VecDeque<Bytes> = VecDeque::new();
    loop {
        while !waiting.is_empty() || !front.sending.is_empty() {
            tokio::select! {
                signal = signals.next() => if signal == Signal::End { return },
                wrote = write_out(&mut front.output, &mut front.sending, &mut waiting) => {
                    if wrote.is_err() {
                        return;
                    }
                }
            }
        }
        tokio::select! {
            signal = signals.next() => if signal == Signal::End { return },
            cut = front.receive() => match cut {
                None => return,
                Some(Cut::TooLong) => {}
                Some(Cut::Line(line)) => {
                    let answered = stand_in.answer(&line);
                    for decision in answered.refused {
                        log.decided("call", "refuse", &decision, Duration::ZERO);
                    }
                    waiting.extend(answered.lines.into_iter().map(Bytes::from));
                }
            }
        }
    }
}
