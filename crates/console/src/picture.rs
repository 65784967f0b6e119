//! Links to images at the width that a page needs.

use domain::PICTURE_WIDTHS;

/// Returns the link to an image at one of the served widths.
pub(crate) fn image_at_width(link: &str, width: u32) -> String {
    let (path, query) = link.split_once('?').unwrap_or((link, ""));
    format!("{path}/{width}?{query}")
}

/// Returns the links to an image at all served widths, in the format of `srcset`.
pub(crate) fn image_srcset(link: &str) -> String {
    let sources = PICTURE_WIDTHS.map(|width| format!("{} {width}w", image_at_width(link, width)));
    sources.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_is_part_of_the_path_of_a_link() {
        let link = "https://a.test/media/1?exp=2&sig=3";
        assert_eq!(
            image_at_width(link, 160),
            "https://a.test/media/1/160?exp=2&sig=3"
        );
        assert!(image_srcset(link).ends_with("https://a.test/media/1/1600?exp=2&sig=3 1600w"));
    }
}
