//! A byte stream to a server.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpStream, UnixStream},
};

use socket2::{SockRef, TcpKeepalive};

use super::{
    servers::{Host, Server},
    tls::TlsSocket,
};

/// The idle time after which TCP keepalive probes check whether the connection still exists.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// A connection is lost if the server's machine does not confirm the receipt of data for this long.
#[cfg(target_os = "linux")]
const UNCONFIRMED: Duration = Duration::from_secs(15);

#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsSocket>),
}

impl Socket {
    /// Connects without TLS.
    pub async fn connect(server: &Server) -> io::Result<Self> {
        match &server.host {
            Host::Socket(folder) => {
                let stream = UnixStream::connect(server.socket_file(folder)).await?;
                Ok(Self::Unix(stream))
            }
            Host::Tcp(host) => {
                let stream = TcpStream::connect((host.as_str(), server.port)).await?;
                stream.set_nodelay(true)?;
                // A listening session sends nothing, and a firewall may drop an idle connection.
                let probes = TcpKeepalive::new()
                    .with_time(KEEPALIVE)
                    .with_interval(KEEPALIVE / 4);
                let socket = SockRef::from(&stream);
                socket.set_tcp_keepalive(&probes)?;
                #[cfg(target_os = "linux")]
                socket.set_tcp_user_timeout(Some(UNCONFIRMED))?;
                Ok(Self::Tcp(stream))
            }
        }
    }

    /// Reads the bytes that have already arrived, without waiting. Returns 0 at the end of the stream.
    pub fn try_read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.try_read(buffer),
            Self::Unix(stream) => stream.try_read(buffer),
            Self::Tls(stream) => {
                let mut buffer = ReadBuf::new(buffer);
                let mut context = Context::from_waker(std::task::Waker::noop());
                match Pin::new(stream).poll_read(&mut context, &mut buffer) {
                    Poll::Ready(read) => read.map(|()| buffer.filled().len()),
                    Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
                }
            }
        }
    }

    pub fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }

    pub fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    /// Flushes the written data; only TLS buffers it.
    pub fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(_) | Self::Unix(_) => Poll::Ready(Ok(())),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }
}
