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

use super::servers::{Host, Server, Target, split_hosts, split_port};

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

/// How to connect to a server.
#[derive(Clone)]
pub(super) struct Options {
    /// The servers, in the order in which they are tried. There is at least one.
    pub servers: Vec<Server>,
    /// The state in which a server is accepted.
    pub target: Target,
    /// Whether PgBouncer may run each transaction in another session of the server (`pgbouncer`).
    /// Statements then have no names.
    pub is_pooled: bool,
    pub user: String,
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
        Parsed::read(url)?.into_options()
    }

    fn add_option(&mut self, option: &str) {
        let options = self.options.get_or_insert_default();
        if !options.is_empty() {
            options.push(' ');
        }
        options.push_str(option);
    }

    /// Returns the addresses of the servers and the name of the database, without the credentials.
    pub fn location(&self) -> String {
        let servers: Vec<String> = self.servers.iter().map(ToString::to_string).collect();
        format!("{}/{}", servers.join(","), self.database_name())
    }

    /// Returns the name of the database; by default the name of the user.
    fn database_name(&self) -> &str {
        self.database.as_ref().unwrap_or(&self.user)
    }

    /// Finds the password of a server in the password file of libpq.
    fn find_password(&self, server: &Server) -> Option<String> {
        let file = env::var_os("PGPASSFILE").map(PathBuf::from);
        let file = file.or_else(|| Some(env::home_dir()?.join(".pgpass")))?;
        let file = File::open(file).ok()?;
        if file.metadata().ok()?.permissions().mode() & 0o77 != 0 {
            tracing::warn!("o arquivo de senhas do PostgreSQL é legível por outros e foi ignorado");
            return None;
        }
        let mut lines = BufReader::new(file).lines().map_while(Result::ok);
        lines.find_map(|line| self.match_password_line(server, &line))
    }

    /// Returns the password of a line `host:port:database:user:password`, if its fields match.
    fn match_password_line(&self, server: &Server, line: &str) -> Option<String> {
        if line.starts_with('#') {
            return None;
        }
        let fields = split_password_line(line);
        let host = match &server.host {
            Host::Tcp(host) => host.as_str(),
            Host::Socket(_) => "localhost",
        };
        let port = server.port.to_string();
        let [fields @ .., password] = <[String; 5]>::try_from(fields).ok()?;
        let wanted = [host, &port, self.database_name(), &self.user];
        let matches = fields
            .iter()
            .zip(wanted)
            .all(|(field, wanted)| field == "*" || field == wanted);
        matches.then_some(password)
    }
}

/// The parameters of the URL and the environment, before hosts and ports are matched.
struct Parsed {
    options: Options,
    hosts: Vec<Host>,
    /// One port for each host, or one port for all hosts.
    ports: Vec<u16>,
    password: Option<String>,
    target: Option<Target>,
}

impl Parsed {
    fn read(url: &str) -> Option<Self> {
        let (url, hosts) = match split_hosts(url) {
            Some((url, hosts)) => (Url::parse(&url).ok()?, Some(hosts)),
            None => (Url::parse(url).ok()?, None),
        };
        if !["postgres", "postgresql"].contains(&url.scheme()) {
            return None;
        }
        let mut parsed = Self::from_environment()?;
        if let Some(hosts) = hosts {
            parsed.set_hosts(hosts)?;
        } else {
            if let Some(host) = url.host_str().filter(|host| !host.is_empty()) {
                parsed.hosts = vec![Host::parse(&decode(host)?)];
            }
            if let Some(port) = url.port() {
                parsed.ports = vec![port];
            }
        }
        if !url.username().is_empty() {
            parsed.options.user = decode(url.username())?;
        }
        if let Some(password) = url.password() {
            parsed.password = Some(decode(password)?);
        }
        let database = url.path().trim_start_matches('/');
        if !database.is_empty() {
            parsed.options.database = Some(decode(database)?);
        }
        for (name, value) in url.query_pairs() {
            parsed.set_parameter(&name, &value)?;
        }
        Some(parsed)
    }

    /// Sets the hosts of a URL that names several hosts, each with its port.
    fn set_hosts(&mut self, hosts: &str) -> Option<()> {
        let default = *self.ports.first()?;
        (self.hosts, self.ports) = (vec![], vec![]);
        for host in hosts.split(',') {
            let (host, port) = split_port(host)?;
            self.hosts.push(Host::parse(&decode(host)?));
            self.ports.push(port.unwrap_or(default));
        }
        Some(())
    }

    /// Reads the environment variables of libpq. Returns `None` if a value is invalid. An unknown TLS
    /// mode is invalid too, because any other mode might verify less.
    fn from_environment() -> Option<Self> {
        let get = |name: &str| env::var(name).ok();
        let ports = get("PGPORT").and_then(|ports| parse_ports(&ports));
        let ports = ports.unwrap_or_else(|| vec![5432]);
        let hosts = get("PGHOSTADDR").or_else(|| get("PGHOST"));
        let hosts = hosts.unwrap_or_else(|| default_host(ports[0]));
        let user = get("PGUSER").or_else(|| get("USER"));
        let tls = match get("PGSSLMODE") {
            Some(mode) => TlsMode::parse(&mode)?,
            None => TlsMode::Prefer,
        };
        let target = match get("PGTARGETSESSIONATTRS") {
            Some(target) => Some(Target::parse(&target)?),
            None => None,
        };
        Some(Self {
            options: Options {
                servers: vec![],
                target: Target::Any,
                is_pooled: false,
                user: user.unwrap_or_else(|| "unknown".into()),
                database: get("PGDATABASE"),
                tls,
                root_certificate: get("PGSSLROOTCERT"),
                client_certificate: get("PGSSLCERT"),
                client_key: get("PGSSLKEY"),
                application_name: get("PGAPPNAME"),
                options: get("PGOPTIONS"),
            },
            hosts: parse_hosts(&hosts),
            ports,
            password: get("PGPASSWORD"),
            target,
        })
    }

    /// Sets a parameter of the URL. Returns `None` if its value is invalid.
    fn set_parameter(&mut self, name: &str, value: &str) -> Option<()> {
        let options = &mut self.options;
        let text = || Some(value.to_owned());
        match name {
            "sslmode" | "ssl-mode" => options.tls = TlsMode::parse(value)?,
            "sslrootcert" | "ssl-root-cert" | "ssl-ca" => options.root_certificate = text(),
            "sslcert" | "ssl-cert" => options.client_certificate = text(),
            "sslkey" | "ssl-key" => options.client_key = text(),
            "host" | "hostaddr" => self.hosts = parse_hosts(value),
            "port" => self.ports = parse_ports(value)?,
            "target_session_attrs" => self.target = Some(Target::parse(value)?),
            "pgbouncer" => options.is_pooled = value.parse().ok()?,
            "dbname" => options.database = text(),
            "user" => options.user = value.to_owned(),
            "password" => self.password = text(),
            "application_name" => options.application_name = text(),
            "options" => options.add_option(value),
            _ => match name.strip_prefix("options[") {
                Some(option) => {
                    let option = option.strip_suffix(']')?;
                    let value = value.replace('\\', "\\\\").replace(' ', "\\ ");
                    options.add_option(&format!("-c {option}={value}"));
                }
                // The value is not logged, because it may be a part of the password.
                None => tracing::warn!(name, "o endereço do banco tem um parâmetro desconhecido"),
            },
        }
        Some(())
    }

    /// Gives each host its port and password. Returns `None` if the numbers of hosts and ports differ.
    fn into_options(self) -> Option<Options> {
        let Self {
            mut options,
            hosts,
            ports,
            password,
            target,
        } = self;
        if ports.len() != 1 && ports.len() != hosts.len() {
            return None;
        }
        // The system's certificate authorities sign certificates for any host, so the name is verified
        // too.
        if options.root_certificate.as_deref() == Some("system") {
            (options.root_certificate, options.tls) = (None, TlsMode::VerifyFull);
        }
        // If there are several servers, only the primary accepts writes.
        let default = if hosts.len() > 1 {
            Target::ReadWrite
        } else {
            Target::Any
        };
        options.target = target.unwrap_or(default);
        let ports = ports.into_iter().cycle();
        for (host, port) in hosts.into_iter().zip(ports) {
            let mut server = Server {
                host,
                port,
                password: password.clone(),
            };
            if server.password.is_none() {
                server.password = options.find_password(&server);
            }
            options.servers.push(server);
        }
        Some(options)
    }
}

fn parse_hosts(text: &str) -> Vec<Host> {
    text.split(',').map(Host::parse).collect()
}

fn parse_ports(text: &str) -> Option<Vec<u16>> {
    text.split(',').map(|port| port.parse().ok()).collect()
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

/// Returns the first folder that contains the socket of a server, or `localhost`.
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
    use super::{super::servers::ServerState, *};

    fn parse(url: &str) -> Options {
        Options::parse(url).expect("a URL")
    }

    fn server(options: &Options) -> &Server {
        let [server] = &options.servers[..] else {
            panic!("{options:?}");
        };
        server
    }

    #[test]
    fn a_url_names_server_credentials_and_database() {
        let options = parse(
            "postgres://ana:s%40nha%2F@db.example:6000/pa%20uta?sslmode=verify-full&sslrootcert=/etc/ca.pem&application_name=pauta",
        );
        let found = server(&options);
        assert_eq!(found.host, Host::Tcp("db.example".into()));
        assert_eq!((found.port, options.user.as_str()), (6000, "ana"));
        assert_eq!(found.password.as_deref(), Some("s@nha/"));
        assert_eq!(options.database.as_deref(), Some("pa uta"));
        assert_eq!(options.tls, TlsMode::VerifyFull);
        assert_eq!(options.root_certificate.as_deref(), Some("/etc/ca.pem"));
        assert_eq!(options.application_name.as_deref(), Some("pauta"));
        assert_eq!(options.location(), "db.example:6000/pa uta");
        assert_eq!((options.target, options.is_pooled), (Target::Any, false));
        assert!(!format!("{options:?}").contains("nha/"));
    }

    #[test]
    fn a_socket_is_named_by_its_folder() {
        for url in [
            "postgres://ana@%2Frun%2Fpg:6000/pauta",
            "postgres://ana@h:6000/pauta?host=/run/pg",
        ] {
            let options = parse(url);
            let found = server(&options);
            let Host::Socket(folder) = &found.host else {
                panic!("{options:?}");
            };
            let file = found.socket_file(folder);
            assert_eq!(file, Path::new("/run/pg/.s.PGSQL.6000"));
            assert_eq!(options.location(), "/run/pg/pauta");
        }
        let options = parse("postgres://ana@[::1]:6000/pauta");
        assert_eq!(server(&options).host, Host::Tcp("::1".into()));
    }

    #[test]
    fn several_servers_have_their_ports_and_must_accept_writes() {
        for (url, location) in [
            (
                "postgres://ana:a,b@h1:6000,h2/pauta",
                "h1:6000,h2:5432/pauta",
            ),
            (
                "postgres://ana@[::1]:6000,[fe80::2],%2Frun%2Fpg/pauta",
                "::1:6000,fe80::2:5432,/run/pg/pauta",
            ),
            (
                "postgres://ana@h/pauta?host=h1,h2&port=6000,6001",
                "h1:6000,h2:6001/pauta",
            ),
            (
                "postgres://ana@h/pauta?host=h1,h2&port=6000",
                "h1:6000,h2:6000/pauta",
            ),
        ] {
            let options = parse(url);
            assert_eq!(options.location(), location);
            assert_eq!(options.target, Target::ReadWrite, "{url}");
        }
        let options = parse("postgres://ana:a,b@h1,h2/pauta?target_session_attrs=primary");
        assert_eq!(options.target, Target::Primary);
        assert_eq!(options.servers[1].password.as_deref(), Some("a,b"));
        for url in [
            "postgres://ana@h1,h2/pauta?port=1,2,3",
            "postgres://ana@h1:x,h2/pauta",
            "postgres://ana@h1,h2/pauta?target_session_attrs=standby",
            "postgres://ana@h/pauta?pgbouncer=talvez",
        ] {
            assert!(Options::parse(url).is_none(), "{url}");
        }
        assert!(parse("postgres://ana@h/pauta?pgbouncer=true").is_pooled);
    }

    #[test]
    fn only_a_server_in_the_wanted_state_is_accepted() {
        let (primary, standby) = (
            ServerState::default(),
            ServerState {
                is_standby: true,
                ..ServerState::default()
            },
        );
        let locked = ServerState {
            is_read_only: true,
            ..ServerState::default()
        };
        let accepted =
            |target: Target| [primary, standby, locked].map(|state| target.accepts(state));
        assert_eq!(accepted(Target::Any), [true, true, true]);
        assert_eq!(accepted(Target::Primary), [true, false, true]);
        assert_eq!(accepted(Target::ReadWrite), [true, false, false]);
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
        let options = parse("postgres://ana@h/pauta?sslmode=require&sslrootcert=system");
        assert_eq!(
            (options.tls, options.root_certificate),
            (TlsMode::VerifyFull, None)
        );
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
        let find = |line: &str| options.match_password_line(server(&options), line);
        assert_eq!(find(r"h:6000:pauta:ana:a\:b\\").as_deref(), Some(r"a:b\"));
        assert_eq!(find("*:*:*:ana:s").as_deref(), Some("s"));
        assert_eq!(find("h:6000:outra:ana:s"), None);
        assert_eq!(find("# h:6000:pauta:ana:s"), None);
    }
}
