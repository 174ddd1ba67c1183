//! Parameters that name a visit and not a page.

/// Names that only ever carry a session or the way a reader came; compared in lower case.
#[rustfmt::skip]
static NAMES: [&str; 44] = [
    "_ga", "_gl", "_hsenc", "_hsmi", "cfid", "cftoken", "dclid", "ef_id", "epik", "fb_action_ids",
    "fb_action_types", "fb_ref", "fb_source", "fbclid", "gbraid", "gclid", "gclsrc", "hsctatracking", "igsh",
    "igshid", "jsessionid", "li_fat_id", "mc_cid", "mc_eid", "mkt_tok", "msclkid", "oly_anon_id", "oly_enc_id",
    "phpsessid", "rb_clickid", "s_kwcid", "session_id", "sessionid", "srsltid", "ttclid", "twclid", "vero_conv",
    "vero_id", "wbraid", "wickedid", "yclid", "ysclid", "zanpid", "zx",
];

/// Names of which this is the beginning are dropped whole.
static PREFIXES: [&str; 6] = ["aspsessionid", "hsa_", "matomo_", "mtm_", "pk_", "utm_"];

/// Short names that carry a session only where the value looks like one.
static SESSION_LIKE: [&str; 3] = ["s", "sess", "sid"];

/// Is this parameter, decoded and in lower case, of the visit?
pub(super) fn is_of_the_visit(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    NAMES.binary_search(&name).is_ok()
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || (SESSION_LIKE.contains(&name) && is_session_id(value))
}

/// Thirty-two letters and digits with both among them: as PHP and others make them.
fn is_session_id(value: &str) -> bool {
    value.len() == 32
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && value.bytes().any(|byte| byte.is_ascii_digit())
}

/// A path without session ids: `/;jsessionid=…` to the end of its segment, and the segments `/(S(…))` of ASP.NET.
pub(super) fn without_session(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for (index, segment) in path.split('/').enumerate() {
        let segment = match segment.find(";jsessionid=") {
            Some(at) => &segment[..at],
            None => segment,
        };
        if is_aspx_session(segment) {
            continue;
        }
        if index > 0 {
            out.push('/');
        }
        out.push_str(segment);
    }
    out
}

/// `(4hqa0555fwsecu455xqckv45)`, `(s(…))` or `(a(…)s(…)f(…))`: 24 letters and digits apiece.
fn is_aspx_session(segment: &str) -> bool {
    let Some(mut inner) = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    let is_id = |text: &str| text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_id(inner) {
        return true;
    }
    if inner.is_empty() {
        return false;
    }
    while let [letter, b'(', rest @ ..] = inner.as_bytes() {
        if !letter.is_ascii_alphabetic() || rest.get(24) != Some(&b')') || !inner.is_char_boundary(26) {
            return false;
        }
        if !is_id(&inner[2..26]) {
            return false;
        }
        inner = &inner[27..];
    }
    inner.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_sorted_for_the_search() {
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn a_short_name_needs_a_value_like_a_session() {
        assert!(is_of_the_visit("sid=9682993c8daa2c5497996114facdc805"));
        assert!(!is_of_the_visit("sid=12"));
        assert!(!is_of_the_visit("s=how+to"));
        assert!(is_of_the_visit("utm_term"));
        assert!(!is_of_the_visit("id=utm_source"));
    }
}
