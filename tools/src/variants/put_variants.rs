use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    MOST, Problem, find_problems, hints,
    variant_input::{VariantInput, fault},
    variant_view::VariantView,
};
use crate::{
    announcements::{PIECE_COMPLETED, PIECE_UPDATED, VARIANTS_WAIT},
    editable::{require_editable, require_revision},
    publishing::{
        ALREADY_PUBLISHED, PUBLICATION_OPEN,
        scheduled::{Publishers, publish_if_online},
    },
    visibility::{self, EVENT},
};
use domain::{
    Capability, Event, EventId, EventStatus, Fault, Revision, VariantId,
    variant::{PublishMode, Variant, VariantContent},
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{
    events::{self, Change},
    publications, scheduled_posts, variants,
};

/// Grava o que a peça diz em cada canal; o que falta é o da peça.
///
/// Cada item é a variante inteira; as outras ficam. Em peça aprovada, as mudadas esperam
/// `decide_variants`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PutVariants {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// O `api_revision` lido.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// `midias` da peça, em ordem. `{link}` na legenda vira o `link` com UTM. Data de Brasília.
    /// `automatica`: o serviço publica.
    #[schemars(length(min = 1, max = 20))]
    variantes: Vec<VariantInput>,
}

/// Variantes gravadas.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VariantsPut {
    ok: bool,
    /// A de antes, se nada mudou.
    api_revision: Revision,
    /// O novo status, quando tudo o que restou já está no ar.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<EventStatus>,
    /// Todas as variantes da peça.
    variantes: Vec<VariantView>,
    /// O que os canais não aceitariam, vindo da peça; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problemas: Vec<Problem>,
    /// As que esperam `decide_variants`; ausente quando a peça não está aprovada.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    esperam: Vec<VariantId>,
}

impl Operation for PutVariants {
    const SPEC: Spec = Spec::new(
        "put_variants",
        "Gravar variantes",
        Verb::Put,
        "/api/eventos/{eventId}/variantes",
    )
    .access(Access::Member(Capability::DraftSave))
    .about(EVENT, "eventId")
    .read_by("get_event")
    .fails(&[404])
    .extension()
    .idempotent()
    .hints(hints::PUT)
    .tool()
    .announces(&[PIECE_UPDATED, VARIANTS_WAIT, PIECE_COMPLETED]);
    type Output = VariantsPut;

    async fn run(self, ctx: &Context<'_>) -> Result<VariantsPut> {
        // The lock prevents that a post of the piece is recorded during this call.
        events::lock_event(&ctx.db(), &self.event_id).await?;
        let piece = visibility::require_event(ctx, &self.event_id).await?;
        require_revision(ctx, &piece, self.expected_revision).await?;
        if piece.status != EventStatus::Approved {
            require_editable(&piece)?;
        }
        let status_before = piece.status;
        let before = variants::list(&ctx.db(), &piece.id).await?;
        let stated = state_variants(ctx, &piece, &before, self.variantes)?;
        let problems = find_problems(ctx, &piece, &stated.after).await?;
        refuse_own_problems(&stated, &problems)?;
        require_no_whole_publication(ctx, &piece, &before, &stated.after).await?;
        let changes = describe_changes(&before, &stated.after)?;
        let piece = match changes.is_empty() {
            true => piece,
            false => {
                let change = Change {
                    actor: &ctx.caller()?.member.id,
                    action: Self::SPEC.name,
                    reason: None,
                };
                let db = ctx.db();
                // If the only variants that were not online have been removed, the piece is published.
                let after = match stated.after.len() < before.len() {
                    true => {
                        let posts = scheduled_posts::load_published(&db, &piece.id).await?;
                        publish_if_online(&piece, &stated.after, &posts)
                    }
                    false => piece.clone(),
                };
                let saved = events::save_decision(&db, &piece, after, (change, changes), ctx.now);
                // The revision of the piece detects concurrent writers, so the piece is saved before its
                // variants.
                let saved = saved.await?;
                store_changes(ctx, &before, &stated.after).await?;
                events::update_text(&db, &saved, &stated.after).await?;
                saved
            }
        };
        let publishers = Publishers::load(ctx, &stated.after).await?;
        let waits =
            |variant: &&Variant| piece.status == EventStatus::Approved && variant.is_undecided();
        Ok(VariantsPut {
            ok: true,
            status: Some(piece.status).filter(|now| *now != status_before),
            api_revision: piece.api_revision,
            esperam: stated
                .after
                .iter()
                .filter(waits)
                .map(|variant| variant.id.clone())
                .collect(),
            variantes: stated
                .after
                .into_iter()
                .map(|variant| VariantView::new(variant, &piece).with_publisher(&publishers))
                .collect(),
            problemas: problems,
        })
    }
}

/// Refuses (409) a new TikTok variant while the whole piece is being published on TikTok, and a TikTok
/// variant with automatic publication after this publication: the piece would be posted twice.
async fn require_no_whole_publication(
    ctx: &Context<'_>,
    piece: &Event,
    before: &[Variant],
    after: &[Variant],
) -> Result<()> {
    let known = |variant: &Variant| before.iter().find(|known| known.id == variant.id);
    let is_automatic = |variant: &Variant| variant.publish == PublishMode::Automatic;
    let mut of_tiktok = after.iter().filter(|variant| {
        let before = known(variant);
        let is_new = before.is_none();
        let becomes_automatic = is_automatic(variant) && !before.is_some_and(is_automatic);
        variant.channel == "tiktok" && (is_new || becomes_automatic)
    });
    let Some(variant) = of_tiktok.next() else {
        return Ok(());
    };
    let refused = match publications::find_for_piece(&ctx.db(), &piece.id).await? {
        Some(found) if found.open == 1 => PUBLICATION_OPEN,
        Some(_) if is_automatic(variant) || of_tiktok.any(is_automatic) => ALREADY_PUBLISHED,
        _ => return Ok(()),
    };
    Err(Error::new(refused)
        .because("A peça inteira já vai ao TikTok; a variante a postaria de novo."))
}

/// The variants of a piece after the call, by channel and format.
struct StatedVariants {
    after: Vec<Variant>,
    /// For each variant of the input, its index in the input.
    numbers: Vec<(VariantId, usize)>,
}

/// Applies the input to the variants of a piece. Refuses (400) two entries for the same variant, the
/// removal of a variant that does not exist, and more than [`MOST`] variants.
fn state_variants(
    ctx: &Context<'_>,
    piece: &Event,
    before: &[Variant],
    input: Vec<VariantInput>,
) -> Result<StatedVariants> {
    let mut after = before.to_vec();
    let mut numbers = vec![];
    let mut places = vec![];
    let caller = &ctx.caller()?.member.id;
    for (number, input) in input.into_iter().enumerate() {
        let (channel, format) = input.find_place(number)?;
        let place = (channel.clone(), format);
        if places.contains(&place) {
            let message = "repete o canal e o formato de outra variante desta chamada".to_owned();
            return Err(fault(number, "canal", "uniqueItems", message));
        }
        places.push(place);
        let known = after
            .iter()
            .position(|variant| variant.channel == channel && variant.format == format);
        if input.remover {
            let Some(known) = known else {
                let message = "a peça não tem essa variante".to_owned();
                return Err(fault(number, "remover", "variant", message));
            };
            after.remove(known);
            continue;
        }
        let stated = input.check(number, piece, ctx.now)?;
        let variant = match known {
            Some(known) => &mut after[known],
            None => {
                after.push(Variant {
                    id: VariantId::new(ctx.now),
                    event_id: piece.id.clone(),
                    channel,
                    format,
                    content: VariantContent::default(),
                    due_at: None,
                    publish: stated.publish,
                    revision: Revision::new(0),
                    approved_revision: None,
                    refused_revision: None,
                    changed_by: caller.clone(),
                    created_at: ctx.now,
                    updated_at: ctx.now,
                });
                let last = after.len() - 1;
                &mut after[last]
            }
        };
        numbers.push((variant.id.clone(), number));
        let is_new = variant.revision == Revision::new(0);
        let is_same = variant.content == stated.content
            && variant.due_at == stated.due_at
            && variant.publish == stated.publish;
        if is_new || !is_same {
            variant.content = stated.content;
            variant.due_at = stated.due_at;
            variant.publish = stated.publish;
            variant.revision = variant.revision.next();
            variant.changed_by = caller.clone();
            variant.updated_at = ctx.now;
        }
    }
    if after.len() > MOST {
        let message = format!(
            "a peça teria {} variantes, e o máximo é {MOST}",
            after.len()
        );
        return Err(Error::invalid_field("variantes", "maxItems", &message));
    }
    after.sort_by(|one, other| sort_key(one).cmp(&sort_key(other)));
    Ok(StatedVariants { after, numbers })
}

/// Returns the sort key of a variant. The database sorts variants in the same order.
fn sort_key(variant: &Variant) -> (&str, &str) {
    (&variant.channel, variant.format.as_str())
}

/// Refuses (400) fields that the input itself sets and that break the rules of a channel. Problems of
/// fields that the piece supplies are not refused, because the piece may still change.
fn refuse_own_problems(stated: &StatedVariants, problems: &[Problem]) -> Result<()> {
    let own = problems.iter().filter_map(|problem| {
        let variant = stated.after.iter().find(|variant| {
            variant.channel == problem.canal && variant.format == problem.formato
        })?;
        let (_, number) = stated.numbers.iter().find(|(id, _)| *id == variant.id)?;
        sets_field(&variant.content, &problem.campo).then(|| Fault {
            field: format!("variantes.{number}.{}", problem.campo),
            rule: problem.regra.into(),
            message: problem.mensagem.clone(),
        })
    });
    let own: Vec<Fault> = own.collect();
    match own.is_empty() {
        true => Ok(()),
        false => Err(Error::from_faults(own)),
    }
}

/// Returns true if the variant itself sets this field. Only the caption and the media can come from the
/// piece.
fn sets_field(content: &VariantContent, field: &str) -> bool {
    match field.split('.').next() {
        Some("legenda") => content.caption.is_some(),
        Some("midias") => content.media.is_some(),
        _ => true,
    }
}

/// Describes the changed variants for the history of the piece, before and after the change.
fn describe_changes(before: &[Variant], after: &[Variant]) -> Result<Map<String, Value>> {
    let changed = |variant: &&Variant, others: &[Variant]| {
        let same = others.iter().find(|other| other.id == variant.id);
        same.is_none_or(|same| same.revision != variant.revision)
    };
    let describe = |variants: &[Variant], others: &[Variant]| -> Result<Vec<Value>> {
        let variants = variants.iter().filter(|variant| changed(variant, others));
        let described = variants.map(|variant| {
            Ok(json!({
                "canal": variant.channel,
                "formato": variant.format,
                "publicacao": variant.publish,
                "due_at": variant.due_at.map(domain::time::Timestamp),
                "conteudo": serde_json::to_value(&variant.content)?,
            }))
        });
        described.collect()
    };
    let (old, new) = (describe(before, after)?, describe(after, before)?);
    let mut changes = Map::new();
    if !(old.is_empty() && new.is_empty()) {
        changes.insert("variantes".into(), json!({ "before": old, "after": new }));
    }
    Ok(changes)
}

/// Deletes, inserts and updates the changed variants.
async fn store_changes(ctx: &Context<'_>, before: &[Variant], after: &[Variant]) -> Result<()> {
    let db = ctx.db();
    for variant in before {
        if !after.iter().any(|other| other.id == variant.id) {
            variants::delete(&db, &variant.id).await?;
        }
    }
    for variant in after {
        match before.iter().find(|other| other.id == variant.id) {
            None => variants::insert(&db, variant).await?,
            Some(known) if known.revision != variant.revision => {
                variants::update(&db, variant).await?;
            }
            Some(_) => {}
        }
    }
    Ok(())
}
