//! What happens when a remote server does something wrong: the message, and that it is bounded.

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::rogue_http::{Out, Request, RogueHttp, TOKEN, items};
use mcplock::transport::Limits;

/// A server that is good but for its list.
fn list(answer: impl Fn(&Request, &mut Out) + Send + Sync + 'static) -> RogueHttp {
    RogueHttp::new(move |request, out| {
        let asked = request.asks() == "tools/list";
        if asked {
            answer(request, out);
        }
        asked
    })
}

/// A server that answers the first request so, whatever it is.
fn always(status: &'static str, headers: &'static [&'static str], body: &'static str) -> RogueHttp {
    RogueHttp::new(move |_, out| {
        out.reply(status, headers, body);
        true
    })
}

#[test]
fn a_server_that_does_nothing_wrong_is_listed_and_sent_what_it_needs() {
    let server = RogueHttp::new(|_, _| false);
    let fetched = server.passes();
    assert_eq!(fetched.remarks, [""; 0]);
    assert_eq!(
        server.asked(),
        [
            "server/discover",
            "initialize",
            "notifications/initialized",
            "tools/list",
            "ping"
        ]
    );
    for request in server.requests() {
        let header = |name: &str| request.headers.get(name).map(String::as_str);
        assert_eq!(header("authorization"), Some(&*format!("Bearer {TOKEN}")));
        let (version, session) = match request.asks() {
            "server/discover" => (Some("2026-07-28"), None),
            "initialize" => (None, None),
            _ => (Some("2025-06-18"), Some("s-1")),
        };
        assert_eq!(header("mcp-protocol-version"), version, "{request:?}");
        assert_eq!(header("mcp-session-id"), session, "{request:?}");
        if request.method == "POST" {
            assert_eq!(header("content-type"), Some("application/json"));
            assert_eq!(
                header("accept"),
                Some("application/json, text/event-stream")
            );
            assert_eq!(header("accept-encoding"), None);
        }
    }
    assert_eq!(server.times("DELETE"), 1);
}

#[test]
fn a_refused_connection_says_what_to_do() {
    let mut server = RogueHttp::new(|_, _| false);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    server.url = format!("http://{}/mcp?key={TOKEN}", free.unwrap());
    server.fails(&["nothing listens at http://127.0.0.1:"]);
}

#[test]
fn a_connection_that_breaks_before_the_reply_is_tried_again_and_given_up() {
    let server = list(|_, out| out.reset_after(b""));
    server.fails(&[
        "the connection broke while `tools/list` was sent",
        "4 of 4 tries",
    ]);
    assert_eq!(server.times("tools/list"), 4);
    list(|_, out| out.reset_after(b"HTTP/1.1 200 OK\r\nContent-Ty"))
        .fails(&["the connection broke while `tools/list` was sent"]);
}

#[test]
fn a_server_that_is_only_busy_is_waited_for() {
    for status in [
        "503 Service Unavailable",
        "429 Too Many Requests",
        "500 Oops",
    ] {
        let tries = AtomicUsize::new(0);
        let server = list(move |request, out| {
            if tries.fetch_add(1, Ordering::Relaxed) < 2 {
                out.reply(status, &["Retry-After: 0"], "");
            } else {
                out.json(&request.tools());
            }
        });
        assert_eq!(server.passes().remarks, [""; 0], "{status}");
        assert_eq!(server.times("tools/list"), 3);
    }
}

#[test]
fn a_server_that_stays_busy_is_an_outage_never_an_old_server() {
    let server = always(
        "503 Service Unavailable",
        &["Retry-After: 0"],
        "maintenance",
    );
    server.fails(&[
        "answered `server/discover` with status 503 Service Unavailable, and asks to wait 0 s: \
         maintenance",
    ]);
    assert_eq!(server.asked(), ["server/discover"; 4]);
    let server = always("429 Too Many Requests", &["Retry-After: 3600"], "");
    server.fails(&["status 429 Too Many Requests, and asks to wait 3600 s"]);
    assert_eq!(server.asked(), ["server/discover"], "an hour is not waited");
}

#[test]
fn a_reply_that_breaks_off_is_told_as_such() {
    let half = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    for rest in [
        "Content-Length: 500\r\n\r\n{\"jsonrpc\"",
        "Transfer-Encoding: chunked\r\n\r\n400\r\n{\"jsonrpc\"",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    ] {
        let server = list(move |_, out| {
            out.raw(format!("{half}{rest}"));
        });
        server.fails(&["the connection broke while the reply to `tools/list` was read"]);
        assert_eq!(server.times("tools/list"), 1);
    }
    list(|_, out| {
        out.events();
        out.raw("data: {\"jsonrpc\":\"2.0\"");
    })
    .fails(&["its reply to `tools/list` ended without an answer to it"]);
}

#[test]
fn what_is_no_message_is_told_from_one() {
    always(
        "200 OK",
        &["Content-Type: text/html"],
        "<html>Welcome</html>",
    )
    .fails(&["answered `server/discover` with text/html, not with a message"]);
    list(|_, out| out.reply("200 OK", &["Content-Type: text/plain"], "hello"))
        .fails(&["answered `tools/list` with text/plain"]);
    list(|_, out| out.reply("200 OK", &[], "hello"))
        .fails(&["answered `tools/list` with no content type"]);
    list(|_, out| out.json("[1,2]")).fails(&[
        "ended without an answer",
        "1 text in its replies was no JSON-RPC",
    ]);
    list(|_, out| out.json("{\"jsonrpc\":\"2.0\",\"id\":3,\"res"))
        .fails(&["its reply is no valid message"]);
    list(|request, out| out.json(&request.error(-32603)))
        .fails(&["answered `tools/list` with error -32603: no"]);
    list(|request, out| out.json(&request.tools().replacen("\"id\":", "\"id\":9", 1))).fails(&[
        "ended without an answer",
        "1 reply to requests that were never made",
    ]);
}

#[test]
fn a_compressed_reply_is_refused_unread() {
    list(|_, out| {
        out.reply(
            "200 OK",
            &["Content-Type: application/json", "Content-Encoding: gzip"],
            "\u{1f}",
        );
    })
    .fails(&["compressed (gzip), which was not asked for"]);
}

#[test]
fn accepting_without_answering_is_told() {
    for status in ["202 Accepted", "204 No Content"] {
        list(move |_, out| out.reply(status, &[], "")).fails(&[&format!(
            "answered `tools/list` with status {status} and nothing else"
        )]);
    }
}

#[test]
fn a_stream_that_never_answers_ends_at_the_limit() {
    let limits = Limits {
        request: Duration::from_millis(500),
        ..Limits::default()
    };
    for chunk in [": nothing\n\n", "event: ping\ndata: 1\n\n", "data:\n\n"] {
        let mut server = list(move |_, out| {
            out.events();
            while out.raw(chunk) {
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        server.options.limits = limits;
        let started = Instant::now();
        server.fails(&["did not answer `tools/list` in time (limit 0.5 s, `--request-timeout`)"]);
        assert!(started.elapsed() < Duration::from_secs(20));
    }
    let server = list(|_, out| {
        out.events();
        let notice = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
        while out.raw(format!("data: {notice}\n\n").repeat(100)) {}
    });
    server.fails(&["too many messages that answer nothing (limit 10000, `--max-unasked`)"]);
}

#[test]
fn a_silent_server_is_not_taken_for_an_old_one() {
    let mut server = RogueHttp::new(|_, out| {
        out.raw("");
        std::thread::sleep(Duration::from_secs(5));
        true
    });
    server.options.limits.start = Duration::from_millis(500);
    server.fails(&["did not answer `server/discover` in time (limit 0.5 s, `--start-timeout`)"]);
    assert_eq!(server.asked(), ["server/discover"]);
}

#[test]
fn a_message_without_end_is_given_up_at_the_limit() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
    let mut body = list(move |_, out| {
        out.raw(head);
        while out.raw(vec![b'x'; 1 << 16]) {}
    });
    body.options.limits.message = 1 << 20;
    body.fails(&["its reply is too long (limit 1 MiB, `--max-message`)"]);
    let mut event = list(|_, out| {
        out.events();
        out.raw("data: ");
        while out.raw(vec![b'x'; 1 << 16]) {}
    });
    event.options.limits.message = 1 << 20;
    event.fails(&["event 1 of its stream is too long (limit 1 MiB, `--max-message`)"]);
}

#[test]
fn a_list_in_one_event_over_many_lines_arrives_whole_whatever_else_the_stream_says() {
    let server = list(|request, out| {
        out.events();
        out.raw("id: 1\ndata: \n\n: note\r\n\r\nevent: ping\ndata: 2026\n\nretry: 5\n\n");
        let reply = request.tools().replacen(',', ",\ndata: ", 1);
        for byte in format!("event: message\ndata: {reply}\n\n").bytes() {
            out.raw([byte]);
        }
    });
    assert_eq!(server.passes().remarks, [""; 0]);
}

#[test]
fn a_server_that_asks_on_its_stream_is_answered_while_it_waits() {
    let (answers, answered) = std::sync::mpsc::channel();
    let answered = std::sync::Mutex::new(answered);
    let server = RogueHttp::new(move |request, out| {
        if request.asks() == "tools/list" {
            out.events();
            out.raw("data: {\"jsonrpc\":\"2.0\",\"id\":\"s-9\",\"method\":\"ping\"}\n\n");
            let answer: serde_json::Value = answered.lock().unwrap().recv().unwrap();
            assert_eq!(answer["id"], "s-9");
            out.raw(format!("data: {}\n\n", request.tools()));
            return true;
        }
        if request.body["result"].is_object() {
            answers.send(request.body.clone()).unwrap();
            out.reply("202 Accepted", &[], "");
            return true;
        }
        false
    });
    server.passes();
}

#[test]
fn a_list_that_changed_on_the_other_stream_is_read_again() {
    let tries = AtomicUsize::new(0);
    let server = RogueHttp::new(move |request, out| match request.asks() {
        "GET" => {
            out.events();
            out.raw(
                "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n",
            );
            std::thread::sleep(Duration::from_secs(2));
            true
        }
        // Time for the notification to come after the list was asked for.
        "tools/list" if tries.fetch_add(1, Ordering::Relaxed) == 0 => {
            std::thread::sleep(Duration::from_millis(700));
            out.json(&request.result(r#"{"tools":[]}"#));
            true
        }
        _ => false,
    });
    server.passes();
    assert_eq!(server.times("tools/list"), 2);
}

#[test]
fn the_other_stream_is_taken_up_again_where_it_was_cut() {
    let tries = AtomicUsize::new(0);
    let server = RogueHttp::new(move |request, out| match request.asks() {
        "GET" => {
            out.events();
            if request
                .headers
                .get("last-event-id")
                .is_none_or(|id| id != "g-1")
            {
                out.raw("id: g-1\nretry: 100\ndata: \n\n");
                return true;
            }
            out.raw(
                "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n",
            );
            std::thread::sleep(Duration::from_secs(8));
            true
        }
        // Time for the stream to be cut and taken up while the list is read.
        "tools/list" if tries.fetch_add(1, Ordering::Relaxed) == 0 => {
            std::thread::sleep(Duration::from_secs(2));
            out.json(&request.result(r#"{"tools":[]}"#));
            true
        }
        _ => false,
    });
    server.passes();
    assert_eq!(server.times("tools/list"), 2);
    assert_eq!(server.times("GET"), 2);
}

#[test]
fn a_revision_that_knows_no_resuming_is_not_asked_to_resume() {
    let mut server = RogueHttp::new(|request, out| {
        if request.asks() == "server/discover" {
            out.json(&request.result(
                r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}"#,
            ));
        } else {
            out.events();
            out.raw("id: e-1\nretry: 100\ndata: \n\n");
        }
        true
    });
    server.options.protocol = Some(mcplock::protocol::Revision::V2026_07_28);
    server.fails(&["its reply to `tools/list` ended without an answer to it"]);
    assert_eq!(server.times("GET"), 0);
}

#[test]
fn authorization_that_is_wanted_is_explained_and_never_tried_again() {
    let server = always(
        "401 Unauthorized",
        &[
            "WWW-Authenticate: Bearer error=\"invalid_token\", scope=\"files:read\", \
             resource_metadata=\"http://127.0.0.1:9/.well-known\"",
        ],
        "",
    );
    let error = server.fails(&[
        "does not accept the credentials that were sent (status 401)",
        "scheme Bearer, error `invalid_token`, scope `files:read`",
        "resource_metadata `http://127.0.0.1:9/.well-known`",
    ]);
    assert!(error.help_text().unwrap().contains("token"));
    assert_eq!(server.asked(), ["server/discover"]);
    always("401 Unauthorized", &[], "").fails(&["(status 401)"]);
    always("403 Forbidden", &[], "").fails(&["it denies access (status 403)"]);
}

#[test]
fn a_session_that_is_lost_is_opened_anew_once() {
    for status in ["404 Not Found", "400 Bad Request"] {
        let tries = AtomicUsize::new(0);
        let server = list(move |request, out| {
            if tries.fetch_add(1, Ordering::Relaxed) == 0 {
                let body =
                    r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"no session"},"id":null}"#;
                out.reply(status, &["Content-Type: application/json"], body);
            } else {
                out.json(&request.tools());
            }
        });
        let fetched = server.passes();
        assert!(
            fetched.remarks[0].contains("lost the session"),
            "{:?}",
            fetched.remarks
        );
        assert_eq!(server.times("initialize"), 2);
    }
    let server = list(|_, out| out.reply("404 Not Found", &[], ""));
    server.fails(&["answered `tools/list` with status 404 Not Found"]);
    assert_eq!(server.times("initialize"), 2);
}

#[test]
fn neither_the_end_of_the_session_nor_the_other_stream_can_disturb_a_catalog() {
    let server = RogueHttp::new(|request, out| match request.asks() {
        "GET" => {
            std::thread::sleep(Duration::from_secs(3));
            true
        }
        "DELETE" => {
            out.reply("500 Oops", &[], "");
            true
        }
        _ => false,
    });
    server.passes();
    let server = RogueHttp::new(|request, out| {
        let get = request.asks() == "GET";
        if get {
            out.reply("401 Unauthorized", &[], "");
        }
        get
    });
    server.passes();
}

#[test]
fn a_path_where_nothing_is_says_so() {
    let server = always("404 Not Found", &["Content-Type: text/html"], "<html>");
    server.fails(&["answered `initialize` with status 404 Not Found"]);
    let server = always("405 Method Not Allowed", &[], "");
    server.fails(&["status 405 Method Not Allowed"]);
}

#[test]
fn a_server_on_the_sixth_protocol_of_the_internet_is_reached() {
    if TcpListener::bind("[::1]:0").is_err() {
        println!("SKIPPED: this machine has no IPv6");
        return;
    }
    RogueHttp::listening("[::1]", None, |_, _| false).passes();
}

#[test]
fn one_bad_item_does_not_lose_the_others() {
    let server = list(|request, out| {
        out.json(&request.result(r#"{"tools":[{"name":"a","name":"b"},{"name":"\ud800"}]}"#));
    });
    assert_eq!(items(&server.fetch().unwrap()).len(), 2);
}
