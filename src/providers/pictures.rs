//! Decodes, checks and reduces images, within limits of memory.

use std::{
    borrow::Cow,
    io::Cursor,
    path::PathBuf,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use gateway::{Code, Error, Result};
use image::{
    DynamicImage, ImageDecoder, ImageReader, Limits, RgbImage, codecs::jpeg::JpegEncoder,
    imageops::FilterType, metadata::Orientation,
};
use ports::{MeasureImages, Picture};
use tokio::sync::Semaphore;
use tools::media::MediaType;

use super::{
    containers::{is_complete_jpeg, require_complete_gif, strip_metadata},
    page_document::build_pdf,
};

/// Maximum pixels of an image; a larger one is rejected before it is decoded.
const MOST_PIXELS: u64 = 60_000_000;
/// Maximum bytes of memory of one decoding: eight bytes per pixel.
const MOST_MEMORY: u64 = MOST_PIXELS * 8;
/// Memory budget of all concurrent decodings, in bytes. An image that needs more is decoded alone.
const ALL_MEMORY: u64 = 100_000_000;
/// The JPEG quality of stored pictures.
const QUALITY: u8 = 90;
/// The JPEG quality of pictures that are reduced for a page of the console.
const REDUCED: u8 = 80;

/// Decodes image files.
pub struct ImageFiles;

#[async_trait]
impl MeasureImages for ImageFiles {
    async fn measure_image(&self, file: PathBuf) -> Result<(u32, u32)> {
        // The file is read inside the work closure, so that waiting files use no memory.
        run_blocking(move || {
            Ok(decode_image(&std::fs::read(file).map_err(Error::internal)?)?.size())
        })
        .await
    }

    async fn to_jpeg(&self, file: Bytes, shorter: u32, longer: u32) -> Result<Picture> {
        run_blocking(move || {
            let mut decoded = decode_image(&file)?;
            decoded.image.apply_orientation(decoded.orientation);
            encode_picture(&flatten_on_white(&reduce_to_fit(
                &decoded.image,
                shorter,
                longer,
            )))
        })
        .await
    }

    async fn to_cropped_jpeg(
        &self,
        file: Bytes,
        ratio: f64,
        point: (f64, f64),
        (shorter, longer): (u32, u32),
    ) -> Result<Picture> {
        run_blocking(move || {
            let mut decoded = decode_image(&file)?;
            decoded.image.apply_orientation(decoded.orientation);
            let size = (decoded.image.width(), decoded.image.height());
            let (x, y, width, height) = part_with_ratio(size, ratio, point);
            let part = decoded.image.crop_imm(x, y, width, height);
            encode_picture(&flatten_on_white(&reduce_to_fit(&part, shorter, longer)))
        })
        .await
    }

    async fn to_small_jpeg(&self, file: Bytes, width: u32) -> Result<Picture> {
        run_blocking(move || {
            let mut decoded = decode_image(&file)?;
            decoded.image.apply_orientation(decoded.orientation);
            let (image, height) = (&decoded.image, width * 3);
            let pixels = if image.width() <= width && image.height() <= height {
                flatten_on_white(image)
            } else {
                flatten_on_white(&image.resize(width, height, FilterType::Triangle))
            };
            encode_with_quality(&pixels, REDUCED)
        })
        .await
    }

    async fn join_as_pdf(&self, jpegs: Vec<Bytes>) -> Result<Bytes> {
        run_blocking(move || {
            let pages = jpegs.into_iter().map(Vec::from).collect();
            let pdf = build_pdf(pages);
            let pdf =
                pdf.ok_or_else(|| Error::new(Code::INVALID_INPUT).because("não é um JPEG"))?;
            Ok(Bytes::from(pdf))
        })
        .await
    }
}

/// Returns the largest part of an image with this ratio of width to height, around a point: its left
/// and upper edge, width and height in pixels.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the values are clamped to the sides of the image"
)]
fn part_with_ratio(
    (width, height): (u32, u32),
    ratio: f64,
    (x, y): (f64, f64),
) -> (u32, u32, u32, u32) {
    let (whole_width, whole_height) = (f64::from(width), f64::from(height));
    let part_width = (whole_height * ratio).min(whole_width).round().max(1.0);
    let part_height = (whole_width / ratio).min(whole_height).round().max(1.0);
    let edge = |middle: f64, part: f64, whole: f64| {
        (middle.clamp(0.0, 1.0) * whole - part / 2.0).clamp(0.0, whole - part)
    };
    (
        edge(x, part_width, whole_width) as u32,
        edge(y, part_height, whole_height) as u32,
        part_width as u32,
        part_height as u32,
    )
}

/// Reduces the image if a side is too long.
fn reduce_to_fit(image: &DynamicImage, shorter: u32, longer: u32) -> DynamicImage {
    let (width, height) = (image.width(), image.height());
    let (most_wide, most_high) = if width > height {
        (longer, shorter)
    } else {
        (shorter, longer)
    };
    if width <= most_wide && height <= most_high {
        return image.clone();
    }
    image.resize(most_wide, most_high, FilterType::Lanczos3)
}

/// Returns the pixels, composed on a white background.
fn flatten_on_white(image: &DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.to_rgb8();
    }
    let pixels = image.to_rgba8();
    RgbImage::from_fn(pixels.width(), pixels.height(), |x, y| {
        let [rgb @ .., alpha] = pixels.get_pixel(x, y).0;
        let alpha = u32::from(alpha);
        let blend_on_white = |c: u8| (u32::from(c) * alpha + 255 * (255 - alpha)) / 255;
        image::Rgb(rgb.map(|c| u8::try_from(blend_on_white(c)).unwrap_or(255)))
    })
}

/// Returns a JPEG thumbnail of an image, of at most `most` bytes.
pub async fn thumbnail(bytes: Bytes, most: usize) -> Result<Vec<u8>> {
    run_blocking(move || {
        let decoded = decode_image(&bytes)?;
        for (side, quality) in [(640, 80), (512, 70), (384, 60), (256, 50), (128, 50)] {
            let mut small = decoded.image.resize(side, side, FilterType::Triangle);
            small.apply_orientation(decoded.orientation);
            let jpeg = encode_jpeg(&small.to_rgb8(), quality)?;
            if jpeg.len() <= most {
                return Ok(jpeg);
            }
        }
        Err(Error::internal("toda miniatura passa do tamanho máximo"))
    })
    .await
}

/// Crops the centre of an image to the aspect ratio of this size and resizes it.
fn crop_to_size(image: &DynamicImage, (width, height): (u32, u32)) -> RgbImage {
    let (w, h) = (u64::from(image.width()), u64::from(image.height()));
    let (across, down) = (u64::from(width), u64::from(height));
    // The image is cropped first, because resizing a very long image would need too much memory.
    let cut_w = w.min((h * across).div_ceil(down)).max(1);
    let cut_h = h.min((w * down).div_ceil(across)).max(1);
    let side = |side: u64| u32::try_from(side).expect("a length within the image");
    let (x, y) = (side((w - cut_w) / 2), side((h - cut_h) / 2));
    image
        .crop_imm(x, y, side(cut_w), side(cut_h))
        .resize_exact(width, height, FilterType::Lanczos3)
        .to_rgb8()
}

/// Encodes pixels as JPEG, the format that every social network accepts.
pub(super) fn encode_picture(pixels: &RgbImage) -> Result<Picture> {
    encode_with_quality(pixels, QUALITY)
}

fn encode_with_quality(pixels: &RgbImage, quality: u8) -> Result<Picture> {
    Ok(Picture {
        maker: "openai",
        warnings: vec![],
        background: None,
        bytes: encode_jpeg(pixels, quality)?.into(),
        media_type: MediaType::Jpeg.as_str(),
        width: pixels.width(),
        height: pixels.height(),
    })
}

fn encode_jpeg(pixels: &RgbImage, quality: u8) -> Result<Vec<u8>> {
    let mut jpeg = vec![];
    JpegEncoder::new_with_quality(&mut jpeg, quality)
        .encode_image(pixels)
        .map_err(Error::internal)?;
    Ok(jpeg)
}

/// The pixels of an image, with the memory reserved for them.
pub(super) struct Decoded {
    pub(super) image: DynamicImage,
    /// The EXIF orientation.
    orientation: Orientation,
    _memory: Memory,
}

impl Decoded {
    /// Returns the width and height as displayed.
    fn size(&self) -> (u32, u32) {
        use Orientation as O;
        let (width, height) = (self.image.width(), self.image.height());
        match self.orientation {
            O::Rotate90 | O::Rotate270 | O::Rotate90FlipH | O::Rotate270FlipH => (height, width),
            O::NoTransforms | O::Rotate180 | O::FlipHorizontal | O::FlipVertical => (width, height),
        }
    }

    /// Returns the image as displayed, reduced to at most `side` pixels per side.
    pub(super) fn reduce_to_side(mut self, side: u32) -> DynamicImage {
        self.image.apply_orientation(self.orientation);
        if self.image.width().max(self.image.height()) <= side {
            return self.image;
        }
        self.image.resize(side, side, FilterType::Triangle)
    }

    /// Returns the centre of the image as displayed, in exactly this size.
    pub(super) fn crop_to_size(mut self, size: (u32, u32)) -> RgbImage {
        self.image.apply_orientation(self.orientation);
        crop_to_size(&self.image, size)
    }
}

/// Decodes an image, or the first frame of an animation.
pub(super) fn decode_image(bytes: &[u8]) -> Result<Decoded> {
    let media_type = MediaType::detect(bytes).filter(|kind| !kind.is_video());
    let media_type = media_type.ok_or_else(|| invalid_image_error("não é uma imagem aceita"))?;
    let (format, plain) = match media_type {
        MediaType::Png => (image::ImageFormat::Png, strip_metadata(bytes)),
        MediaType::Jpeg => (image::ImageFormat::Jpeg, Cow::Borrowed(bytes)),
        MediaType::Webp => (image::ImageFormat::WebP, Cow::Borrowed(bytes)),
        _ => (image::ImageFormat::Gif, Cow::Borrowed(bytes)),
    };
    let unreadable = |_| invalid_image_error("está corrompida ou incompleta");
    let mut reader = ImageReader::with_format(Cursor::new(&*plain), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(unreadable)?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MOST_PIXELS {
        return Err(invalid_image_error(
            "tem pixels demais; o máximo são 60 milhões",
        ));
    }
    // The decoder needs memory besides the pixels: for a JPEG, the coefficients of several scans
    // and a copy of the file; for the other formats, a second image.
    let needed = match media_type {
        MediaType::Png => decoder.total_bytes(),
        MediaType::Jpeg => pixels * 9 + bytes.len() as u64,
        _ => decoder.total_bytes() * 2,
    };
    if decoder.total_bytes() > MOST_MEMORY {
        return Err(invalid_image_error("está corrompida ou incompleta"));
    }
    let ends = match media_type {
        MediaType::Jpeg => is_complete_jpeg(bytes),
        MediaType::Gif => require_complete_gif(bytes).is_some(),
        _ => true,
    };
    if !ends {
        return Err(invalid_image_error("está corrompida ou incompleta"));
    }
    let memory = Memory::reserve(needed);
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    Ok(Decoded {
        image: DynamicImage::from_decoder(decoder).map_err(unreadable)?,
        orientation,
        _memory: memory,
    })
}

/// Reserved bytes of the decoding memory budget.
struct Memory(u64);

static LEFT: Mutex<u64> = Mutex::new(ALL_MEMORY);
static GIVEN_BACK: Condvar = Condvar::new();

impl Memory {
    fn lock_budget() -> MutexGuard<'static, u64> {
        LEFT.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks the thread until this many bytes of the budget are free, and reserves them.
    fn reserve(bytes: u64) -> Self {
        let bytes = bytes.min(ALL_MEMORY);
        let too_little = |left: &mut u64| *left < bytes;
        let waited = GIVEN_BACK.wait_while(Self::lock_budget(), too_little);
        *waited.unwrap_or_else(PoisonError::into_inner) -= bytes;
        Self(bytes)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        *Self::lock_budget() += self.0;
        GIVEN_BACK.notify_all();
    }
}

fn invalid_image_error(message: &str) -> Error {
    Error::invalid_field("file", "image", message)
}

/// Runs image work on a blocking thread. At most three run at a time, which bounds the memory.
pub(super) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    static ROOM: Semaphore = Semaphore::const_new(3);
    let room = ROOM.acquire().await.map_err(Error::internal)?;
    let working = tokio::task::spawn_blocking(move || {
        // The closure holds the permit, because it continues after its caller is dropped.
        let _room = room;
        work()
    });
    working.await.map_err(Error::internal)?
}

#[cfg(test)]
mod tests {
    use image::ImageFormat;

    use super::*;

    #[test]
    fn an_incomplete_image_is_refused() {
        let noise = |x: u32, y: u32| image::Rgb([(x * y) as u8, (x ^ y) as u8, (x + y) as u8]);
        let image = RgbImage::from_fn(200, 200, noise);
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let mut file = Cursor::new(vec![]);
            image.write_to(&mut file, format).expect("encodes");
            let file = file.into_inner();
            decode_image(&file).expect("a whole image");
            // Bytes after the end of the image are ignored.
            decode_image(&[&file[..], b"more"].concat()).expect("a whole image");
            for part in [file.len() / 2, file.len() * 9 / 10] {
                assert!(
                    decode_image(&file[..part]).is_err(),
                    "{format:?} of {part} bytes"
                );
            }
        }
    }

    #[test]
    fn an_incomplete_animation_is_refused() {
        let mut file = vec![];
        let mut encoder = image::codecs::gif::GifEncoder::new(&mut file);
        for color in [0, 90, 255] {
            let frame = image::RgbaImage::from_pixel(60, 40, image::Rgba([color; 4]));
            let encoded = encoder.encode_frame(image::Frame::new(frame));
            encoded.expect("encodes");
        }
        drop(encoder);
        decode_image(&file).expect("a whole picture");
        decode_image(&[&file[..], b"more"].concat()).expect("a whole picture");
        for missing in 1..file.len() - 20 {
            assert!(
                decode_image(&file[..file.len() - missing]).is_err(),
                "{missing}"
            );
        }
    }

    /// Inserts chunks before the pixels of a PNG.
    fn with_chunks(png: &[u8], chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        const HEADER: usize = 8 + 25;
        let mut file = png[..HEADER].to_vec();
        for (kind, data) in chunks {
            let mut sum = flate2::Crc::new();
            sum.update(*kind);
            sum.update(data);
            file.extend(u32::try_from(data.len()).expect("short").to_be_bytes());
            file.extend_from_slice(*kind);
            file.extend_from_slice(data);
            file.extend(sum.sum().to_be_bytes());
        }
        file.extend_from_slice(&png[HEADER..]);
        file
    }

    /// Returns an EXIF block (TIFF 6.0, little endian) that only contains the orientation.
    fn exif_block(orientation: u8) -> Vec<u8> {
        let mut tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
        tiff.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
        tiff
    }

    #[test]
    fn profiles_and_texts_are_removed_and_pixels_stay_the_same() {
        let noise = |x: u32, y: u32| image::Rgb([(x * y) as u8, (x ^ y) as u8, (x + y) as u8]);
        let mut file = Cursor::new(vec![]);
        let image = RgbImage::from_fn(50, 40, noise);
        image
            .write_to(&mut file, ImageFormat::Png)
            .expect("encodes");
        let file = file.into_inner();
        let gamma = 45_455u32.to_be_bytes();
        let said = with_chunks(
            &file,
            &[
                (b"iCCP", b"x\0\0nothing that inflates"),
                (b"gAMA", &gamma),
                (b"zTXt", b"x\0\0nothing that inflates"),
                (b"tEXt", b"a\0b"),
            ],
        );
        assert_eq!(
            strip_metadata(&said),
            with_chunks(&file, &[(b"gAMA", &gamma)])
        );
        assert_eq!(strip_metadata(&file), file);
        let decoded = decode_image(&said).expect("a whole image");
        assert_eq!(decoded.image.to_rgb8(), image);
        for part in 0..said.len() {
            strip_metadata(&said[..part]);
        }
    }

    #[test]
    fn the_size_respects_the_orientation() {
        let image = RgbImage::from_fn(60, 20, |x, _| image::Rgb([if x < 20 { 255 } else { 0 }; 3]));
        let mut png = Cursor::new(vec![]);
        image.write_to(&mut png, ImageFormat::Png).expect("encodes");
        let png = png.into_inner();
        for orientation in 1..=8 {
            let file = with_chunks(&png, &[(b"eXIf", &exif_block(orientation))]);
            let decoded = decode_image(&file).expect("a whole image");
            let turned = orientation >= 5;
            assert_eq!(
                decoded.size(),
                if turned { (20, 60) } else { (60, 20) },
                "{orientation}"
            );
            let (width, height) = decoded.size();
            let filled = decoded.crop_to_size((width, height));
            // Whether a pixel is in the white third, which is on the left before the rotation.
            let at = |x: u32, y: u32| filled.get_pixel(x, y).0[0] > 128;
            let corner = |right: bool, bottom: bool| {
                at(
                    if right { width - 1 } else { 0 },
                    if bottom { height - 1 } else { 0 },
                )
            };
            let expected = match orientation {
                1 | 4 => [true, false, true, false],
                2 | 3 => [false, true, false, true],
                5 | 6 => [true, true, false, false],
                _ => [false, false, true, true],
            };
            let corners = [
                corner(false, false),
                corner(true, false),
                corner(false, true),
                corner(true, true),
            ];
            assert_eq!(corners, expected, "{orientation}");
        }
    }

    #[test]
    fn a_very_narrow_image_is_cropped_at_its_centre() {
        for (width, height) in [(1, 60_000), (60_000, 1), (7, 7), (300, 200)] {
            let image = DynamicImage::ImageRgb8(RgbImage::new(width, height));
            assert_eq!(
                crop_to_size(&image, (1024, 1536)).dimensions(),
                (1024, 1536)
            );
        }
        let thirds = |x: u32, _| image::Rgb([if (100..200).contains(&x) { 255 } else { 0 }; 3]);
        let image = DynamicImage::ImageRgb8(RgbImage::from_fn(300, 100, thirds));
        let middle = crop_to_size(&image, (50, 50));
        assert!(middle.pixels().all(|pixel| pixel.0[0] > 200));
    }
}
