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
