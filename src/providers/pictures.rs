//! Images as pixels: judged, decoded within bounds, made small.

use std::io::Cursor;

use bytes::Bytes;
use image::{DynamicImage, ImageReader, Limits, codecs::jpeg::JpegEncoder, imageops::FilterType};
use tools::{
    media::MediaType,
    ports::Picture,
    registry::{Error, Result},
};

/// Pixels beyond which an image is refused before it is decoded.
const MOST_PIXELS: u64 = 60_000_000;
/// Bytes that decoding may take: eight per pixel.
const MOST_MEMORY: u64 = MOST_PIXELS * 8;
/// Bytes of a thumbnail.
const THUMBNAIL: usize = 64_000;

/// What an image file is: its type from its bytes, its size, and that it decodes whole.
///
/// Refused (400) when it is no image, has too many pixels, or is broken.
pub async fn judge(bytes: Bytes) -> Result<Picture> {
    run(move || {
        let (media_type, image) = decode(&bytes)?;
        let (width, height) = (image.width(), image.height());
        Ok(Picture {
            media_type: media_type.as_str(),
            width,
            height,
            bytes,
        })
    })
    .await
}

/// A small JPEG of an image, at most 64 kB.
pub async fn thumbnail(bytes: Bytes) -> Result<Vec<u8>> {
    run(move || {
        let (_, image) = decode(&bytes)?;
        for (side, quality) in [(640, 80), (512, 70), (384, 60), (256, 50)] {
            let small = image.resize(side, side, FilterType::Triangle).to_rgb8();
            let mut jpeg = vec![];
            JpegEncoder::new_with_quality(&mut jpeg, quality)
                .encode_image(&small)
                .map_err(Error::internal)?;
            if jpeg.len() <= THUMBNAIL {
                return Ok(jpeg);
            }
        }
        Err(Error::internal("no thumbnail came out small enough"))
    })
    .await
}

/// The pixels of an image, of its first frame when it moves.
pub(super) fn decode(bytes: &[u8]) -> Result<(MediaType, DynamicImage)> {
    let media_type = MediaType::of(bytes).filter(|kind| !kind.is_video());
    let media_type = media_type.ok_or_else(|| broken("não é uma imagem aceita"))?;
    let format = match media_type {
        MediaType::Png => image::ImageFormat::Png,
        MediaType::Jpeg => image::ImageFormat::Jpeg,
        MediaType::Webp => image::ImageFormat::WebP,
        _ => image::ImageFormat::Gif,
    };
    let reader = || ImageReader::with_format(Cursor::new(bytes), format);
    let unreadable = |_| broken("está corrompida ou incompleta");
    let (width, height) = reader().into_dimensions().map_err(unreadable)?;
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(broken("tem pixels demais; o máximo são 60 milhões"));
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    let mut reader = reader();
    reader.limits(limits);
    Ok((media_type, reader.decode().map_err(unreadable)?))
}

fn broken(message: &str) -> Error {
    Error::invalid("file", "image", message)
}

/// Pixels are for threads of their own.
pub(super) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(Error::internal)?
}
