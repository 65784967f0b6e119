//! A post with its figures, as operations return it.

use domain::{EventId, Format, PublicationId, ReadingAge, time::Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::post_results::{Listed, Reading};

use super::meaning::Cause;

/// Um post publicado e o que deu.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResultView {
    publication_id: PublicationId,
    event_id: EventId,
    titulo: String,
    canal: String,
    formato: Format,
    publicado_em: Timestamp,
    link: Option<String>,
    /// Uma por idade do post, a mais nova por último.
    leituras: Vec<ReadingView>,
}

/// Uma leitura; o número ausente não está disponível, o que não é 0.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReadingView {
    idade: ReadingAge,
    /// Quando foi lida; nulo, ainda não deu.
    lida_em: Option<Timestamp>,
    /// O que impediu.
    #[serde(skip_serializing_if = "Option::is_none")]
    motivo: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alcance: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visualizacoes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    curtidas: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comentarios: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compartilhamentos: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    salvos: Option<i64>,
    /// Visitas pelo link com UTM.
    #[serde(skip_serializing_if = "Option::is_none")]
    cliques: Option<i64>,
}

impl ResultView {
    pub(super) fn new(post: Listed, readings: &[Reading]) -> Self {
        let own = readings.iter();
        let own = own.filter(|reading| reading.publication_id == post.id);
        Self {
            leituras: own.map(ReadingView::new).collect(),
            publication_id: post.id,
            event_id: post.event_id,
            titulo: post.title,
            canal: post.network,
            formato: post.kind,
            publicado_em: Timestamp(post.finished_at),
            link: post.link,
        }
    }
}

impl ReadingView {
    fn new(reading: &Reading) -> Self {
        let cause = reading.code.as_deref().and_then(Cause::from_code);
        Self {
            idade: reading.age,
            lida_em: reading.read_at.map(Timestamp),
            motivo: cause.map(Cause::sentence),
            alcance: reading.reach,
            visualizacoes: reading.views,
            curtidas: reading.likes,
            comentarios: reading.comments,
            compartilhamentos: reading.shares,
            salvos: reading.saves,
            cliques: reading.clicks,
        }
    }
}
