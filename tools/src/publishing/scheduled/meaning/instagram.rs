//! Maps the error codes of Instagram to reasons.
//!
//! <https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes>,
//! read on 2026-11-28.

use super::cause::Cause;

/// Maps an error code to a reason. The code has the form `code`, `code_subcode`, or the subcode of a
/// container.
pub(super) fn cause_of(code: &str) -> Cause {
    let (main, subcode) = match code.split_once('_') {
        Some((main, subcode)) if main != "http" => (main, subcode),
        _ if code.starts_with("2207") => ("", code),
        _ => (code, ""),
    };
    match (main, subcode) {
        (_, "2207042") => Cause::Quota,
        (_, "2207050") => Cause::Restricted,
        (_, "2207027") => Cause::NotReady,
        // The download failed or took too long, or the container is gone.
        (
            _,
            "2207001" | "2207003" | "2207006" | "2207008" | "2207020" | "2207032" | "2207052"
            | "2207053" | "2207082",
        ) => Cause::PrepareAgain,
        // The account sends too many requests in a short time.
        (_, "2207051") => Cause::RateLimited,
        // Wrong size, format, aspect ratio or cover offset, or an unsupported video.
        (_, "2207004" | "2207005" | "2207009" | "2207023" | "2207026" | "2207057" | "2207067")
        | ("352" | "36000" | "36001" | "36003", _) => Cause::Media,
        ("190" | "102" | "http_401", _) => Cause::Disconnected,
        ("10" | "3", _) => Cause::Disconnected,
        ("4" | "17" | "32" | "613" | "80002" | "http_429", _) => Cause::RateLimited,
        ("unknown", _) => Cause::PrepareAgain,
        (main, _)
            if main
                .parse()
                .is_ok_and(|code: i64| (200..300).contains(&code)) =>
        {
            Cause::Disconnected
        }
        _ => Cause::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_codes_map_to_causes() {
        for (code, cause) in [
            ("190_463", Cause::Disconnected),
            ("200", Cause::Disconnected),
            ("4", Cause::RateLimited),
            ("9_2207042", Cause::Quota),
            ("9004_2207052", Cause::PrepareAgain),
            ("2207026", Cause::Media),
            ("36003_2207009", Cause::Media),
            ("25_2207050", Cause::Restricted),
            ("100_2207028", Cause::Refused),
            ("http_429", Cause::RateLimited),
        ] {
            assert_eq!(cause_of(code), cause, "{code}");
        }
    }
}
