//! The events that a site reports about its visitors.

use crate::text_enum;

text_enum! {
    pub enum TimelineEventKind {
        OpenedCheckout = "abriu_checkout",
        CheckoutStep = "etapa_checkout",
        Identified = "identificou",
        AnsweredPoll = "respondeu_enquete",
        VisitedPage = "visitou_pagina",
    }
}

text_enum! {
    /// Where a visit came from.
    pub enum Channel {
        Paid = "pago",
        Email = "email",
        Social = "social",
        Message = "mensagem",
        Search = "busca",
        Referral = "referencia",
        Other = "outro",
        Direct = "direto",
    }
}

text_enum! {
    /// What happened to an e-mail.
    pub enum DeliveryKind {
        Sent = "envio",
        Delivered = "entrega",
        Bounced = "devolucao",
        Complained = "reclamacao",
        Rejected = "rejeicao",
        Opened = "abertura",
        Clicked = "clique",
        RenderingFailed = "falha_de_modelo",
        Delayed = "atraso",
        Unsubscribed = "descadastro",
    }
}
