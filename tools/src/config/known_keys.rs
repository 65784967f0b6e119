//! The configuration keys that the service reads, and the shape of their values.

use std::collections::BTreeMap;

use crate::{knowledge::synonyms, sales::commissions};
use domain::{Brand, approval::Rules};

const SHAPES: [(&str, &str); 4] = [
    (
        Brand::KEY,
        "O visual das imagens: `{nome, handle: \"@…\", logo: id de mídia, cores: 2 a 5 \"#RRGGBB\", a principal \
         primeiro, fonte}`.",
    ),
    (
        commissions::KEY,
        "As comissões, de 0 a 1: `{padrao: 0.05, vendedores: {\"Nome\": 0.08}, desde?: dia, anteriores?: \
         [as que valiam antes, como esta]}`. O nome é o de `get_commercial_team_sales`.",
    ),
    (
        synonyms::KEY,
        "O que mais cada palavra acha na base: `{\"chester\": [\"ave\"]}`.",
    ),
    (
        Rules::KEY,
        "As etapas de aprovação: `{regras: [{nome, canais?, tipos?, projetos?, etapas: [{nome, membros?: [id], \
         papel?: lider|admin, convidados?, exige?: um|todos, prazo_horas_uteis?, avisar?: [id de \
         membro], ao_vencer?: lembrar|escalar|segurar}]}], sem_autoaprovacao?}`. `avisar` e `ao_vencer` \
         pedem `prazo_horas_uteis`; `lembrar` e `escalar` pedem `avisar`, e `segurar` não o aceita. O que já \
         espera uma decisão não muda de etapa.",
    ),
];

/// Returns the shapes of the values by key: of all known keys, or of the given key.
pub(super) fn shapes_of(key: Option<&str>) -> BTreeMap<&'static str, &'static str> {
    let shapes = SHAPES.into_iter();
    shapes
        .filter(|(known, _)| key.is_none_or(|key| key == *known))
        .collect()
}
