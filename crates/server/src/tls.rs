//! TLS by rustls, from files.

use crate::error::Error;
use crate::options::Tls;
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

pub(crate) fn acceptor(tls: &Tls) -> Result<TlsAcceptor, Error> {
    let fail = |path: &Path, what: String| Error::Tls { path: path.to_owned(), what };
    let pem = fs_err::read(&tls.certificate)?;
    let chain = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| fail(&tls.certificate, error.to_string()))?;
    if chain.is_empty() {
        return Err(fail(&tls.certificate, "expected a certificate in PEM, found none".into()));
    }
    let key = PrivateKeyDer::from_pem_slice(&fs_err::read(&tls.key)?);
    let key = key.map_err(|error| fail(&tls.key, error.to_string()))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| fail(&tls.certificate, error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| fail(&tls.certificate, error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
