//! Request headers that only pages use: conditions, range, encoding (RFC 9110), cookies, and the
//! credential of an OAuth client.

/// Unparsed request headers that only pages use.
#[derive(Debug, Clone, Default)]
pub struct RequestHead {
    pub if_none_match: Option<String>,
    pub if_range: Option<String>,
    pub range: Option<String>,
    pub accept_encoding: Option<String>,
    /// The cookies. Only console pages, and the pages on which a user authorizes an agent, read a
    /// credential from them; the API does not.
    pub cookie: Option<String>,
    /// The `Origin` header of a form.
    pub origin: Option<String>,
    /// The `Sec-Fetch-Site` header: the relation between the sending site and this service.
    pub fetch_site: Option<String>,
    pub host: Option<String>,
    /// True if a script requests a part of a page (header `HX-Request`).
    pub partial: bool,
    /// The path and query of the request.
    pub address: String,
    /// The encoded HTTP Basic credential of an OAuth client (RFC 6749, section 2.3.1).
    pub basic: Option<String>,
}

/// The content encoding of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Identity,
    Gzip,
    Brotli,
}

/// The requested range of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Whole,
    /// A part: its first byte, and the byte after its last one.
    Part(u64, u64),
    Unsatisfiable,
}

impl RequestHead {
    /// True if the client already has content with one of these `ETag`s (`If-None-Match`, §13.1.2).
    pub(super) fn has_any_etag(&self, etags: &[String]) -> bool {
        let known = self.if_none_match.as_deref().unwrap_or_default();
        known
            .split(',')
            .map(|tag| tag.trim().trim_start_matches("W/"))
            .any(|tag| tag == "*" || etags.iter().any(|etag| etag == tag))
    }

    /// Returns the requested byte range (§14). Several ranges or an invalid one select the whole
    /// content.
    pub(super) fn requested_range(&self, etag: &str, length: u64) -> Wanted {
        if self.if_range.as_deref().is_some_and(|tag| tag != etag) {
            return Wanted::Whole;
        }
        let range = self.range.as_deref().unwrap_or_default();
        let Some((first, last)) = range
            .strip_prefix("bytes=")
            .and_then(|range| range.split_once('-'))
        else {
            return Wanted::Whole;
        };
        let (from, to) = match (parse_digits(first), parse_digits(last)) {
            (Some(from), Some(last)) if from <= last => (from, last.saturating_add(1).min(length)),
            (Some(from), None) if last.is_empty() => (from, length),
            (None, Some(0)) if first.is_empty() => return Wanted::Unsatisfiable,
            (None, Some(suffix)) if first.is_empty() => (length.saturating_sub(suffix), length),
            _ => return Wanted::Whole,
        };
        if from >= length {
            Wanted::Unsatisfiable
        } else {
            Wanted::Part(from, to)
        }
    }

    /// True if the client accepts this content encoding (§12.5.3).
    #[must_use]
    pub fn accepts_encoding(&self, encoding: &str) -> bool {
        let accepted = self.accept_encoding.as_deref().unwrap_or_default();
        accepted.split(',').any(|choice| {
            let (coding, weight) = choice.split_once(';').unwrap_or((choice, ""));
            let weight = weight
                .split_once('=')
                .filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
            let weight = weight.map(|(_, weight)| weight.trim().parse::<f32>());
            coding.trim().eq_ignore_ascii_case(encoding)
                && weight.is_none_or(|weight| weight.is_ok_and(|weight| weight > 0.0))
        })
    }

    /// Returns the best compression among the encodings that the client accepts.
    pub(super) fn choose_encoding(&self, media_type: &str) -> Encoding {
        // Files of these media types are already compressed.
        if matches!(media_type, "application/zip" | "image/jpeg" | "image/png") {
            Encoding::Identity
        } else if self.accepts_encoding("br") {
            Encoding::Brotli
        } else if self.accepts_encoding("gzip") {
            Encoding::Gzip
        } else {
            Encoding::Identity
        }
    }
}

/// Parses a number of digits only: unlike `str::parse`, it accepts no sign.
fn parse_digits(text: &str) -> Option<u64> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requested_range_of(text: &str) -> Wanted {
        let head = RequestHead {
            range: Some(text.into()),
            ..RequestHead::default()
        };
        head.requested_range("\"e\"", 100)
    }

    #[test]
    fn byte_ranges_are_parsed_by_the_rules_of_rfc_9110() {
        assert_eq!(requested_range_of("bytes=0-9"), Wanted::Part(0, 10));
        assert_eq!(requested_range_of("bytes=90-"), Wanted::Part(90, 100));
        assert_eq!(requested_range_of("bytes=-5"), Wanted::Part(95, 100));
        assert_eq!(requested_range_of("bytes=-500"), Wanted::Part(0, 100));
        assert_eq!(requested_range_of("bytes=0-999"), Wanted::Part(0, 100));
        assert_eq!(requested_range_of("bytes=100-"), Wanted::Unsatisfiable);
        assert_eq!(requested_range_of("bytes=-0"), Wanted::Unsatisfiable);
        for whole in [
            "bytes=9-0",
            "bytes=0-1,3-4",
            "items=0-1",
            "bytes=a-b",
            "bytes=+5-9",
            "bytes=0-+9",
            "bytes=-",
        ] {
            assert_eq!(requested_range_of(whole), Wanted::Whole, "{whole}");
        }
    }

    #[test]
    fn the_smallest_accepted_encoding_is_chosen() {
        let chosen = |accepted: &str| {
            let head = RequestHead {
                accept_encoding: Some(accepted.into()),
                ..RequestHead::default()
            };
            head.choose_encoding("text/plain")
        };
        assert_eq!(chosen("gzip, deflate, br"), Encoding::Brotli);
        assert_eq!(chosen("GZIP;q=0.5, br;q=0"), Encoding::Gzip);
        assert_eq!(chosen("gzip, br; Q=0"), Encoding::Gzip);
        assert_eq!(chosen("identity, zstd"), Encoding::Identity);
        assert_eq!(
            RequestHead::default().choose_encoding("text/plain"),
            Encoding::Identity
        );
    }
}
