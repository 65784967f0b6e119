use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{hints, stages};
use crate::{
    announcements::VARIANTS_DECIDED,
    editable::{NOT_APPROVED, require_revision},
    publishing::scheduled::Publishers,
    variants::{VariantView, find_problems, refuse_problems},
    visibility::{self, EVENT},
};
use domain::{
    Capability, EventId, EventStatus, Fault, Revision, VariantId, approval::Verdict, text_enum,
    variant::Variant,
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{
    events::{self, Change},
    variants,
};

text_enum! {
    /// The decision about changed variants.
    pub enum VariantDecision {
        Approve = "aprovar",
        Refuse = "recusar",
    }
}

/// Aprova ou recusa variantes mudadas depois que a peça foi aprovada.
///
/// As outras seguem aprovadas. Uma recusada não vai ao ar até ser mudada e aprovada.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DecideVariants {
    /// Id do evento.
    #[serde(rename = "eventId")]
    event_id: EventId,
    /// O `api_revision` lido.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// A decisão.
    action: VariantDecision,
    /// Ids das variantes; ausente, todas as que esperam.
    #[schemars(length(min = 1, max = 20), extend("uniqueItems" = true))]
    variantes: Option<Vec<VariantId>>,
    /// Para quem refaz.
    #[schemars(length(max = 2000))]
    motivo: Option<String>,
}

/// Variantes decididas.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VariantsDecided {
    ok: bool,
    /// A de antes, se nada mudou.
    api_revision: Revision,
    /// Todas as variantes da peça.
    variantes: Vec<VariantView>,
}

impl Operation for DecideVariants {
    const SPEC: Spec = Spec::new(
        "decide_variants",
        "Aprovar variantes",
        Verb::Post,
        "/api/eventos/{eventId}/variantes/decisao",
    )
    .access(Access::Member(Capability::Approve))
    .about(EVENT, "eventId")
    .read_by("get_event")
    .fails(&[404])
    .extension()
    .idempotent()
    .destructive()
    .reaches_outside_later()
    .hints(hints::DECIDE_VARIANTS)
    .tool()
    .announces(&[VARIANTS_DECIDED]);
    type Output = VariantsDecided;

    async fn run(self, ctx: &Context<'_>) -> Result<VariantsDecided> {
        let piece = visibility::require_event(ctx, &self.event_id).await?;
        require_revision(ctx, &piece, self.expected_revision).await?;
        if piece.status != EventStatus::Approved {
            return Err(Error::new(NOT_APPROVED)
                .because("As variantes são aprovadas com a peça, que ainda não está aprovada.")
                .with_detail("status", piece.status.as_str().into()));
        }
        let mut all = variants::list(&ctx.db(), &piece.id).await?;
        let decided = self.find_variants_to_decide(&all)?;
        let authors = all.iter().filter(|variant| decided.contains(&variant.id));
        let authors = authors.map(|variant| variant.changed_by.clone());
        let authors = authors.chain([piece.created_by.clone()]).collect();
        let verdict = match self.action {
            VariantDecision::Approve => Verdict::Approve,
            VariantDecision::Refuse => Verdict::Refuse,
        };
        stages::require_last_decider(ctx, &piece, authors, verdict).await?;
        if decided.is_empty() {
            let publishers = Publishers::load(ctx, &all).await?;
            return Ok(VariantsDecided::new(&piece, all, &publishers));
        }
        if self.action == VariantDecision::Approve {
            let approved = all.iter().filter(|variant| decided.contains(&variant.id));
            let approved: Vec<Variant> = approved.cloned().collect();
            refuse_problems(find_problems(ctx, &piece, &approved).await?)?;
        }
        let named = all.iter().filter(|variant| decided.contains(&variant.id));
        let named = named.map(|variant| format!("{}/{}", variant.channel, variant.format));
        let named: Vec<String> = named.collect();
        let mut notes = Map::new();
        let decision = json!({ "before": null, "after": self.action });
        notes.insert("decision".into(), decision);
        let named = json!({ "before": null, "after": named });
        notes.insert("variantes_decididas".into(), named);
        let change = Change {
            actor: &ctx.caller()?.member.id,
            action: Self::SPEC.name,
            reason: self.motivo.as_deref(),
        };
        let (db, after) = (ctx.db(), piece.clone());
        let saved = events::save_decision(&db, &piece, after, (change, notes), ctx.now).await?;
        // The revision of the piece detects concurrent writers, so the piece is saved before its
        // variants.
        let decided = |variant: &&mut Variant| decided.contains(&variant.id);
        for variant in all.iter_mut().filter(decided) {
            let decided = Some(variant.revision);
            (variant.approved_revision, variant.refused_revision) = match self.action {
                VariantDecision::Approve => (decided, None),
                VariantDecision::Refuse => (None, decided),
            };
            variant.updated_at = ctx.now;
            variants::update(&db, variant).await?;
        }
        let publishers = Publishers::load(ctx, &all).await?;
        Ok(VariantsDecided::new(&saved, all, &publishers))
    }
}

impl DecideVariants {
    /// Returns the ids of the variants to decide. Without `variantes` in the input, these are the
    /// waiting variants. Otherwise these are the named variants, except approved ones if the decision is
    /// an approval. Refuses (400) ids of other pieces.
    fn find_variants_to_decide(&self, all: &[Variant]) -> Result<BTreeSet<VariantId>> {
        let named = self.variantes.iter().flatten().enumerate();
        let unknown = named.filter(|(_, id)| !all.iter().any(|variant| variant.id == **id));
        let faults = unknown.map(|(place, _)| Fault {
            field: format!("variantes.{place}"),
            rule: "variant".into(),
            message: "não é uma variante desta peça; veja `variantes` em `get_event`".into(),
        });
        let faults: Vec<Fault> = faults.collect();
        if !faults.is_empty() {
            return Err(Error::from_faults(faults));
        }
        let waiting = all
            .iter()
            .filter(|variant| match (&self.variantes, self.action) {
                (None, _) => variant.is_undecided(),
                (Some(_), VariantDecision::Approve) => !variant.is_approved(),
                (Some(_), VariantDecision::Refuse) => true,
            });
        let is_named = |id: &VariantId| {
            self.variantes
                .as_ref()
                .is_none_or(|named| named.contains(id))
        };
        let ids = waiting.map(|variant| variant.id.clone());
        Ok(ids.filter(is_named).collect())
    }
}

impl VariantsDecided {
    fn new(piece: &events::Event, variants: Vec<Variant>, publishers: &Publishers<'_>) -> Self {
        let views = variants.into_iter();
        Self {
            ok: true,
            api_revision: piece.api_revision,
            variantes: views
                .map(|variant| VariantView::new(variant, piece).with_publisher(publishers))
                .collect(),
        }
    }
}
