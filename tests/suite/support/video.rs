//! A video file.

/// A video of 1080 × 1920 with this size in bytes, according to its boxes.
pub fn video(bytes: usize) -> Vec<u8> {
    let boxed = |kind: &[u8; 4], content: &[u8]| {
        let size = u32::try_from(content.len() + 8).expect("small");
        [&size.to_be_bytes(), kind.as_slice(), content].concat()
    };
    let mut track = vec![0; 84];
    track[76..78].copy_from_slice(&1080u16.to_be_bytes());
    track[80..82].copy_from_slice(&1920u16.to_be_bytes());
    let movie = boxed(b"moov", &boxed(b"trak", &boxed(b"tkhd", &track)));
    let head = [boxed(b"ftyp", b"isom\0\0\x02\0isom"), movie].concat();
    let data: Vec<u8> = (0..bytes - head.len() - 8)
        .map(|at| (at % 251) as u8)
        .collect();
    [head, boxed(b"mdat", &data)].concat()
}
