//! Adapters to outside services: one per port.

pub mod client_documents;
mod containers;
mod descriptions;
mod foreign;
pub mod issuer;
pub mod local_images;
mod look;
pub mod networks;
mod openai;
pub mod openai_embeddings;
pub mod openai_images;
pub mod pictures;
pub mod storage;

/// Installs ring for TLS, which the clients of providers and buckets need. Calling it again has no
/// effect.
pub fn choose_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
