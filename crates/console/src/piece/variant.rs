//! A variant of a piece, as pages read it.

use domain::Format;
use serde::Deserialize;

use crate::channels::privacy_name;

/// What the piece says on one channel.
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
    /// `None` if the variant takes the media of the piece.
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
    /// Since when the variant is online.
    #[serde(default)]
    pub no_ar_desde: Option<String>,
    #[serde(default)]
    pub link_do_post: Option<String>,
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
    /// Such as `4:5`.
    pub proporcao: String,
}

impl Variant {
    /// The options of the network, in words, but for the tags.
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
        ];
        let given = options.into_iter();
        given
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}
