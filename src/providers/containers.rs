//! Parses the structure of image files without decoding their pixels.

use std::borrow::Cow;

/// Removes colour profiles and texts from a PNG, because the decoder would decompress them.
///
/// A PNG is a list of chunks (W3C PNG, 5.3): length, type, data, checksum.
pub(super) fn strip_metadata(bytes: &[u8]) -> Cow<'_, [u8]> {
    const SIGNATURE: usize = 8;
    let mut kept: Vec<&[u8]> = vec![&bytes[..SIGNATURE.min(bytes.len())]];
    let (mut at, mut from) = (SIGNATURE, SIGNATURE);
    while let Some(head) = bytes
        .get(at..at + 8)
        .and_then(|head| head.first_chunk::<8>())
    {
        let [a, b, c, d, kind @ ..] = *head;
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let end = (at + 12).saturating_add(length).min(bytes.len());
        if matches!(&kind, b"iCCP" | b"tEXt" | b"zTXt" | b"iTXt") {
            kept.push(&bytes[from..at]);
            from = end;
        }
        at = end;
    }
    if from == SIGNATURE {
        return Cow::Borrowed(bytes);
    }
    kept.push(bytes.get(from..).unwrap_or_default());
    Cow::Owned(kept.concat())
}

/// Whether a JPEG is complete. The decoder does not check this and fills missing parts with grey.
///
/// A JPEG is a list of marker segments (ITU-T T.81, annex B). Segments are skipped whole, including
/// thumbnails.
pub(super) fn is_complete_jpeg(bytes: &[u8]) -> bool {
    const STUFFED: u8 = 0x00;
    const END: u8 = 0xd9;
    let mut at = 2;
    while let Some(&[byte, marker]) = bytes.get(at..at + 2).and_then(|two| two.first_chunk()) {
        at += match (byte, marker) {
            (0xff, END) => return true,
            // Skips fill bytes, and scan data between two markers.
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

/// Returns the number of colour components of a JPEG, which its frame header states: 1 for grey, 3 for
/// colours, 4 for CMYK. Returns `None` if no frame header is found.
///
/// <https://www.w3.org/Graphics/JPEG/itu-t81.pdf>, B.2.2: the markers `SOF0` to `SOF15`, without `DHT`, `JPG`
/// and `DAC`.
pub(super) fn count_jpeg_components(bytes: &[u8]) -> Option<u8> {
    const COUNT_AT: usize = 9;
    let mut at = 2;
    loop {
        let [byte, marker] = *bytes.get(at..at + 2)?.first_chunk()?;
        let is_frame = matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc);
        at += match (byte, marker) {
            (0xff, _) if is_frame => return bytes.get(at + COUNT_AT).copied(),
            (0xff, 0xff) => 1,
            (0xff, _) => 2 + usize::from(u16::from_be_bytes(*bytes.get(at + 2..)?.first_chunk()?)),
            _ => return None,
        };
    }
}

/// Returns `None` if a GIF is incomplete. The decoder does not check this, because it reads only the
/// first frame.
///
/// A GIF is a list of blocks (GIF89a specification, appendix A).
pub(super) fn require_complete_gif(bytes: &[u8]) -> Option<()> {
    const HEADER: usize = 13;
    const EXTENSION: u8 = 0x21;
    const PICTURE: u8 = 0x2c;
    const END: u8 = 0x3b;
    // The size of the colour table that the flags declare.
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
        // Sub-blocks of up to 255 bytes, ended by an empty one.
        loop {
            let length = usize::from(*bytes.get(at)?);
            at += 1 + length;
            if length == 0 {
                break;
            }
        }
    }
}
