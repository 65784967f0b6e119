//! The search over everything that the caller may see.
//!
//! Decided here:
//!
//! - A kind of resource is searched if the caller may call the operation that lists it
//!   ([`kinds::FoundKind::list`]), and each kind is restricted as its list is. Nothing else decides
//!   who sees what.
//! - Without `tipos`, kinds that the caller may not list are left out. One that is asked for is
//!   refused (403), as its list is.
//! - Places and actions belong to the console, which adds them.

mod area;
mod events;
mod found;
mod kinds;
mod media;
mod search_everything;

pub use area::AREA;
pub use search_everything::SearchEverything;
