//! HTTP/1.1, as much as a page on the same machine needs, and no more than a bounded amount of anything.
//!
//! The parser of heads is `httparse`. Bodies are at most a word; a request that announces more, or in another way than by
//! its length, is refused before it is read.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Bytes of a request's first line and fields together.
const LONGEST_HEAD: usize = 8 << 10;
/// Fields of a request.
const MOST_FIELDS: usize = 64;
/// Bytes of a request's body.
const LONGEST_BODY: usize = 64;
/// From the first byte of a request to its last.
const LONGEST_REQUEST: Duration = Duration::from_secs(5);
/// How long a connection may stay silent between requests.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Head,
    Post,
}

/// A request whose form is right; nothing is said about whether it may be answered.
#[derive(Debug)]
pub struct Request {
    pub method: Method,
    /// Begins with a slash; letters, digits and `-._~/` alone.
    pub path: String,
    /// The parts of what follows the question mark; the same letters and a comma.
    pub query: Vec<(String, String)>,
    pub host: String,
    pub origin: Option<String>,
    /// What the browser says of where the request comes from.
    pub site: Option<String>,
    pub body: Vec<u8>,
    /// Whether more may come over the same connection.
    pub stays: bool,
}

impl Request {
    /// The value of a part of the query, if it is there and has the right form.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        let part = self.query.iter().find(|(key, _)| key == name)?;
        part.1.parse().ok()
    }

    /// Numbers with commas.
    pub fn numbers(&self, name: &str) -> Vec<usize> {
        let part = self.query.iter().find(|(key, _)| key == name);
        let words = part.map_or("", |(_, value)| value).split(',');
        words.filter_map(|word| word.parse().ok()).collect()
    }
}

/// What comes back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
    /// What may be asked instead, for status 405.
    pub allow: Option<&'static str>,
}

impl Answer {
    pub fn ok(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let (status, body) = (200, body.into());
        Self {
            status,
            kind,
            body,
            allow: None,
        }
    }

    pub fn json(value: &serde_json::Value) -> Self {
        Self::ok("application/json", value.to_string())
    }

    /// Something went wrong, in words for people.
    pub fn refused(status: u16, why: &str) -> Self {
        let body = serde_json::json!({ "error": why });
        Self {
            status,
            ..Self::json(&body)
        }
    }
}

/// Why no request could be read.
#[derive(Debug)]
pub enum Unread {
    /// The other side has gone, or was silent for too long; there is nobody to tell.
    Gone,
    /// What came is no request, or too large a one.
    Refused(Answer),
}

fn refused(status: u16, why: &str) -> Unread {
    Unread::Refused(Answer::refused(status, why))
}

/// What carries bytes to and fro.
pub trait Stream: Read + Write {
    /// How long reading may wait from now on.
    fn wait_at_most(&self, time: Duration) -> io::Result<()>;
}

impl Stream for TcpStream {
    fn wait_at_most(&self, time: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(time))
    }
}

/// One side of a connection, with what has come and was not read yet.
pub struct Connection<S> {
    stream: S,
    ahead: Vec<u8>,
}

impl Connection<TcpStream> {
    /// Over a network.
    pub fn of_network(stream: TcpStream) -> Self {
        // Small answers go out at once.
        let _ = stream.set_nodelay(true);
        let _ = stream.set_write_timeout(Some(LONGEST_SILENCE));
        Self::new(stream)
    }
}

impl<S: Stream> Connection<S> {
    pub fn new(stream: S) -> Self {
        let ahead = Vec::new();
        Self { stream, ahead }
    }

    /// What carried the bytes, back.
    pub fn into_stream(self) -> S {
        self.stream
    }

    /// Waits for more bytes until a time.
    fn more(&mut self, until: Instant) -> Result<(), Unread> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Unread::Gone);
        }
        let set = self.stream.wait_at_most(left);
        let mut chunk = [0; 4096];
        match set.and_then(|()| self.stream.read(&mut chunk)) {
            Ok(0) => Err(Unread::Gone),
            Ok(count) => {
                self.ahead.extend_from_slice(&chunk[..count]);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(_) => Err(Unread::Gone),
        }
    }

    /// The next request.
    pub fn request(&mut self) -> Result<Request, Unread> {
        if self.ahead.is_empty() {
            self.more(Instant::now() + LONGEST_SILENCE)?;
        }
        let until = Instant::now() + LONGEST_REQUEST;
        let end = loop {
            if let Some(place) = self.ahead.windows(4).position(|four| four == b"\r\n\r\n") {
                break place + 4;
            }
            if self.ahead.len() > LONGEST_HEAD {
                return Err(refused(431, "the head of the request is too long"));
            }
            self.more(until)?;
        };
        if end > LONGEST_HEAD {
            return Err(refused(431, "the head of the request is too long"));
        }
        let head: Vec<u8> = self.ahead.drain(..end).collect();
        let (mut request, length) = parse(&head)?;
        while self.ahead.len() < length {
            self.more(until)?;
        }
        request.body = self.ahead.drain(..length).collect();
        Ok(request)
    }

    /// Sends an answer; `fields` stand in each of them.
    pub fn answer(
        &mut self,
        answer: &Answer,
        fields: &str,
        with_body: bool,
        stays: bool,
    ) -> io::Result<()> {
        let reason = match answer.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            409 => "Conflict",
            413 => "Content Too Large",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            _ => "Internal Server Error",
        };
        let allow = answer.allow.map(|methods| format!("Allow: {methods}\r\n"));
        let head = format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {}\r\n{}{fields}\r\n",
            answer.status,
            answer.kind,
            answer.body.len(),
            if stays { "keep-alive" } else { "close" },
            allow.unwrap_or_default(),
        );
        self.stream.write_all(head.as_bytes())?;
        if with_body {
            self.stream.write_all(&answer.body)?;
        }
        self.stream.flush()
    }
}

/// The request of a head, and the length of its body.
fn parse(head: &[u8]) -> Result<(Request, usize), Unread> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut parsed = httparse::Request::new(&mut fields);
    match parsed.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Err(refused(400, "the request is cut short")),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(refused(431, "the request has too many fields"));
        }
        Err(error) => return Err(refused(400, &format!("this is no request: {error}"))),
    }
    let method = match parsed.method {
        Some("GET") => Method::Get,
        Some("HEAD") => Method::Head,
        Some("POST") => Method::Post,
        _ => {
            let mut answer = Answer::refused(405, "only GET, HEAD and POST are understood");
            answer.allow = Some("GET, HEAD, POST");
            return Err(Unread::Refused(answer));
        }
    };
    // A field that may stand only once.
    let once = |name: &str| -> Result<Option<String>, Unread> {
        let mut found = parsed
            .headers
            .iter()
            .filter(|field| field.name.eq_ignore_ascii_case(name));
        let first = found.next().map(|field| field.value);
        if found.next().is_some() {
            return Err(refused(400, &format!("`{name}` stands twice")));
        }
        let text = first.map(|value| String::from_utf8(value.to_vec()));
        let text = text.transpose();
        text.map_err(|_| refused(400, &format!("`{name}` is no text")))
    };
    let host = once("host")?.ok_or_else(|| refused(400, "there is no `Host`"))?;
    if once("transfer-encoding")?.is_some() {
        return Err(refused(400, "give the length of the body instead"));
    }
    let length = match once("content-length")? {
        None => 0,
        Some(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            let length = text.parse().unwrap_or(usize::MAX);
            if length > LONGEST_BODY {
                return Err(refused(413, "the body is too long"));
            }
            length
        }
        Some(_) => return Err(refused(400, "`Content-Length` is no number")),
    };
    let target = parsed.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let well_formed = path.starts_with('/')
        && path.bytes().all(|byte| plain(byte) || byte == b'/')
        && query
            .bytes()
            .all(|byte| plain(byte) || b",&=".contains(&byte));
    if !well_formed {
        return Err(refused(400, "there is no such address"));
    }
    let closes = once("connection")?.is_some_and(|text| text.eq_ignore_ascii_case("close"));
    let parts = query.split('&').filter_map(|part| part.split_once('='));
    let request = Request {
        method,
        path: path.to_owned(),
        query: parts
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
        host,
        origin: once("origin")?,
        site: once("sec-fetch-site")?,
        body: Vec::new(),
        stays: parsed.version == Some(1) && !closes,
    };
    Ok((request, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(head: &str) -> u16 {
        match parse(head.as_bytes()) {
            Ok(_) => 200,
            Err(Unread::Refused(answer)) => answer.status,
            Err(Unread::Gone) => 0,
        }
    }

    #[test]
    fn only_plain_requests_are_taken() {
        assert_eq!(
            status("GET /a/b?k=1,2&m=3 HTTP/1.1\r\nHost: h\r\n\r\n"),
            200
        );
        let bad = [
            ("GET /a HTTP/1.1\r\n\r\n", 400),
            ("GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET /%2e%2e/etc HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("GET /a\\b HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("GET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n", 400),
            ("PUT /a HTTP/1.1\r\nHost: h\r\n\r\n", 405),
            ("CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n", 405),
            (
                "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 65\r\n\r\n",
                413,
            ),
            (
                "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999999\r\n\r\n",
                413,
            ),
            (
                "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
                400,
            ),
            (
                "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                400,
            ),
            (
                "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
                400,
            ),
            ("GET /a\r\n\r\n", 400),
            ("\u{0}\u{1}\r\n\r\n", 400),
        ];
        for (head, code) in bad {
            assert_eq!(status(head), code, "{head:?}");
        }
        let many: String = (0..65).map(|k| format!("A{k}: b\r\n")).collect();
        assert_eq!(
            status(&format!("GET / HTTP/1.1\r\nHost: h\r\n{many}\r\n")),
            431
        );
    }
}
