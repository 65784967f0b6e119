//! E-mails over TLS, to a server with a certificate of an authority that the test makes.

use std::{path::PathBuf, str::FromStr, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{MailKind, Role};
use p256::{
    SecretKey,
    ecdsa::{DerSignature, SigningKey, signature::Signer},
    pkcs8::{EncodePrivateKey, EncodePublicKey},
};
use rustls::{
    ServerConfig,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;
use x509_cert::{
    Certificate, TbsCertificate, Version,
    der::{
        DateTime, Decode, Encode,
        asn1::{BitString, Ia5String, ObjectIdentifier, OctetString, UtcTime},
        oid::AssociatedOid,
    },
    ext::{
        Extension,
        pkix::{BasicConstraints, SubjectAltName, name::GeneralName},
    },
    name::Name,
    serial_number::SerialNumber,
    spki::AlgorithmIdentifierOwned,
    time::{Time, Validity},
};

use super::server::{Encryption, SmtpServer};
use crate::support::{Settings, TestApp};

/// A certificate authority, and the TLS acceptor of a server whose certificate it has signed.
struct Authority {
    directory: TempDir,
    acceptor: TlsAcceptor,
}

impl Authority {
    /// Creates an authority and a server certificate for this name. `seed` chooses the keys.
    fn for_name(name: &str, seed: u8) -> Self {
        let key = |number: u8| SecretKey::from_slice(&[number; 32]).expect("a key");
        let (root_key, leaf_key) = (key(seed), key(seed + 1));
        let is_authority = BasicConstraints {
            ca: true,
            path_len_constraint: None,
        };
        let root = certify(&root_key, "CN=Autoridade", &root_key, &is_authority);
        let name = Ia5String::new(name).expect("a name");
        let names = SubjectAltName(vec![GeneralName::DnsName(name)]);
        let leaf = certify(&leaf_key, "CN=Servidor", &root_key, &names);
        let key = leaf_key.to_pkcs8_der().expect("PKCS#8");
        let key = PrivatePkcs8KeyDer::from(key.as_bytes().to_vec());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![leaf.into()], PrivateKeyDer::Pkcs8(key))
            .expect("a configuration");
        let directory = tempfile::tempdir().expect("a directory");
        let text = STANDARD.encode(root);
        let pem = format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n");
        std::fs::write(directory.path().join("ca.pem"), pem).expect("a file");
        Self {
            directory,
            acceptor: TlsAcceptor::from(Arc::new(config)),
        }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("ca.pem")
    }
}

/// Returns a certificate (DER) for this key, with one extension, signed by the authority.
fn certify<E: Encode + AssociatedOid>(
    key: &SecretKey,
    subject: &str,
    authority: &SecretKey,
    extension: &E,
) -> Vec<u8> {
    let name = |text: &str| Name::from_str(text).expect("a name");
    let year = |year: u16| {
        let begin = DateTime::new(year, 1, 1, 0, 0, 0).expect("a date");
        Time::UtcTime(UtcTime::from_date_time(begin).expect("before 2050"))
    };
    let public = key.public_key().to_public_key_der().expect("DER");
    let algorithm = AlgorithmIdentifierOwned {
        // ecdsa-with-SHA256
        oid: ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2"),
        parameters: None,
    };
    let extension = Extension {
        extn_id: E::OID,
        critical: false,
        extn_value: OctetString::new(extension.to_der().expect("DER")).expect("octets"),
    };
    let tbs_certificate = TbsCertificate {
        version: Version::V3,
        serial_number: SerialNumber::from(1_u8),
        signature: algorithm.clone(),
        issuer: name("CN=Autoridade"),
        validity: Validity {
            not_before: year(2020),
            not_after: year(2049),
        },
        subject: name(subject),
        subject_public_key_info: Decode::from_der(public.as_bytes()).expect("DER"),
        issuer_unique_id: None,
        subject_unique_id: None,
        extensions: Some(vec![extension]),
    };
    let signed = tbs_certificate.to_der().expect("DER");
    let signature: DerSignature = SigningKey::from(authority).sign(&signed);
    let certificate = Certificate {
        tbs_certificate,
        signature_algorithm: algorithm,
        signature: BitString::from_bytes(signature.as_bytes()).expect("bits"),
    };
    certificate.to_der().expect("DER")
}

/// Lets a service with these settings send an e-mail; returns the state of the e-mail.
async fn send_one(settings: Settings) -> String {
    let app = TestApp::with_settings(settings).await;
    let member = app.add_member(Role::Criador).await;
    app.app.worker().drain().await.expect("jobs");
    let services = &app.app.gateway.services;
    let tx = app.begin().await;
    let (kind, now, db) = (MailKind::PasswordChanged, app.now(), tx.conn());
    let queued = identity::mail::queue(services, &db, kind, Some(&member.id), None, now);
    queued.await.expect("queues").expect("e-mails are sent");
    tx.commit().await.expect("commits");
    app.app.worker().drain().await.expect("jobs");
    let rows = app.query_rows("SELECT state FROM mails".into()).await;
    rows[0].try_get("", "state").expect("a text")
}

fn settings(url: String, ca: Option<&Authority>) -> Settings {
    let mut settings = vec![
        ("PAUTA_SMTP_URL", url),
        ("PAUTA_SMTP_FROM", "avisos@pauta.test".to_owned()),
        ("PAUTA_SMTP_TIMEOUT", "5".to_owned()),
    ];
    let path = ca.map(|ca| ca.path().to_str().expect("UTF-8").to_owned());
    settings.extend(path.map(|path| ("PAUTA_SMTP_CA", path)));
    settings
}

/// Starts a server with implicit TLS and one with STARTTLS. Returns each server with its URL, which
/// contains a user and a password.
async fn start_both(authority: &Authority) -> [(SmtpServer, String); 2] {
    let acceptor = || authority.acceptor.clone();
    let implicit = SmtpServer::start_with(Encryption::Implicit(acceptor())).await;
    let offered = SmtpServer::start_with(Encryption::Offered(acceptor())).await;
    let implicit_url = format!("smtps://ana:segredo@localhost:{}", implicit.port);
    let offered_url = format!("smtp://ana:segredo@localhost:{}?tls=required", offered.port);
    [(implicit, implicit_url), (offered, offered_url)]
}

#[tokio::test]
async fn an_e_mail_is_delivered_over_implicit_tls_and_over_starttls() {
    let authority = Authority::for_name("localhost", 10);
    for (server, url) in start_both(&authority).await {
        let state = send_one(settings(url.clone(), Some(&authority))).await;
        assert_eq!(state, "enviado", "{url}");
        let received = server.take_one();
        assert!(received.encrypted && received.accepted, "{url}");
        assert!(received.auth.starts_with("AUTH"), "{url}");
        assert_eq!(received.from, "MAIL FROM:<avisos@pauta.test>", "{url}");
    }
}

#[tokio::test]
async fn nothing_is_sent_to_a_server_whose_certificate_is_not_trusted() {
    let authority = Authority::for_name("localhost", 10);
    let (elsewhere, other) = (
        Authority::for_name("mx.pauta.test", 20),
        Authority::for_name("localhost", 30),
    );
    for (presented, trusted) in [
        // The service trusts no private authority, trusts another authority, or expects another
        // server name.
        (&authority, None),
        (&authority, Some(&other)),
        (&elsewhere, Some(&elsewhere)),
    ] {
        for (server, url) in start_both(presented).await {
            let state = send_one(settings(url.clone(), trusted)).await;
            assert_eq!(state, "pendente", "{url}");
            assert!(server.take().is_empty(), "{url}");
        }
    }
}
