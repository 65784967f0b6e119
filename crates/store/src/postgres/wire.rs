//! Messages of the PostgreSQL protocol (version 3.0) on a socket.
//!
//! A message to the server is written into a buffer. The buffer is sent when a reply is awaited. While
//! the server does not accept data, incoming data is read, so that the two sides do not wait for each
//! other.

use std::{
    future::poll_fn,
    io,
    ops::Range,
    task::{Context, Poll, ready},
};

use tokio::io::ReadBuf;

use super::socket::Socket;
use crate::driver::DriverError;

/// The initial size of the input buffer, in bytes.
const ROOM: usize = 16 << 10;
/// The capacity, in bytes, above which an empty buffer is freed.
const KEPT: usize = 1 << 20;
/// The size of a message's head: its type and its length.
const HEAD: usize = 5;

/// A received message. Its body is valid until the next message is received.
#[derive(Debug)]
pub(super) struct Message {
    pub kind: u8,
    body: Range<usize>,
}

#[derive(Debug)]
pub(super) struct Wire {
    socket: Socket,
    /// The received bytes that are not consumed yet are at `start..end`.
    input: Vec<u8>,
    start: usize,
    end: usize,
    output: Vec<u8>,
    /// The number of bytes of the output that are already sent.
    sent: usize,
    is_flushed: bool,
}

impl Wire {
    pub fn new(socket: Socket) -> Self {
        Self {
            socket,
            input: vec![0; ROOM],
            start: 0,
            end: 0,
            output: vec![],
            sent: 0,
            is_flushed: true,
        }
    }

    /// Adds a message to the output. If the length exceeds the protocol's limit, the server refuses the
    /// message.
    pub fn put(&mut self, kind: u8, write: impl FnOnce(&mut Vec<u8>)) {
        self.output.push(kind);
        let start = self.output.len();
        self.output.extend([0; 4]);
        write(&mut self.output);
        let length = u32::try_from(self.output.len() - start).unwrap_or(u32::MAX);
        self.output[start..start + 4].copy_from_slice(&length.to_be_bytes());
    }

    /// Adds bytes without a message type: the requests before a session begins.
    pub fn put_raw(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
    }

    /// Returns the number of bytes that wait to be sent.
    pub fn output_length(&self) -> usize {
        self.output.len()
    }

    /// Removes messages that are not sent yet, down to an earlier [`Wire::output_length`].
    pub fn truncate_output(&mut self, length: usize) {
        self.output.truncate(length);
    }

    pub fn body(&self, message: &Message) -> &[u8] {
        &self.input[message.body.clone()]
    }

    /// Sends the output and waits for the next message. Cancellation loses no data.
    pub async fn receive(&mut self) -> Result<Message, DriverError> {
        poll_fn(|context| self.poll_message(context)).await
    }

    fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<Result<Message, DriverError>> {
        self.send(context)?;
        loop {
            if let Some(message) = self.take_message()? {
                return Poll::Ready(Ok(message));
            }
            self.make_room();
            let mut buffer = ReadBuf::new(&mut self.input[self.end..]);
            ready!(self.socket.poll_read(context, &mut buffer))?;
            match buffer.filled().len() {
                0 => return Poll::Ready(Err(closed_error().into())),
                read => self.end += read,
            }
        }
    }

    /// Sends as much of the output as the socket accepts.
    fn send(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        while self.sent < self.output.len() {
            match self.socket.poll_write(context, &self.output[self.sent..])? {
                Poll::Ready(0) => return Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(written) => self.sent += written,
                Poll::Pending => return Ok(()),
            }
            self.is_flushed = false;
        }
        self.sent = 0;
        clear_buffer(&mut self.output);
        if !self.is_flushed {
            self.is_flushed = self.socket.poll_flush(context)?.is_ready();
        }
        Ok(())
    }

    /// Takes the next message from the received bytes, if it is complete.
    fn take_message(&mut self) -> Result<Option<Message>, DriverError> {
        let received = &self.input[self.start..self.end];
        let Some((&[kind, ref length @ ..], _)) = received.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = message_length(*length)?;
        if received.len() <= length {
            return Ok(None);
        }
        let body = self.start + HEAD..self.start + 1 + length;
        self.start = body.end;
        Ok(Some(Message { kind, body }))
    }

    /// Makes room for the rest of an incomplete message.
    fn make_room(&mut self) {
        let received = self.start..self.end;
        if received.is_empty() {
            (self.start, self.end) = (0, 0);
            if self.input.len() > KEPT {
                self.input = vec![0; ROOM];
            }
            return;
        }
        let head = self.input[received.clone()].first_chunk::<HEAD>();
        let length = head.and_then(|[_, length @ ..]| message_length(*length).ok());
        let wanted = length.unwrap_or(HEAD) + 1;
        let fits = self.start + wanted <= self.input.len();
        if self.end < self.input.len() && (fits || self.start == 0) {
            return;
        }
        self.input.copy_within(received, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.input.len() < wanted {
            // The buffer has room for another message, which usually follows. It grows with the received
            // bytes and not to the announced length, which may come from a peer that is no PostgreSQL
            // server.
            let room = wanted.min(2 * self.end.max(ROOM)) + ROOM;
            self.input.resize(room.max(self.input.len()), 0);
        }
    }

    /// Returns whether the server has closed the connection or sent an error, as far as the received
    /// bytes show.
    pub fn has_ended(&mut self) -> bool {
        loop {
            while let Ok(Some(message)) = self.take_message() {
                if message.kind == b'E' {
                    return true;
                }
            }
            self.make_room();
            match self.socket.try_read(&mut self.input[self.end..]) {
                Ok(0) => return true,
                Ok(read) => self.end += read,
                Err(error) => return error.kind() != io::ErrorKind::WouldBlock,
            }
        }
    }

    /// Reads a single byte, the reply to a request for TLS.
    pub async fn receive_byte(&mut self) -> Result<u8, DriverError> {
        poll_fn(|context| {
            self.send(context)?;
            let mut buffer = ReadBuf::new(&mut self.input[..1]);
            ready!(self.socket.poll_read(context, &mut buffer))?;
            Poll::Ready(buffer.filled().first().copied().ok_or_else(closed_error))
        })
        .await
        .map_err(DriverError::Io)
    }

    /// Sends the output and waits until the server closes the connection.
    pub async fn finish(&mut self) {
        while self.receive().await.is_ok() {}
    }

    pub fn into_socket(self) -> Socket {
        self.socket
    }
}

fn clear_buffer(buffer: &mut Vec<u8>) {
    buffer.clear();
    if buffer.capacity() > KEPT {
        *buffer = vec![];
    }
}

/// Reads the length of a message. The length includes its own 4 bytes but not the message type.
fn message_length(bytes: [u8; 4]) -> Result<usize, DriverError> {
    let length = usize::try_from(i32::from_be_bytes(bytes)).ok();
    let length = length.filter(|length| *length >= 4);
    length.ok_or(DriverError::Protocol("a message has an invalid length"))
}

fn closed_error() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}
