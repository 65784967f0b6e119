//! Decoded images (cards and backgrounds), and their encoding as files.

use jpeg_encoder::{ColorType, Encoder};

/// The file format of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Png,
    /// JPEG with quality 88.
    Jpeg,
}

/// An opaque image: rows from the top, three bytes (sRGB) per pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub width: u32,
    pub height: u32,
    rgb: Vec<u8>,
}

const JPEG_QUALITY: u8 = 88;

impl Image {
    /// Creates an image from these pixels; `None` if there are no bytes, or not exactly `width ×
    /// height × 3`.
    pub fn new(width: u32, height: u32, rgb: Vec<u8>) -> Option<Self> {
        let bytes = (width as usize)
            .checked_mul(height as usize)?
            .checked_mul(3)?;
        (bytes > 0 && bytes == rgb.len()).then_some(Self { width, height, rgb })
    }

    /// Returns the pixels: rows from the top, three bytes each.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// Encodes the image as a file.
    ///
    /// # Panics
    ///
    /// For a JPEG with a side over 65,535 pixels. No image from [`crate::render`] is that large.
    pub fn encode(&self, format: Format) -> Vec<u8> {
        let mut file = Vec::with_capacity(self.rgb.len() / 8);
        match format {
            Format::Png => self
                .write_png(&mut file)
                .expect("the header matches the pixels"),
            Format::Jpeg => {
                let side = |side: u32| u16::try_from(side).expect("a JPEG side fits 16 bits");
                // Optimised Huffman tables would make the file a tenth smaller, but they need one
                // scan per colour. Some decoders (zune-jpeg up to 0.5.15) show such scans as
                // stripes when colours are subsampled.
                Encoder::new(&mut file, JPEG_QUALITY)
                    .encode(
                        &self.rgb,
                        side(self.width),
                        side(self.height),
                        ColorType::Rgb,
                    )
                    .expect("the number of pixels matches the sides");
            }
        }
        file
    }

    fn write_png(&self, file: &mut Vec<u8>) -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_deflate_compression(png::DeflateCompression::Level(2));
        encoder.set_filter(png::Filter::Adaptive);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()
    }

    /// Reduces the image so that neither side is longer than `max_side`. Never enlarges the image.
    pub fn thumbnail(&self, max_side: u32) -> Self {
        let longest = self.width.max(self.height);
        let max_side = max_side.max(1);
        if longest <= max_side {
            return self.clone();
        }
        let side = |side: u32| {
            let scaled = f64::from(side) * f64::from(max_side) / f64::from(longest);
            (scaled.round() as u32).max(1)
        };
        self.resize(
            [0.0, 0.0, self.width as f32, self.height as f32],
            side(self.width),
            side(self.height),
        )
    }

    /// Crops the centre of the image to the proportions of `width × height` and scales it to that
    /// size.
    pub(crate) fn crop_to_cover(&self, width: u32, height: u32) -> Self {
        let (w, h) = (self.width as f32, self.height as f32);
        let scale = (width as f32 / w).max(height as f32 / h);
        let (cut_w, cut_h) = (
            (width as f32 / scale).min(w),
            (height as f32 / scale).min(h),
        );
        self.resize(
            [(w - cut_w) / 2.0, (h - cut_h) / 2.0, cut_w, cut_h],
            width,
            height,
        )
    }

    /// Resizes a part (`x, y, width, height`) of the image. Averages pixels when the part shrinks.
    fn resize(&self, [x, y, w, h]: [f32; 4], width: u32, height: u32) -> Self {
        let columns = filter_weights(x, w, self.width, width);
        let rows = filter_weights(y, h, self.height, height);
        let first = rows.first().map_or(0, |row| row.0);
        let last = rows.last().map_or(0, |row| row.0 + row.1.len());
        let stride = self.width as usize * 3;
        let mut across = vec![0.0f32; (last - first) * width as usize * 3];
        for (row, out) in across.chunks_exact_mut(width as usize * 3).enumerate() {
            let source = &self.rgb[(first + row) * stride..][..stride];
            for ((start, parts), out) in columns.iter().zip(out.chunks_exact_mut(3)) {
                for (part, pixel) in parts.iter().zip(source[start * 3..].chunks_exact(3)) {
                    for c in 0..3 {
                        out[c] += part * f32::from(pixel[c]);
                    }
                }
            }
        }
        let line = width as usize * 3;
        let mut rgb = Vec::with_capacity(line * height as usize);
        let mut sum = vec![0.0f32; line];
        for (start, parts) in &rows {
            sum.fill(0.5);
            for (k, part) in parts.iter().enumerate() {
                let source = &across[(start - first + k) * line..][..line];
                for (sum, value) in sum.iter_mut().zip(source) {
                    *sum += part * value;
                }
            }
            rgb.extend(sum.iter().map(|&value| value.clamp(0.0, 255.0) as u8));
        }
        Self { width, height, rgb }
    }
}

/// Returns, for each target pixel, the first source pixel and the weights of the source pixels. The
/// filter is a triangle as wide as two target pixels, or as two source pixels if the image grows.
fn filter_weights(from: f32, length: f32, source: u32, target: u32) -> Vec<(usize, Vec<f32>)> {
    let step = length / target as f32;
    let reach = step.max(1.0);
    (0..target)
        .map(|i| {
            let middle = from + (i as f32 + 0.5) * step - 0.5;
            let start = ((middle - reach).ceil().max(0.0) as u32).min(source - 1);
            let end = ((middle + reach).floor().max(0.0) as u32).clamp(start, source - 1);
            let raw = (start..=end).map(|s| (1.0 - (s as f32 - middle).abs() / reach).max(0.0));
            let mut parts: Vec<f32> = raw.collect();
            let sum: f32 = parts.iter().sum();
            if sum > 0.0 {
                parts.iter_mut().for_each(|part| *part /= sum);
            } else {
                parts = vec![1.0];
            }
            (start as usize, parts)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thumbnail_keeps_the_aspect_ratio_and_is_never_enlarged() {
        let image = Image::new(400, 200, vec![90; 400 * 200 * 3]).expect("sizes match");
        let small = image.thumbnail(100);
        assert_eq!((small.width, small.height), (100, 50));
        assert!(small.rgb().iter().all(|&v| v == 90));
        assert_eq!(image.thumbnail(1000), image);
        assert_eq!(image.thumbnail(1).height, 1);
    }

    #[test]
    fn an_image_has_pixels_of_exactly_three_bytes() {
        assert!(Image::new(2, 2, vec![0; 11]).is_none());
        assert!(Image::new(0, 2, vec![]).is_none());
    }
}
