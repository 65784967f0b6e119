//! What the service needs from outside: one adapter per port.

pub mod local_images;
pub mod openai_images;
pub mod pictures;
pub mod storage;
