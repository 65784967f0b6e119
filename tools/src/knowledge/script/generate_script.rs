use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};

use super::{
    Writer,
    addresses::Addresses,
    draft::{self, Draft, Format, MOST_CARDS, Wish},
    hints,
    material::{CitedSource, Material},
    seconds::divide_seconds,
    verification::{self, Verification, VerifiedClaim},
};
use domain::{Capability, Code, DocumentId, VISIBLE, is_blank};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};

/// Escreve um roteiro da base de conhecimento e confere cada afirmação com as fontes.
///
/// Leva até 40 s e custa; a mesma chave dá o mesmo roteiro. Sem `verificado`, confira antes de publicar.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GenerateScript {
    /// Assunto e o que dizer.
    #[schemars(length(min = 1, max = 2000), regex(pattern = *VISIBLE))]
    tema: String,
    /// Tipo de peça.
    formato: Format,
    /// Segundos, só em `reel` (padrão 30).
    #[schemars(range(min = 5, max = 600))]
    duracao_s: Option<u32>,
    /// Tom de voz.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    tom: Option<String>,
    /// Para quem.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    publico: Option<String>,
    /// Só estes `documento_id` de `search_knowledge`.
    #[schemars(length(min = 1, max = 20))]
    fontes: Option<Vec<DocumentId>>,
}

/// Roteiro com as fontes e a verificação.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScriptGenerated {
    titulo: String,
    /// A primeira frase.
    gancho: String,
    /// Cenas, cards ou parágrafos, em ordem.
    blocos: Vec<Block>,
    /// O convite do fim.
    cta: String,
    /// Documentos citados; vazia quando nenhum foi usado.
    fontes: Vec<CitedSource>,
    /// Cada afirmação do roteiro, conferida com as fontes.
    verificacao: Vec<VerifiedClaim>,
    /// Se as fontes sustentam todas as afirmações.
    verificado: bool,
    /// Se a verificação terminou; senão, todas as afirmações estão `incerta`.
    verificacao_concluida: bool,
    /// O que convém contar a uma pessoa; ausente quando nada há.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    avisos: Vec<String>,
}

/// Uma cena, um card ou um parágrafo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Block {
    texto: String,
    /// O que se vê.
    #[serde(skip_serializing_if = "Option::is_none")]
    visual: Option<String>,
    /// Duração, em um `reel`; somam a do vídeo.
    #[serde(skip_serializing_if = "Option::is_none")]
    segundos: Option<u32>,
}

impl Operation for GenerateScript {
    const SPEC: Spec = Spec::new(
        "generate_script",
        "Escrever roteiro",
        Verb::Post,
        "/api/roteiro",
    )
    .access(Access::Member(Capability::Roteiro))
    .reads_at_a_cost()
    .needs_provider(Code::PROVIDER_NOT_CONFIGURED)
    .hints(hints::SCRIPT)
    .tool()
    .quotes();
    type Output = ScriptGenerated;

    async fn run(self, ctx: &Context<'_>) -> Result<ScriptGenerated> {
        if self.duracao_s.is_some() && self.formato != Format::Reel {
            return Err(Error::invalid_field(
                "duracao_s",
                "dependentRequired",
                "vale só com `formato` `reel`",
            ));
        }
        let writer = ctx.services.parts.find::<Writer>();
        let writer = writer.ok_or_else(|| {
            Error::new(Code::PROVIDER_NOT_CONFIGURED).with_detail(
                "next",
                "Escreva com os trechos de `search_knowledge`, ou peça a quem opera o serviço que configure o \
                 provedor."
                    .into(),
            )
        })?;
        let deadline = Instant::now() + writer.timeout();
        let drafted = timeout_at(deadline, async {
            let chosen = self.fontes.as_deref().unwrap_or_default();
            let material = Material::find_material(ctx, &self.tema, chosen).await?;
            let answer = writer
                .generate_json(draft::draft_request(&self.script_wish(), &material))
                .await?;
            Ok::<_, Error>((Draft::parse(answer)?, material))
        });
        let late = |_| Err(timeout_error(writer));
        let (draft, material) = drafted.await.unwrap_or_else(late)?;
        let mut avisos = vec![];
        let verified = match material.is_empty() {
            true => Err(NO_SOURCES.into()),
            false => verify_draft(writer, &draft, &material, deadline)
                .await
                .map_err(unverified_warning),
        };
        let verification = verified.unwrap_or_else(|why| {
            avisos.push(why);
            verification::failed_verification(&draft)
        });
        avisos.extend(verification.verdict_warnings());
        Ok(self.into_output(draft, &material, verification, avisos))
    }
}

const NO_SOURCES: &str = "A base de conhecimento não tem nada sobre o tema: o roteiro não se apoia em \
    fonte nenhuma, e nada foi verificado.";

fn timeout_error(writer: &Writer) -> Error {
    let seconds = writer.timeout().as_secs();
    Error::new(Code::PROVIDER_TIMEOUT)
        .because(format!("O roteiro não ficou pronto em {seconds} segundos."))
        .with_detail(
            "next",
            "Tente de novo com uma chave nova; um tema mais curto ou menos `fontes` ajudam.".into(),
        )
}

fn unverified_warning(code: Code) -> String {
    let why = match code {
        Code::PROVIDER_TIMEOUT => "não terminou a tempo",
        _ => "falhou",
    };
    format!("A verificação {why}: confira cada afirmação antes de publicar.")
}

/// Verifies a draft before the deadline.
async fn verify_draft(
    writer: &Writer,
    draft: &Draft,
    material: &Material,
    deadline: Instant,
) -> Result<Verification, Code> {
    let asked = timeout_at(
        deadline,
        writer.generate_json(verification::verification_request(draft, material)),
    );
    let answered = asked.await.unwrap_or_else(|_| Err(timeout_error(writer)));
    let claims =
        answered.and_then(|answer| verification::parse_verification(answer, draft, material));
    claims.map_err(|error| {
        tracing::warn!(
            error = error.text_with_causes(),
            "um roteiro não foi verificado"
        );
        error.code
    })
}

impl GenerateScript {
    fn script_wish(&self) -> Wish<'_> {
        Wish {
            tema: &self.tema,
            formato: self.formato,
            tom: self.tom.as_deref(),
            publico: self.publico.as_deref(),
            seconds: self.duration_or_default(),
        }
    }

    fn duration_or_default(&self) -> u32 {
        self.duracao_s.unwrap_or(30)
    }

    /// Builds the output. Keeps only known URLs and sources, and divides the duration of a video
    /// among its blocks.
    fn into_output(
        self,
        mut draft: Draft,
        material: &Material,
        verification: Verification,
        mut avisos: Vec<String>,
    ) -> ScriptGenerated {
        let cards = draft.blocos.len();
        if self.formato == Format::Carousel && cards > MOST_CARDS {
            draft.blocos.truncate(MOST_CARDS);
            avisos.push(format!(
                "O modelo escreveu {cards} cards; ficaram os {MOST_CARDS} primeiros."
            ));
        }
        let (verificado, verificacao_concluida) =
            (verification.is_supported(), verification.is_done);
        let mut verificacao = verification.claims;
        let mut cited = material.cited_document_ids(&draft.fontes);
        for id in verificacao.iter().flat_map(|claim| &claim.fonte_ids) {
            if !cited.contains(id) {
                cited.push(id.clone());
            }
        }
        let mut addresses = material.passage_addresses();
        let asked = [Some(&self.tema), self.tom.as_ref(), self.publico.as_ref()];
        asked
            .into_iter()
            .flatten()
            .for_each(|text| addresses.allow_addresses(text));
        let mut cleaner = Cleaner {
            addresses,
            removed: 0,
        };
        for claim in &mut verificacao {
            claim.afirmacao = cleaner.remove_invented_urls(&claim.afirmacao);
        }
        let weights = draft.blocos.iter().map(|block| {
            let stated = block.segundos.filter(|seconds| *seconds > 0.0);
            stated.unwrap_or(1.0)
        });
        let mut seconds = match self.formato {
            Format::Reel => {
                divide_seconds(self.duration_or_default(), &weights.collect::<Vec<_>>())
            }
            _ => vec![],
        }
        .into_iter();
        let blocos = draft.blocos.into_iter().map(|block| Block {
            texto: cleaner.remove_invented_urls(&block.texto),
            visual: block
                .visual
                .map(|visual| cleaner.remove_invented_urls(&visual))
                .filter(|visual| !is_blank(visual)),
            segundos: seconds.next(),
        });
        let blocos = blocos.collect();
        let (titulo, gancho) = (
            cleaner.remove_invented_urls(&draft.titulo),
            cleaner.remove_invented_urls(&draft.gancho),
        );
        let cta = cleaner.remove_invented_urls(&draft.cta);
        if cleaner.removed > 0 {
            avisos.push(
                "Endereços que não estão nas fontes nem no pedido foram retirados do texto.".into(),
            );
        }
        ScriptGenerated {
            titulo,
            gancho,
            blocos,
            cta,
            fontes: material.cited_sources(&cited),
            verificacao,
            verificado,
            verificacao_concluida,
            avisos,
        }
    }
}

/// Removes invented URLs and counts them.
struct Cleaner {
    addresses: Addresses,
    removed: usize,
}

impl Cleaner {
    fn remove_invented_urls(&mut self, text: &str) -> String {
        let (kept, removed) = self
            .addresses
            .remove_other_addresses(&text.replace('\0', ""));
        self.removed += removed;
        kept.trim().to_owned()
    }
}
