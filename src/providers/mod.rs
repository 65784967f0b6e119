//! What the service needs from outside: one adapter per port.

mod containers;
mod foreign;
pub mod local_images;
mod openai;
pub mod openai_embeddings;
pub mod openai_images;
pub mod pictures;
pub mod storage;
