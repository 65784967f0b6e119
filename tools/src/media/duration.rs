//! The duration of a stored video, read from its movie header.

use futures::TryStreamExt;

use gateway::{Result, Services};
use store::media::{Media, storage_path};

/// Maximum boxes read from one file. The movie header is near the beginning of the movie box.
const MOST_BOXES: usize = 2_000;

/// Reads the duration of a video in milliseconds from `moov/mvhd` of the ISO base media file format
/// (ISO/IEC 14496-12, 8.2.2). `None` when the file does not contain it.
///
/// Only the headers of the boxes are read from the storage.
pub(crate) async fn read_duration(services: &Services, media: &Media) -> Result<Option<u64>> {
    let end = media.bytes.unsigned_abs();
    let path = storage_path(&media.sha256);
    let (mut at, mut end) = (0u64, end);
    for _ in 0..MOST_BOXES {
        let head = read_range(services, &path, at, 16.min(end.saturating_sub(at))).await?;
        let Some((kind, header, size)) = parse_box_header(&head, end - at.min(end)) else {
            return Ok(None);
        };
        let Some(next) = at.checked_add(size).filter(|next| *next <= end) else {
            return Ok(None);
        };
        match &kind {
            // The boxes inside `moov` follow.
            b"moov" => (at, end) = (at + header, next),
            b"mvhd" => {
                let body = read_range(services, &path, at + header, 32.min(size - header)).await?;
                return Ok(parse_duration(&body));
            }
            _ => at = next,
        }
    }
    Ok(None)
}

/// Parses the header of a box: its kind, the header's length and the box's total length. `left`
/// bytes remain in the surrounding box.
fn parse_box_header(head: &[u8], left: u64) -> Option<([u8; 4], u64, u64)> {
    let (size, rest) = head.split_first_chunk::<4>()?;
    let kind = *rest.first_chunk::<4>()?;
    let (header, size) = match u32::from_be_bytes(*size) {
        0 => (8, left),
        1 => (16, u64::from_be_bytes(*rest.get(4..)?.first_chunk()?)),
        size => (8, size.into()),
    };
    (size >= header).then_some((kind, header, size))
}

/// Parses the duration in milliseconds from a movie header. Times and duration have 32 bits in
/// version 0, and 64 bits in version 1.
fn parse_duration(body: &[u8]) -> Option<u64> {
    let four = |at: usize| Some(u32::from_be_bytes(*body.get(at..)?.first_chunk()?));
    let (scale, duration) = match body.first()? {
        0 => (four(12)?, u64::from(four(16)?)),
        1 => {
            let duration = *body.get(24..)?.first_chunk()?;
            (four(20)?, u64::from_be_bytes(duration))
        }
        _ => return None,
    };
    let known = duration > 0 && duration != u64::from(u32::MAX) && duration != u64::MAX;
    let millis = u128::from(duration) * 1_000 / u128::from((scale > 0).then_some(scale)?);
    known.then(|| u64::try_from(millis).ok())?
}

async fn read_range(services: &Services, path: &str, at: u64, length: u64) -> Result<Vec<u8>> {
    let Some(stream) = services.blobs.read_range(path, at..at + length).await? else {
        return Ok(vec![]);
    };
    let add = |mut all: Vec<u8>, part: bytes::Bytes| async move {
        all.extend_from_slice(&part);
        Ok(all)
    };
    stream.try_fold(vec![], add).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_of_the_movie_header_are_parsed() {
        let mut short = vec![0u8; 32];
        short[12..16].copy_from_slice(&600u32.to_be_bytes());
        short[16..20].copy_from_slice(&9_000u32.to_be_bytes());
        assert_eq!(parse_duration(&short), Some(15_000));
        let mut long = vec![0u8; 32];
        long[0] = 1;
        long[20..24].copy_from_slice(&1_000u32.to_be_bytes());
        long[24..].copy_from_slice(&61_500u64.to_be_bytes());
        assert_eq!(parse_duration(&long), Some(61_500));
        assert_eq!(parse_duration(&[0; 32]), None);
        assert_eq!(parse_duration(&long[..20]), None);
    }

    #[test]
    fn the_header_of_a_box_contains_its_length() {
        let boxed = |size: u32| [&size.to_be_bytes()[..], b"free"].concat();
        assert_eq!(parse_box_header(&boxed(20), 100), Some((*b"free", 8, 20)));
        assert_eq!(parse_box_header(&boxed(0), 100), Some((*b"free", 8, 100)));
        assert_eq!(parse_box_header(&boxed(7), 100), None);
        assert_eq!(parse_box_header(&boxed(1), 100), None);
        let long = [boxed(1), 300u64.to_be_bytes().to_vec()].concat();
        assert_eq!(parse_box_header(&long, 400), Some((*b"free", 16, 300)));
        assert_eq!(parse_box_header(b"abc", 100), None);
    }
}
