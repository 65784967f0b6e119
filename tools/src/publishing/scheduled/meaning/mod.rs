//! The reasons for which a publication is held up or has failed, and the mapping of the networks' error
//! codes to these reasons.

mod cause;
mod instagram;
mod linkedin;
mod tiktok;
mod youtube;

pub(super) use cause::Cause;

/// Maps an error code of a network to a reason.
pub(super) fn cause_of(network: &str, code: &str) -> Cause {
    match (code, network) {
        (STORAGE, _) => Cause::Storage,
        (_, "youtube") => youtube::cause_of(code),
        (_, "linkedin") => linkedin::cause_of(code),
        (_, "tiktok") => tiktok::cause_of(code),
        _ => instagram::cause_of(code),
    }
}

/// The error code that the network adapters return for a file that could not be read from the storage.
const STORAGE: &str = "storage_unavailable";

/// Returns true if the network refused the access token, so that a newer token may be accepted.
pub(super) fn is_token_refusal(network: &str, code: &str) -> bool {
    match network {
        "instagram" => code.split('_').next() == Some("190"),
        _ => matches!(code, "http_401" | "authError" | "access_token_invalid"),
    }
}
