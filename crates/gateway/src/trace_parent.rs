//! The place of a call in the trace of its caller.

/// A `traceparent` of [W3C Trace Context](https://www.w3.org/TR/trace-context/).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceParent {
    /// 32 hexadecimal digits in lower case, not all zero.
    trace_id: String,
    /// The id of the caller's span in which this call was made; not zero.
    pub(crate) parent_id: u64,
    /// True if the caller records the trace.
    pub(crate) is_sampled: bool,
}

impl TraceParent {
    /// Parses a `traceparent`: version, trace id, parent id and flags. A version after 00 may have
    /// more fields, which are ignored.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split('-');
        let mut next = |digits: usize| {
            let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            let field = fields.next()?;
            let is_whole = field.len() == digits && field.bytes().all(is_digit);
            is_whole.then_some(field)
        };
        let (version, trace, parent, flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
        let parent_id = u64::from_str_radix(parent, 16).ok()?;
        if version == "ff" || parent_id == 0 || trace.bytes().all(|byte| byte == b'0') {
            return None;
        }
        let has_more = fields.next().is_some();
        (version != "00" || !has_more).then(|| Self {
            trace_id: trace.to_owned(),
            parent_id,
            is_sampled: u8::from_str_radix(flags, 16).is_ok_and(|flags| flags & 1 == 1),
        })
    }

    #[must_use]
    pub fn trace_id(&self) -> &str {
        &self.trace_id
    }

    /// Returns the trace id as a number; not zero.
    pub(crate) fn trace_number(&self) -> u128 {
        u128::from_str_radix(&self.trace_id, 16).unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn only_a_valid_traceparent_is_parsed() {
        let parse = TraceParent::parse;
        for (valid, is_sampled) in [
            (format!("00-{TRACE}-00f067aa0ba902b7-01"), true),
            (format!("00-{TRACE}-00f067aa0ba902b7-00"), false),
            (format!("00-{TRACE}-00f067aa0ba902b7-fe"), false),
            (
                format!("cc-{TRACE}-00f067aa0ba902b7-03-what-the-future-has"),
                true,
            ),
        ] {
            let parsed = parse(&valid).expect("a trace");
            assert_eq!(parsed.trace_id(), TRACE, "{valid}");
            assert_eq!(parsed.parent_id, 0x00f0_67aa_0ba9_02b7, "{valid}");
            assert_eq!(parsed.is_sampled, is_sampled, "{valid}");
            assert_eq!(format!("{:032x}", parsed.trace_number()), TRACE);
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
            assert_eq!(parse(&invalid), None, "{invalid}");
        }
    }
}
