//! PDF files for the tests.

use std::io::Write;

/// Returns a PDF of one page that shows this line, encoded in Windows-1252.
pub fn one_page_pdf(line: &str) -> Vec<u8> {
    titled_pdf(line, "")
}

/// Returns a PDF of one page that shows this line. `title` is inserted into the trailer of the PDF
/// and sets the title in its metadata.
pub fn titled_pdf(line: &str, title: &str) -> Vec<u8> {
    let letters = line
        .chars()
        .map(|c| u8::try_from(u32::from(c)).expect("Latin"));
    let letters: Vec<u8> = letters.collect();
    let font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
    let content = [b"BT /F1 12 Tf 72 720 Td (", &letters[..], b") Tj ET"].concat();
    let mut file = pdf_page("/Font << /F1 5 0 R >>", &pdf_stream("", &content), font);
    let trailer = file.windows(7).rposition(|seven| seven == b"/Size 6");
    let trailer = trailer.expect("a trailer");
    file.splice(trailer..trailer, title.bytes());
    file
}

/// Returns a PDF with a form object that draws itself without end.
pub fn endless_pdf() -> Vec<u8> {
    let form =
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >>";
    let resources = "/XObject << /X 5 0 R >>";
    pdf_page(
        resources,
        &pdf_stream("", b"/X Do"),
        &pdf_stream(form, b"/X Do"),
    )
}

fn pdf_stream(of: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<< {of} /Length {} >>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

/// Returns a PDF of one page, built from its content stream and from one object to which the stream
/// refers.
fn pdf_page(resources: &str, content: &[u8], referred: &[u8]) -> Vec<u8> {
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R
         /Resources << {resources} >> >>"
    );
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        &b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"[..],
        page.as_bytes(),
        content,
        referred,
    ];
    pdf_file(&objects)
}

/// Returns a PDF of these objects. The first object is the catalog of the PDF.
fn pdf_file(objects: &[&[u8]]) -> Vec<u8> {
    let (mut file, mut places) = (b"%PDF-1.4\n".to_vec(), vec![]);
    for (number, object) in (1..).zip(objects) {
        places.push(file.len());
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(*object);
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    let size = objects.len() + 1;
    file.extend(format!("xref\n0 {size}\n0000000000 65535 f \n").bytes());
    for place in places {
        file.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let trailer = format!("trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    file.extend(trailer.bytes());
    file
}

/// Returns a PDF with this many pages. Each page shows its number.
pub fn pdf_of_pages(pages: usize) -> Vec<u8> {
    const FONT: &[u8] = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
    let kids: Vec<String> = (0..pages)
        .map(|page| format!("{} 0 R", 4 + 2 * page))
        .collect();
    let tree = format!(
        "<< /Type /Pages /Kids [{}] /Count {pages} >>",
        kids.join(" ")
    );
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        tree.into_bytes(),
        FONT.to_vec(),
    ];
    for page in 0..pages {
        let content = format!("BT /F1 12 Tf 72 720 Td (Ficha {page} do livro.) Tj ET");
        let contents = 5 + 2 * page;
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {contents} 0 R
             /Resources << /Font << /F1 3 0 R >> >> >>"
        );
        objects.extend([page.into_bytes(), pdf_stream("", content.as_bytes())]);
    }
    let objects: Vec<&[u8]> = objects.iter().map(Vec::as_slice).collect();
    pdf_file(&objects)
}

/// Returns a small PDF whose only page has a hundred million operators.
pub fn pdf_bomb() -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(vec![], flate2::Compression::fast());
    let piece = b"q\n".repeat(1 << 19);
    for _ in 0..200 {
        packer.write_all(&piece).expect("packs");
    }
    let packed = packer.finish().expect("packs");
    let stream = pdf_stream("/Filter /FlateDecode", &packed);
    pdf_page("", &stream, b"null")
}
