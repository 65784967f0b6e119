//! An image with a point or a rectangle marked on it.

use maud::{Markup, html};

/// A point or rectangle on an image. The coordinates are fractions of the image's width and height.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    pub x: f64,
    pub y: f64,
    /// The width and height of a rectangle. `None` for a point.
    pub size: Option<(f64, f64)>,
}

impl Mark {
    pub fn point(x: f64, y: f64) -> Self {
        Self { x, y, size: None }
    }

    /// Creates a mark from the fields of an answer. `None` without a point, and for a rectangle that
    /// covers the whole image.
    pub fn from_fields(x: Option<f64>, y: Option<f64>, size: [Option<f64>; 2]) -> Option<Self> {
        let [width, height] = size;
        let mark = Self {
            x: x?,
            y: y?,
            size: width.zip(height),
        };
        let is_whole = mark
            .size
            .is_some_and(|(width, height)| width.min(height) > 0.999);
        (!is_whole).then_some(mark)
    }
}

/// Draws the image with its mark. The mark is SVG with percentages as coordinates, because the content
/// security policy forbids inline styles.
pub(crate) fn draw_marked(image: &str, mark: Option<Mark>) -> Markup {
    let percent = |fraction: f64| format!("{:.2}%", fraction * 100.0);
    html! {
        div class="spot" {
            img src=(image) alt="" loading="lazy";
            @if let Some(Mark { x, y, size }) = mark {
                svg aria-hidden="true" {
                    @match size {
                        Some((width, height)) => rect x=(percent(x)) y=(percent(y)) width=(percent(width)) height=(percent(height)) {},
                        None => circle cx=(percent(x)) cy=(percent(y)) r="7" {},
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Mark, draw_marked};

    #[test]
    fn a_rectangle_is_drawn_and_the_whole_image_has_no_mark() {
        let draw =
            |x, y, size| draw_marked("/i", Mark::from_fields(Some(x), Some(y), size)).into_string();
        let point = draw(0.25, 0.5, [None, None]);
        assert!(
            point.contains(r#"<circle cx="25.00%" cy="50.00%""#),
            "{point}"
        );
        let part = draw(0.1, 0.2, [Some(0.3), Some(0.4)]);
        assert!(
            part.contains(r#"<rect x="10.00%" y="20.00%" width="30.00%" height="40.00%""#),
            "{part}"
        );
        let whole = draw(0.0, 0.0, [Some(1.0), Some(1.0)]);
        assert!(!whole.contains("svg"), "{whole}");
    }
}
