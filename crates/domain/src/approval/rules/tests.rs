use serde_json::json;

use super::*;

const ANA: &str = "0198c0de-0000-7000-8000-00000000000a";
const BIA: &str = "0198c0de-0000-7000-8000-00000000000b";

fn stage(fields: Value) -> Value {
    let mut stage = json!({ "nome": "Revisão", "membros": [ANA] });
    let own = stage.as_object_mut().expect("an object");
    own.extend(fields.as_object().expect("an object").clone());
    stage
}

fn rules(stages: &[Value]) -> Value {
    json!({ "regras": [{ "nome": "Blog", "etapas": stages }] })
}

fn faults_of(value: &Value) -> Vec<(String, String)> {
    let faults = Rules::parse_rules(value).faults.into_iter();
    faults.map(|fault| (fault.field, fault.rule)).collect()
}

#[test]
fn a_complete_value_is_parsed() {
    let value = json!({
        "sem_autoaprovacao": true,
        "regras": [{
            "nome": "Blog", "canais": ["blog", " site "], "tipos": ["artigo"], "projetos": [BIA],
            "etapas": [
                { "nome": "Revisão", "membros": [ANA, BIA], "exige": "todos",
                  "prazo_horas_uteis": 8, "avisar": [BIA], "ao_vencer": "escalar" },
                { "nome": "Cliente", "papel": "lider", "convidados": true },
            ],
        }],
    });
    let parsed = Rules::parse_rules(&value);
    assert_eq!(parsed.faults, []);
    assert!(parsed.rules.forbids_own);
    let rule = &parsed.rules.rules[0];
    assert_eq!(rule.channels, ["blog", "site"]);
    assert_eq!(rule.stages[0].quorum, Quorum::All);
    assert_eq!(rule.stages[0].hours, Some(8));
    assert_eq!(rule.stages[0].when_overdue, WhenOverdue::Escalate);
    assert_eq!(rule.stages[1].quorum, Quorum::One);
    assert_eq!(rule.stages[1].role, Some(Role::Lider));
    assert!(rule.stages[1].guests);
    assert_eq!(rule.stages[1].when_overdue, WhenOverdue::Hold);
    let fields: Vec<&str> = parsed.mentions.iter().map(|one| &*one.field).collect();
    assert_eq!(
        fields,
        [
            "value.regras.0.projetos.0",
            "value.regras.0.etapas.0.membros.0",
            "value.regras.0.etapas.0.membros.1",
            "value.regras.0.etapas.0.avisar.0",
        ]
    );
}

#[test]
fn several_values_mean_no_rules() {
    for value in [
        json!(null),
        json!({}),
        json!({ "regras": [] }),
        json!({ "regras": null }),
    ] {
        let parsed = Rules::parse_rules(&value);
        assert_eq!((parsed.faults, parsed.rules), (vec![], Rules::default()));
    }
}

#[test]
fn every_fault_is_reported_with_its_field() {
    for (value, field, rule) in [
        (json!([]), "", "type"),
        (json!({ "regra": [] }), ".regra", "additionalProperties"),
        (
            json!({ "agendar_ao_aprovar": true }),
            ".agendar_ao_aprovar",
            "additionalProperties",
        ),
        (
            json!({ "sem_autoaprovacao": "sim" }),
            ".sem_autoaprovacao",
            "type",
        ),
        (json!({ "regras": {} }), ".regras", "items"),
        (json!({ "regras": vec![json!({}); 51] }), ".regras", "items"),
        (json!({ "regras": [1] }), ".regras.0", "type"),
        (
            json!({ "regras": [{ "nome": "a" }] }),
            ".regras.0.etapas",
            "required",
        ),
        (
            json!({ "regras": [{ "etapas": [stage(json!({}))] }] }),
            ".regras.0.nome",
            "required",
        ),
        (rules(&[]), ".regras.0.etapas", "items"),
        (
            rules(&vec![stage(json!({})); 11]),
            ".regras.0.etapas",
            "items",
        ),
        (
            rules(&[stage(json!({ "nome": " " }))]),
            ".regras.0.etapas.0.nome",
            "length",
        ),
        (
            rules(&[stage(json!({ "nome": "\u{200b}\u{2800}" }))]),
            ".regras.0.etapas.0.nome",
            "length",
        ),
        (
            rules(&[stage(json!({ "nome": "a\nb" }))]),
            ".regras.0.etapas.0.nome",
            "length",
        ),
        (
            rules(&[stage(json!({ "x": 1 }))]),
            ".regras.0.etapas.0.x",
            "additionalProperties",
        ),
        (
            rules(&[json!({ "nome": "a" })]),
            ".regras.0.etapas.0",
            "required",
        ),
        (
            rules(&[stage(json!({ "membros": [] }))]),
            ".regras.0.etapas.0.membros",
            "items",
        ),
        (
            rules(&[stage(json!({ "membros": [1] }))]),
            ".regras.0.etapas.0.membros.0",
            "type",
        ),
        (
            rules(&[stage(json!({ "membros": [ANA, ANA.to_uppercase()] }))]),
            ".regras.0.etapas.0.membros.1",
            "uniqueItems",
        ),
        (
            rules(&[stage(json!({ "papel": "criador" }))]),
            ".regras.0.etapas.0.papel",
            "enum",
        ),
        (
            rules(&[stage(json!({ "convidados": 1 }))]),
            ".regras.0.etapas.0.convidados",
            "type",
        ),
        (
            rules(&[stage(json!({ "exige": "dois" }))]),
            ".regras.0.etapas.0.exige",
            "enum",
        ),
        (
            rules(&[stage(json!({ "prazo_horas_uteis": 0 }))]),
            ".regras.0.etapas.0.prazo_horas_uteis",
            "range",
        ),
        (
            rules(&[stage(json!({ "prazo_horas_uteis": 1.5 }))]),
            ".regras.0.etapas.0.prazo_horas_uteis",
            "range",
        ),
        (
            rules(&[stage(json!({ "ao_vencer": "lembrar" }))]),
            ".regras.0.etapas.0.ao_vencer",
            "dependentRequired",
        ),
        (
            rules(&[stage(
                json!({ "ao_vencer": "aprovar", "prazo_horas_uteis": 1 }),
            )]),
            ".regras.0.etapas.0.ao_vencer",
            "enum",
        ),
        (
            rules(&[stage(
                json!({ "ao_vencer": "escalar", "prazo_horas_uteis": 1 }),
            )]),
            ".regras.0.etapas.0.avisar",
            "dependentRequired",
        ),
        (
            rules(&[stage(
                json!({ "ao_vencer": "lembrar", "prazo_horas_uteis": 1 }),
            )]),
            ".regras.0.etapas.0.avisar",
            "dependentRequired",
        ),
        (
            rules(&[stage(
                json!({ "ao_vencer": "segurar", "prazo_horas_uteis": 1,
                "avisar": [ANA] }),
            )]),
            ".regras.0.etapas.0.avisar",
            "not",
        ),
        (
            rules(&[stage(json!({ "avisar": [ANA] }))]),
            ".regras.0.etapas.0.avisar",
            "dependentRequired",
        ),
    ] {
        let expected = (format!("value{field}"), rule.to_owned());
        assert_eq!(faults_of(&value), [expected], "{value}");
    }
}

#[test]
fn all_faults_of_a_value_are_reported_at_once() {
    let value = json!({
        "sem_autoaprovacao": 1,
        "regras": [
            { "nome": "", "etapas": [stage(json!({ "exige": 2, "papel": "x" }))] },
            { "nome": "b", "canais": [""], "etapas": [{ "nome": "c" }] },
        ],
    });
    let fields: Vec<String> = faults_of(&value)
        .into_iter()
        .map(|(field, _)| field)
        .collect();
    assert_eq!(
        fields,
        [
            "value.sem_autoaprovacao",
            "value.regras.0.nome",
            "value.regras.0.etapas.0.papel",
            "value.regras.0.etapas.0.exige",
            "value.regras.1.canais.0",
            "value.regras.1.etapas.0",
        ]
    );
}

#[test]
fn the_first_rule_that_applies_is_taken() {
    let etapas = json!([{ "nome": "Só", "membros": [ANA] }]);
    let value = json!({ "regras": [
        { "nome": "projeto", "projetos": [BIA], "etapas": etapas },
        { "nome": "artigo no blog", "canais": ["blog"], "tipos": ["artigo", "nota"], "etapas": etapas },
        { "nome": "blog", "canais": ["blog"], "etapas": etapas },
        { "nome": "nota", "tipos": ["nota"], "etapas": etapas },
    ]});
    let rules = Rules::parse_rules(&value).rules;
    let plan = |rules: &Rules, channel, tag, projects: &[&str]| {
        let projects = projects.iter().map(|id| ProjectId::from(*id)).collect();
        let piece = PieceFacts {
            channel,
            tag,
            projects: &projects,
        };
        let is_same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let plan = rules.plan_for(piece, BTreeSet::from([MemberId::from(ANA)]), is_same);
        plan.map(|plan| (plan.name, plan.stages.len(), plan.barred.len()))
    };
    let named = |name: &str| Some((name.to_owned(), 1, 0));
    assert_eq!(
        plan(&rules, "blog", Some("artigo"), &[BIA, ANA]),
        named("projeto")
    );
    assert_eq!(
        plan(&rules, "BLOG", Some("Nota"), &[]),
        named("artigo no blog")
    );
    assert_eq!(plan(&rules, "blog", Some("outra"), &[ANA]), named("blog"));
    assert_eq!(plan(&rules, "blog", None, &[]), named("blog"));
    assert_eq!(plan(&rules, "x", Some("nota"), &[]), named("nota"));
    assert_eq!(plan(&rules, "x", None, &[]), None);
    let strict = Rules {
        forbids_own: true,
        ..rules
    };
    assert_eq!(plan(&strict, "x", None, &[]), Some((String::new(), 0, 1)));
    assert_eq!(
        plan(&strict, "blog", None, &[]),
        Some(("blog".into(), 1, 1))
    );
}

#[test]
fn a_plan_survives_its_json() {
    let value = rules(&[stage(
        json!({ "convidados": true, "exige": "todos", "papel": "admin" }),
    )]);
    let rules = Rules::parse_rules(&value).rules;
    let projects = BTreeSet::new();
    let piece = PieceFacts {
        channel: "x",
        tag: None,
        projects: &projects,
    };
    let plan = rules
        .plan_for(piece, BTreeSet::new(), |_, _| true)
        .expect("a plan");
    let text = serde_json::to_string(&plan).expect("JSON");
    assert_eq!(serde_json::from_str::<Plan>(&text).expect("a plan"), plan);
}
