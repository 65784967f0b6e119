//! The paths of the catalog.

/// The path of the page of an operation.
pub(super) fn operation_path(name: &str) -> String {
    format!("/catalogo/{name}")
}
