//! The canonical form of a parsed URL.

use ::url::Url;

use super::percent;

/// Whether a URL is seen at a glance to be in its canonical form: `http(s)://`, a host of lower-case labels that is no
/// address and no IDN, a path without dot segments, and no letter anywhere that could need an escape. Most URLs of a crawl
/// are; of the others some are canonical too.
pub(super) fn is_plain(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return false;
    };
    let Some(slash) = rest.find('/') else { return false };
    let (host, path) = rest.split_at(slash);
    is_plain_host(host) && !path.contains("/.") && {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/?&=".contains(&byte);
        path.bytes().all(plain)
    }
}

fn is_plain_host(host: &str) -> bool {
    // An address ends in a number, `0x7f` too; a label `xn--` or with other hyphens in its third and fourth place is checked.
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(plain)
            && !label.contains("--")
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.split('.').all(is_label)
        && host.split('.').next_back().is_some_and(|last| !last.as_bytes()[0].is_ascii_digit())
}

/// Path and query of an opaque URL (`mailto:`) are left as the parser wrote them.
pub(super) fn of(url: &Url) -> String {
    if url.cannot_be_a_base() || !matches!(url.scheme(), "http" | "https" | "ftp" | "ws" | "wss" | "file") {
        return url.as_str().to_owned();
    }
    let before_path = &url[..::url::Position::BeforePath];
    let mut out = String::with_capacity(url.as_str().len());
    out.push_str(before_path);
    out.push_str(&percent::normalised(url.path()));
    if let Some(query) = url.query() {
        out.push('?');
        out.push_str(&percent::normalised(query));
    }
    out
}
