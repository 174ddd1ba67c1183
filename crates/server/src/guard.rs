//! Who may ask: clients with the token, and without one only programs of this machine, not pages of other sites that a
//! browser on it has open.

use crate::error::Error;
use crate::problem::{Code, Problem};
use axum::http::{HeaderMap, header};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use subtle::ConstantTimeEq;

/// Shortest token that is taken.
const LEAST: usize = 16;

/// Lets requests in or not.
pub(crate) struct Guard {
    token: Option<Vec<u8>>,
}

impl Guard {
    pub(crate) fn new(addresses: &[SocketAddr], token_file: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = token_file else {
            return match addresses.iter().find(|address| !address.ip().is_loopback()) {
                None => Ok(Guard { token: None }),
                Some(&open) => Err(Error::NoToken(open)),
            };
        };
        let token = fs_err::read(path)?.trim_ascii().to_vec();
        if token.len() < LEAST || !token.iter().all(u8::is_ascii_graphic) {
            return Err(Error::Token(path.to_owned()));
        }
        Ok(Guard { token: Some(token) })
    }

    /// Whether a request for data may pass.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), Problem> {
        match &self.token {
            Some(token) => {
                let sent = headers.get(header::AUTHORIZATION).and_then(|value| bearer(value.as_bytes()));
                // The time this takes tells the length of the token at most.
                if sent.is_some_and(|sent| bool::from(sent.ct_eq(token))) {
                    return Ok(());
                }
                Err(Problem::new(Code::Unauthorized, "expected the header Authorization: Bearer TOKEN"))
            }
            None => local(headers),
        }
    }
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

/// A browser sends what it was told the host is, and where a page is from.
fn local(headers: &HeaderMap) -> Result<(), Problem> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if !is_local(host) {
        return Err(Problem::new(Code::OriginRefused, "expected a host of this machine, as localhost"));
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let same =
        origin.to_str().ok().and_then(|origin| origin.split_once("://")).is_some_and(|(_, o)| o == host);
    if same { Ok(()) } else { Err(Problem::new(Code::OriginRefused, "pages of other sites may not ask")) }
}

fn is_local(host: &str) -> bool {
    if let Some(rest) = host.strip_prefix('[') {
        return rest
            .split(']')
            .next()
            .is_some_and(|ip| ip.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()));
    }
    let name = host.split(':').next().unwrap_or_default();
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_of_this_machine_if_all_its_addresses_are() {
        let open = |addresses: &[&str]| {
            let addresses: Vec<SocketAddr> = addresses.iter().map(|each| each.parse().unwrap()).collect();
            Guard::new(&addresses, None).is_ok()
        };
        assert!(open(&["127.0.0.1:80", "[::1]:80"]));
        assert!(!open(&["127.0.0.1:80", "192.0.2.1:80"]));
        assert!(!open(&["[::]:80"]));
    }

    #[test]
    fn hosts_of_this_machine_are_known() {
        for host in ["localhost", "LocalHost:80", "127.0.0.1:8080", "127.1.2.3", "[::1]:80", "[::1]"] {
            assert!(is_local(host), "{host}");
        }
        for host in ["", "example.org", "localhost.example.org", "127.0.0.1.example.org", "[::2]", "10.0.0.1"]
        {
            assert!(!is_local(host), "{host}");
        }
    }
}
