//! Makes text legible on its background.

use crate::canvas::{Area, Canvas};
use crate::color::{Color, LEGIBLE};

/// The target contrast: slightly above the minimum, to allow for rounding.
const SOUGHT: f32 = LEGIBLE + 0.1;

/// Returns the minimum contrast between an ink and the drawing in a box.
pub(crate) fn min_contrast(canvas: &Canvas, area: Area, ink: Color) -> f32 {
    canvas
        .pixels_in(area)
        .map(|pixel| pixel.contrast(ink))
        .fold(f32::INFINITY, f32::min)
}

/// Blends as much of the colour `scrim` behind the box as the ink needs to be legible, and fades it
/// out over `feather` pixels.
pub(crate) fn blend_scrim(canvas: &mut Canvas, area: Area, ink: Color, scrim: Color, feather: f32) {
    let worst = worst_backgrounds(canvas, area, ink.luminance() > scrim.luminance());
    let read = |part: f32| {
        worst
            .iter()
            .all(|shade| shade.mix(scrim, part).contrast(ink) >= SOUGHT)
    };
    if read(0.0) {
        return;
    }
    let (mut low, mut high) = (0, 64);
    while low + 1 < high {
        let middle = i32::midpoint(low, high);
        *(if read(middle as f32 / 64.0) {
            &mut high
        } else {
            &mut low
        }) = middle;
    }
    let needed = high as f32 / 64.0;
    canvas.change_pixels(area.expanded(feather), |x, y, color| {
        let dx = (area.x - x).max(x - area.right()).max(0.0);
        let dy = (area.y - y).max(y - area.bottom()).max(0.0);
        let near = (1.0 - (dx * dx + dy * dy).sqrt() / feather.max(1.0)).clamp(0.0, 1.0);
        color.mix(scrim, needed * near * near * (3.0 - 2.0 * near))
    });
}

/// Returns the background colours of a box on which the ink has the least contrast. Similar colours form
/// 32 × 32 × 32 groups. The result contains one colour per group, composed of the highest value of each
/// channel for light ink, or of the lowest for dark ink. On every colour of the group the ink is at
/// least as legible as on the composed one, before and after blending.
fn worst_backgrounds(canvas: &Canvas, area: Area, light_ink: bool) -> Vec<Color> {
    let mut kinds: Vec<Option<Color>> = vec![None; 1 << 15];
    for pixel in canvas.pixels_in(area) {
        let [r, g, b] = pixel.0.map(|c| usize::from(c >> 3));
        let kind = &mut kinds[r << 10 | g << 5 | b];
        let worse = |a: u8, b: u8| if light_ink { a.max(b) } else { a.min(b) };
        *kind = Some(kind.map_or(pixel, |k| {
            Color(std::array::from_fn(|i| worse(k.0[i], pixel.0[i])))
        }));
    }
    kinds.into_iter().flatten().collect()
}
