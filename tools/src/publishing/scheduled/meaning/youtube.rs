//! Maps the error codes of YouTube to reasons: the `reason` of an error, and the reasons for which a
//! video was rejected or could not be processed.
//!
//! <https://developers.google.com/youtube/v3/docs/errors>,
//! <https://developers.google.com/youtube/v3/docs/videos/insert>, `…/videos/update`, `…/videos` and
//! `…/thumbnails/set`, read on 2026-11-28.

use super::cause::Cause;

pub(super) fn cause_of(code: &str) -> Cause {
    match code {
        // The quota of the application for a day, and the limit of the channel for 24 hours.
        "quotaExceeded" | "dailyLimitExceeded" | "uploadLimitExceeded" => Cause::Quota,
        "rateLimitExceeded" | "userRateLimitExceeded" | "uploadRateLimitExceeded" | "http_429" => {
            Cause::RateLimited
        }
        "authError" | "http_401" | "insufficientPermissions" | "accountDelegationForbidden" => {
            Cause::Disconnected
        }
        "youtubeSignupRequired"
        | "channelClosed"
        | "channelSuspended"
        | "accountClosed"
        | "accountSuspended"
        | "uploaderAccountClosed"
        | "uploaderAccountSuspended" => Cause::Restricted,
        "lockedPrivate" => Cause::LockedPrivate,
        "upload_expired" | "videoNotFound" | "uploadAborted" => Cause::PrepareAgain,
        "playlistNotFound" | "playlistContainsMaximumNumberOfVideos" => Cause::Playlist,
        "thumbnail_forbidden" | "thumbnail_invalidImage" | "thumbnail_mediaBodyRequired" => {
            Cause::Cover
        }
        // Values of `status.failureReason` and `status.rejectionReason`.
        "codec" | "conversion" | "emptyFile" | "invalidFile" | "tooSmall" | "claim"
        | "copyright" | "duplicate" | "inappropriate" | "legal" | "length" | "termsOfUse"
        | "trademark" | "mediaBodyRequired" | "invalidVideo" => Cause::Media,
        _ => Cause::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_codes_map_to_causes() {
        for (code, cause) in [
            ("quotaExceeded", Cause::Quota),
            ("uploadLimitExceeded", Cause::Quota),
            ("rateLimitExceeded", Cause::RateLimited),
            ("youtubeSignupRequired", Cause::Restricted),
            ("authError", Cause::Disconnected),
            ("invalidTitle", Cause::Refused),
            ("playlistNotFound", Cause::Playlist),
            ("codec", Cause::Media),
            ("upload_expired", Cause::PrepareAgain),
        ] {
            assert_eq!(cause_of(code), cause, "{code}");
        }
    }
}
