//! What a URL names: a store, and a place in it.

use crate::error::Error;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path as Key;
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use std::str::FromStr;
use std::time::Duration;
use url::Url;

/// A limit on a whole request would end the download of a large object; what must not take long is a single read.
const LIMITS: [(&str, &str); 2] = [("timeout", "30days"), ("read_timeout", "30s")];

/// Variables of the environment.
pub type Environment = [(String, String)];

/// A store, and what is named in it.
pub(crate) struct Place {
    pub(crate) store: Box<dyn ObjectStore>,
    pub(crate) named: Named,
}

/// What of a store is named.
pub(crate) enum Named {
    /// A file on a web server, known in evidence by this URL, and its name.
    File { url: String, name: String },
    /// An object, or all objects below a key.
    Key {
        /// The URL of the store.
        base: String,
        key: Key,
        /// Whether the URL ends as that of a folder.
        folder: bool,
    },
}

impl Place {
    pub(crate) fn of(url: &str, environment: &Environment) -> Result<Self, Error> {
        // Fails where one is installed already, which will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let refuse = |reason: &str| Error::Url { url: url.to_owned(), reason: reason.to_owned() };
        let (scheme, rest) = url.split_once("://").ok_or_else(|| refuse("not a URL"))?;
        let scheme = scheme.to_ascii_lowercase();
        if matches!(scheme.as_str(), "http" | "https") {
            return Self::on_the_web(url);
        }
        // Keys are taken as they are: `#`, `?` and `%` have no meaning in them.
        let (host, key) = rest.split_once('/').unwrap_or((rest, ""));
        if host.is_empty() {
            return Err(refuse("names no bucket"));
        }
        let base = format!("{scheme}://{host}");
        let store = open(&scheme, &base, environment).map_err(|error| Error::of(url, &error))?;
        let folder = key.is_empty() || key.ends_with('/');
        let key = Key::parse(key).map_err(|error| refuse(&error.to_string()))?;
        let store = store.ok_or_else(|| refuse("no scheme of an object store"))?;
        Ok(Place { store, named: Named::Key { base, key, folder } })
    }

    fn on_the_web(url: &str) -> Result<Self, Error> {
        let parsed =
            Url::parse(url).map_err(|error| Error::Url { url: url.to_owned(), reason: error.to_string() })?;
        let options: ClientOptions =
            configured(ClientOptions::new(), &[], &[], |options, key, value| options.with_config(key, value));
        let options = options.with_allow_http(parsed.scheme() == "http");
        let store = HttpBuilder::new()
            .with_url(parsed.as_str())
            .with_client_options(options)
            .with_retry(retry())
            .build()
            .map_err(|error| Error::of(url, &error))?;
        let name = Key::from_url_path(parsed.path()).ok();
        let name = name.as_ref().and_then(Key::filename).unwrap_or("input").to_owned();
        Ok(Place { store: Box::new(store), named: Named::File { url: without_secrets(parsed), name } })
    }
}

/// The store of a scheme.
fn open(
    scheme: &str,
    base: &str,
    environment: &Environment,
) -> object_store::Result<Option<Box<dyn ObjectStore>>> {
    Ok(Some(match scheme {
        "s3" | "s3a" => {
            let builder = AmazonS3Builder::new().with_url(base).with_retry(retry());
            let with = |builder: AmazonS3Builder, key, value| builder.with_config(key, value);
            Box::new(configured(builder, environment, &["AWS_"], with).build()?)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::new().with_url(base).with_retry(retry());
            let with = |builder: GoogleCloudStorageBuilder, key, value| builder.with_config(key, value);
            Box::new(configured(builder, environment, &["GOOGLE_", "SERVICE_ACCOUNT"], with).build()?)
        }
        "az" | "abfs" | "abfss" => {
            let builder = MicrosoftAzureBuilder::new().with_url(base).with_retry(retry());
            let with = |builder: MicrosoftAzureBuilder, key, value| builder.with_config(key, value);
            Box::new(configured(builder, environment, &["AZURE_", "MSI_ENDPOINT"], with).build()?)
        }
        _ => return Ok(None),
    }))
}

/// A builder with our limits, and what the environment says in the names that the client knows.
fn configured<B, K: FromStr>(
    builder: B,
    environment: &Environment,
    prefixes: &[&str],
    with: impl Fn(B, K, String) -> B,
) -> B {
    let of_store = |(name, _): &&(String, String)| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let given = environment.iter().filter(of_store).map(|(name, value)| (name.as_str(), value.as_str()));
    LIMITS.into_iter().chain(given).fold(builder, |builder, (name, value)| {
        match name.to_ascii_lowercase().parse() {
            Ok(key) => with(builder, key, value.to_owned()),
            Err(_) => builder,
        }
    })
}

/// A hiccup is passed over; a store that is not there is told in seconds.
fn retry() -> RetryConfig {
    RetryConfig { max_retries: 5, retry_timeout: Duration::from_secs(60), ..RetryConfig::default() }
}

/// A URL as evidence may show it: evidence is handed on, passwords and signatures are not.
fn without_secrets(mut url: Url) -> String {
    const SIGNATURES: [&str; 4] = ["x-amz-signature", "x-goog-signature", "signature", "sig"];
    // Neither fails for a scheme that has a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    if url.query_pairs().any(|(name, _)| SIGNATURES.contains(&name.to_ascii_lowercase().as_str())) {
        url.set_query(None);
    }
    url.set_fragment(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_shows_no_secret() {
        let shown = |url: &str| without_secrets(Url::parse(url).unwrap());
        assert_eq!(shown("https://me:pass@example.org/a?page=1#top"), "https://example.org/a?page=1");
        assert_eq!(shown("https://example.org/a?X-Amz-Date=1&X-Amz-Signature=5e"), "https://example.org/a");
        assert_eq!(shown("https://example.org/a?sp=r&sig=5e"), "https://example.org/a");
    }

    #[test]
    fn a_url_without_a_place_is_refused() {
        for url in ["plain", "ftp://host/a", "s3:///key", "s3://bucket/a//b", "http://"] {
            let refused = Place::of(url, &[]).err().expect("refused").to_string();
            assert!(refused.starts_with(&format!("{url}: ")), "{refused}");
        }
    }
}
