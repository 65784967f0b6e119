//! Determines the type of a file from its bytes alone.
//!
//! Images are decoded to check that they are complete, after their pixel count was checked. Videos
//! are read only up to their track header.

use std::io::{Read, Seek, SeekFrom};

use domain::text_enum;

/// Brands of MP4-like files that are not videos: HEIF, AVIF and audio only (<https://mp4ra.org>).
const OTHER_BRANDS: [&[u8; 4]; 12] = [
    b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1", b"avif", b"avis",
    b"M4A ", b"M4B ",
];

text_enum! {
    /// The accepted file types.
    pub enum MediaType {
        Png = "image/png",
        Jpeg = "image/jpeg",
        Webp = "image/webp",
        Gif = "image/gif",
        Mp4 = "video/mp4",
        QuickTime = "video/quicktime",
    }
}

impl MediaType {
    /// Detects the type from the first bytes of a file; 12 bytes are enough.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        let at =
            |offset: usize, bytes: &[u8]| head.get(offset..).is_some_and(|h| h.starts_with(bytes));
        if at(0, b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if at(0, b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if at(0, b"RIFF") && at(8, b"WEBP") {
            Some(Self::Webp)
        } else if at(0, b"GIF87a") || at(0, b"GIF89a") {
            Some(Self::Gif)
        } else if at(4, b"ftyp") {
            // HEIF images and audio files use the same container.
            if OTHER_BRANDS.iter().any(|brand| at(8, *brand)) {
                return None;
            }
            Some(if at(8, b"qt  ") {
                Self::QuickTime
            } else {
                Self::Mp4
            })
        } else {
            None
        }
    }

    #[must_use]
    pub const fn is_video(self) -> bool {
        matches!(self, Self::Mp4 | Self::QuickTime)
    }

    /// Returns the maximum bytes of a file of this type.
    #[must_use]
    pub const fn max_bytes(self) -> u64 {
        if self.is_video() {
            500_000_000
        } else {
            25_000_000
        }
    }
}

/// Reads width and height of a video from `moov/trak/tkhd` of the ISO base media file format
/// (ISO/IEC 14496-12) and QuickTime. `None` if no track has a picture, or if the file is truncated:
/// its last box does not end at the end of the file.
#[must_use]
pub fn video_size(file: &mut (impl Read + Seek)) -> Option<(u32, u32)> {
    let end = file.seek(SeekFrom::End(0)).ok()?;
    let budget = &mut { MOST_BOXES };
    let outer = list_boxes(file, 0, end, budget);
    let whole = outer.last().is_some_and(|last| last.end == end);
    let moov = outer.into_iter().find(|b| whole && &b.kind == b"moov")?;
    let tracks = list_boxes(file, moov.start, moov.end, budget)
        .into_iter()
        .filter(|b| &b.kind == b"trak");
    for track in tracks {
        let header = list_boxes(file, track.start, track.end, budget)
            .into_iter()
            .find(|b| &b.kind == b"tkhd");
        let Some(header) = header.filter(|h| h.end - h.start >= 84) else {
            continue;
        };
        // Width and height are the last eight bytes, 16.16 fixed point.
        file.seek(SeekFrom::Start(header.end - 8)).ok()?;
        let mut last = [0u8; 8];
        file.read_exact(&mut last).ok()?;
        let width = u32::from(u16::from_be_bytes([last[0], last[1]]));
        let height = u32::from(u16::from_be_bytes([last[4], last[5]]));
        if width > 0 && height > 0 {
            return Some((width, height));
        }
    }
    None
}

struct Box {
    kind: [u8; 4],
    /// Where the content of the box starts.
    start: u64,
    end: u64,
}

/// Maximum boxes read from one file. A fragmented video consists of many small pairs of boxes.
const MOST_BOXES: usize = 100_000;

/// Lists the adjacent boxes in a range, up to the first malformed box. Each box takes 1 from `budget`,
/// and the list ends when `budget` is 0.
fn list_boxes(
    file: &mut (impl Read + Seek),
    mut at: u64,
    end: u64,
    budget: &mut usize,
) -> Vec<Box> {
    let mut found = vec![];
    while at + 8 <= end && *budget > 0 {
        *budget -= 1;
        let mut head = [0u8; 16];
        if file.seek(SeekFrom::Start(at)).is_err() || file.read_exact(&mut head[..8]).is_err() {
            break;
        }
        let short = u64::from(u32::from_be_bytes([head[0], head[1], head[2], head[3]]));
        let kind = [head[4], head[5], head[6], head[7]];
        let (size, header) = match short {
            0 => (end - at, 8),
            1 => {
                if file.read_exact(&mut head[8..]).is_err() {
                    break;
                }
                let mut long = [0u8; 8];
                long.copy_from_slice(&head[8..]);
                (u64::from_be_bytes(long), 16)
            }
            size => (size, 8),
        };
        let Some(next) = at
            .checked_add(size)
            .filter(|next| size >= header && *next <= end)
        else {
            break;
        };
        found.push(Box {
            kind,
            start: at + header,
            end: next,
        });
        at = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn build_box(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let size = u32::try_from(content.len() + 8)
            .expect("small")
            .to_be_bytes();
        [size.as_slice(), kind, content].concat()
    }

    #[test]
    fn types_are_detected_from_bytes() {
        assert_eq!(
            MediaType::detect(b"\x89PNG\r\n\x1a\n...."),
            Some(MediaType::Png)
        );
        assert_eq!(
            MediaType::detect(b"RIFF\0\0\0\0WEBPVP8 "),
            Some(MediaType::Webp)
        );
        assert_eq!(
            MediaType::detect(b"\0\0\0\x14ftypqt  "),
            Some(MediaType::QuickTime)
        );
        assert_eq!(
            MediaType::detect(b"\0\0\0\x14ftypisom"),
            Some(MediaType::Mp4)
        );
        for other in [
            b"".as_slice(),
            b"<svg xmlns",
            b"%PDF-1.7",
            b"GIF88a",
            b"\xff\xd8",
            b"\0\0\0\x14ftypheic",
            b"\0\0\0\x14ftypavif",
            b"\0\0\0\x14ftypM4A ",
        ] {
            assert_eq!(MediaType::detect(other), None);
        }
    }

    #[test]
    fn reading_stops_at_the_maximum_number_of_boxes() {
        let track = build_box(b"trak", &build_box(b"free", &[]).repeat(1_000));
        let moov = build_box(b"moov", &track.repeat(300));
        let file = [build_box(b"ftyp", b"isom"), moov].concat();
        let mut counted = Counted(Cursor::new(file), 0);
        assert_eq!(video_size(&mut counted), None);
        assert!(counted.1 <= MOST_BOXES, "{} reads", counted.1);
    }

    /// A file that counts the reads from it.
    struct Counted(Cursor<Vec<u8>>, usize);

    impl Read for Counted {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            self.1 += 1;
            self.0.read(into)
        }
    }

    impl Seek for Counted {
        fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
            self.0.seek(to)
        }
    }

    #[test]
    fn the_size_of_a_video_is_in_its_track_header() {
        let mut header = vec![0u8; 84];
        header[76..78].copy_from_slice(&1080u16.to_be_bytes());
        header[80..82].copy_from_slice(&1920u16.to_be_bytes());
        let sound = build_box(b"trak", &build_box(b"tkhd", &[0; 84]));
        let picture = build_box(b"trak", &build_box(b"tkhd", &header));
        let moov = build_box(b"moov", &[sound, picture].concat());
        let file = [
            build_box(b"ftyp", b"isom"),
            build_box(b"mdat", &[7; 100]),
            moov,
        ]
        .concat();
        assert_eq!(
            video_size(&mut Cursor::new(file.clone())),
            Some((1080, 1920))
        );
        assert_eq!(video_size(&mut Cursor::new(&file[..file.len() - 1])), None);
        let streamed = [&file[..12], &file[120..], &file[12..120]].concat();
        assert_eq!(
            video_size(&mut Cursor::new(streamed.clone())),
            Some((1080, 1920))
        );
        assert_eq!(
            video_size(&mut Cursor::new(&streamed[..streamed.len() - 1])),
            None
        );
        assert_eq!(
            video_size(&mut Cursor::new(b"\xff\xff\xff\xffmoov".to_vec())),
            None
        );
    }
}
