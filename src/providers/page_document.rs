//! Documents whose pages are images.
//!
//! The pages contain the JPEG files as they are, so nothing is decoded or compressed again.

use std::io::Cursor;

use image::{ImageDecoder, codecs::jpeg::JpegDecoder, metadata::Orientation};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};

use super::containers::count_jpeg_components;

/// Makes a PDF with one page for each JPEG. Returns `None` if a JPEG has no readable header.
pub(super) fn build_pdf(images: Vec<Vec<u8>>) -> Option<Vec<u8>> {
    let mut document = Document::with_version("1.5");
    let tree = document.new_object_id();
    let mut pages: Vec<Object> = vec![];
    for jpeg in images {
        let page = add_page(&mut document, jpeg, tree.into())?;
        pages.push(page.into());
    }
    let count = i64::try_from(pages.len()).ok()?;
    let kids = dictionary! { "Type" => "Pages", "Count" => count, "Kids" => pages };
    document.objects.insert(tree, kids.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    let mut pdf = vec![];
    document.save_to(&mut pdf).ok()?;
    Some(pdf)
}

/// Adds a page with the size of the JPEG. One pixel is half a point.
fn add_page(document: &mut Document, jpeg: Vec<u8>, tree: Object) -> Option<lopdf::ObjectId> {
    let mut decoder = JpegDecoder::new(Cursor::new(&jpeg)).ok()?;
    let (width, height) = decoder.dimensions();
    let mut image = dictionary! {
        "Type" => "XObject",
        "Subtype" => "Image",
        "Width" => i64::from(width),
        "Height" => i64::from(height),
        "BitsPerComponent" => 8,
        "Filter" => "DCTDecode",
    };
    set_colors(&mut image, &jpeg)?;
    let rotation = rotation_degrees(decoder.orientation().unwrap_or(Orientation::NoTransforms));
    drop(decoder);
    let (width, height) = (f64::from(width) / 2.0, f64::from(height) / 2.0);
    let image = Stream::new(image, jpeg).with_compression(false);
    let image = document.add_object(image);
    let drawing = format!("q {width} 0 0 {height} 0 0 cm /Im Do Q");
    let drawing = document.add_object(Stream::new(Dictionary::new(), drawing.into_bytes()));
    let sides = [0.0, 0.0, width, height].map(|side| Object::Real(side as f32));
    Some(document.add_object(dictionary! {
        "Type" => "Page",
        "Parent" => tree,
        "MediaBox" => sides.to_vec(),
        "Rotate" => rotation,
        "Contents" => drawing,
        "Resources" => dictionary! { "XObject" => dictionary! { "Im" => image } },
    }))
}

/// Sets the colour space of a JPEG. A JPEG with four components has inverted colours, as Adobe's programs
/// write them. Returns `None` if the JPEG has no frame with a known number of components.
fn set_colors(image: &mut Dictionary, jpeg: &[u8]) -> Option<()> {
    match count_jpeg_components(jpeg)? {
        1 => image.set("ColorSpace", "DeviceGray"),
        3 => image.set("ColorSpace", "DeviceRGB"),
        4 => {
            image.set("ColorSpace", "DeviceCMYK");
            let inverted = [1, 0, 1, 0, 1, 0, 1, 0].map(Object::Integer);
            image.set("Decode", inverted.to_vec());
        }
        _ => return None,
    }
    Some(())
}

/// Returns the clockwise rotation in degrees that shows an image upright. Cameras do not mirror images.
fn rotation_degrees(orientation: Orientation) -> i64 {
    match orientation {
        Orientation::Rotate90 | Orientation::Rotate90FlipH => 90,
        Orientation::Rotate180 | Orientation::FlipVertical => 180,
        Orientation::Rotate270 | Orientation::Rotate270FlipH => 270,
        Orientation::NoTransforms | Orientation::FlipHorizontal => 0,
    }
}

#[cfg(test)]
mod tests {
    use image::{DynamicImage, ImageFormat, RgbImage};

    use super::*;

    fn jpeg(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Cursor::new(vec![]);
        let image = DynamicImage::from(RgbImage::new(width, height));
        image
            .write_to(&mut bytes, ImageFormat::Jpeg)
            .expect("a JPEG");
        bytes.into_inner()
    }

    #[test]
    fn each_image_is_a_page_with_its_own_bytes() {
        let images = vec![jpeg(320, 400), jpeg(640, 360)];
        let pdf = build_pdf(images.clone()).expect("a PDF");
        let read = Document::load_mem(&pdf).expect("a PDF");
        let pages = read.get_pages();
        assert_eq!(pages.len(), 2);
        for (image, page) in images.iter().zip(pages.into_values()) {
            let found = read.get_page_images(page).expect("the images of a page");
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].content, &image[..]);
        }
    }

    #[test]
    fn a_file_that_is_not_a_jpeg_makes_no_page() {
        assert_eq!(build_pdf(vec![b"texto".to_vec()]), None);
    }
}
