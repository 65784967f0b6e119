//! The address of a server, read from a URL and from the environment variables of libpq.

use std::{
    env,
    fmt::{self, Write},
    fs::File,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use percent_encoding::percent_decode_str;
use url::Url;

/// When a connection uses TLS, and what it verifies (`sslmode` of libpq).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TlsMode {
    Disable,
    /// Plain first; TLS if the server refuses a plain connection.
    Allow,
    /// TLS if the server supports it.
    Prefer,
    /// TLS; the certificate is verified only if a root certificate is configured.
    Require,
    /// TLS with a certificate of a trusted authority.
    VerifyCa,
    /// TLS with a certificate of a trusted authority for the host of the URL.
    VerifyFull,
}

impl TlsMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "disable" => Self::Disable,
            "allow" => Self::Allow,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => return None,
        })
    }
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    Tcp(String),
    /// The folder of the socket.
    Socket(PathBuf),
}

impl Host {
    fn parse(text: &str) -> Self {
        if text.starts_with('/') {
            Self::Socket(text.into())
        } else {
            // An IPv6 address is in brackets in a URL, but not in the address to connect to.
            Self::Tcp(text.trim_matches(['[', ']']).to_owned())
        }
    }
}

/// How to connect to a server.
#[derive(Clone)]
pub(super) struct Options {
    pub host: Host,
    pub port: u16,
    pub user: String,
    pub password: Option<String>,
    /// `None` means the database with the name of the user.
    pub database: Option<String>,
    pub tls: TlsMode,
    /// A file with root certificates, or the certificates themselves, in PEM.
    pub root_certificate: Option<String>,
    /// Files with the certificate and the key of this client, or their text, in PEM.
    pub client_certificate: Option<String>,
    pub client_key: Option<String>,
    pub application_name: Option<String>,
    /// Command-line options for the server process.
    pub options: Option<String>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.location())
    }
}

impl Options {
    /// Reads the URL; `None` if it is malformed.
    pub fn parse(url: &str) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        if !["postgres", "postgresql"].contains(&url.scheme()) {
            return None;
        }
        let mut options = Self::from_environment()?;
        if let Some(host) = url.host_str().filter(|host| !host.is_empty()) {
            options.host = Host::parse(&decode(host)?);
        }
        if let Some(port) = url.port() {
            options.port = port;
        }
        if !url.username().is_empty() {
            options.user = decode(url.username())?;
        }
        if let Some(password) = url.password() {
            options.password = Some(decode(password)?);
        }
        let database = url.path().trim_start_matches('/');
        if !database.is_empty() {
            options.database = Some(decode(database)?);
        }
        for (name, value) in url.query_pairs() {
            options.set(&name, &value)?;
        }
        if options.password.is_none() {
            options.password = options.find_password();
        }
        Some(options)
    }

    /// The variables of libpq; `None` if the mode of TLS is unknown, because another one could
    /// verify less.
    fn from_environment() -> Option<Self> {
        let get = |name: &str| env::var(name).ok();
        let port = get("PGPORT").and_then(|port| port.parse().ok());
        let port = port.unwrap_or(5432);
        let host = get("PGHOSTADDR").or_else(|| get("PGHOST"));
        let user = get("PGUSER").or_else(|| get("USER"));
        let tls = match get("PGSSLMODE") {
            Some(mode) => TlsMode::parse(&mode)?,
            None => TlsMode::Prefer,
        };
        Some(Self {
            host: Host::parse(&host.unwrap_or_else(|| default_host(port))),
            port,
            user: user.unwrap_or_else(|| "unknown".into()),
            password: get("PGPASSWORD"),
            database: get("PGDATABASE"),
            tls,
            root_certificate: get("PGSSLROOTCERT"),
            client_certificate: get("PGSSLCERT"),
            client_key: get("PGSSLKEY"),
            application_name: get("PGAPPNAME"),
            options: get("PGOPTIONS"),
        })
    }

    /// Sets a parameter of the URL; `None` if its value is invalid.
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let text = || Some(value.to_owned());
        match name {
            "sslmode" | "ssl-mode" => self.tls = TlsMode::parse(value)?,
            "sslrootcert" | "ssl-root-cert" | "ssl-ca" => self.root_certificate = text(),
            "sslcert" | "ssl-cert" => self.client_certificate = text(),
            "sslkey" | "ssl-key" => self.client_key = text(),
            "host" | "hostaddr" => self.host = Host::parse(value),
            "port" => self.port = value.parse().ok()?,
            "dbname" => self.database = text(),
            "user" => self.user = value.to_owned(),
            "password" => self.password = text(),
            "application_name" => self.application_name = text(),
            "options" => self.add_option(value),
            _ => match name.strip_prefix("options[") {
                Some(option) => {
                    let option = option.strip_suffix(']')?;
                    let value = value.replace('\\', "\\\\").replace(' ', "\\ ");
                    self.add_option(&format!("-c {option}={value}"));
                }
                // The value is not logged, because it may be a part of the password.
                None => tracing::warn!(name, "o endereço do banco tem um parâmetro desconhecido"),
            },
        }
        Some(())
    }

    fn add_option(&mut self, option: &str) {
        let options = self.options.get_or_insert_default();
        if !options.is_empty() {
            options.push(' ');
        }
        options.push_str(option);
    }

    /// The address and database name of the server, without the credentials.
    pub fn location(&self) -> String {
        let database = self.database.as_ref().unwrap_or(&self.user);
        match &self.host {
            Host::Socket(folder) => format!("{}/{database}", folder.display()),
            Host::Tcp(host) => format!("{host}:{}/{database}", self.port),
        }
    }

    /// The file of the socket in this folder.
    pub fn socket_file(&self, folder: &Path) -> PathBuf {
        folder.join(format!(".s.PGSQL.{}", self.port))
    }

    /// Finds the password in the password file of libpq.
    fn find_password(&self) -> Option<String> {
        let file = env::var_os("PGPASSFILE").map(PathBuf::from);
        let file = file.or_else(|| Some(env::home_dir()?.join(".pgpass")))?;
        let file = File::open(file).ok()?;
        if file.metadata().ok()?.permissions().mode() & 0o77 != 0 {
            tracing::warn!("o arquivo de senhas do PostgreSQL é legível por outros e foi ignorado");
            return None;
        }
        let mut lines = BufReader::new(file).lines().map_while(Result::ok);
        lines.find_map(|line| self.match_password_line(&line))
    }

    /// The password of a line `host:port:database:user:password`, if its fields match.
    fn match_password_line(&self, line: &str) -> Option<String> {
        if line.starts_with('#') {
            return None;
        }
        let fields = split_password_line(line);
        let host = match &self.host {
            Host::Tcp(host) => host.as_str(),
            Host::Socket(_) => "localhost",
        };
        let port = self.port.to_string();
        let database = self.database.as_ref().unwrap_or(&self.user);
        let [fields @ .., password] = <[String; 5]>::try_from(fields).ok()?;
        let wanted = [host, &port, database, &self.user];
        let matches = fields
            .iter()
            .zip(wanted)
            .all(|(field, wanted)| field == "*" || field == wanted);
        matches.then_some(password)
    }
}

/// Splits a line of the password file. A backslash escapes a colon or a backslash.
fn split_password_line(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let last = fields.last_mut().expect("there is a first field");
        match character {
            '\\' => last.extend(characters.next()),
            ':' => fields.push(String::new()),
            other => {
                // Writing to a `String` cannot fail.
                let _ = last.write_char(other);
            }
        }
    }
    fields
}

fn decode(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?;
    Some(text.into_owned())
}

/// A folder that contains the socket of a server, or `localhost`.
fn default_host(port: u16) -> String {
    let folders = ["/var/run/postgresql", "/private/tmp", "/tmp"];
    let socket = format!(".s.PGSQL.{port}");
    let found = folders
        .iter()
        .find(|folder| Path::new(folder).join(&socket).exists());
    found.map_or_else(|| "localhost".into(), |folder| (*folder).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> Options {
        Options::parse(url).expect("a URL")
    }

    #[test]
    fn a_url_names_server_credentials_and_database() {
        let options = parse(
            "postgres://ana:s%40nha%2F@db.example:6000/pa%20uta?sslmode=verify-full&sslrootcert=/etc/ca.pem&application_name=pauta",
        );
        assert_eq!(options.host, Host::Tcp("db.example".into()));
        assert_eq!((options.port, options.user.as_str()), (6000, "ana"));
        assert_eq!(options.password.as_deref(), Some("s@nha/"));
        assert_eq!(options.database.as_deref(), Some("pa uta"));
        assert_eq!(options.tls, TlsMode::VerifyFull);
        assert_eq!(options.root_certificate.as_deref(), Some("/etc/ca.pem"));
        assert_eq!(options.application_name.as_deref(), Some("pauta"));
        assert_eq!(options.location(), "db.example:6000/pa uta");
        assert!(!format!("{options:?}").contains("nha/"));
    }

    #[test]
    fn a_socket_is_named_by_its_folder() {
        for url in [
            "postgres://ana@%2Frun%2Fpg:6000/pauta",
            "postgres://ana@h:6000/pauta?host=/run/pg",
        ] {
            let options = parse(url);
            let Host::Socket(folder) = &options.host else {
                panic!("{options:?}");
            };
            let file = options.socket_file(folder);
            assert_eq!(file, Path::new("/run/pg/.s.PGSQL.6000"));
            assert_eq!(options.location(), "/run/pg/pauta");
        }
        assert_eq!(
            parse("postgres://ana@[::1]:6000/pauta").host,
            Host::Tcp("::1".into())
        );
    }

    #[test]
    fn every_tls_mode_of_libpq_is_known_and_no_other() {
        for (name, mode) in [
            ("disable", TlsMode::Disable),
            ("allow", TlsMode::Allow),
            ("prefer", TlsMode::Prefer),
            ("require", TlsMode::Require),
            ("verify-ca", TlsMode::VerifyCa),
            ("verify-full", TlsMode::VerifyFull),
        ] {
            let url = format!("postgres://ana@h/pauta?sslmode={name}");
            assert_eq!(parse(&url).tls, mode);
        }
        assert!(Options::parse("postgres://ana@h/pauta?sslmode=always").is_none());
        assert!(Options::parse("postgres://ana@h:70000/pauta").is_none());
        assert!(Options::parse("mysql://ana@h/pauta").is_none());
    }

    #[test]
    fn options_for_the_server_are_joined() {
        let url = "postgres://ana@h/pauta?options=-c%20jit%3Doff&options[search_path]=a%20b";
        let options = parse(url);
        let expected = "-c jit=off -c search_path=a\\ b";
        assert_eq!(options.options.as_deref(), Some(expected));
    }

    #[test]
    fn a_line_of_the_password_file_matches_by_its_fields() {
        let options = parse("postgres://ana@h:6000/pauta?password=x");
        let find = |line: &str| options.match_password_line(line);
        assert_eq!(find(r"h:6000:pauta:ana:a\:b\\").as_deref(), Some(r"a:b\"));
        assert_eq!(find("*:*:*:ana:s").as_deref(), Some("s"));
        assert_eq!(find("h:6000:outra:ana:s"), None);
        assert_eq!(find("# h:6000:pauta:ana:s"), None);
    }
}
