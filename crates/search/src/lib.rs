//! Text search without a database: splits texts into words and parses what a person types. For the
//! knowledge base it also splits documents into chunks, compares vectors and ranks results.

pub mod chunk;
mod document;
mod excerpt;
pub mod group;
mod html;
mod markdown;
mod parts;
mod prepare;
pub mod question;
pub mod ranking;
pub mod reading;
pub mod related;
mod shown;
pub mod typed;
pub mod vectors;
pub mod words;

pub use document::{Document, Paragraph};
pub use excerpt::excerpt;
pub use parts::{Part, marked_title, matching_parts};
pub use prepare::{Prepared, PreparedChunk, prepare_for_index};
pub use vectors::Vector;
