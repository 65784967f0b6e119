//! Decodes, checks and reduces images, within limits of memory.

#[cfg(test)]
mod tests;

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
