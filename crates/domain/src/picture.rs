//! Sizes of images on pages.

/// The widths, in pixels, at which an image of the storage is served besides its own. There are few, so that
/// few are made and kept.
pub const PICTURE_WIDTHS: [u32; 4] = [160, 480, 960, 1600];
