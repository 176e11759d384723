//! Whatever comes is answered in form, or dropped: random bytes, requests that are almost right, slow and many connections.

use crate::common::{Place, Reply};
use granule_view::Offline;
use proptest::prelude::*;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

/// A run, and a server of it without a network.
static SERVER: LazyLock<(Offline, String, Place)> = LazyLock::new(|| {
    let place = Place::finished();
    let server = Offline::new(&[place.run()]).unwrap();
    let address = server.address();
    let token = address.trim_end_matches('/').rsplit('/').next().unwrap();
    let token = token.to_owned();
    (server, token, place)
});

/// The answers that have come, one after the other.
fn answers(mut bytes: &[u8]) -> Vec<Reply> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.expect("the end of a head") + 4;
        let head = Reply::of(&bytes[..end]);
        let length = head.head.lines().find_map(|line| {
            let length = line.strip_prefix("Content-Length: ")?;
            length.parse::<usize>().ok()
        });
        let end = end + length.expect("a length");
        assert!(end <= bytes.len(), "a body is cut short");
        found.push(Reply::of(&bytes[..end]));
        bytes = &bytes[end..];
    }
    found
}

/// What a request may be made of: much that is right, some that is not.
fn words(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop_oneof![
        9 => prop::sample::select(words).prop_map(str::to_owned),
        1 => "[ -~]{0,9}",
    ]
}

fn request() -> impl Strategy<Value = String> {
    let method = words(&["GET", "GET", "GET", "POST", "PUT"]);
    let step = words(&[
        "runs",
        "runs",
        "0",
        "0",
        "1",
        "9",
        "10",
        "18446744073709551616",
        "-1",
        "state",
        "series",
        "walls",
        "solids",
        "frames",
        "frames",
        "contacts",
        "quantity",
        "speed",
        "force",
        "displacement",
        "body",
        "trail",
        "control",
        "..",
        "",
        "index.html",
        "viewer.js",
    ]);
    let path = prop::collection::vec(step, 0..7).prop_map(|steps| steps.join("/"));
    let query = words(&[
        "",
        "",
        "?frames=0",
        "?frames=99999999999",
        "?columns=0,1,2",
        "?columns=,,,",
        "?still=1",
        "?from=0&to=99",
        "?from=18446744073709551615&to=18446744073709551615",
        "?=&&==",
    ]);
    let field = words(&[
        "Connection: close\r\n",
        "Content-Length: 4\r\n",
        "Content-Length: 65\r\n",
        "Content-Length: x\r\n",
        "Origin: http://127.0.0.1:80\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: none\r\n",
        "Expect: 100-continue\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Host: b\r\n",
        " folded\r\n",
    ]);
    let fields = prop::collection::vec(field, 0..3).prop_map(|fields| fields.concat());
    let body = words(&["", "", "stop", "pause"]);
    (method, path, query, fields, body).prop_map(|(method, path, query, fields, body)| {
        let token = &SERVER.1;
        format!(
            "{method} /{token}/{path}{query} HTTP/1.1\r\nHost: 127.0.0.1:80\r\n{fields}\r\n{body}"
        )
    })
}

proptest! {
    #[test]
    fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..12_000)) {
        for reply in answers(&SERVER.0.answer(&bytes)) {
            prop_assert!([400, 403, 405, 413, 431].contains(&reply.status), "{}", reply.head);
        }
    }

    /// Some requests over one connection, a few bytes of which are others.
    #[test]
    fn requests_that_are_almost_right_are_answered_in_form(
        requests in prop::collection::vec(request(), 1..4),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let mut bytes = requests.concat().into_bytes();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        for reply in answers(&SERVER.0.answer(&bytes)) {
            let known = [200, 400, 403, 404, 405, 409, 413, 431];
            prop_assert!(known.contains(&reply.status), "{}: {}", reply.head, reply.text());
        }
    }
}

/// A request whose end never comes is dropped, and nobody else waits for that.
#[test]
fn slow_requests_are_dropped() {
    let place = Place::finished();
    let mut slow = TcpStream::connect(place.host()).unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\nX: ").unwrap();
    assert_eq!(place.get("runs").status, 200);
    let mut dropped = false;
    for _ in 0..600 {
        // What was sent after the end is answered by a reset.
        dropped = slow.write_all(b"x").is_err() || matches!(slow.read(&mut [0]), Ok(0));
        if dropped {
            break;
        }
    }
    assert!(dropped);
}

/// Connections beyond a number are told so; once others have gone there is room again.
#[test]
fn many_connections_leave_room_when_they_go() {
    let place = Place::finished();
    let silent: Vec<TcpStream> = (0..80)
        .map(|_| TcpStream::connect(place.host()).unwrap())
        .collect();
    let refused = place.get("runs").status;
    // What is still under way when the server closes may take its answer away.
    assert!([503, 0].contains(&refused), "{refused}");
    drop(silent);
    let free = (0..600).any(|_| {
        sleep(Duration::from_millis(100));
        place.get("runs").status == 200
    });
    assert!(free);
}
