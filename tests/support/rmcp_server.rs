//! A server on `rmcp`, the official SDK for Rust: schemas made from types, pages, both eras.
//!
//!     rmcp_server [--eras both|modern|legacy] [--port N] [--json]
//!
//! Without a port it speaks over standard streams, else over streamable HTTP at
//! http://127.0.0.1:N/mcp; with port 0 it prints the one that it was given. `--json` lets it reply
//! to those with a handshake in plain JSON and without sessions, where the SDK's own way is a
//! stream for each reply.

use std::borrow::Cow;
use std::convert::Infallible;
use std::io::Write as _;
use std::sync::Arc;

use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rmcp::handler::server::common::{schema_for_output, schema_for_type};
use rmcp::model::{
    Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::RequestContext;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Where a parcel goes.
#[derive(JsonSchema)]
struct Address {
    /// Street and number
    #[schemars(length(min = 1))]
    _street: String,
    _city: Option<String>,
}

/// How it travels.
#[derive(JsonSchema)]
enum Service {
    /// By ship
    _Slow,
    /// By plane
    _Fast {
        /// The day that it must be there
        _before: String,
    },
}

#[derive(JsonSchema)]
struct Parcel {
    _from: Address,
    _to: Address,
    #[schemars(range(min = 1, max = 31_500))]
    _grams: u32,
    _service: Service,
    #[schemars(extend("x-unit" = "EUR"))]
    _insured: Option<f64>,
}

#[derive(JsonSchema)]
struct Receipt {
    _id: u64,
    _price: f64,
}

/// The schema of a type without the underscores that keep unused fields from being told.
fn plain(schema: &JsonObject) -> JsonObject {
    let text = serde_json::to_string(schema).expect("JSON");
    serde_json::from_str(&text.replace("\"_", "\"")).expect("JSON")
}

fn of<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("what the SDK can read")
}

fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "ship",
            "Ships a parcel.",
            plain(&schema_for_type::<Parcel>()),
        )
        .with_raw_output_schema(Arc::new(plain(&schema_for_output::<Receipt>())))
        .with_annotations(
            ToolAnnotations::new()
                .read_only(false)
                .destructive(true)
                .idempotent(false),
        ),
        of(json!({
            "name": "quote",
            "title": "Quote",
            "description": "Says what a parcel costs; \u{e4}\u{20ac}\u{1f600}.",
            "inputSchema": {
                "type": "object",
                "properties": { "grams": { "type": "integer", "default": 1, "maximum": 1e4 } },
                "additionalProperties": false
            },
            "icons": [{ "src": "data:,", "mimeType": "image/png", "sizes": ["48x48"] }],
            "_meta": { "com.example/tier": 2 }
        })),
    ]
}

/// The server; only revisions among `revisions` are spoken.
#[derive(Clone)]
struct Parcels {
    revisions: &'static [ProtocolVersion],
}

impl ServerHandler for Parcels {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("rmcp-server", "1.0.0"))
            .with_instructions("Quote first, then ship.")
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(self.revisions)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // One a page.
        let cursor = request.and_then(|request| request.cursor);
        let at = cursor.map_or(Ok(0), |cursor| cursor.parse::<usize>());
        let at = at.map_err(|_| ErrorData::invalid_params("no such page", None))?;
        let mut all = tools();
        let last = at + 1 >= all.len();
        let page = all.drain(..).skip(at).take(1).collect();
        let mut result = ListToolsResult::with_all_items(page);
        result.next_cursor = (!last).then(|| (at + 1).to_string());
        Ok(result)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(of(json!([{
            "name": "label",
            "title": "Label",
            "description": "Writes a label.",
            "arguments": [{ "name": "name", "description": "On the label", "required": true }]
        }]))))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(of(json!([{
            "uri": "parcel://tariff",
            "name": "tariff",
            "mimeType": "text/csv",
            "size": 4096,
            "annotations": { "audience": ["user"], "priority": 0.5 }
        }]))))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(of(json!([{
            "uriTemplate": "parcel://{id}",
            "name": "parcel",
            "mimeType": "application/json"
        }]))))
    }
}

fn main() {
    let mut eras = "both".to_owned();
    let (mut port, mut plain_json) = (None, false);
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        match flag.as_str() {
            "--eras" => eras = args.next().expect("which eras"),
            "--port" => port = Some(args.next().expect("a port").parse().expect("a port")),
            "--json" => plain_json = true,
            _ => panic!("unknown flag {flag}"),
        }
    }
    let known = ProtocolVersion::KNOWN_VERSIONS;
    let handshakes = ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25);
    let revisions = match eras.as_str() {
        "both" => known,
        "modern" => &known[handshakes.len()..],
        "legacy" => handshakes,
        _ => panic!("unknown eras {eras}"),
    };
    let server = Parcels { revisions };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        if let Some(port) = port {
            over_http(server, port, plain_json).await;
        } else {
            let running = server.serve(rmcp::transport::stdio()).await;
            let _ = running.expect("a session").waiting().await;
        }
    });
}

/// Serves on loopback until it is ended.
async fn over_http(server: Parcels, port: u16, plain_json: bool) {
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default()
            .with_legacy_session_mode(!plain_json)
            .with_json_response(plain_json),
    );
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port))
        .await
        .expect("a port");
    let port = listener.local_addr().expect("an address").port();
    writeln!(std::io::stdout(), "{port}").expect("the port is told");
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let service = service.clone();
        tokio::spawn(async move {
            let handle = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
                let service = service.clone();
                async move { Ok::<_, Infallible>(service.handle(request).await) }
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), handle);
            let _ = connection.await;
        });
    }
}
