//! The begin of a session: TLS, the startup message and the authentication.

use postgres_protocol::authentication::{
    md5_hash,
    sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256},
};

use super::{
    described::server_error,
    options::{Options, TlsMode},
    servers::{Host, Server, ServerState},
    socket::Socket,
    tls,
    wire::Wire,
};
use crate::driver::DriverError;

/// The version of the protocol, 3.0.
const VERSION: u32 = 3 << 16;
/// The number that a TLS request sends instead of a protocol version.
const TLS_REQUEST: u32 = 80_877_103;

/// Connects and authenticates. Also returns what the server reports about its state.
pub(super) async fn connect(
    options: &Options,
    server: &Server,
) -> Result<(Wire, ServerState), DriverError> {
    let open = |with_tls| start_session(options, server, with_tls);
    if matches!(server.host, Host::Socket(_)) {
        return open(false).await;
    }
    match options.tls {
        TlsMode::Disable => open(false).await,
        TlsMode::Allow => retry_if_refused(open(false).await, open(true)).await,
        TlsMode::Prefer => retry_if_refused(open(true).await, open(false)).await,
        TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => open(true).await,
    }
}

/// Connects again, with or without TLS, if the TLS handshake failed or the server does not accept this
/// kind of connection from this host.
async fn retry_if_refused<T>(
    connected: Result<T, DriverError>,
    again: impl Future<Output = Result<T, DriverError>>,
) -> Result<T, DriverError> {
    match connected {
        Err(DriverError::Tls(_)) => again.await,
        Err(DriverError::Server { code, message }) if code == "28000" => {
            let refused = DriverError::Server { code, message };
            again.await.map_err(|_| refused)
        }
        connected => connected,
    }
}

async fn start_session(
    options: &Options,
    server: &Server,
    with_tls: bool,
) -> Result<(Wire, ServerState), DriverError> {
    let mut wire = Wire::new(Socket::connect(server).await?);
    if with_tls {
        wire = request_tls(wire, options, server).await?;
    }
    let mut message = vec![0; 4];
    message.extend(VERSION.to_be_bytes());
    let mut set = |name: &str, value: &str| {
        for text in [name, value] {
            message.extend_from_slice(text.as_bytes());
            message.push(0);
        }
    };
    set("user", &options.user);
    set("client_encoding", "UTF8");
    set("DateStyle", "ISO, MDY");
    set("TimeZone", "UTC");
    for (name, value) in [
        ("database", &options.database),
        ("application_name", &options.application_name),
        ("options", &options.options),
    ] {
        if let Some(value) = value {
            set(name, value);
        }
    }
    message.push(0);
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    message[..4].copy_from_slice(&length.to_be_bytes());
    wire.put_raw(&message);
    let password = server.password.as_deref().unwrap_or_default();
    let state = authenticate(&mut wire, &options.user, password).await?;
    Ok((wire, state))
}

async fn request_tls(
    mut wire: Wire,
    options: &Options,
    server: &Server,
) -> Result<Wire, DriverError> {
    wire.put_raw(&8_u32.to_be_bytes());
    wire.put_raw(&TLS_REQUEST.to_be_bytes());
    match wire.receive_byte().await? {
        b'S' => {}
        b'N' if options.tls == TlsMode::Prefer => return Ok(wire),
        b'N' => return Err(DriverError::Tls("the server has no TLS".into())),
        _ => {
            return Err(DriverError::Protocol(
                "the reply to a request for TLS is invalid",
            ));
        }
    }
    let (Socket::Tcp(stream), Host::Tcp(host)) = (wire.into_socket(), &server.host) else {
        return Err(DriverError::Tls("only TCP connections have TLS".into()));
    };
    let encrypted = tls::encrypt(stream, host, options).await?;
    Ok(Wire::new(Socket::Tls(Box::new(encrypted))))
}

/// Answers the server until it accepts queries.
async fn authenticate(
    wire: &mut Wire,
    user: &str,
    password: &str,
) -> Result<ServerState, DriverError> {
    let (mut scram, mut state) = (None, ServerState::default());
    loop {
        let message = wire.receive().await?;
        match message.kind {
            b'R' => {
                let body = wire.body(&message).to_owned();
                answer_authentication(wire, user, password, &mut scram, &body)?;
            }
            b'E' => return Err(server_error(wire.body(&message))),
            b'Z' if scram.is_none() => return Ok(state),
            b'S' => {
                let mut parameter = wire.body(&message).split(|byte| *byte == 0);
                let (name, value) = (parameter.next(), parameter.next());
                match name {
                    Some(b"in_hot_standby") => state.is_standby = value == Some(b"on"),
                    Some(b"default_transaction_read_only") => {
                        state.is_read_only = value == Some(b"on");
                    }
                    _ => {}
                }
            }
            // The cancellation key, notices, and the version.
            b'K' | b'N' | b'v' => {}
            _ => return Err(DriverError::Protocol("an unexpected message at startup")),
        }
    }
}

/// Answers a request for authentication.
fn answer_authentication(
    wire: &mut Wire,
    user: &str,
    password: &str,
    scram: &mut Option<ScramSha256>,
    request: &[u8],
) -> Result<(), DriverError> {
    let invalid = || DriverError::Protocol("an invalid request for authentication");
    let (kind, data) = request.split_first_chunk().ok_or_else(invalid)?;
    match u32::from_be_bytes(*kind) {
        // Authentication is accepted. If the server began to prove that it knows the password, it must
        // have finished.
        0 if scram.is_none() => {}
        // The password in clear text.
        3 => put_text(wire, password),
        5 => {
            let salt = data.try_into().map_err(|_| invalid())?;
            let hash = md5_hash(user.as_bytes(), password.as_bytes(), salt);
            put_text(wire, &hash);
        }
        10 => {
            let mut offered = data.split(|byte| *byte == 0);
            if !offered.any(|name| name == SCRAM_SHA_256.as_bytes()) {
                return Err(unsupported_error());
            }
            let begun = ScramSha256::new(password.as_bytes(), ChannelBinding::unsupported());
            let first = begun.message();
            let length = u32::try_from(first.len()).map_err(|_| invalid())?;
            wire.put(b'p', |output| {
                output.extend_from_slice(SCRAM_SHA_256.as_bytes());
                output.push(0);
                output.extend(length.to_be_bytes());
                output.extend_from_slice(first);
            });
            *scram = Some(begun);
        }
        11 => {
            let scram = scram.as_mut().ok_or_else(invalid)?;
            scram.update(data).map_err(to_invalid_password)?;
            wire.put(b'p', |output| output.extend_from_slice(scram.message()));
        }
        12 => {
            let mut begun = scram.take().ok_or_else(invalid)?;
            begun.finish(data).map_err(to_invalid_password)?;
        }
        _ => return Err(unsupported_error()),
    }
    Ok(())
}

fn put_text(wire: &mut Wire, text: &str) {
    wire.put(b'p', |output| {
        output.extend_from_slice(text.as_bytes());
        output.push(0);
    });
}

/// Returns the error for a server that did not prove that it knows the password, or sent a malformed
/// proof.
fn to_invalid_password(error: std::io::Error) -> DriverError {
    DriverError::Server {
        code: "28P01".into(),
        message: error.to_string(),
    }
}

fn unsupported_error() -> DriverError {
    DriverError::Server {
        // The code is not 28000, because a plain connection would be tried after that code.
        code: "0A000".into(),
        message: "the server asks for an authentication that is not supported".into(),
    }
}
