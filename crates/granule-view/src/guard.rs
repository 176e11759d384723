//! Who may ask.
//!
//! Other pages in the same browser can send requests to this machine, and a name of the attacker's that suddenly means
//! 127.0.0.1 makes theirs look like ours (DNS rebinding). So an address holds a random token, which no other page
//! knows; `Host` must be this machine by a name that nobody can rebind; and what a browser says of the origin of a
//! request must be this very server.

use crate::http::{Answer, Request};
use std::net::SocketAddr;

/// Bytes of the token.
const TOKEN: usize = 16;

/// What a request must fit.
#[derive(Debug)]
pub struct Guard {
    token: String,
    address: SocketAddr,
}

impl Guard {
    /// With a token of its own; an error if the system has no random numbers.
    pub fn new(address: SocketAddr) -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN];
        getrandom::fill(&mut bytes)?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { token, address })
    }

    /// What stands between the first two slashes of an address.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Where the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    fn is_this_server(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else {
            return false;
        };
        let named = name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost");
        named && port.parse() == Ok(self.address.port())
    }

    /// What follows the token in the path of a request that may be answered, from a slash on.
    pub fn admit<'a>(&self, request: &'a Request) -> Result<&'a str, Answer> {
        if !self.is_this_server(&request.host) {
            let why = "this server answers to 127.0.0.1 and localhost alone";
            return Err(Answer::refused(403, why));
        }
        let origin = request.origin.as_deref().map(|origin| {
            let host = origin.strip_prefix("http://");
            host.is_some_and(|host| self.is_this_server(host))
        });
        let site = request.site.as_deref();
        // A person who types the address comes from nowhere.
        let own = origin.unwrap_or(true) && site.is_none_or(|s| s == "same-origin" || s == "none");
        if !own {
            return Err(Answer::refused(403, "another page may not ask this server"));
        }
        let rest = request.path.strip_prefix('/').unwrap_or_default();
        let (token, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if !same(token.as_bytes(), self.token.as_bytes()) {
            let why =
                "open the address that `granule view` has printed, with all that stands in it";
            return Err(Answer::refused(403, why));
        }
        Ok(rest)
    }
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |sum, (x, y)| sum | (x ^ y)) == 0
}
