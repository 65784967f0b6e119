//! A video file for uploads.

/// A file of this size whose MP4 boxes describe a video of 1080 × 1920.
pub fn video_file(bytes: usize) -> Vec<u8> {
    mp4_boxes(bytes, &[])
}

/// A video of 1080 × 1920 with this size in bytes and this duration, according to its boxes.
pub fn video_file_of(bytes: usize, seconds: u32) -> Vec<u8> {
    let mut header = vec![0; 100];
    header[12..16].copy_from_slice(&1_000u32.to_be_bytes());
    header[16..20].copy_from_slice(&(seconds * 1_000).to_be_bytes());
    mp4_boxes(bytes, &mp4_box(b"mvhd", &header))
}

fn mp4_box(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len() + 8).expect("small");
    [&size.to_be_bytes(), kind.as_slice(), content].concat()
}

/// A video whose movie box begins with `header`.
fn mp4_boxes(bytes: usize, header: &[u8]) -> Vec<u8> {
    let mut track = vec![0; 84];
    track[76..78].copy_from_slice(&1080u16.to_be_bytes());
    track[80..82].copy_from_slice(&1920u16.to_be_bytes());
    let track = mp4_box(b"trak", &mp4_box(b"tkhd", &track));
    let movie = mp4_box(b"moov", &[header, &track].concat());
    let head = [mp4_box(b"ftyp", b"isom\0\0\x02\0isom"), movie].concat();
    let data: Vec<u8> = (0..bytes - head.len() - 8)
        .map(|at| (at % 251) as u8)
        .collect();
    [head, mp4_box(b"mdat", &data)].concat()
}
