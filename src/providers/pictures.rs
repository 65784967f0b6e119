//! Images as pixels: judged, decoded within bounds, made small.

use std::{io::Cursor, path::PathBuf};

use bytes::Bytes;
use image::{
    DynamicImage, ImageReader, Limits, RgbImage, codecs::jpeg::JpegEncoder, imageops::FilterType,
};
use tokio::sync::Semaphore;
use tools::{
    media::MediaType,
    ports::Picture,
    registry::{Error, Result},
};

/// Pixels beyond which an image is refused before it is decoded.
const MOST_PIXELS: u64 = 60_000_000;
/// Bytes that decoding may take: eight per pixel.
const MOST_MEMORY: u64 = MOST_PIXELS * 8;
/// Of a picture that is kept.
const QUALITY: u8 = 90;
/// Bytes of a thumbnail.
const THUMBNAIL: usize = 64_000;

/// Width and height of an image file that decodes whole. It is read only once there is room for it.
///
/// Refused (400) when it is no image, has too many pixels, or is broken.
pub async fn size(file: PathBuf) -> Result<(u32, u32)> {
    run(move || {
        let bytes = std::fs::read(file).map_err(Error::internal)?;
        let (_, image) = decode(&bytes)?;
        Ok((image.width(), image.height()))
    })
    .await
}

/// A small JPEG of an image, at most 64 kB.
pub async fn thumbnail(bytes: Bytes) -> Result<Vec<u8>> {
    run(move || {
        let (_, image) = decode(&bytes)?;
        for (side, quality) in [(640, 80), (512, 70), (384, 60), (256, 50)] {
            let small = image.resize(side, side, FilterType::Triangle).to_rgb8();
            let jpeg = encoded(&small, quality)?;
            if jpeg.len() <= THUMBNAIL {
                return Ok(jpeg);
            }
        }
        Err(Error::internal("no thumbnail came out small enough"))
    })
    .await
}

/// The middle of an image, filling exactly this size.
pub(super) fn filling(image: &DynamicImage, (width, height): (u32, u32)) -> RgbImage {
    let (w, h) = (u64::from(image.width()), u64::from(image.height()));
    let (across, down) = (u64::from(width), u64::from(height));
    // Cut first: a sliver resized whole, and cut afterwards, would not fit in memory.
    let cut_w = w.min((h * across).div_ceil(down)).max(1);
    let cut_h = h.min((w * down).div_ceil(across)).max(1);
    let side = |side: u64| u32::try_from(side).expect("no more than the image has");
    let (x, y) = (side((w - cut_w) / 2), side((h - cut_h) / 2));
    image
        .crop_imm(x, y, side(cut_w), side(cut_h))
        .resize_exact(width, height, FilterType::Lanczos3)
        .to_rgb8()
}

/// A picture of these pixels, as JPEG: what every network takes.
pub(super) fn jpeg(pixels: &RgbImage) -> Result<Picture> {
    Ok(Picture {
        bytes: encoded(pixels, QUALITY)?.into(),
        media_type: MediaType::Jpeg.as_str(),
        width: pixels.width(),
        height: pixels.height(),
    })
}

fn encoded(pixels: &RgbImage, quality: u8) -> Result<Vec<u8>> {
    let mut jpeg = vec![];
    JpegEncoder::new_with_quality(&mut jpeg, quality)
        .encode_image(pixels)
        .map_err(Error::internal)?;
    Ok(jpeg)
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
    let ends = match media_type {
        MediaType::Jpeg => jpeg_ends(bytes),
        MediaType::Gif => gif_ends(bytes).is_some(),
        _ => true,
    };
    if !ends {
        return Err(broken("está corrompida ou incompleta"));
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_MEMORY);
    let mut reader = reader();
    reader.limits(limits);
    Ok((media_type, reader.decode().map_err(unreadable)?))
}

/// Whether a JPEG has its end, which its decoder does without: it paints what is missing grey.
///
/// Marker by marker (ITU-T T.81, annex B): segments are passed over, and with them any thumbnail.
fn jpeg_ends(bytes: &[u8]) -> bool {
    const STUFFED: u8 = 0x00;
    const END: u8 = 0xd9;
    let mut at = 2;
    while let Some(&[byte, marker]) = bytes.get(at..at + 2).and_then(|two| two.first_chunk()) {
        at += match (byte, marker) {
            (0xff, END) => return true,
            // Fill bytes, and what lies between two markers of a scan.
            (0xff, 0xff) | (..0xff, _) => 1,
            (0xff, STUFFED | 0x01 | 0xd0..=0xd8) => 2,
            (0xff, _) => match bytes.get(at + 2..).and_then(|rest| rest.first_chunk()) {
                Some(length) => 2 + usize::from(u16::from_be_bytes(*length)),
                None => return false,
            },
        };
    }
    false
}

/// Finds the end of a GIF, of which its decoder reads no further than the first picture.
///
/// Block by block (GIF89a specification, appendix A).
fn gif_ends(bytes: &[u8]) -> Option<()> {
    const HEADER: usize = 13;
    const EXTENSION: u8 = 0x21;
    const PICTURE: u8 = 0x2c;
    const END: u8 = 0x3b;
    // Bytes of the table of colors that the flags announce.
    let colors = |flags: u8| match flags & 0x80 {
        0 => 0,
        _ => 3 << ((flags & 7) + 1),
    };
    let mut at = HEADER + colors(*bytes.get(10)?);
    loop {
        at += match *bytes.get(at)? {
            END => return Some(()),
            EXTENSION => 2,
            PICTURE => 11 + colors(*bytes.get(at + 9)?),
            _ => return None,
        };
        // Parts of up to 255 bytes, until one of none.
        loop {
            let length = usize::from(*bytes.get(at)?);
            at += 1 + length;
            if length == 0 {
                break;
            }
        }
    }
}

fn broken(message: &str) -> Error {
    Error::invalid("file", "image", message)
}

/// Pixels are for threads of their own, of which a few at a time have room in memory.
pub(super) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    static ROOM: Semaphore = Semaphore::const_new(4);
    let room = ROOM.acquire().await.map_err(Error::internal)?;
    let working = tokio::task::spawn_blocking(move || {
        // Held by the work itself, which goes on when its caller has gone.
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
    fn half_an_image_is_none() {
        let noise = |x: u32, y: u32| image::Rgb([(x * y) as u8, (x ^ y) as u8, (x + y) as u8]);
        let image = RgbImage::from_fn(200, 200, noise);
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let mut file = Cursor::new(vec![]);
            image.write_to(&mut file, format).expect("encodes");
            let file = file.into_inner();
            decode(&file).expect("a whole image");
            // What follows the end is none of our business.
            decode(&[&file[..], b"more"].concat()).expect("a whole image");
            for part in [file.len() / 2, file.len() * 9 / 10] {
                assert!(decode(&file[..part]).is_err(), "{format:?} of {part} bytes");
            }
        }
    }

    #[test]
    fn a_moving_picture_has_all_its_frames() {
        let mut file = vec![];
        let mut encoder = image::codecs::gif::GifEncoder::new(&mut file);
        for color in [0, 90, 255] {
            let frame = image::RgbaImage::from_pixel(60, 40, image::Rgba([color; 4]));
            let encoded = encoder.encode_frame(image::Frame::new(frame));
            encoded.expect("encodes");
        }
        drop(encoder);
        decode(&file).expect("a whole picture");
        decode(&[&file[..], b"more"].concat()).expect("a whole picture");
        for missing in 1..file.len() - 20 {
            assert!(decode(&file[..file.len() - missing]).is_err(), "{missing}");
        }
    }

    #[test]
    fn a_sliver_fills_any_size_from_its_middle() {
        for (width, height) in [(1, 60_000), (60_000, 1), (7, 7), (300, 200)] {
            let image = DynamicImage::ImageRgb8(RgbImage::new(width, height));
            assert_eq!(filling(&image, (1024, 1536)).dimensions(), (1024, 1536));
        }
        let thirds = |x: u32, _| image::Rgb([if (100..200).contains(&x) { 255 } else { 0 }; 3]);
        let image = DynamicImage::ImageRgb8(RgbImage::from_fn(300, 100, thirds));
        let middle = filling(&image, (50, 50));
        assert!(middle.pixels().all(|pixel| pixel.0[0] > 200));
    }
}
