//! A variant of a piece, in the answer of `get_event`.

use domain::{
    Format,
    channels::TikTokOption,
    time::{Millis, Timestamp},
};
use serde::Deserialize;

use crate::channels::{privacy_name, tiktok_option_name};

/// The content of the piece on one channel.
#[derive(Debug, Deserialize)]
pub(crate) struct Variant {
    pub id: String,
    pub canal: String,
    pub formato: Format,
    pub aprovada: bool,
    #[serde(default)]
    pub recusada: bool,
    pub publicacao: String,
    #[serde(default)]
    pub legenda: Option<String>,
    #[serde(default)]
    pub primeiro_comentario: Option<String>,
    #[serde(default)]
    pub titulo: Option<String>,
    #[serde(default)]
    pub link: Option<String>,
    #[serde(default)]
    pub link_final: Option<String>,
    #[serde(default)]
    pub day: Option<i8>,
    #[serde(default)]
    pub month: Option<i8>,
    #[serde(default)]
    pub year: Option<i16>,
    #[serde(default)]
    pub hour: Option<String>,
    pub due_at: Option<String>,
    /// `None` if the variant uses the media of the piece.
    #[serde(default)]
    pub midias: Option<Vec<VariantMedium>>,
    #[serde(default)]
    pub privacidade: Option<String>,
    #[serde(default)]
    pub colaboradores: Vec<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub playlist: Option<String>,
    #[serde(default)]
    pub sem_comentarios: bool,
    /// The instant since which the variant has been online.
    #[serde(default)]
    pub no_ar_desde: Option<String>,
    #[serde(default)]
    pub link_do_post: Option<String>,
    /// The reason why the service cannot currently publish a variant with automatic publication.
    #[serde(default)]
    pub aviso: Option<String>,
    /// The second of the video whose picture is the cover.
    #[serde(default)]
    pub capa_segundo: Option<f64>,
    /// The id of the image that is the cover of the video.
    #[serde(default)]
    pub capa: Option<String>,
    #[serde(default)]
    pub tiktok: Vec<TikTokOption>,
}

/// A medium that a variant chooses.
#[derive(Debug, Deserialize)]
pub(crate) struct VariantMedium {
    pub media_id: String,
    #[serde(default)]
    pub alt: Option<String>,
    #[serde(default)]
    pub recorte: Option<Crop>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Crop {
    /// The ratio to which the medium is cropped, such as `4:5`.
    pub proporcao: String,
}

impl Variant {
    /// True if a person posts the variant: its publication is manual, or the service could not publish
    /// it at its hour.
    pub fn is_posted_by_hand(&self, now: Millis) -> bool {
        let has_missed = self.aviso.is_some() && is_late(self.due_at.as_deref(), now);
        self.no_ar_desde.is_none() && (self.publicacao == "manual" || has_missed)
    }

    /// Returns the network's options of the variant except the tags: names and values in words.
    pub fn describe_options(&self) -> Vec<(&'static str, String)> {
        let privacy = self.privacidade.as_deref();
        let privacy = privacy.map(|level| privacy_name(level).to_owned());
        let listed = |list: &[String]| (!list.is_empty()).then(|| list.join(", "));
        let options = [
            ("Quem vê", privacy),
            ("Colaboradores", listed(&self.colaboradores)),
            ("Playlist", self.playlist.clone()),
            (
                "Comentários",
                self.sem_comentarios.then(|| "fechados".to_owned()),
            ),
            ("Capa", self.describe_cover()),
            ("No TikTok", self.describe_tiktok()),
        ];
        let given = options.into_iter();
        given
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    fn describe_cover(&self) -> Option<String> {
        let seconds = self.capa_segundo?;
        Some(format!("{seconds} s do vídeo").replace('.', ","))
    }

    fn describe_tiktok(&self) -> Option<String> {
        let names = self.tiktok.iter().map(|option| tiktok_option_name(*option));
        let names: Vec<&str> = names.collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// True if a variant that is not online and has this hour is late. Lists of pieces use the same rule.
pub(crate) fn is_late(due_at: Option<&str>, now: Millis) -> bool {
    let due = due_at.and_then(|due| due.parse().ok());
    due.is_some_and(|Timestamp(due)| due < now)
}
