//! The trace that a call belongs to.

/// A trace id of [W3C Trace Context](https://www.w3.org/TR/trace-context/): 32 hexadecimal digits in
/// lower case, not all zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceId(String);

impl TraceId {
    /// Parses a `traceparent`: version, trace id, parent id and flags. A version after 00 may have
    /// more fields, which are ignored.
    #[must_use]
    pub fn from_traceparent(text: &str) -> Option<Self> {
        let mut fields = text.split('-');
        let mut next = |digits: usize| {
            let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            let field = fields.next()?;
            let is_whole = field.len() == digits && field.bytes().all(is_digit);
            is_whole.then_some(field)
        };
        let (version, trace, parent, _) = (next(2)?, next(32)?, next(16)?, next(2)?);
        let is_zero = |field: &str| field.bytes().all(|byte| byte == b'0');
        if version == "ff" || is_zero(trace) || is_zero(parent) {
            return None;
        }
        let has_more = fields.next().is_some();
        (version != "00" || !has_more).then(|| Self(trace.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn only_a_valid_traceparent_is_parsed() {
        let parsed = |text: &str| TraceId::from_traceparent(text);
        let trace = Some(TraceId(TRACE.to_owned()));
        for valid in [
            format!("00-{TRACE}-00f067aa0ba902b7-01"),
            format!("00-{TRACE}-00f067aa0ba902b7-00"),
            format!("cc-{TRACE}-00f067aa0ba902b7-01-what-the-future-has"),
        ] {
            assert_eq!(parsed(&valid), trace, "{valid}");
        }
        for invalid in [
            String::new(),
            TRACE.to_owned(),
            format!("00-{TRACE}-00f067aa0ba902b7"),
            format!("00-{TRACE}-00f067aa0ba902b7-01-more"),
            format!("ff-{TRACE}-00f067aa0ba902b7-01"),
            format!("0-{TRACE}-00f067aa0ba902b7-01"),
            format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{}-00f067aa0ba902b7-01", TRACE.to_uppercase()),
            format!("00-{TRACE}\n-00f067aa0ba902b7-01"),
            format!("00-{}é-00f067aa0ba902b7-01", &TRACE[..30]),
        ] {
            assert_eq!(parsed(&invalid), None, "{invalid}");
        }
    }
}
