//! The paths of the catalog.

/// Returns the path of the page of an operation.
pub(super) fn operation_path(name: &str) -> String {
    format!("/catalogo/{name}")
}
