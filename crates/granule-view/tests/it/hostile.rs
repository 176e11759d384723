//! What is refused: foreign pages, wrong tokens, files outside, malformed and huge requests.

use crate::common::Place;

#[test]
fn only_the_token_opens() {
    let place = Place::finished();
    assert_eq!(place.get("runs").status, 200);
    let host = place.host();
    let get = |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        place.raw(request.as_bytes()).status
    };
    let base = place.base();
    let token = base.trim_matches('/');
    assert_eq!(token.len(), 32);
    let almost = format!("/{}0/runs", &token[..31]);
    let almost = if almost.contains(token) {
        format!("/{}1/runs", &token[..31])
    } else {
        almost
    };
    for path in [
        "/",
        "/runs",
        "//runs",
        "/index.html",
        &almost,
        &format!("/{}/runs", &token[..31]),
    ] {
        assert_eq!(get(path), 403, "{path}");
    }
    // Each viewer has another one.
    assert_ne!(Place::finished().base(), base);
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let place = Place::finished();
    let (host, base) = (place.host(), place.base());
    let port = host.rsplit(':').next().unwrap().to_owned();
    let asked = |host: &str, fields: &str| {
        let request =
            format!("GET {base}runs HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{fields}\r\n");
        place.raw(request.as_bytes()).status
    };
    assert_eq!(asked(&format!("localhost:{port}"), ""), 200);
    let names = [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example",
        "",
    ];
    let ported = names.map(|name| format!("{name}:{port}"));
    for name in names.iter().map(|name| name.to_string()).chain(ported) {
        if name == host {
            continue;
        }
        assert_eq!(asked(&name, ""), 403, "{name}");
    }
    assert_eq!(asked(&host, &format!("Origin: http://{host}\r\n")), 200);
    for origin in [
        "http://evil.example",
        "null",
        &format!("https://{host}"),
        &format!("http://evil.example:{port}"),
    ] {
        assert_eq!(
            asked(&host, &format!("Origin: {origin}\r\n")),
            403,
            "{origin}"
        );
    }
    assert_eq!(asked(&host, "Sec-Fetch-Site: same-origin\r\n"), 200);
    assert_eq!(asked(&host, "Sec-Fetch-Site: cross-site\r\n"), 403);
    assert_eq!(asked(&host, "Sec-Fetch-Site: same-site\r\n"), 403);
}

#[test]
fn no_address_is_a_file() {
    let place = Place::finished();
    for path in [
        "../../etc/passwd",
        "..%2f..%2fetc/passwd",
        "runs/0/../../etc/passwd",
        "runs/0/run.json",
        "runs/0/frames/../../run.json",
        "runs/0/walls/../run.json",
        "Cargo.toml",
        "runs/0/frames/0/quantity/..",
        "runs//0",
        "runs/1",
        "runs/-1",
        "runs/0/frames/99999",
        "runs/0/frames/184467440737095516160",
        "runs/0/frames/0/body/7",
        "runs/0/solids/0/0",
        "runs/0/frames/x",
    ] {
        let reply = place.get(path);
        assert!(
            [400, 404].contains(&reply.status),
            "{path}: {}",
            reply.status
        );
        assert!(!reply.text().contains("root:"));
    }
    // A list of frames that names something else than files of the run is not followed.
    let list = place.run().join("frames.pvd");
    let text = std::fs::read_to_string(&list).unwrap();
    for outside in ["../secret.vtp", "/etc/passwd", "frames/../../secret.vtp"] {
        std::fs::write(&list, text.replace("frames/bodies_000000.vtp", outside)).unwrap();
        let reply = place.get("runs/0/frames/0");
        assert_eq!(reply.status, 500, "{outside}");
        assert!(
            reply.text().contains("not in the folder"),
            "{}",
            reply.text()
        );
    }
}

#[test]
fn malformed_and_huge_requests_are_refused_and_the_next_is_answered() {
    let place = Place::finished();
    let host = place.host();
    assert_eq!(place.raw(b"\x16\x03\x01\x02\x00\x01\r\n\r\n").status, 400);
    assert_eq!(place.raw(b"GET\r\n\r\n").status, 400);
    let long = "a".repeat(100_000);
    for request in [
        format!("GET /{long} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: {long}\r\n\r\n"),
        // Never ends.
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nX: {long}"),
    ] {
        let status = place.raw(request.as_bytes()).status;
        // What is still under way when the server closes may take its answer away.
        assert!([431, 0].contains(&status), "{status}");
    }
    let announced = "Content-Length: 4000000000\r\n";
    let (base, body) = (place.base(), "pause");
    let request =
        format!("POST {base}runs/0/control HTTP/1.1\r\nHost: {host}\r\n{announced}\r\n{body}");
    assert_eq!(place.raw(request.as_bytes()).status, 413);
    for method in ["DELETE", "PUT", "OPTIONS"] {
        assert_eq!(
            place.request(method, "runs", "", "").status,
            405,
            "{method}"
        );
    }
    assert_eq!(place.request("POST", "runs", "", "").status, 405);
    assert_eq!(place.get("runs/0/control").status, 405);
    assert_eq!(place.get("runs").status, 200);
}

#[test]
fn nothing_comes_from_elsewhere() {
    let place = Place::finished();
    for path in ["", "viewer.js", "runs", "nothing"] {
        let head = place.get(path).head;
        for field in [
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';",
            "frame-ancestors 'none'",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer",
            "Cross-Origin-Resource-Policy: same-origin",
        ] {
            assert!(head.contains(field), "{path}: {head}");
        }
    }
    let page = place.get("").text();
    assert!(page.contains("viewer.js") && !page.contains("http://") && !page.contains("https://"));
}
