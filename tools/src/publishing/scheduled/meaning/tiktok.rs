//! Maps the error codes of TikTok and its reasons for failed posts to reasons of this service.
//!
//! <https://developers.tiktok.com/doc/content-posting-api-reference-direct-post> and
//! <https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status>, read on
//! 2026-11-28.

use super::cause::Cause;

pub(super) fn cause_of(code: &str) -> Cause {
    match code {
        "rate_limit_exceeded" | "http_429" | "upload_429" => Cause::RateLimited,
        "access_token_invalid"
        | "access_token_expired"
        | "auth_removed"
        | "http_401"
        | "scope_not_authorized"
        | "scope_permission_missed" => Cause::Disconnected,
        // The files did not arrive, or the upload has expired.
        "photo_pull_failed" | "video_pull_failed" | "internal" | "upload_403" | "upload_404"
        | "upload_expired" => Cause::PrepareAgain,
        "reached_active_user_cap"
        | "spam_risk_too_many_posts"
        | "spam_risk_too_many_pending_share" => Cause::Quota,
        code if code.starts_with("spam_risk") => Cause::Restricted,
        "unaudited_client_can_only_post_to_private_accounts" => Cause::NotAudited,
        "url_ownership_unverified" => Cause::AddressUnverified,
        "invalid_file_upload" => Cause::Media,
        code if code.ends_with("_check_failed") || code.starts_with("upload_") => Cause::Media,
        _ => Cause::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_codes_map_to_causes() {
        for (code, cause) in [
            ("rate_limit_exceeded", Cause::RateLimited),
            ("access_token_invalid", Cause::Disconnected),
            ("scope_not_authorized", Cause::Disconnected),
            ("photo_pull_failed", Cause::PrepareAgain),
            ("upload_403", Cause::PrepareAgain),
            ("upload_416", Cause::Media),
            ("duration_check_failed", Cause::Media),
            ("spam_risk_too_many_posts", Cause::Quota),
            ("spam_risk_user_banned_from_posting", Cause::Restricted),
            ("reached_active_user_cap", Cause::Quota),
            (
                "unaudited_client_can_only_post_to_private_accounts",
                Cause::NotAudited,
            ),
            ("url_ownership_unverified", Cause::AddressUnverified),
            ("privacy_level_option_mismatch", Cause::Refused),
            ("publish_cancelled", Cause::Refused),
        ] {
            assert_eq!(cause_of(code), cause, "{code}");
        }
    }
}
