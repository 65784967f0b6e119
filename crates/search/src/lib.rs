//! The search of the knowledge base, without its database: documents as chunks, their words and
//! vectors, and the ranking of search results.

pub mod chunk;
mod document;
mod excerpt;
pub mod group;
mod html;
mod markdown;
mod prepare;
pub mod question;
pub mod ranking;
pub mod reading;
pub mod related;
mod shown;
pub mod vectors;
pub mod words;

pub use document::{Document, Paragraph};
pub use excerpt::excerpt;
pub use prepare::{Prepared, PreparedChunk, prepare};
pub use vectors::Vector;
