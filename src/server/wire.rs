//! The byte stream between the socket and hyper.
//!
//! hyper receives a head only when it is complete and well-formed, and receives no byte of the next
//! request before the response is written. So each head is checked even if requests are pipelined,
//! and the service knows what a connection waits for: the first byte of a request, or the rest of
//! its head.
//!
//! The framing of a body is the one that hyper parsed from the head, so no request is parsed twice.
//! Responses that hyper generates for an invalid head are dropped, and the service's own error
//! response is sent instead.

use std::{
    io::{self, IoSlice},
    mem::MaybeUninit,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::{Buf, BytesMut};
use gateway::{Code, Error};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep, sleep_until},
};

use super::{
    Limits,
    exchange::{Exchange, Phase},
    framing::{Framing, Head, HeadScan},
    rate::RateMeter,
    slots::{Slot, Stage},
};

/// Bytes per read, except for bodies with a `Content-Length`.
const PIECE: usize = 8 << 10;

/// Why the server closes a connection with an error response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CloseReason {
    BareLineFeed,
    TooLarge,
    TooSlow,
    Malformed,
}

impl CloseReason {
    pub(super) fn to_error(self) -> Error {
        let head = |rule, message| Error::invalid_field("cabeçalho", rule, message);
        match self {
            Self::BareLineFeed => head("line-end", "deve terminar cada linha com CRLF"),
            Self::Malformed => head("http", "não é um cabeçalho HTTP/1.1 válido"),
            Self::TooLarge => Error::new(Code::HEADERS_TOO_LARGE),
            Self::TooSlow => Error::new(Code::REQUEST_TIMEOUT),
        }
    }
}

pub(super) struct Wire {
    stream: TcpStream,
    exchange: Arc<Exchange>,
    slot: Arc<Slot>,
    limits: Limits,
    /// Bytes that were read from the socket and not passed to hyper yet.
    held: BytesMut,
    /// How many of the held bytes belong to a head that was checked and may be passed to hyper.
    passing: usize,
    scan: HeadScan,
    /// Whether no byte has arrived since the last response.
    idle: bool,
    /// The deadline of the next request head.
    deadline: Instant,
    timer: Pin<Box<Sleep>>,
    reading: RateMeter,
    writing: RateMeter,
    close_reason: Option<CloseReason>,
}

impl Wire {
    pub(super) fn new(
        stream: TcpStream,
        exchange: Arc<Exchange>,
        slot: Arc<Slot>,
        limits: Limits,
    ) -> Self {
        let deadline = Instant::now() + limits.head;
        Self {
            stream,
            exchange,
            reading: RateMeter::new(limits.body, slot.clone()),
            writing: RateMeter::new(limits.answer, slot.clone()),
            slot,
            limits,
            held: BytesMut::new(),
            passing: 0,
            scan: HeadScan::default(),
            idle: false,
            deadline,
            timer: Box::pin(sleep_until(deadline)),
            close_reason: None,
        }
    }

    /// Returns the socket, the error that must still be sent, and whether input is unread. Called
    /// after hyper has finished.
    pub(super) fn into_parts(self) -> (TcpStream, Option<CloseReason>, bool) {
        let (close_reason, within_body) = match self.exchange.phase() {
            Phase::HeadGiven => (self.close_reason.or(Some(CloseReason::Malformed)), false),
            phase => (self.close_reason, matches!(phase, Phase::Body(_))),
        };
        (
            self.stream,
            close_reason,
            within_body || !self.held.is_empty(),
        )
    }

    /// Reads until `held` contains a complete head; `false` if the connection ends instead.
    fn poll_head(&mut self, task: &mut Context<'_>) -> Poll<io::Result<bool>> {
        loop {
            match self.scan.scan(&self.held) {
                // Empty lines before a request are skipped (RFC 9112 §2.2).
                Head::Whole(2) => {
                    self.held.advance(2);
                    self.scan = HeadScan::default();
                    continue;
                }
                Head::Whole(length) => {
                    self.scan = HeadScan::default();
                    if !self.slot.enter_stage(Stage::Busy) {
                        return Poll::Ready(Ok(false));
                    }
                    self.passing = length;
                    self.reading.restart();
                    self.exchange.mark_head_received();
                    return Poll::Ready(Ok(true));
                }
                Head::BareLineFeed => return self.close_with(CloseReason::BareLineFeed),
                Head::Partial if self.held.len() >= self.limits.head_bytes => {
                    return self.close_with(CloseReason::TooLarge);
                }
                Head::Partial => {}
            }
            let is_first = self.held.is_empty();
            match self.poll_fill(task)? {
                Poll::Ready(0) => return Poll::Ready(Ok(false)),
                Poll::Ready(_) if is_first => self.start_head_timeout(),
                Poll::Ready(_) => {}
                Poll::Pending => {
                    ready!(self.poll_deadline(task));
                    if self.held.is_empty() {
                        return Poll::Ready(Ok(false));
                    }
                    return self.close_with(CloseReason::TooSlow);
                }
            }
        }
    }

    fn close_with(&mut self, close_reason: CloseReason) -> Poll<io::Result<bool>> {
        self.close_reason = Some(close_reason);
        Poll::Ready(Ok(false))
    }

    fn start_head_timeout(&mut self) {
        // The timeout of the first head starts with the connection, so only later ones reset the
        // deadline.
        if std::mem::take(&mut self.idle) {
            self.deadline = Instant::now() + self.limits.head;
            self.slot.enter_stage(Stage::Opening);
        }
    }

    /// Ready when the deadline has passed. The timer is reset only when it fires or must fire earlier.
    fn poll_deadline(&mut self, task: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.deadline < self.timer.deadline() {
                self.timer.as_mut().reset(self.deadline);
            }
            ready!(self.timer.as_mut().poll(task));
            if self.timer.deadline() >= self.deadline {
                return Poll::Ready(());
            }
            self.timer.as_mut().reset(self.deadline);
        }
    }

    /// Reads from the socket into `held`; returns 0 at the end of the stream.
    fn poll_fill(&mut self, task: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut piece = [MaybeUninit::uninit(); PIECE];
        let mut piece = ReadBuf::uninit(&mut piece);
        ready!(Pin::new(&mut self.stream).poll_read(task, &mut piece))?;
        self.held.extend_from_slice(piece.filled());
        Poll::Ready(Ok(piece.filled().len()))
    }

    fn poll_body(
        &mut self,
        task: &mut Context<'_>,
        framing: Framing,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match framing {
            Framing::Length(left) => {
                let passed = if self.held.is_empty() {
                    let before = into.filled().len();
                    let mut body = (&mut self.stream).take(left);
                    ready!(Pin::new(&mut body).poll_read(task, into))?;
                    into.filled().len() - before
                } else {
                    self.pass_to_hyper(usize::try_from(left).unwrap_or(usize::MAX), into)
                };
                self.exchange.set_body_left(match left - passed as u64 {
                    0 => None,
                    left => Some(Framing::Length(left)),
                });
            }
            Framing::Chunked(mut place) => {
                if self.held.is_empty() && ready!(self.poll_fill(task))? == 0 {
                    return Poll::Ready(Ok(()));
                }
                let fits = self.held.len().min(into.remaining());
                let (used, ended) = place.consume(&self.held[..fits]);
                self.pass_to_hyper(used, into);
                self.exchange
                    .set_body_left((!ended).then_some(Framing::Chunked(place)));
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Passes at most `most` held bytes to hyper.
    fn pass_to_hyper(&mut self, most: usize, into: &mut ReadBuf<'_>) -> usize {
        let passed = most.min(self.held.len()).min(into.remaining());
        into.put_slice(&self.held[..passed]);
        self.held.advance(passed);
        passed
    }

    /// Detects that the client has closed the connection while a request is answered. Other bytes stay
    /// in `held`.
    fn poll_client_closed(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.held.is_empty() && ready!(self.poll_fill(task))? == 0 {
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    }

    /// Starts waiting for the next request. Called when the response is written.
    fn start_next_wait(&mut self, task: &mut Context<'_>) {
        self.idle = true;
        self.slot.enter_stage(Stage::Idle);
        self.deadline = Instant::now() + self.limits.idle;
        if !self.held.is_empty() {
            self.start_head_timeout();
            // hyper waits for the socket, but the next bytes are already in `held`, so its task is
            // woken.
            task.waker().wake_by_ref();
        } else if self.held.capacity() > 2 * PIECE {
            self.held = BytesMut::new();
        }
        // This poll registers the timer's waker.
        let _ = self.poll_deadline(task);
    }

    /// Drops a response that hyper itself generates for an invalid head, and records the reason.
    /// Such a response has no body.
    fn intercept_hyper_error(&mut self, answer: &[u8]) -> bool {
        let given = matches!(self.exchange.phase(), Phase::HeadGiven);
        if given && self.close_reason.is_none() {
            let too_large = [&b"HTTP/1.1 414"[..], b"HTTP/1.1 431"];
            self.close_reason = Some(
                match too_large.iter().any(|line| answer.starts_with(line)) {
                    true => CloseReason::TooLarge,
                    false => CloseReason::Malformed,
                },
            );
        }
        given
    }

    fn track_write(
        &mut self,
        task: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(bytes)) => self.writing.record_progress(bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                ready!(self.writing.poll_too_slow(task));
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
        written
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        loop {
            if wire.passing > 0 {
                wire.passing -= wire.pass_to_hyper(wire.passing, into);
                return Poll::Ready(Ok(()));
            }
            match wire.exchange.phase() {
                Phase::Head => {
                    if !ready!(wire.poll_head(task))? {
                        return Poll::Ready(Ok(()));
                    }
                }
                // hyper reads on after a complete head, so it found the head incomplete: the head
                // is malformed.
                Phase::HeadGiven => {
                    wire.close_reason = Some(CloseReason::Malformed);
                    return Poll::Ready(Ok(()));
                }
                Phase::Body(framing) => {
                    let before = into.filled().len();
                    let Poll::Ready(read) = wire.poll_body(task, framing, into) else {
                        ready!(wire.reading.poll_too_slow(task));
                        wire.exchange.mark_too_slow();
                        return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                    };
                    wire.reading.record_progress(into.filled().len() - before);
                    return Poll::Ready(read);
                }
                Phase::Answering => return wire.poll_client_closed(task),
            }
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wire = self.get_mut();
        if wire.intercept_hyper_error(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut wire.stream).poll_write(task, bytes);
        wire.track_write(task, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wire = self.get_mut();
        if wire.intercept_hyper_error(parts.first().map_or(&[], |part| part)) {
            return Poll::Ready(Ok(parts.iter().map(|part| part.len()).sum()));
        }
        let written = Pin::new(&mut wire.stream).poll_write_vectored(task, parts);
        wire.track_write(task, written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Flushes the socket. After the whole response is flushed, the wait for the next request starts.
    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        ready!(Pin::new(&mut wire.stream).poll_flush(task))?;
        if wire.exchange.start_next_if_over() {
            wire.start_next_wait(task);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(task)
    }
}
