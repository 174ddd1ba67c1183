//! What ends a download.

use std::error::Error as Cause;

/// Why objects did not arrive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A URL that names no place this crate knows.
    #[error("{url}: {reason}")]
    Url {
        /// The URL.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing is there.
    #[error("{url}: no such object, and none below it")]
    NotFound {
        /// The URL.
        url: String,
    },
    /// The store does not let us.
    #[error("{url}: access denied: {reason}")]
    Denied {
        /// The URL.
        url: String,
        /// What the store said.
        reason: String,
    },
    /// Any other trouble with the store or the way to it.
    #[error("{url}: {reason}")]
    Store {
        /// The URL.
        url: String,
        /// What happened.
        reason: String,
    },
    /// Fewer or more bytes came than the store had announced.
    #[error("{url}: {expected} bytes expected, {found} came")]
    Length {
        /// The URL.
        url: String,
        /// Bytes announced.
        expected: u64,
        /// Bytes received.
        found: u64,
    },
    /// Writing failed; the message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Stopped from outside.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// What the client says about `url`. Its messages hold some of their causes and leave out others, so text is
    /// put together here rather than chained.
    pub(crate) fn of(url: &str, error: &object_store::Error) -> Self {
        let url = url.to_owned();
        match error {
            object_store::Error::NotFound { .. } => Error::NotFound { url },
            object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
                Error::Denied { url, reason: root(error).to_string() }
            }
            _ => {
                let (whole, root) = (error.to_string(), root(error).to_string());
                let reason = if whole.contains(&root) { whole } else { format!("{whole}: {root}") };
                Error::Store { url, reason }
            }
        }
    }
}

fn root<'a>(mut error: &'a (dyn Cause + 'static)) -> &'a (dyn Cause + 'static) {
    while let Some(cause) = error.source() {
        error = cause;
    }
    error
}
