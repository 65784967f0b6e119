//! The byte stream between the socket and hyper.
//!
//! hyper receives a head only when it is whole and well-formed, and no byte of the next request
//! before the response is written. So each head is checked even if requests are pipelined, and the
//! service knows what a connection waits for: the first byte of a request, or the rest of its head.
//!
//! The length of a body is the one that hyper took from the head, so no request is parsed a second
//! time. Responses that hyper itself gives to a head are held back and replaced by the error
//! object.

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

/// Bytes of one read, except for bodies with a known length.
const PIECE: usize = 8 << 10;

/// Why the server closes a connection with an error for the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CloseReason {
    BareLineFeed,
    TooLarge,
    TooSlow,
    Malformed,
}

impl CloseReason {
    pub(super) fn error(self) -> Error {
        let head = |rule, message| Error::invalid("cabeçalho", rule, message);
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
    /// Bytes that were read and not passed on.
    held: BytesMut,
    /// How many of the held bytes belong to a checked head.
    passing: usize,
    scan: HeadScan,
    /// True if nothing has arrived since the last response.
    idle: bool,
    /// The deadline of the next request.
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

    /// The socket after hyper has finished, the error that is still to be sent, and whether input
    /// of the client is unread.
    pub(super) fn into_rest(self) -> (TcpStream, Option<CloseReason>, bool) {
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

    /// Reads until `held` has a whole head; `false` when the connection ends instead.
    fn poll_head(&mut self, task: &mut Context<'_>) -> Poll<io::Result<bool>> {
        loop {
            match self.scan.look(&self.held) {
                // Empty lines before a request are skipped (RFC 9112 §2.2).
                Head::Whole(2) => {
                    self.held.advance(2);
                    self.scan = HeadScan::default();
                    continue;
                }
                Head::Whole(length) => {
                    self.scan = HeadScan::default();
                    if !self.slot.enter(Stage::Busy) {
                        return Poll::Ready(Ok(false));
                    }
                    self.passing = length;
                    self.reading.restart();
                    self.exchange.head_given();
                    return Poll::Ready(Ok(true));
                }
                Head::BareLineFeed => return self.end(CloseReason::BareLineFeed),
                Head::Partial if self.held.len() >= self.limits.head_bytes => {
                    return self.end(CloseReason::TooLarge);
                }
                Head::Partial => {}
            }
            let is_first = self.held.is_empty();
            match self.poll_fill(task)? {
                Poll::Ready(0) => return Poll::Ready(Ok(false)),
                Poll::Ready(_) if is_first => self.head_begins(),
                Poll::Ready(_) => {}
                Poll::Pending => {
                    ready!(self.poll_late(task));
                    if self.held.is_empty() {
                        return Poll::Ready(Ok(false));
                    }
                    return self.end(CloseReason::TooSlow);
                }
            }
        }
    }

    fn end(&mut self, close_reason: CloseReason) -> Poll<io::Result<bool>> {
        self.close_reason = Some(close_reason);
        Poll::Ready(Ok(false))
    }

    fn head_begins(&mut self) {
        // The timeout of the first head runs from the connection.
        if std::mem::take(&mut self.idle) {
            self.deadline = Instant::now() + self.limits.head;
            self.slot.enter(Stage::Opening);
        }
    }

    /// Ready once the deadline has passed. The timer is only reset when it fires, or when it must
    /// fire earlier.
    fn poll_late(&mut self, task: &mut Context<'_>) -> Poll<()> {
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

    /// Reads bytes into `held`; returns 0 at the end of the stream.
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
                    self.pass(usize::try_from(left).unwrap_or(usize::MAX), into)
                };
                self.exchange.body_passed(match left - passed as u64 {
                    0 => None,
                    left => Some(Framing::Length(left)),
                });
            }
            Framing::Chunked(mut place) => {
                if self.held.is_empty() && ready!(self.poll_fill(task))? == 0 {
                    return Poll::Ready(Ok(()));
                }
                let fits = self.held.len().min(into.remaining());
                let (used, ended) = place.follow(&self.held[..fits]);
                self.pass(used, into);
                self.exchange
                    .body_passed((!ended).then_some(Framing::Chunked(place)));
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Passes on at most this many of the held bytes.
    fn pass(&mut self, most: usize, into: &mut ReadBuf<'_>) -> usize {
        let passed = most.min(self.held.len()).min(into.remaining());
        into.put_slice(&self.held[..passed]);
        self.held.advance(passed);
        passed
    }

    /// While a request is answered, only the end of the connection matters. Other bytes are held
    /// for later.
    fn poll_hung_up(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.held.is_empty() && ready!(self.poll_fill(task))? == 0 {
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    }

    /// The response is written: wait for the next request.
    fn poll_next(&mut self, task: &mut Context<'_>) {
        self.idle = true;
        self.slot.enter(Stage::Idle);
        self.deadline = Instant::now() + self.limits.idle;
        if !self.held.is_empty() {
            self.head_begins();
            // hyper waits for the socket, which may have no more data, so its task is woken.
            task.waker().wake_by_ref();
        } else if self.held.capacity() > 2 * PIECE {
            self.held = BytesMut::new();
        }
        // This poll registers the timer.
        let _ = self.poll_late(task);
    }

    /// Holds back a response that hyper itself makes for a malformed head. Such a response has no
    /// body.
    fn refused_by_hyper(&mut self, answer: &[u8]) -> bool {
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

    fn written(
        &mut self,
        task: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(bytes)) => self.writing.progressed(bytes),
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
                wire.passing -= wire.pass(wire.passing, into);
                return Poll::Ready(Ok(()));
            }
            match wire.exchange.phase() {
                Phase::Head => {
                    if !ready!(wire.poll_head(task))? {
                        return Poll::Ready(Ok(()));
                    }
                }
                // hyper asks for more after a whole head, so the head is malformed.
                Phase::HeadGiven => {
                    wire.close_reason = Some(CloseReason::Malformed);
                    return Poll::Ready(Ok(()));
                }
                Phase::Body(framing) => {
                    let before = into.filled().len();
                    let Poll::Ready(read) = wire.poll_body(task, framing, into) else {
                        ready!(wire.reading.poll_too_slow(task));
                        wire.exchange.body_is_too_slow();
                        return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                    };
                    wire.reading.progressed(into.filled().len() - before);
                    return Poll::Ready(read);
                }
                Phase::Answering => return wire.poll_hung_up(task),
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
        if wire.refused_by_hyper(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut wire.stream).poll_write(task, bytes);
        wire.written(task, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wire = self.get_mut();
        if wire.refused_by_hyper(parts.first().map_or(&[], |part| part)) {
            return Poll::Ready(Ok(parts.iter().map(|part| part.len()).sum()));
        }
        let written = Pin::new(&mut wire.stream).poll_write_vectored(task, parts);
        wire.written(task, written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// hyper flushes when it has written everything.
    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        ready!(Pin::new(&mut wire.stream).poll_flush(task))?;
        if wire.exchange.is_over() {
            wire.poll_next(task);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(task)
    }
}
