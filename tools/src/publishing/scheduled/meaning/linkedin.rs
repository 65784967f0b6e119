//! What the codes of LinkedIn mean: the code of the first input error, or else the code of the
//! error, or else the status.
//!
//! <https://learn.microsoft.com/linkedin/shared/api-guide/concepts/error-handling> and
//! <https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api>, read on
//! 2026-11-28.

use super::cause::Cause;

pub(super) fn cause_of(code: &str) -> Cause {
    // A duplicate names the post after a colon.
    match code.split(':').next().unwrap_or(code) {
        "http_401" => Cause::Disconnected,
        "ACCESS_DENIED" | "http_403" | "MISSING_PERMISSION" => Cause::Disconnected,
        "http_429" | "TOO_MANY_REQUESTS" => Cause::RateLimited,
        "NONEXISTENT_VERSION" | "VERSION_MISSING" | "http_426" => Cause::VersionRetired,
        "DUPLICATE_POST" => Cause::Duplicate,
        "upload_expired" | "WAITING_UPLOAD" => Cause::PrepareAgain,
        "PROCESSING_FAILED" | "MEDIA_ASSET_PROCESSING_FAILED" | "upload_refused" => Cause::Media,
        _ => Cause::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_of_the_documentation_have_a_meaning() {
        for (code, cause) in [
            ("http_401", Cause::Disconnected),
            ("http_429", Cause::RateLimited),
            ("NONEXISTENT_VERSION", Cause::VersionRetired),
            ("http_426", Cause::VersionRetired),
            ("DUPLICATE_POST", Cause::Duplicate),
            ("DUPLICATE_POST:urn:li:share:71", Cause::Duplicate),
            ("FIELD_LENGTH_TOO_LONG", Cause::Refused),
            ("PROCESSING_FAILED", Cause::Media),
        ] {
            assert_eq!(cause_of(code), cause, "{code}");
        }
    }
}
