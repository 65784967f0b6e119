//! Signed public links: `/media/{id}?exp&sig`.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use domain::{
    MediaId,
    time::{DAY, HOUR, Millis, SECOND},
};

/// How long a link is valid, counted from the start of the hour in which it was created.
pub const LINK_LIFETIME: Millis = 7 * DAY;
/// The version of the signing key, so that the key can be replaced.
const KEY_ID: &str = "1";
/// Length of a signature in characters.
const SIGNATURE: usize = 43;

/// Signs and verifies media links.
pub struct Links {
    /// The HMAC initialized with the key. Each signature is computed on a clone.
    mac: Hmac<Sha256>,
    public_url: String,
}

impl Links {
    #[must_use]
    pub fn new(key: [u8; 32], public_url: String) -> Self {
        let mac = Hmac::new_from_slice(&key).expect("HMAC takes any key");
        Self { mac, public_url }
    }

    /// Returns the signed link of a media file. Links created within the same hour are equal, so that
    /// caches can reuse them.
    #[must_use]
    pub fn media_url(&self, media_id: &MediaId, now: Millis) -> String {
        let (id, exp) = (media_id.as_str(), expiry(now).to_string());
        let parts = [
            &self.public_url,
            "/media/",
            id,
            "?exp=",
            &exp,
            "&sig=",
            KEY_ID,
            ".",
        ];
        let mut url =
            String::with_capacity(parts.iter().map(|part| part.len()).sum::<usize>() + SIGNATURE);
        for part in parts {
            url.push_str(part);
        }
        URL_SAFE_NO_PAD.encode_string(self.sign(id, &exp), &mut url);
        url
    }

    /// True if this service signed the link for this media file and the link has not expired.
    #[must_use]
    pub fn is_valid(&self, media_id: &MediaId, exp: &str, sig: &str, now: Millis) -> bool {
        let plain = (1..=12).contains(&exp.len()) && exp.bytes().all(|b| b.is_ascii_digit());
        let Some(until) = plain.then(|| exp.parse::<i64>().ok()).flatten() else {
            return false;
        };
        let Some(sig) = sig.strip_prefix(KEY_ID).and_then(|s| s.strip_prefix('.')) else {
            return false;
        };
        let expected = URL_SAFE_NO_PAD.encode(self.sign(media_id.as_str(), exp));
        let signed = bool::from(expected.as_bytes().ct_eq(sig.as_bytes()));
        signed && until > now / SECOND && until <= expiry(now)
    }

    fn sign(&self, media_id: &str, exp: &str) -> [u8; 32] {
        let mut mac = self.mac.clone();
        mac.update(media_id.as_bytes());
        mac.update(b"\n");
        mac.update(exp.as_bytes());
        mac.finalize().into_bytes().into()
    }
}

/// Returns the expiry of a link that is created now, in Unix seconds: the start of the current hour plus
/// seven days.
fn expiry(now: Millis) -> i64 {
    (now / HOUR * HOUR + LINK_LIFETIME) / SECOND
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 1_787_410_800_000 + 12_345;
    fn sample_media_id() -> MediaId {
        "0198c0de-0000-7000-8000-000000000001".into()
    }

    fn split_query(url: &str) -> (String, String) {
        let (_, query) = url.split_once("?exp=").expect("an expiry");
        let (exp, sig) = query.split_once("&sig=").expect("a signature");
        (exp.into(), sig.into())
    }

    #[test]
    fn a_link_is_valid_for_seven_days_and_for_its_medium_only() {
        let links = Links::new([7; 32], "https://pauta.test".into());
        let url = links.media_url(&sample_media_id(), NOW);
        let (exp, sig) = split_query(&url);
        assert!(links.is_valid(&sample_media_id(), &exp, &sig, NOW));
        assert!(!links.is_valid(&MediaId::new(NOW), &exp, &sig, NOW));
        let end = exp.parse::<i64>().expect("digits") * SECOND;
        assert!(links.is_valid(&sample_media_id(), &exp, &sig, end - 1));
        assert!(!links.is_valid(&sample_media_id(), &exp, &sig, end));
        assert_eq!(
            links.media_url(&sample_media_id(), NOW + 30 * 60 * SECOND),
            url
        );
        assert!(!Links::new([8; 32], String::new()).is_valid(&sample_media_id(), &exp, &sig, NOW));
    }

    #[test]
    fn changing_any_bit_of_the_signature_invalidates_the_link() {
        let links = Links::new([7; 32], String::new());
        let (exp, sig) = split_query(&links.media_url(&sample_media_id(), NOW));
        for position in 0..sig.len() {
            for bit in 0..7 {
                let mut bytes = sig.clone().into_bytes();
                bytes[position] ^= 1 << bit;
                let tampered = String::from_utf8(bytes).expect("ASCII");
                assert!(
                    !links.is_valid(&sample_media_id(), &exp, &tampered, NOW),
                    "{tampered}"
                );
            }
        }
        let later = (exp.parse::<i64>().expect("digits") + 1).to_string();
        assert!(!links.is_valid(&sample_media_id(), &later, &sig, NOW));
        for bad in ["", "-1", "1e9", "0123456789012", " 1"] {
            assert!(!links.is_valid(&sample_media_id(), bad, &sig, NOW));
        }
    }
}
