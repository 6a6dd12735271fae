//! A remote server that does one thing wrong, fetched through the library.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use mcplock::config::{HttpKind, ResolvedLaunch, ResolvedTarget, Secret, ServerName};
use mcplock::error::{Error, ErrorKind, Result};
use mcplock::protocol::{FetchOptions, Fetched, fetch};
use mcplock::transport::Cancel;

use crate::rogue_server::RogueServer;
pub(crate) use crate::rogue_server::{Canary, Out, Request, TOOL};

/// What no message may hold, and what goes to one origin only.
pub(crate) const TOKEN: &str = "tok-abcd1234secret";

/// A running server, and how it is fetched.
pub(crate) struct RogueHttp {
    server: RogueServer,
    /// How it is fetched.
    pub(crate) options: FetchOptions,
    http: HttpKind,
}

impl Deref for RogueHttp {
    type Target = RogueServer;

    fn deref(&self) -> &RogueServer {
        &self.server
    }
}

impl DerefMut for RogueHttp {
    fn deref_mut(&mut self) -> &mut RogueServer {
        &mut self.server
    }
}

impl RogueHttp {
    /// See [`RogueServer::new`].
    pub(crate) fn new(
        handler: impl Fn(&Request, &mut Out) -> bool + Send + Sync + 'static,
    ) -> Self {
        RogueHttp::of(RogueServer::new(handler))
    }

    /// See [`RogueServer::listening`].
    pub(crate) fn listening(
        address: &str,
        tls: Option<Arc<rustls::ServerConfig>>,
        handler: impl Fn(&Request, &mut Out) -> bool + Send + Sync + 'static,
    ) -> Self {
        RogueHttp::of(RogueServer::listening(address, tls, handler))
    }

    fn of(server: RogueServer) -> Self {
        RogueHttp {
            server,
            options: FetchOptions::default(),
            http: HttpKind::Streamable,
        }
    }

    /// As a config that asks for the old transport.
    pub(crate) fn old(mut self) -> Self {
        self.http = HttpKind::Sse;
        self
    }

    /// Fetches its catalog.
    pub(crate) fn fetch(&self) -> Result<Fetched> {
        fetch_url(&self.url, self.http, &self.options)
    }

    /// Fetches its catalog, which must fail with each of these in the message.
    #[track_caller]
    pub(crate) fn fails(&self, says: &[&str]) -> Error {
        let error = self.fetch().expect_err("it fails");
        let whole = format!("{error}\n{}", error.detail_text().unwrap_or_default());
        assert_eq!(error.kind(), ErrorKind::Server, "{whole}");
        assert_eq!(error.place().server.as_deref(), Some("remote"), "{whole}");
        assert!(error.help_text().is_some(), "{whole}");
        for part in says {
            assert!(whole.contains(part), "`{part}` is not in: {whole}");
        }
        assert!(!whole.contains(TOKEN), "{whole}");
        error
    }

    /// Fetches its catalog, which must be its one tool.
    #[track_caller]
    pub(crate) fn passes(&self) -> Fetched {
        let fetched = self
            .fetch()
            .unwrap_or_else(|error| panic!("{error}\n{}", error.detail_text().unwrap_or_default()));
        assert_eq!(items(&fetched), [TOOL]);
        fetched
    }
}

/// All items of a catalog.
pub(crate) fn items(fetched: &Fetched) -> Vec<&str> {
    let lists = fetched.lists.iter();
    lists
        .flat_map(|list| list.items.iter().map(|item| item.get()))
        .collect()
}

/// Fetches the catalog at a URL with a token.
pub(crate) fn fetch_url(url: &str, http: HttpKind, options: &FetchOptions) -> Result<Fetched> {
    let launch = ResolvedLaunch {
        target: ResolvedTarget::Url {
            url: Secret::new(url),
            headers: BTreeMap::from([(
                "authorization".to_owned(),
                Secret::credential(format!("Bearer {TOKEN}")),
            )]),
            headers_helper: None,
            http,
        },
        secrets: vec![Secret::credential(TOKEN)],
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let name = ServerName::new("remote").unwrap();
        let (fetched, shutdown) = fetch(&name, &launch, options, &Cancel::never()).await?;
        shutdown.finished().await;
        Ok(fetched)
    })
}
