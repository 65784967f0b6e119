use domain::Revision;
use gateway::{Context, Entry, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    area::receiver_spec,
    forms::{keyed_input, nonblank_text, redirect_after},
    piece::{
        details::put_date,
        model::piece_path,
        page::{Returned, refuse_on_page},
    },
    view::View,
};

/// The form of a variant: the content of a piece on one channel.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct VariantForm {
    event_id: String,
    expected_revision: Revision,
    /// The channel, or `canal/formato` for a new variant.
    canal: String,
    #[serde(default)]
    formato: String,
    #[serde(default)]
    legenda: String,
    #[serde(default)]
    primeiro_comentario: String,
    #[serde(default)]
    titulo: String,
    #[serde(default)]
    link: String,
    #[serde(default)]
    data: String,
    #[serde(default)]
    hora: String,
    /// Absent in the form of a channel without privacy levels.
    privacidade: Option<String>,
    /// The chosen TikTok options, preceded by an empty text that shows that the form contains these
    /// options. Empty in the form of any other channel.
    #[serde(default)]
    tiktok: Vec<String>,
    #[serde(default)]
    publicacao: String,
    #[serde(default)]
    remover: bool,
    pedido: Option<String>,
}

const ROUTE: Spec = receiver_spec(
    "console_variant",
    "Gravar o canal de uma peça",
    "/eventos/{event_id}/canais",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[400, 404, 409, 413]);

pub(crate) const VARIANT: Entry =
    Entry::for_page::<VariantForm>(ROUTE, "Grava ou tira o que uma peça diz em um canal.");

/// The fields of a stored variant that are kept if the form does not contain them.
const KEPT: [&str; 9] = [
    "midias",
    "capa",
    "privacidade",
    "colaboradores",
    "tags",
    "playlist",
    "sem_comentarios",
    "capa_segundo",
    "tiktok",
];

impl Page for VariantForm {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        match self.write_variant(&view).await {
            Ok(()) => Ok(redirect_after(
                &view,
                &piece_path(&self.event_id),
                "put_variants",
            )),
            Err(error) => refuse_on_page(&view, &self.event_id, &error, Returned::default()).await,
        }
    }
}

impl VariantForm {
    async fn write_variant(&self, view: &View<'_>) -> Result<()> {
        let (channel, format) = match self.canal.split_once('/') {
            Some((channel, format)) => (channel, format),
            None => (self.canal.as_str(), self.formato.as_str()),
        };
        let mut variant = json!({ "canal": channel, "formato": format });
        if self.remover {
            variant["remover"] = true.into();
        } else {
            self.put_fields(view, &mut variant).await?;
        }
        let fields = json!({
            "eventId": self.event_id,
            "expected_revision": self.expected_revision,
            "variantes": [variant],
        });
        let input = keyed_input(self.pedido.as_deref(), fields).await?;
        view.call("put_variants", input).await.map(|_: Value| ())
    }

    /// Puts the fields of the form into the input. Fields that the form does not contain are copied from
    /// the stored variant. `expected_revision` ensures that the copied values are current.
    async fn put_fields(&self, view: &View<'_>, variant: &mut Value) -> Result<()> {
        for (name, text) in [
            ("legenda", &self.legenda),
            ("primeiro_comentario", &self.primeiro_comentario),
            ("titulo", &self.titulo),
            ("link", &self.link),
        ] {
            if let Some(text) = nonblank_text(text) {
                variant[name] = text.into();
            }
        }
        if !self.publicacao.is_empty() {
            variant["publicacao"] = self.publicacao.as_str().into();
        }
        put_date(variant, &self.data, &self.hora)?;
        let input = json!({ "eventId": self.event_id, "limit": 1 });
        let read: Value = view.read("get_event", input).await?;
        let stored = read["variantes"].as_array().into_iter().flatten();
        let mut stored = stored.filter(|stored| {
            stored["canal"] == variant["canal"] && stored["formato"] == variant["formato"]
        });
        if let Some(stored) = stored.next() {
            for name in KEPT {
                if let Some(value) = stored.get(name) {
                    variant[name] = value.clone();
                }
            }
        }
        if !self.tiktok.is_empty() && variant_channel(variant) == "tiktok" {
            let chosen = self.tiktok.iter().filter(|option| !option.is_empty());
            variant["tiktok"] = chosen.cloned().collect::<Vec<_>>().into();
        }
        if let Some(privacy) = &self.privacidade {
            match nonblank_text(privacy) {
                Some(level) => variant["privacidade"] = level.into(),
                None => drop(variant.as_object_mut().map(|it| it.remove("privacidade"))),
            }
        }
        Ok(())
    }
}

fn variant_channel(variant: &Value) -> &str {
    variant["canal"].as_str().unwrap_or_default()
}
