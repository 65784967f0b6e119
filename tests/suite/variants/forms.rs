//! The form of a channel on the page of a piece.

use serde_json::{Value, json};

use super::{Team, list_approvals, load_piece, put_variants};

#[tokio::test]
async fn the_form_writes_a_variant_and_keeps_the_fields_that_it_does_not_show() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let stated = json!([{ "canal": "youtube", "tags": ["pão"], "privacidade": "unlisted",
        "legenda": "Antes", "titulo": "Pão" }]);
    put_variants(&team.writer, &id, 2, stated).await.expect(200);
    let writer = team.app.browser_client(&team.writer_member).await;
    let page = writer.get(&format!("/eventos/{id}")).await.expect(200).text;
    assert!(page.contains("Acrescentar canal") && page.contains("Gravar canal"));
    let path = format!("/eventos/{id}/canais");
    let fields =
        |revision: &'static str, canal: &'static str, rest: &[(&'static str, &'static str)]| {
            let mut fields = vec![("expected_revision", revision), ("canal", canal)];
            fields.extend(rest);
            fields
        };
    let form = fields(
        "3",
        "youtube",
        &[
            ("formato", "video"),
            ("legenda", "Depois"),
            ("titulo", "Pão"),
            ("data", "2026-09-21"),
            ("hora", "08:30"),
            ("publicacao", "automatica"),
        ],
    );
    assert!(page.contains("Quem tem o link"));
    writer.post_form(&path, &form).await.expect(303);
    let variant = load_piece(&team.lead, &id).await["variantes"][0].clone();
    assert_eq!(variant["legenda"], "Depois");
    assert_eq!(variant["tags"], json!(["pão"]));
    assert_eq!(variant["privacidade"], "unlisted");
    assert_eq!(variant["due_at"], "2026-09-21T11:30:00.000Z");
    assert_eq!(variant["publicacao"], "automatica");
    writer
        .post_form(&path, &fields("4", "linkedin/post", &[]))
        .await
        .expect(303);
    // A form with a stale revision is refused and changes nothing.
    writer
        .post_form(&path, &fields("4", "linkedin/post", &[("remover", "true")]))
        .await
        .expect(409);
    let remove = fields("5", "youtube", &[("formato", "video"), ("remover", "true")]);
    writer.post_form(&path, &remove).await.expect(303);
    let left = load_piece(&team.lead, &id).await["variantes"].clone();
    assert_eq!(left.as_array().map(Vec::len), Some(1));
    assert_eq!(left[0]["legenda"], Value::Null);
}

#[tokio::test]
async fn the_form_sets_the_privacy_of_the_post() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let writer = team.app.browser_client(&team.writer_member).await;
    let path = format!("/eventos/{id}/canais");
    for (revision, chosen, stored) in [
        ("2", "SELF_ONLY", json!("SELF_ONLY")),
        ("3", "PUBLIC_TO_EVERYONE", json!("PUBLIC_TO_EVERYONE")),
    ] {
        let form = [
            ("expected_revision", revision),
            ("canal", "tiktok/post"),
            ("privacidade", chosen),
            ("publicacao", "automatica"),
        ];
        writer.post_form(&path, &form).await.expect(303);
        let variant = load_piece(&team.lead, &id).await["variantes"][0].clone();
        assert_eq!(variant["privacidade"], stored);
        assert_eq!(variant["publicacao"], "automatica");
    }
    // A variant that a person posts needs no privacy level.
    let form = [
        ("expected_revision", "4"),
        ("canal", "tiktok/post"),
        ("privacidade", ""),
        ("publicacao", "manual"),
    ];
    writer.post_form(&path, &form).await.expect(303);
    let variant = load_piece(&team.lead, &id).await["variantes"][0].clone();
    assert_eq!(variant["privacidade"], Value::Null);
    // For automatic publication, the privacy level is required.
    let form = [
        ("expected_revision", "5"),
        ("canal", "tiktok/post"),
        ("privacidade", ""),
        ("publicacao", "automatica"),
    ];
    let refused = writer.post_form(&path, &form).await.expect(400);
    assert!(refused.text.contains("para o serviço publicar no TikTok"));
}

#[tokio::test]
async fn an_approver_decides_a_changed_variant_on_the_page() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    team.approve(&id, 2).await;
    put_variants(&team.writer, &id, 4, json!([{ "canal": "linkedin" }]))
        .await
        .expect(200);
    let writer = team.app.browser_client(&team.writer_member).await;
    let page = writer.get(&format!("/eventos/{id}")).await.expect(200).text;
    assert!(page.contains("espera aprovação") && !page.contains("Aprovar canal"));
    let lead = team.app.browser_client(&team.lead_member).await;
    let page = lead.get(&format!("/eventos/{id}")).await.expect(200).text;
    assert!(page.contains("Aprovar canal"));
    let variant = load_piece(&team.lead, &id).await["variantes"][0]["id"].clone();
    let variant = variant.as_str().expect("an id");
    let form = [
        ("eventId", id.as_str()),
        ("expected_revision", "5"),
        ("action", "aprovar"),
        ("variantes", variant),
        ("_volta", "/"),
    ];
    lead.post_form("/acao/decide_variants", &form)
        .await
        .expect(303);
    assert_eq!(
        list_approvals(&team.lead, &id).await,
        [("linkedin".into(), true)]
    );
}
