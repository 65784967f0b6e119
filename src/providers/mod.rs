//! Adapters to external services: one per port.

mod answers;
pub mod anthropic_text;
mod api;
pub mod client_documents;
mod containers;
mod descriptions;
mod figures;
mod foreign;
pub mod gemini_interactions;
pub mod hotmart;
pub mod instagram;
pub mod issuer;
pub mod linkedin;
pub mod local_images;
mod look;
pub mod meta;
pub mod networks;
pub mod openai_embeddings;
pub mod openai_images;
pub mod openai_text;
pub mod openai_videos;
mod outgoing;
mod page_document;
pub mod pdf;
pub mod pictures;
mod pulling;
pub mod push;
mod receivers;
pub mod remote_files;
pub mod runway;
pub mod smtp;
pub mod sns;
pub mod spool;
pub mod storage;
mod text;
pub mod tiktok;
mod uploads;
mod video;
pub mod webhooks;
pub mod youtube;

/// Installs `ring` as the TLS provider, which HTTP and bucket clients need. A second call has no
/// effect.
pub fn install_tls_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
