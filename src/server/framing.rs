//! Finds the end of request heads and bodies in a byte stream.

/// The state of a head, judged by the bytes received so far.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// The head is incomplete.
    Partial,
    /// The head is complete and has this length in bytes.
    Whole(usize),
    /// A line ends in a bare line feed. RFC 9112 §2.2 allows a recipient to accept it, but a proxy
    /// in front that does not would see different requests.
    BareLineFeed,
}

/// Finds the end of a head while its bytes arrive.
#[derive(Debug, Default)]
pub(super) struct HeadScan {
    /// The position at which the current line starts.
    line: usize,
    /// The number of bytes already scanned.
    seen: usize,
}

impl HeadScan {
    /// Scans the bytes that are new since the last call. `bytes` is the head from its start.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> Head {
        while let Some(at) = bytes[self.seen..].iter().position(|byte| *byte == b'\n') {
            let end = self.seen + at;
            if end == self.line || bytes[end - 1] != b'\r' {
                return Head::BareLineFeed;
            }
            let is_empty = end - 1 == self.line;
            self.line = end + 1;
            self.seen = end + 1;
            if is_empty {
                return Head::Whole(self.seen);
            }
        }
        self.seen = bytes.len();
        Head::Partial
    }
}

/// How the end of a body is determined.
#[derive(Debug, Clone, Copy)]
pub(super) enum Framing {
    /// The body ends after this many further bytes.
    Length(u64),
    Chunked(Chunked),
}

/// The parser state within a chunked body (RFC 9112 §7.1). It only finds chunk boundaries; hyper
/// validates them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Chunked {
    Size(u64),
    Extension(u64),
    Data(u64),
    DataEnd,
    TrailerStart,
    Trailer,
}

impl Chunked {
    pub(super) const START: Self = Self::Size(0);

    /// Consumes bytes of the body. Returns how many belong to it, and whether it ends with them.
    pub(super) fn consume(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut at = 0;
        while at < bytes.len() {
            if let Self::Data(left) = *self {
                let taken = left.min((bytes.len() - at) as u64);
                at += usize::try_from(taken).unwrap_or(usize::MAX);
                *self = match left - taken {
                    0 => Self::DataEnd,
                    left => Self::Data(left),
                };
                continue;
            }
            let byte = bytes[at];
            at += 1;
            *self = match (*self, byte) {
                (Self::Size(0) | Self::Extension(0) | Self::Trailer, b'\n') => Self::TrailerStart,
                (Self::Size(size) | Self::Extension(size), b'\n') => Self::Data(size),
                (Self::Size(size), b'\r') => Self::Size(size),
                (Self::Size(size), byte) => match char::from(byte).to_digit(16) {
                    Some(digit) => Self::Size(size.saturating_mul(16).saturating_add(digit.into())),
                    None => Self::Extension(size),
                },
                (Self::DataEnd, b'\n') => Self::START,
                (Self::TrailerStart, b'\n') => return (at, true),
                (Self::TrailerStart, b'\r') => Self::TrailerStart,
                (Self::TrailerStart, _) => Self::Trailer,
                (same, _) => same,
            };
        }
        (at, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_ends_with_its_empty_line_however_its_bytes_arrive() {
        let bytes = b"GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST /";
        for step in 1..bytes.len() {
            let mut scan = HeadScan::default();
            let found = (0..=bytes.len()).step_by(step).chain([bytes.len()]);
            let mut found = found.map(|length| scan.scan(&bytes[..length]));
            let end = found.find(|head| *head != Head::Partial);
            assert_eq!(end, Some(Head::Whole(27)), "in steps of {step}");
        }
    }

    #[test]
    fn a_bare_line_feed_is_rejected() {
        for bytes in [
            "GET / HTTP/1.1\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n\n",
            "GET / HTTP/1.1\r\n\nHost: a\r\n\r\n",
            "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        ] {
            let found = HeadScan::default().scan(bytes.as_bytes());
            assert_eq!(found, Head::BareLineFeed, "{bytes:?}");
        }
    }

    #[test]
    fn a_chunked_body_is_followed_to_its_end_however_its_bytes_arrive() {
        for body in [
            "0\r\n\r\n",
            "5\r\nhello\r\n0\r\n\r\n",
            "A;x=1\r\n0123\n\r\n789\r\n1;y\r\na\r\n000\r\nTrailer: x\r\nb: c\r\n\r\n",
        ] {
            let bytes = format!("{body}GET / HTTP/1.1\r\n");
            for step in 1..bytes.len() {
                let mut place = Chunked::START;
                let mut followed = 0;
                let mut ended = false;
                for part in bytes.as_bytes().chunks(step) {
                    let (used, end) = place.consume(part);
                    followed += used;
                    ended = end;
                    if ended {
                        break;
                    }
                }
                assert_eq!((followed, ended), (body.len(), true), "{body:?} by {step}");
            }
        }
    }
}
