//! A document in memory and its compressed forms.

use std::{
    io::Write,
    sync::{Arc, OnceLock},
};

use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use domain::sha256_hex;
use flate2::{Compression, write::GzEncoder};

use super::{Document, Encoding};

/// A document in memory, ready to be served.
pub struct StaticDocument {
    pub media_type: &'static str,
    pub bytes: Bytes,
    pub sha256: String,
    gzip: OnceLock<Bytes>,
    brotli: OnceLock<Bytes>,
}

impl StaticDocument {
    #[must_use]
    pub fn new(media_type: &'static str, bytes: impl Into<Bytes>) -> Arc<Self> {
        let bytes = bytes.into();
        Arc::new(Self {
            media_type,
            sha256: sha256_hex(&bytes),
            bytes,
            gzip: OnceLock::new(),
            brotli: OnceLock::new(),
        })
    }
}

impl Document for StaticDocument {
    fn media_type(&self) -> &'static str {
        self.media_type
    }

    fn sha256(&self) -> &str {
        &self.sha256
    }

    fn is_ready(&self, encoding: Encoding) -> bool {
        match encoding {
            Encoding::Identity => true,
            Encoding::Gzip => self.gzip.get().is_some(),
            Encoding::Brotli => self.brotli.get().is_some(),
        }
    }

    fn encoded_content(&self, encoding: Encoding) -> Bytes {
        match encoding {
            Encoding::Identity => self.bytes.clone(),
            Encoding::Gzip => self.gzip.get_or_init(|| gzip(&self.bytes)).clone(),
            Encoding::Brotli => self.brotli.get_or_init(|| brotli(&self.bytes)).clone(),
        }
    }
}

fn gzip(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(vec![], Compression::best());
    encoder.write_all(bytes).expect("memory accepts writes");
    encoder.finish().expect("memory accepts writes").into()
}

fn brotli(bytes: &[u8]) -> Bytes {
    let params = BrotliEncoderParams {
        quality: 9,
        ..BrotliEncoderParams::default()
    };
    let mut packed = vec![];
    brotli::BrotliCompress(&mut &*bytes, &mut packed, &params).expect("memory accepts writes");
    packed.into()
}
