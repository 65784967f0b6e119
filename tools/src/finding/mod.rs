//! The search over everything that the caller may see.
//!
//! Decided here:
//!
//! - A kind of resource is searched if the caller may call the operation that lists the kind
//!   ([`kinds::FoundKind::list_operation`]), with the same restrictions as this list. The search has no
//!   additional access rules.
//! - Without `tipos`, kinds that the caller may not list are left out. If `tipos` names such a
//!   kind, the search is refused (403), like the list of this kind.
//! - The search does not find pages and actions of the console; the console adds them.

mod area;
mod events;
mod found;
mod kinds;
mod media;
mod search_everything;

pub use area::AREA;
pub use search_everything::SearchEverything;
