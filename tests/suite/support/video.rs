//! A video file for uploads.

/// A file of this size whose MP4 boxes describe a video of 1080 × 1920.
pub fn video(bytes: usize) -> Vec<u8> {
    boxes(bytes, &[])
}

/// A video of 1080 × 1920 with this size in bytes and this duration, according to its boxes.
pub fn video_of(bytes: usize, seconds: u32) -> Vec<u8> {
    let mut header = vec![0; 100];
    header[12..16].copy_from_slice(&1_000u32.to_be_bytes());
    header[16..20].copy_from_slice(&(seconds * 1_000).to_be_bytes());
    boxes(bytes, &boxed(b"mvhd", &header))
}

fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len() + 8).expect("small");
    [&size.to_be_bytes(), kind.as_slice(), content].concat()
}

/// A video whose movie box begins with `header`.
fn boxes(bytes: usize, header: &[u8]) -> Vec<u8> {
    let mut track = vec![0; 84];
    track[76..78].copy_from_slice(&1080u16.to_be_bytes());
    track[80..82].copy_from_slice(&1920u16.to_be_bytes());
    let track = boxed(b"trak", &boxed(b"tkhd", &track));
    let movie = boxed(b"moov", &[header, &track].concat());
    let head = [boxed(b"ftyp", b"isom\0\0\x02\0isom"), movie].concat();
    let data: Vec<u8> = (0..bytes - head.len() - 8)
        .map(|at| (at % 251) as u8)
        .collect();
    [head, boxed(b"mdat", &data)].concat()
}
