//! The encryption of messages (RFC 8291), with the content encoding `aes128gcm` (RFC 8188).

use aes_gcm::{Aes128Gcm, KeyInit, Nonce, aead::Aead};
use hkdf::Hkdf;
use p256::{PublicKey, SecretKey, ecdh::diffie_hellman, elliptic_curve::sec1::ToEncodedPoint};
use sha2::Sha256;

use domain::random_bytes;
use gateway::{Error, Result};

/// The size of the single record of a message. Push services accept bodies of up to 4,096 bytes (RFC
/// 8030, section 7.2).
const RECORD: u32 = 4_096;
/// The maximum length of a message in bytes, so that header, padding and tag fit into the record.
pub(super) const LONGEST: usize = 3_500;
/// Messages are padded to multiples of this number of bytes, so that their length reveals little.
const STEP: usize = 256;

/// The keys of the device for which a message is encrypted.
pub(super) struct Receiver {
    public: PublicKey,
    auth: [u8; 16],
}

impl Receiver {
    /// Returns `None` if the bytes are not an uncompressed point of the curve P-256.
    pub fn new(point: &[u8], auth: [u8; 16]) -> Option<Self> {
        let is_uncompressed = point.len() == 65 && point[0] == 4;
        let public = PublicKey::from_sec1_bytes(point).ok();
        let public = public.filter(|_| is_uncompressed)?;
        Some(Self { public, auth })
    }
}

/// Encrypts a message with a new key and a new salt.
pub(super) fn encrypt(message: &[u8], receiver: &Receiver) -> Result<Vec<u8>> {
    if message.len() > LONGEST {
        return Err(Error::internal("a message to a device is too long"));
    }
    let padding = (message.len() + 1).next_multiple_of(STEP) - message.len() - 1;
    encrypt_with(
        message,
        padding,
        receiver,
        &new_secret_key(),
        random_bytes(),
    )
}

/// Generates a key pair.
pub(super) fn new_secret_key() -> SecretKey {
    loop {
        // A random candidate is a valid scalar except with probability 2^-32.
        if let Ok(key) = SecretKey::from_slice(&random_bytes::<32>()) {
            return key;
        }
    }
}

/// Encodes the public key as an uncompressed point of 65 bytes.
pub(super) fn encode_public(key: &PublicKey) -> Vec<u8> {
    key.to_encoded_point(false).as_bytes().to_vec()
}

fn encrypt_with(
    message: &[u8],
    padding: usize,
    receiver: &Receiver,
    sender: &SecretKey,
    salt: [u8; 16],
) -> Result<Vec<u8>> {
    let sender_public = encode_public(&sender.public_key());
    let shared = diffie_hellman(sender.to_nonzero_scalar(), receiver.public.as_affine());
    let receiver_public = encode_public(&receiver.public);
    let info = [b"WebPush: info\0", &*receiver_public, &*sender_public].concat();
    let mut key_material = [0; 32];
    expand(
        &receiver.auth,
        shared.raw_secret_bytes(),
        &info,
        &mut key_material,
    )?;
    let (mut key, mut nonce) = ([0; 16], [0; 12]);
    expand(
        &salt,
        &key_material,
        b"Content-Encoding: aes128gcm\0",
        &mut key,
    )?;
    expand(
        &salt,
        &key_material,
        b"Content-Encoding: nonce\0",
        &mut nonce,
    )?;
    // Appends the delimiter of the last record and the padding.
    let mut plain = [message, &[2]].concat();
    plain.resize(plain.len() + padding, 0);
    let sealed = Aes128Gcm::new(&key.into()).encrypt(&Nonce::from(nonce), &*plain);
    let sealed = sealed.map_err(|_| Error::internal("a message was not encrypted"))?;
    let id_length = [65];
    Ok([
        &salt[..],
        &RECORD.to_be_bytes(),
        &id_length,
        &sender_public,
        &sealed,
    ]
    .concat())
}

/// Derives key material with HKDF-SHA-256 (RFC 5869).
fn expand(salt: &[u8], secret: &[u8], info: &[u8], into: &mut [u8]) -> Result<()> {
    let derived = Hkdf::<Sha256>::new(Some(salt), secret).expand(info, into);
    derived.map_err(|error| Error::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).expect("base64url")
    }

    fn receiver(point: &[u8]) -> Option<Receiver> {
        let auth = bytes("BTBZMqHH6r4Tts7J_aSIgg");
        Receiver::new(point, auth.try_into().expect("16 bytes"))
    }

    const POINT: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";

    #[test]
    fn a_message_is_encrypted_as_in_appendix_a_of_rfc_8291() {
        let sender = bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
        let sender = SecretKey::from_slice(&sender).expect("a key");
        let receiver = receiver(&bytes(POINT)).expect("a receiver");
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw");
        let salt = salt.try_into().expect("16 bytes");
        let message = b"When I grow up, I want to be a watermelon";
        let sealed = encrypt_with(message, 0, &receiver, &sender, salt).expect("encrypts");
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIg\
                        Dll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVB\
                        St2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(sealed), expected);
    }

    #[test]
    fn messages_have_few_lengths_and_fit_into_what_push_services_accept() {
        let receiver = receiver(&bytes(POINT)).expect("a receiver");
        let length = |message: usize| {
            let sealed = encrypt(&vec![b'a'; message], &receiver);
            sealed.expect("encrypts").len()
        };
        assert_eq!(length(1), length(255));
        assert_eq!(length(256), length(1) + 256);
        assert!(length(LONGEST) <= 4_096);
        assert!(encrypt(&[b'a'; LONGEST + 1], &receiver).is_err());
    }

    #[test]
    fn only_an_uncompressed_point_of_the_curve_is_a_key() {
        let point = bytes(POINT);
        let mut other = point.clone();
        other[64] ^= 1;
        let mut compressed = point[..33].to_vec();
        compressed[0] = 2;
        for wrong in [&other[..], &compressed, &[4; 65], &[0], &[]] {
            assert!(receiver(wrong).is_none(), "{wrong:?}");
        }
        assert!(receiver(&point).is_some());
    }
}
