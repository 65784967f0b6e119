//! Why a publication is held up or has failed, and what the codes of the networks mean.

mod cause;
mod instagram;
mod linkedin;
mod tiktok;
mod youtube;

pub(super) use cause::Cause;

/// What a code of a network means.
pub(super) fn cause_of(network: &str, code: &str) -> Cause {
    match (code, network) {
        (STORAGE, _) => Cause::Storage,
        (_, "youtube") => youtube::cause_of(code),
        (_, "linkedin") => linkedin::cause_of(code),
        (_, "tiktok") => tiktok::cause_of(code),
        _ => instagram::cause_of(code),
    }
}

/// The code of adapters for a file that could not be read from the storage.
const STORAGE: &str = "storage_unavailable";

/// Whether the network refused the access token, so that a newer one may help.
pub(super) fn is_of_token(network: &str, code: &str) -> bool {
    match network {
        "instagram" => code.split('_').next() == Some("190"),
        _ => matches!(code, "http_401" | "authError" | "access_token_invalid"),
    }
}
