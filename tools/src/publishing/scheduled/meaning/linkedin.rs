//! Maps the error codes of LinkedIn to reasons. A code is the code of the first input error, otherwise
//! the code of the error, otherwise the HTTP status.
//!
//! <https://learn.microsoft.com/linkedin/shared/api-guide/concepts/error-handling> and
//! <https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api>, read on
//! 2026-11-28.

use super::cause::Cause;

pub(super) fn cause_of(code: &str) -> Cause {
    // The code `DUPLICATE_POST` contains the id of the existing post after a colon.
    match code.split(':').next().unwrap_or(code) {
        "http_401" => Cause::Disconnected,
        "ACCESS_DENIED" | "http_403" | "MISSING_PERMISSION" => Cause::Disconnected,
        "http_429" | "TOO_MANY_REQUESTS" => Cause::RateLimited,
        "NONEXISTENT_VERSION" | "VERSION_MISSING" | "http_426" => Cause::VersionRetired,
        "DUPLICATE_POST" => Cause::Duplicate,
        "upload_expired" | "WAITING_UPLOAD" => Cause::PrepareAgain,
        "PROCESSING_FAILED"
        | "MEDIA_ASSET_PROCESSING_FAILED"
        | "upload_refused"
        | "document_unusable" => Cause::Media,
        _ => Cause::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_codes_map_to_causes() {
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
