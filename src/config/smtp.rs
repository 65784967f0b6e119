//! The settings of the SMTP server.

use std::{fmt, fs, net::IpAddr, time::Duration};

use anyhow::{Context, Result, bail, ensure};
use domain::Email;
use percent_encoding::percent_decode_str;
use reqwest::Url;
use rustls::pki_types::{CertificateDer, pem::PemObject};

use super::Sources;

const URL: &str = "PAUTA_SMTP_URL";
const FROM: &str = "PAUTA_SMTP_FROM";
const TIMEOUT: &str = "PAUTA_SMTP_TIMEOUT";
const CA: &str = "PAUTA_SMTP_CA";

/// How the connection to the server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpTls {
    /// TLS starts with the connection (`smtps://`).
    Implicit,
    /// TLS starts with the command STARTTLS. If the server does not support it, no e-mail is sent.
    Required,
    /// The connection is not encrypted.
    None,
}

/// The SMTP server through which e-mails are sent.
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpServer {
    pub host: String,
    pub port: u16,
    pub tls: SmtpTls,
    pub credentials: Option<(String, String)>,
    pub from: Email,
    /// The name of the sender. Without it, the name of the team is used.
    pub from_name: Option<String>,
    /// The timeout of one attempt to send an e-mail.
    pub timeout: Duration,
    /// PEM certificates that are trusted besides those of the machine.
    pub roots: Option<Vec<u8>>,
}

impl fmt::Debug for SmtpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmtpServer")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("tls", &self.tls)
            .field("from", &self.from.as_str())
            .finish_non_exhaustive()
    }
}

impl SmtpServer {
    /// Reads the settings; `None` if no server is configured.
    pub(super) fn read(sources: &Sources) -> Result<Option<Self>> {
        let (url, from) = match (sources.get(URL), sources.get(FROM)) {
            (None, None) => return Ok(None),
            (Some(url), Some(from)) => (url.trim(), from.trim()),
            _ => bail!("{URL} e {FROM} vão juntos"),
        };
        let seconds = sources.get(TIMEOUT).unwrap_or("60");
        let seconds = seconds.parse().ok().filter(|n| (1..=120).contains(n));
        let seconds = seconds
            .with_context(|| format!("{TIMEOUT} deve ser um número de segundos de 1 a 120"))?;
        let (from_name, from) = parse_sender(from)?;
        let server = parse_server(url)?;
        let roots = sources.get(CA).map(|path| read_roots(path.trim()));
        ensure!(
            roots.is_none() || server.tls != SmtpTls::None,
            "{CA} não vale sem conexão cifrada; use smtps:// ou ?tls=required em {URL}"
        );
        Ok(Some(Self {
            roots: roots.transpose()?,
            from,
            from_name,
            timeout: Duration::from_secs(seconds),
            ..server
        }))
    }
}

/// Reads a file with PEM certificates.
fn read_roots(path: &str) -> Result<Vec<u8>> {
    let wrong = || format!("{CA} deve ser um arquivo com certificados PEM que se possa ler");
    let pem = fs::read(path).with_context(wrong)?;
    let mut certificates = CertificateDer::pem_slice_iter(&pem).peekable();
    ensure!(
        certificates.peek().is_some() && certificates.all(|one| one.is_ok()),
        wrong()
    );
    Ok(pem)
}

/// Parses `a@b.test` or `Name <a@b.test>`.
fn parse_sender(text: &str) -> Result<(Option<String>, Email)> {
    let (name, address) = match text.strip_suffix('>').and_then(|text| text.split_once('<')) {
        Some((name, address)) => (name.trim().trim_matches('"'), address),
        None => ("", text),
    };
    // The adapter builds messages with the address, so it must be one that lettre accepts.
    let email: Option<Email> = address.parse().ok();
    let email = email.filter(|email| email.as_str().parse::<lettre::Address>().is_ok());
    let plain = !name.chars().any(char::is_control) && name.chars().count() <= 80;
    let email = email.filter(|_| plain).with_context(|| {
        format!("{FROM} deve ser um e-mail, com ou sem nome: Pauta <pauta@exemplo.com.br>")
    })?;
    Ok(((!name.is_empty()).then(|| name.to_owned()), email))
}

/// Parses the URL. The error does not quote the URL, because the URL may contain a password.
fn parse_server(text: &str) -> Result<SmtpServer> {
    let wrong = || {
        format!(
            "{URL} deve ser smtp://usuario:senha@servidor:porta ou smtps://…, com a senha codificada \
             (`@` como %40) e, no fim, no máximo ?tls=none ou ?tls=required"
        )
    };
    let url = Url::parse(text).ok().with_context(wrong)?;
    let host = url.host_str().filter(|host| !host.is_empty());
    let host = host
        .with_context(wrong)?
        .trim_matches(['[', ']'])
        .to_owned();
    let whole = url.fragment().is_none() && matches!(url.path(), "" | "/");
    ensure!(whole, wrong());
    let tls = match (url.scheme(), url.query()) {
        ("smtps", None) => SmtpTls::Implicit,
        ("smtp", None) if is_loopback(&url) => SmtpTls::None,
        ("smtp", None | Some("tls=required")) => SmtpTls::Required,
        ("smtp", Some("tls=none")) => SmtpTls::None,
        _ => bail!(wrong()),
    };
    let decode = |text: &str| {
        let text = percent_decode_str(text).decode_utf8().ok();
        let text = text.filter(|text| !text.chars().any(char::is_control));
        text.map(std::borrow::Cow::into_owned).with_context(wrong)
    };
    let credentials = match (url.username(), url.password()) {
        ("", None) => None,
        ("", Some(_)) | (_, None) => bail!(wrong()),
        (user, Some(password)) => Some((decode(user)?, decode(password)?)),
    };
    Ok(SmtpServer {
        host,
        port: url.port().unwrap_or(match tls {
            SmtpTls::Implicit => 465,
            SmtpTls::Required | SmtpTls::None => 587,
        }),
        tls,
        credentials,
        from: Email::from(""),
        from_name: None,
        timeout: Duration::ZERO,
        roots: None,
    })
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let ip = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str, from: &str) -> Result<Option<SmtpServer>> {
        let given = [(URL, url), (FROM, from)];
        let given = given.map(|(name, value)| (name, value.to_owned()));
        SmtpServer::read(&Sources::from_pairs(given))
    }

    fn server(url: &str) -> SmtpServer {
        let read = read(url, "Pauta <pauta@exemplo.test>").expect("valid");
        read.expect("a server")
    }

    #[test]
    fn the_scheme_and_the_host_decide_about_encryption() {
        for (url, port, tls) in [
            ("smtps://mx.test", 465, SmtpTls::Implicit),
            ("smtp://mx.test", 587, SmtpTls::Required),
            ("smtp://mx.test:25/", 25, SmtpTls::Required),
            ("smtp://mx.test?tls=none", 587, SmtpTls::None),
            ("smtp://127.0.0.1:2525", 2525, SmtpTls::None),
            ("smtp://[::1]:2525", 2525, SmtpTls::None),
            ("smtp://localhost", 587, SmtpTls::None),
            ("smtp://localhost?tls=required", 587, SmtpTls::Required),
            ("smtp://127.0.0.1.mx.test", 587, SmtpTls::Required),
        ] {
            let server = server(url);
            assert_eq!((server.port, server.tls), (port, tls), "{url}");
        }
        assert_eq!(server("smtp://[::1]:25").host, "::1");
    }

    #[test]
    fn the_password_is_decoded_and_never_printed() {
        let server = server("smtp://ana%40x.test:se%2Fgredo%21@mx.test");
        let expected = ("ana@x.test".to_owned(), "se/gredo!".to_owned());
        assert_eq!(server.credentials, Some(expected));
        let printed = format!("{server:?}");
        assert!(
            !printed.contains("gredo") && !printed.contains("ana"),
            "{printed}"
        );
        let wrong = read("smtp://ana:segredo@mx.test/pasta", "a@b.test");
        let wrong = format!("{:?}", wrong.expect_err("refused"));
        assert!(wrong.contains(URL) && !wrong.contains("segredo"), "{wrong}");
    }

    #[test]
    fn trusted_certificates_are_pem_and_need_an_encrypted_connection() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str, text: &str| {
            let path = directory.path().join(name);
            fs::write(&path, text).expect("a file");
            path.to_str().expect("UTF-8").to_owned()
        };
        let read = |url: &str, ca: &str| {
            let given = [(URL, url), (FROM, "a@b.test"), (CA, ca)];
            let given = given.map(|(name, value)| (name, value.to_owned()));
            SmtpServer::read(&Sources::from_pairs(given))
        };
        let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        let right = path("ca.pem", pem);
        let server = read("smtps://mx.test", &right).expect("valid");
        let roots = server.and_then(|server| server.roots);
        assert_eq!(roots.as_deref(), Some(pem.as_bytes()));
        let absent = directory.path().join("nenhum.pem");
        for (url, ca) in [
            ("smtps://mx.test", absent.to_str().expect("UTF-8")),
            ("smtps://mx.test", &*path("texto.pem", "nada")),
            (
                "smtps://mx.test",
                &*path("meio.pem", &pem[..pem.len() - 30]),
            ),
            ("smtp://mx.test?tls=none", &*right),
            ("smtp://localhost", &*right),
        ] {
            let refused = read(url, ca).expect_err(url).to_string();
            assert!(refused.contains(CA), "{url}: {refused}");
        }
    }

    #[test]
    fn wrong_values_are_refused_and_both_settings_are_needed() {
        for url in [
            "",
            "mx.test",
            "http://mx.test",
            "smtp://",
            "smtp://mx.test?tls=talvez",
            "smtps://mx.test?tls=none",
            "smtp://ana@mx.test",
            "smtp://mx.test#a",
        ] {
            let refused = read(url, "a@b.test").expect_err(url).to_string();
            assert!(refused.contains(URL), "{url}: {refused}");
        }
        for from in [
            "",
            "ana",
            "Ana <ana>",
            "a@b.test, c@d.test",
            "An\na <a@b.test>",
        ] {
            let refused = read("smtp://mx.test", from).expect_err(from).to_string();
            assert!(refused.contains(FROM), "{from}: {refused}");
        }
        let sources = Sources::from_pairs([(URL, "smtp://mx.test".to_owned())]);
        assert!(SmtpServer::read(&sources).is_err());
        assert!(matches!(SmtpServer::read(&Sources::default()), Ok(None)));
        let sender = |from| {
            read("smtp://mx.test", from)
                .expect("valid")
                .expect("a server")
        };
        assert_eq!(sender("a@b.test").from_name, None);
        let named = sender("\"Equipe de Arte\" <A@b.test>");
        assert_eq!(named.from_name.as_deref(), Some("Equipe de Arte"));
        assert_eq!(named.from.as_str(), "a@b.test");
    }
}
