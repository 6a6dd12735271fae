//! `mcplock pin --twice`: each server started a second time, as another machine might start it.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::catalog::Catalog;
use crate::config::{Elsewhere, Policy, ServerSettings, ServerSpec, Target};
use crate::error::{Error, Result};
use crate::lock::{Entry, Start, Unsteady, Words, unsteady};
use crate::rules::Level;

use super::Shell;
use super::args::LimitArgs;
use super::judge::{self, Side};
use super::live::{Live, Moved, Request, fetch_all};

/// Time between the two starts, so that a clock which shows seconds shows another one.
const BETWEEN: Duration = Duration::from_millis(1100);

/// The second start of each of `specs`, in their order.
///
/// # Errors
///
/// Only those of a command line that is wrong: what goes wrong with one server is its own result.
pub(crate) async fn second_starts(
    specs: &[(&ServerSpec, Option<&Entry>)],
    shell: &Shell,
    limits: &LimitArgs,
    policy: &Policy,
) -> Result<Vec<Result<Live>>> {
    tokio::time::sleep(BETWEEN).await;
    // The folders stay until the servers are gone.
    let mut places = Vec::new();
    let mut requests = Vec::new();
    let mut failed: Vec<Option<Error>> = Vec::new();
    for (spec, entry) in specs {
        match moved(spec, shell) {
            Ok((place, moved)) => {
                places.push(place);
                requests.push(Request {
                    spec,
                    pinned: entry.map(|entry| entry.protocol),
                    or_another: true,
                    moved: Some(moved),
                });
                failed.push(None);
            }
            Err(error) => failed.push(Some(spec.place(error))),
        }
    }
    let (results, leaving) = fetch_all(&requests, shell, limits, policy).await?;
    leaving.finished().await;
    drop(places);
    let mut results = results.into_iter();
    failed
        .into_iter()
        .map(|error| match error {
            Some(error) => Ok(Err(error)),
            None => results
                .next()
                .map(|result| result.map_err(|error| at_second_start(&error)))
                .ok_or_else(|| Error::server("the result of a second start was lost")),
        })
        .collect()
}

fn moved(spec: &ServerSpec, shell: &Shell) -> Result<(Elsewhere, Moved)> {
    let mut place = Elsewhere::new(spec, &shell.environment)?;
    let launch = place.resolve(spec)?;
    let folder = place.folder().to_path_buf();
    Ok((place, Moved { launch, folder }))
}

/// Says which of the two starts went wrong.
fn at_second_start(error: &Error) -> Error {
    let mut told = Error::new(
        error.kind(),
        format!(
            "the second start, from another folder and HOME: {}",
            error.message()
        ),
    );
    let place = error.place();
    if let Some(server) = &place.server {
        told = told
            .for_server(server)
            .for_profile(place.profile.as_deref());
    }
    if let Some(detail) = error.detail_text() {
        told = told.detail(detail);
    }
    told.help(
        "nothing is pinned, since whether its words depend on the machine could not be told; \
         without `--twice` it is pinned as it is here",
    )
}

/// What the second start does not agree on with `first`, the entry made from the first.
pub(crate) fn compared(
    first: &Entry,
    second: Live,
    settings: &ServerSettings,
    words: &Words,
) -> Unsteady {
    let catalog = judge::without_ignored(Catalog::from_fetched(second.fetched), settings);
    let side = Side::of(&catalog, words);
    let live = side.live(&catalog, Some(&first.launch));
    let (findings, _) = judge::drift(first, &live);
    let labels: BTreeSet<String> = findings
        .into_iter()
        .filter(|finding| {
            matches!(
                finding.level,
                Level::Breaking | Level::Risky | Level::Compatible
            )
        })
        .map(|finding| finding.label)
        .collect();
    let start = |items, instructions| Start {
        items,
        instructions,
    };
    let text = first.instructions.as_ref().map(|text| text.text.as_str());
    let mut found = unsteady(
        start(&first.items, text),
        start(&side.items, side.instructions()),
        &labels,
    );
    found.leave_others(&labels);
    found
}

/// What `--twice` can't change about a server, to be told.
pub(crate) fn unchanged(spec: &ServerSpec) -> Option<&'static str> {
    match spec.launch.target {
        Target::Command(_) => None,
        Target::Url { .. } => Some(
            "`--twice`: a server that is reached by URL is asked twice; its machine stays the same",
        ),
    }
}
