//! The key of a parsed URL: `org,example,sub:8080)/path?a=1&b=2`.
//!
//! The order is that of Sort-friendly URI Reordering Transform as the indexes of web archives use it, so one
//! site's pages lie side by side when keys are sorted.

use ::url::{Host, Url};

use super::{parameters, percent};

/// A URL without a host keeps its scheme and path, in lower case.
pub(super) fn of(url: &Url) -> String {
    let mut out = String::with_capacity(url.as_str().len());
    let Some(host) = url.host() else {
        out.push_str(&url[..::url::Position::BeforePath]);
        percent::push_for_key(&mut out, &percent::decoded(url.path()), b"?");
        if let Some(query) = url.query() {
            push_query(&mut out, query);
        }
        return out;
    };
    match host {
        Host::Domain(domain) => push_reversed(&mut out, domain),
        Host::Ipv4(_) | Host::Ipv6(_) => out.push_str(url.host_str().unwrap_or_default()),
    }
    // `Url` drops the default port of the schemes it knows.
    if let Some(port) = url.port() {
        out.push(':');
        out.push_str(&port.to_string());
    }
    out.push(')');
    push_path(&mut out, url.path());
    if let Some(query) = url.query() {
        push_query(&mut out, query);
    }
    out
}

fn push_reversed(out: &mut String, domain: &str) {
    let mut clean = String::with_capacity(domain.len());
    percent::push_for_key(&mut clean, &percent::decoded(domain), b"?/");
    let domain = clean.trim_end_matches('.');
    // A comma may stand in a host, but here it parts labels.
    for (index, label) in without_www(domain).rsplit('.').enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.extend(label.chars().map(|char| if char == ',' { '.' } else { char }));
    }
}

/// Drops `www.`, `www2.` and so on where a domain remains.
fn without_www(domain: &str) -> &str {
    let Some(rest) = domain.strip_prefix("www") else { return domain };
    match rest.trim_start_matches(|char: char| char.is_ascii_digit()).strip_prefix('.') {
        Some(bare) if bare.contains('.') => bare,
        _ => domain,
    }
}

fn push_path(out: &mut String, path: &str) {
    let mut clean = String::with_capacity(path.len());
    percent::push_for_key(&mut clean, &percent::decoded(path), b"?");
    let start = out.len();
    for segment in parameters::without_session(&clean).split('/') {
        match segment {
            "" | "." => {}
            // Dots that were escaped twice.
            ".." => {
                let parent = out[start..].rfind('/').map_or(start, |slash| start + slash);
                out.truncate(parent);
            }
            _ => {
                out.push('/');
                out.push_str(segment);
            }
        }
    }
    if out.len() == start {
        out.push('/');
    }
}

/// Sorted parameters; those without a name are nothing, and `b=` is `b`.
fn push_query(out: &mut String, query: &str) {
    let mut kept: Vec<String> = query
        .split('&')
        .map(|parameter| {
            let mut text = String::with_capacity(parameter.len());
            match parameter.split_once('=') {
                Some((name, value)) => {
                    percent::push_for_key(&mut text, &percent::decoded(name), b"&=");
                    if !value.is_empty() {
                        text.push('=');
                        percent::push_for_key(&mut text, &percent::decoded(value), b"&");
                    }
                }
                None => percent::push_for_key(&mut text, &percent::decoded(parameter), b"&="),
            }
            text
        })
        .filter(|parameter| !parameter.is_empty() && !parameter.starts_with('='))
        .filter(|parameter| !parameters::is_of_the_visit(parameter))
        .collect();
    kept.sort_unstable();
    for (index, parameter) in kept.iter().enumerate() {
        out.push(if index == 0 { '?' } else { '&' });
        out.push_str(parameter);
    }
}
