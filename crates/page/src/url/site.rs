//! The registrable domain of a URL's host.

use ::url::{Host, Url};

/// An address, a bare name and a public suffix stand for themselves; a final dot does not count.
pub(super) fn of(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(domain) => {
            let domain = domain.trim_end_matches('.').to_ascii_lowercase();
            let registrable = psl::domain_str(&domain).map(str::to_owned);
            Some(registrable.unwrap_or(domain)).filter(|site| !site.is_empty())
        }
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(_) => url.host_str().map(str::to_owned),
    }
}
