//! TLS to a server, with the modes of libpq.

use std::{borrow::Cow, sync::Arc};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::options::{Options, TlsMode};
use crate::driver::DriverError;

pub(super) type TlsSocket = TlsStream<TcpStream>;

/// Makes a connection encrypted. Returns an error if the certificate does not satisfy the mode.
pub(super) async fn encrypt(
    stream: TcpStream,
    host: &str,
    options: &Options,
) -> Result<TlsSocket, DriverError> {
    let config = client_config(options).map_err(DriverError::Tls)?;
    let name = ServerName::try_from(host.to_owned());
    let name = name.map_err(|error| DriverError::Tls(error.to_string()))?;
    let connected = TlsConnector::from(Arc::new(config)).connect(name, stream);
    connected.await.map_err(|error| match error.kind() {
        // An error of this kind is a failed TLS handshake.
        std::io::ErrorKind::InvalidData => DriverError::Tls(error.to_string()),
        _ => DriverError::Io(error),
    })
}

fn client_config(options: &Options) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Arc::new(Verifier {
        verified: if is_verified(options) {
            Some(trusted_roots(options, provider.clone())?)
        } else {
            None
        },
        any_name: options.tls != TlsMode::VerifyFull,
        provider: provider.clone(),
    });
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let (Some(certificate), Some(key)) = (&options.client_certificate, &options.client_key) else {
        return Ok(config.with_no_client_auth());
    };
    let chain = parse_certificates(&read_pem(certificate)?)?;
    let key = PrivateKeyDer::from_pem_slice(&read_pem(key)?).map_err(|error| error.to_string())?;
    let config = config.with_client_auth_cert(chain, key);
    config.map_err(|error| error.to_string())
}

/// Returns whether the certificate of the server is verified. As in libpq, a configured root certificate
/// makes `require` verify it too.
fn is_verified(options: &Options) -> bool {
    match options.tls {
        TlsMode::VerifyCa | TlsMode::VerifyFull => true,
        TlsMode::Require => options.root_certificate.is_some(),
        TlsMode::Disable | TlsMode::Allow | TlsMode::Prefer => false,
    }
}

/// Returns the configured root certificates, or those of the system.
fn trusted_roots(
    options: &Options,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, String> {
    let mut roots = RootCertStore::empty();
    if let Some(certificates) = &options.root_certificate {
        for certificate in parse_certificates(&read_pem(certificates)?)? {
            roots.add(certificate).map_err(|error| error.to_string())?;
        }
    } else {
        let system = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(system.certs);
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
    verifier.build().map_err(|error| error.to_string())
}

/// Returns the text itself if it is PEM, otherwise the content of the file that the text names.
fn read_pem(source: &str) -> Result<Cow<'_, [u8]>, String> {
    if source.contains("-----BEGIN") {
        return Ok(source.as_bytes().into());
    }
    // The error does not quote `source`, which may be a malformed key.
    let text = std::fs::read(source)
        .map_err(|error| format!("a file of certificates or keys cannot be read: {error}"))?;
    Ok(text.into())
}

fn parse_certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(|error| error.to_string())?;
    if certificates.is_empty() {
        return Err("the file contains no certificate".into());
    }
    Ok(certificates)
}

/// Verifies the certificate of the server as strictly as the mode requires.
#[derive(Debug)]
struct Verifier {
    /// `None` accepts any certificate.
    verified: Option<Arc<WebPkiServerVerifier>>,
    /// True if the certificate may be for another host.
    any_name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        stapled: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(verifier) = &self.verified else {
            return Ok(ServerCertVerified::assertion());
        };
        // The name is checked after the chain, so an error about the name means a trusted chain.
        match verifier.verify_server_cert(certificate, intermediates, name, stapled, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.any_name => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
