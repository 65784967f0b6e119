//! The sentences that a page shows after a form succeeded.

/// The operations that forms call, each with the sentence that the next page shows.
const DONE: [(&str, &str); 70] = [
    ("add_knowledge_document", "Documento acrescentado."),
    ("add_push_device", "Este aparelho passa a receber avisos."),
    ("add_remark", "Comentário gravado."),
    ("apply_project_operation", "Projeto atualizado."),
    ("apply_project_operations", "Projeto atualizado."),
    ("cancel_video_generation", "Vídeo cancelado."),
    ("change_my_password", "Senha trocada."),
    ("create_demand", "Demanda criada."),
    ("create_demands", "Demandas criadas."),
    ("create_my_token", "Token criado."),
    ("create_project", "Projeto criado."),
    ("decide_approval", "Decisão registrada."),
    ("decide_publication", "Decisão registrada."),
    ("decide_variants", "Decisão sobre os canais registrada."),
    ("delete_email_draft", "Rascunho apagado."),
    ("delete_webhook", "Webhook apagado."),
    ("disconnect_o_auth_account", "Conta desconectada."),
    ("generate_art", "Imagem gerada."),
    ("generate_carousel", "Carrossel gerado."),
    ("generate_script", "Roteiro escrito."),
    ("invite_member", "Convite criado."),
    ("mark_notifications_read", "Tudo marcado como lido."),
    ("offboard_member", "Membro desligado."),
    ("pause_publishing", "Pausa das publicações atualizada."),
    ("pause_webhook", "Webhook pausado."),
    ("publish_config_version", "Configuração publicada."),
    (
        "publish_shortvideo",
        "Publicação pedida. Acompanhe em “Publicações”.",
    ),
    ("publish_skill_version", "Skill publicada."),
    ("put_email_draft", "Rascunho salvo."),
    ("put_launch_dashboard", "Lançamento criado."),
    ("put_platform_password", "Senha guardada."),
    ("put_variants", "Canais salvos."),
    ("record_cancellation_reason", "Motivo registrado."),
    ("record_post", "Post registrado."),
    ("reissue_invitation", "Convite refeito."),
    ("remove_knowledge_document", "Documento tirado da base."),
    ("remove_member_push_device", "Aparelho removido."),
    ("remove_push_device", "Aparelho removido."),
    ("remove_remark", "Comentário removido."),
    ("reopen_event", "Peça reaberta."),
    ("replace_in_email_draft", "Trecho trocado."),
    ("replace_knowledge_document", "Documento trocado."),
    ("replay_webhook_messages", "Mensagens a caminho de novo."),
    ("resume_webhook", "Webhook retomado."),
    ("revoke_calendar_feed", "Calendário revogado."),
    ("revoke_guest_link", "Link revogado."),
    ("revoke_member_agent", "Acesso do agente encerrado."),
    ("revoke_member_calendar_feed", "Calendário revogado."),
    ("revoke_member_token", "Token revogado."),
    ("revoke_my_agent", "Acesso do agente encerrado."),
    ("revoke_my_token", "Token revogado."),
    ("save_draft", "Rascunho salvo."),
    ("set_agent_limits", "Limites salvos."),
    ("set_member_password", "Senha definida."),
    ("set_notification_settings", "Preferências salvas."),
    ("set_token_limits", "Limites salvos."),
    ("sign_out", "Você saiu."),
    ("snooze_post_reminder", "Você será lembrado de novo em 1 h."),
    (
        "start_video_generation",
        "Vídeo pedido. Fica pronto em alguns minutos.",
    ),
    ("submit_for_approval", "Peça enviada para aprovação."),
    (
        "test_webhook",
        "Teste a caminho. O resultado aparece nas mensagens.",
    ),
    ("update_carousel", "Carrossel corrigido."),
    ("update_event", "Peça atualizada."),
    ("update_event_media", "Mídias da peça atualizadas."),
    ("update_launch_dashboard", "Lançamento atualizado."),
    ("update_member", "Papel salvo."),
    ("update_member_api_access", "Nível de API salvo."),
    ("update_remark", "Comentário atualizado."),
    ("update_webhook", "Webhook atualizado."),
    ("upload_media", "Arquivo enviado."),
];

/// Returns the names of the operations that have a sentence.
pub fn worded_operations() -> impl Iterator<Item = &'static str> {
    DONE.iter().map(|(name, _)| *name)
}

/// Returns the sentence for a completed operation. An operation without a sentence is named by its
/// title.
pub(crate) fn done_sentence(operation: &str, title: &str) -> String {
    let entry = DONE.iter().find(|(name, _)| *name == operation);
    entry.map_or_else(
        || format!("Feito: {title}."),
        |(_, text)| (*text).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_without_a_sentence_is_named_by_its_title() {
        assert_eq!(
            done_sentence("create_demand", "Criar demanda"),
            "Demanda criada."
        );
        assert_eq!(
            done_sentence("other", "Fazer outra coisa"),
            "Feito: Fazer outra coisa."
        );
        assert!(DONE.is_sorted(), "the list is sorted by operation");
    }
}
