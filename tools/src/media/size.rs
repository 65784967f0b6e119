//! Sizes of images.

use gateway::{Error, Result};

/// 4:5, the tallest ratio that networks show uncropped.
pub(super) const DEFAULT: (u32, u32) = (1080, 1350);

/// Minimum and maximum pixels of a side.
const SIDE: std::ops::RangeInclusive<u32> = 256..=2048;

/// Returns width and height for `size` (`WxH`) and `format` (`a:b`).
///
/// Refuses (400) a side that is out of bounds, and a size that disagrees with the format.
pub(super) fn parse_dimensions(size: Option<&str>, format: Option<&str>) -> Result<(u32, u32)> {
    let ratio = format.map(|format| parse_pair(format, ':')).transpose()?;
    let Some(size) = size else {
        return Ok(ratio.map_or(DEFAULT, size_for_ratio));
    };
    let (width, height) = parse_pair(size, 'x')?;
    if !SIDE.contains(&width) || !SIDE.contains(&height) {
        return Err(Error::invalid_field(
            "size",
            "range",
            "deve ter cada lado entre 256 e 2048 pixels",
        ));
    }
    // Whole pixels cannot always match a ratio exactly: a difference of one pixel is accepted.
    if let Some((a, b)) = ratio {
        let meant = f64::from(width) * f64::from(b) / f64::from(a);
        if (meant - f64::from(height)).abs() > 1.0 + meant / 1000.0 {
            return Err(Error::invalid_field(
                "format",
                "ratio",
                "discorda de `size`; informe só um dos dois",
            ));
        }
    }
    Ok((width, height))
}

/// Returns the size for a ratio: the shorter side has 1080 pixels, as usual on networks, unless the
/// longer side would exceed 2048. Each side has at least 256.
fn size_for_ratio((a, b): (u32, u32)) -> (u32, u32) {
    let (short, long) = (f64::from(a.min(b)), f64::from(a.max(b)));
    let scale = (1080.0 / short).min(f64::from(*SIDE.end()) / long);
    let side = |part: u32| {
        let pixels = (scale * f64::from(part)).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 2048"
        )]
        let pixels = pixels as u32;
        pixels.clamp(*SIDE.start(), *SIDE.end())
    };
    (side(a), side(b))
}

/// Parses two numbers separated by `between`. The schema has already checked the pattern.
fn parse_pair(text: &str, between: char) -> Result<(u32, u32)> {
    let parts = text
        .split_once(between)
        .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parts
        .filter(|(a, b)| *a > 0 && *b > 0)
        .ok_or_else(|| Error::invalid_field("size", "pattern", "deve ter a forma 1080x1350"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_and_ratio_agree_or_are_refused() {
        let ok = |size, format| parse_dimensions(size, format).expect("valid");
        assert_eq!(ok(None, None), (1080, 1350));
        assert_eq!(ok(None, Some("1:1")), (1080, 1080));
        assert_eq!(ok(None, Some("9:16")), (1080, 1920));
        assert_eq!(ok(Some("1080x1080"), None), (1080, 1080));
        assert_eq!(ok(Some("1080x1920"), Some("9:16")), (1080, 1920));
        assert_eq!(ok(Some("1024x1536"), Some("2:3")), (1024, 1536));
        assert!(parse_dimensions(Some("1024x1536"), Some("1:1")).is_err());
        assert!(parse_dimensions(Some("255x256"), None).is_err());
        assert!(parse_dimensions(Some("256x2049"), None).is_err());
        assert_eq!(ok(None, Some("1:20")), (256, 2048));
    }
}
