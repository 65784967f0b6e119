//! The checks of the media of a post.

use std::collections::BTreeSet;

use super::{Checker, MediaFacts};
use crate::channels::rules::{FileRules, FormatRules};

impl Checker {
    pub(super) fn check_media_count(&mut self, rules: &FormatRules, media: &[MediaFacts<'_>]) {
        let count = rules.media;
        let videos = media.iter().filter(|medium| medium.is_video()).count();
        let kinds: BTreeSet<bool> = media.iter().map(MediaFacts::is_video).collect();
        if media.len() < count.least {
            let message = match (count.least, rules.image, rules.video) {
                (_, None, Some(_)) => "precisa de um vídeo".to_owned(),
                _ => "precisa de uma imagem ou de um vídeo".to_owned(),
            };
            self.refuse("midias", "minItems", &message, count.least.to_string());
        }
        if media.len() > count.most {
            let message = format!("tem {} mídias e aceita até {}", media.len(), count.most);
            self.refuse("midias", "maxItems", &message, count.most.to_string());
        }
        if !count.is_mixed && kinds.len() > 1 {
            self.refuse(
                "midias",
                "mixed",
                "não mistura imagens e vídeos: deixe só um dos dois",
                "",
            );
        } else if videos > count.most_videos {
            let message = format!("tem {videos} vídeos e aceita {}", count.most_videos);
            self.refuse("midias", "videos", &message, count.most_videos.to_string());
        }
    }

    pub(super) fn check_medium(
        &mut self,
        rules: &FormatRules,
        number: usize,
        medium: &MediaFacts<'_>,
    ) {
        let field = format!("midias.{number}");
        let (kind, of_kind) = match medium.is_video() {
            true => ("vídeo", rules.video),
            false => ("imagem", rules.image),
        };
        let accepts_other = rules.image.is_some() || rules.video.is_some();
        match of_kind {
            Some(file) => self.check_file(&field, kind, &file, medium),
            None if accepts_other => {
                let message = format!("não aceita {kind}: troque esta mídia");
                self.refuse(&field, "type", &message, "");
            }
            None => {}
        }
        match (rules.alt, medium.alt) {
            (Some(most), Some(alt)) if !medium.is_video() && alt.chars().count() > most => {
                let length = alt.chars().count();
                let message =
                    format!("o texto alternativo tem {length} caracteres e o limite é {most}");
                self.refuse(
                    format!("{field}.alt"),
                    "maxLength",
                    &message,
                    most.to_string(),
                );
            }
            _ => {}
        }
    }

    fn check_file(&mut self, field: &str, kind: &str, file: &FileRules, medium: &MediaFacts<'_>) {
        if medium.is_video() && !file.types.contains(&medium.media_type) {
            let message = format!("não aceita vídeos {}: exporte em MP4", medium.media_type);
            self.refuse(field, "type", &message, "video/mp4");
        }
        // An image of another type is converted to JPEG, which changes its size.
        let is_sent_as_it_is = file.types.contains(&medium.media_type) && medium.crop.is_none();
        if is_sent_as_it_is && medium.bytes > file.most_bytes {
            let most = format_megabytes(file.most_bytes);
            let message = format!(
                "{kind} de {} e o limite é {most}",
                format_megabytes(medium.bytes)
            );
            self.refuse(field, "bytes", &message, most);
        }
        if let (Some(ratios), Some(value)) = (file.ratios, medium.ratio()) {
            let nearest = match value {
                value if value < ratios.narrowest.value * (1.0 - TOLERANCE) => {
                    Some(ratios.narrowest)
                }
                value if value > ratios.widest.value * (1.0 + TOLERANCE) => Some(ratios.widest),
                _ => None,
            };
            if let Some(nearest) = nearest {
                let message = format!(
                    "{kind} de proporção {value:.2}: aceita de {} a {}; recorte em `{}`",
                    ratios.narrowest.text, ratios.widest.text, nearest.text
                );
                self.refuse(field, "ratio", &message, nearest.text);
            }
        }
        if let Some((width, height)) = medium.size.filter(|_| medium.is_video()) {
            self.check_side(field, ("largura", width), file.width);
            self.check_side(field, ("altura", height), file.height);
        }
        if let (Some((least, most)), Some(seconds)) = (file.seconds, medium.seconds) {
            let nearest = match seconds {
                seconds if seconds < f64::from(least) => Some(least),
                seconds if seconds > f64::from(most) => Some(most),
                _ => None,
            };
            if let Some(nearest) = nearest {
                let message = format!("{kind} de {seconds:.0} s: aceita de {least} a {most} s");
                self.refuse(field, "seconds", &message, nearest.to_string());
            }
        }
    }
}

impl Checker {
    /// Checks the width or the height of a video against its limits, in pixels.
    fn check_side(&mut self, field: &str, (name, pixels): (&str, i64), limits: Option<(i64, i64)>) {
        let Some((least, most)) = limits else {
            return;
        };
        let nearest = pixels.clamp(least, most);
        if nearest != pixels {
            let range = match least {
                1 => format!("até {most}"),
                _ => format!("de {least} a {most}"),
            };
            let message = format!("vídeo com {name} de {pixels} pixels: aceita {range}");
            self.refuse(field, "pixels", &message, nearest.to_string());
        }
    }
}

/// The tolerated deviation of a ratio from its limit: one pixel in a thousand, because sizes are
/// rounded.
const TOLERANCE: f64 = 0.001;

impl MediaFacts<'_> {
    pub(super) fn is_video(&self) -> bool {
        self.media_type.starts_with("video/")
    }

    /// Returns the ratio of width to height with which the medium is sent.
    #[expect(
        clippy::cast_precision_loss,
        reason = "sizes are far below 2^52 pixels"
    )]
    fn ratio(&self) -> Option<f64> {
        self.crop.or_else(|| {
            let (width, height) = self
                .size
                .filter(|(width, height)| *width > 0 && *height > 0)?;
            Some(width as f64 / height as f64)
        })
    }
}

/// Formats a size in megabytes, with a decimal comma.
fn format_megabytes(bytes: i64) -> String {
    let tenths = bytes / 100_000;
    match tenths % 10 {
        0 => format!("{} MB", tenths / 10),
        tenth => format!("{},{tenth} MB", tenths / 10),
    }
}
