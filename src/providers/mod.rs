//! What the service needs from outside: one adapter per port.

mod containers;
mod foreign;
pub mod local_images;
mod openai;
pub mod openai_embeddings;
pub mod openai_images;
pub mod pictures;
pub mod storage;

/// Chooses ring for TLS, which the clients of providers and buckets need before they are made.
/// Chosen before: no matter.
pub fn choose_tls() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
