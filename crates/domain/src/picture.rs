//! Widths of images on HTML pages.

/// The widths, in pixels, at which a stored image is served in addition to its original width. The
/// list is short to limit the number of stored copies.
pub const PICTURE_WIDTHS: [u32; 4] = [160, 480, 960, 1600];
