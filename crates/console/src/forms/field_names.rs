//! The names of input fields on pages. Published errors use the field names of the API instead.

use std::borrow::Cow;

/// The input fields of the API, each with its name as the subject of an error sentence.
const FIELDS: [(&str, &str); 220] = [
    ("acao", "A decisão"),
    ("access_level", "O papel"),
    ("action", "A decisão"),
    ("agentId", "O agente"),
    ("alt", "O texto alternativo"),
    ("alt_text", "O texto alternativo"),
    ("ancora", "O lugar do comentário"),
    ("ancora.media_id", "A mídia"),
    ("ancora.segundo", "O segundo"),
    ("ancora.trecho", "O trecho"),
    ("anterior", "O aparelho anterior"),
    ("api_access_level", "O nível de API"),
    ("api_revision", "A revisão"),
    ("aspect", "O formato"),
    ("assignee_id", "O responsável"),
    ("assignee_ids", "A lista de responsáveis"),
    ("assignee_member_id", "O responsável"),
    ("assinatura_id", "A assinatura"),
    ("ate", "O fim"),
    ("atrasados", "O filtro de atrasadas"),
    ("attach", "A lista de mídias a pôr"),
    ("auth", "A chave do aparelho"),
    ("auto_add_music", "A música automática"),
    ("autor", "O autor"),
    ("brand_content_toggle", "O aviso de conteúdo pago"),
    ("brand_organic_toggle", "O aviso de marca própria"),
    ("busca", "O texto procurado"),
    ("calendarId", "O calendário"),
    ("campaigns", "A lista de campanhas"),
    ("campanhas", "A lista de campanhas"),
    ("canal", "O canal"),
    ("caption", "A legenda"),
    ("caption_revision", "A revisão da legenda"),
    ("cards", "A lista de cards"),
    ("chamadas_por_dia", "O limite de chamadas por dia"),
    ("channel", "O canal"),
    ("code", "O código"),
    ("code_challenge", "O código de verificação"),
    ("code_challenge_method", "O código de verificação"),
    ("codigo", "O código"),
    ("comentario", "O comentário"),
    (
        "comentarios_respondidos",
        "A lista de comentários respondidos",
    ),
    ("contato", "O contato"),
    ("content", "O conteúdo"),
    ("conteudo", "O conteúdo"),
    ("current_password", "A senha atual"),
    ("cursor", "O endereço da página"),
    ("data", "A data"),
    ("day", "O dia"),
    ("de", "O início"),
    ("de_quem", "O filtro de quem espera"),
    ("demandas", "A lista de demandas"),
    ("descricao", "A descrição"),
    ("description", "A descrição"),
    ("despite_publication_id", "A publicação anterior"),
    ("despite_video_id", "O vídeo anterior"),
    ("detach", "A lista de mídias a tirar"),
    ("deviceId", "O aparelho"),
    ("dias", "O número de dias"),
    ("direito", "A permissão do convidado"),
    ("disable_comment", "A opção de comentários"),
    ("disable_duet", "A opção de dueto"),
    ("disable_stitch", "A opção de costurar"),
    ("documentoId", "O documento"),
    ("door", "O acesso"),
    ("due_at", "A data"),
    ("duracao_s", "A duração"),
    ("duration_s", "A duração"),
    ("email", "O e-mail"),
    ("encerrados", "O filtro de encerrados"),
    ("endpoint", "O endereço do aparelho"),
    ("ends_on", "O fim"),
    ("esperam", "O filtro do que espera"),
    ("estado", "O estado"),
    ("eventId", "A peça"),
    ("event_id", "A peça"),
    ("evento", "A peça"),
    ("expected_revision", "A revisão"),
    ("expected_updated_at", "A versão lida"),
    ("expected_version", "A versão lida"),
    ("expiresInDays", "A validade"),
    ("expires_in_days", "A validade"),
    ("file", "O arquivo"),
    ("fim", "O fim"),
    ("financeiro", "O acesso a vendas"),
    ("fontes", "A lista de fontes"),
    ("fora_da_lista", "O que fica fora da lista"),
    ("format", "O formato"),
    ("formato", "O formato"),
    ("goal_cents", "A meta"),
    ("hour", "A hora"),
    ("html", "O HTML"),
    ("id", "O vídeo"),
    ("idade", "A idade"),
    ("idempotency_key", "A chave do formulário"),
    ("ids", "A lista de avisos"),
    ("imagens_por_dia", "O limite de imagens por dia"),
    ("inicio", "O início"),
    ("insert", "O lugar da mídia"),
    ("item_status", "A situação"),
    ("key", "A chave"),
    ("kind", "O tipo"),
    ("label", "O nome"),
    ("lancamento", "O lançamento"),
    ("legenda", "A legenda"),
    ("ligados", "A lista de avisos ligados"),
    ("limit", "O tamanho da página"),
    ("limite", "O número de resultados"),
    ("link", "O link"),
    ("linkId", "O link"),
    ("media", "A lista de mídias"),
    ("mediaIds", "A lista de mídias"),
    ("media_id", "A mídia"),
    ("memberId", "A pessoa"),
    ("member_id", "A pessoa"),
    ("membro", "A pessoa"),
    ("membros", "A lista de pessoas"),
    ("mencionam_me", "O filtro de menções"),
    ("mencoes", "A lista de menções"),
    ("mensagem_id", "A mensagem"),
    ("mes", "O mês"),
    ("meta", "A meta"),
    ("meta_centavos", "A meta"),
    ("metadados", "O campo de metadados"),
    ("metadata", "O objeto de metadados"),
    ("meus", "O filtro de agentes"),
    ("midias", "A lista de mídias"),
    ("minhas", "O filtro de peças"),
    ("moeda", "A moeda"),
    ("month", "O mês"),
    ("motivo", "O motivo"),
    ("motivos", "A lista de motivos"),
    ("name", "O nome"),
    ("nome", "O nome"),
    ("operations", "A lista de mudanças"),
    ("ordem", "A ordem"),
    ("order", "A ordem das mídias"),
    ("outcome", "O resultado"),
    ("p256dh", "A chave do aparelho"),
    ("password", "A senha nova"),
    ("paused", "A pausa"),
    ("payload", "A mudança"),
    ("pecas", "A lista de peças"),
    ("pergunta", "A pergunta"),
    ("pessoa", "A pessoa"),
    ("plano", "O plano"),
    ("platformId", "A plataforma"),
    ("por_email", "O envio por e-mail"),
    ("por_push", "A lista de avisos no aparelho"),
    ("posicao", "A posição"),
    ("post_url", "O link do post"),
    ("primeiro_comentario", "O primeiro comentário"),
    ("privacy_level", "A privacidade"),
    ("procurar", "O trecho"),
    ("products", "A lista de produtos"),
    ("produto_id", "O produto"),
    ("produtos", "A lista de produtos"),
    ("projectId", "O projeto"),
    ("project_id", "O projeto"),
    ("projetoId", "O lançamento"),
    ("projeto_id", "O projeto"),
    ("prompt", "O texto"),
    ("proporcao", "A proporção"),
    ("provider", "A rede"),
    ("publicar", "A escolha de quem publica"),
    ("publication_id", "A publicação"),
    ("publico", "O público"),
    ("q", "O texto procurado"),
    ("quality", "A qualidade"),
    ("reason", "O motivo"),
    ("recortes", "A lista de recortes"),
    ("remarkId", "O comentário"),
    ("resolvido", "O estado do comentário"),
    ("responde_a", "A conversa"),
    ("resumo", "O resumo"),
    ("revoke_tokens", "O encerramento dos tokens"),
    ("scope", "O alcance"),
    ("scopes", "A lista de permissões"),
    ("section_id", "A lista"),
    ("sem_data", "A falta de data"),
    ("sem_lancamento", "A falta de lançamento"),
    ("sem_motivo", "A falta de motivo"),
    ("sem_tipo", "A falta de etiqueta"),
    ("senha", "A senha"),
    ("silencio_ate", "O fim do silêncio"),
    ("silencio_de", "O início do silêncio"),
    ("size", "O tamanho"),
    ("slide_index", "A posição"),
    ("starts_on", "O início"),
    ("status", "A situação"),
    ("style", "O estilo"),
    ("tag", "A etiqueta"),
    ("tags", "A lista de etiquetas"),
    ("tamanho", "O tamanho"),
    ("tema", "O tema"),
    ("templateId", "O e-mail"),
    ("template_id", "O e-mail"),
    ("text", "O texto"),
    ("texto", "O texto"),
    ("tipo", "A etiqueta"),
    ("tipos", "A lista de tipos"),
    ("title", "O título"),
    ("titulo", "O título"),
    ("todas", "A troca de todas"),
    ("tokenId", "O token"),
    ("token_id", "O token"),
    ("tom", "O tom"),
    ("trecho", "O trecho"),
    ("trocar_por", "O texto novo"),
    ("type", "O tipo"),
    ("url", "O endereço"),
    ("usuario", "O usuário"),
    ("valor_maximo_centavos", "O valor máximo"),
    ("valor_minimo_centavos", "O valor mínimo"),
    ("value", "O valor"),
    ("variant_id", "O canal"),
    ("variantes", "A lista de canais"),
    ("version", "A versão"),
    ("webhookId", "O webhook"),
    ("year", "O ano"),
];

fn find_name(field: &str) -> Option<&'static str> {
    let entry = FIELDS.iter().find(|(name, _)| *name == field);
    entry.map(|(_, label)| *label)
}

/// Returns true if pages have a name for this input field.
#[must_use]
pub fn is_worded_field(field: &str) -> bool {
    find_name(field).is_some()
}

/// Returns the name of an input field as the start of a sentence. A field that is not in the table keeps
/// its API name. The name of a field of a list item (`cards.0.text`) includes the number of the item.
pub(crate) fn field_in_words(field: &str) -> Cow<'_, str> {
    if let Some(label) = find_name(field) {
        return label.into();
    }
    let mut parts = field.rsplitn(3, '.');
    let (last, number) = (parts.next().unwrap_or_default(), parts.next());
    let item = number.and_then(|number| number.parse::<usize>().ok());
    match (find_name(last), item) {
        (Some(label), Some(item)) => format!("{label} ({})", item.saturating_add(1)).into(),
        (Some(label), None) => label.into(),
        (None, _) => field.into(),
    }
}

/// Replaces the API names in a text by the names on pages: `antes de \`inicio\`` becomes `antes de
/// “Início”`. `title_of` returns the title of an operation.
pub(super) fn replace_api_names(text: &str, title_of: impl Fn(&str) -> Option<String>) -> String {
    let mut parts = text.split('`');
    let mut worded = parts.next().unwrap_or_default().to_owned();
    while let Some(name) = parts.next() {
        worded.push('“');
        worded.push_str(&title_of(name).unwrap_or_else(|| field_label(name)));
        worded.push('”');
        worded.push_str(parts.next().unwrap_or_default());
    }
    worded
}

/// Returns the name of a field without its article, as in the label of a form.
fn field_label(name: &str) -> String {
    let words = field_in_words(name);
    let bare = words
        .split_once(' ')
        .filter(|(article, _)| ["O", "A"].contains(article));
    let bare = bare.map_or(&*words, |(_, bare)| bare);
    let mut letters = bare.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    match is_worded_field(name) {
        true => first.chain(letters).collect(),
        false => bare.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_named_in_words() {
        assert_eq!(field_in_words("motivo"), "O motivo");
        assert_eq!(field_in_words("cards.0.text"), "O texto (1)");
        assert_eq!(field_in_words("cards.0.unknown"), "cards.0.unknown");
        assert!(FIELDS.is_sorted(), "the list is sorted by field");
    }

    #[test]
    fn names_in_a_text_are_put_into_words() {
        let none = |_: &str| None;
        let text = replace_api_names("não pode ser antes de `inicio`", none);
        assert_eq!(text, "não pode ser antes de “Início”");
        assert_eq!(
            replace_api_names("um de `post`, `story`", none),
            "um de “post”, “story”"
        );
        let title = |name: &str| (name == "reopen_event").then(|| "Reabrir".to_owned());
        assert_eq!(
            replace_api_names("use `reopen_event`.", title),
            "use “Reabrir”."
        );
        assert_eq!(replace_api_names("sem nomes", none), "sem nomes");
    }
}
