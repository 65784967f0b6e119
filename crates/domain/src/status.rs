//! The states of an editorial event.

use super::text_enum;

text_enum! {
    /// The state of an event in the editorial workflow.
    pub enum EventStatus {
        /// The initial state of a demand: work has not started.
        Todo = "a fazer",
        InProgress = "em progresso",
        /// Media are being generated for the event.
        Processing = "processing",
        InApproval = "em aprovação",
        Approved = "aprovado",
        Refused = "recusado",
        Published = "publicado",
        Archived = "arquivado",
    }
}

impl EventStatus {
    /// The states in which text, date and media can still be changed.
    pub const EDITABLE: &[Self] = &[
        Self::Todo,
        Self::InProgress,
        Self::Processing,
        Self::Refused,
    ];

    /// The states of unfinished work.
    pub const OPEN: &[Self] = &[
        Self::Todo,
        Self::InProgress,
        Self::Processing,
        Self::InApproval,
        Self::Approved,
        Self::Refused,
    ];

    /// Describes the state and the states that can follow it, for users (Portuguese).
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Todo => "criado por uma demanda e ainda não começado; o rascunho o começa.",
            Self::InProgress => "em produção; `enviar` o leva à aprovação.",
            Self::Processing => "com mídia em geração; depois volta ao status anterior.",
            Self::InApproval => {
                "à espera de quem aprova: vira `aprovado` ou `recusado`; quem enviou pode retirá-lo."
            }
            Self::Approved => {
                "pronto para publicar; quem publica o marca `publicado`, quem aprova pode reabri-lo."
            }
            Self::Refused => "recusado com motivo; corrija e envie de novo.",
            Self::Published => "no ar.",
            Self::Archived => "guardado fora da agenda; pode voltar a `a fazer`.",
        }
    }

    #[must_use]
    pub fn is_open(self) -> bool {
        Self::OPEN.contains(&self)
    }

    #[must_use]
    pub fn is_editable(self) -> bool {
        Self::EDITABLE.contains(&self)
    }
}
