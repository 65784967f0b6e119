//! Tests every role, flag, API level, scope and level, with random choices from a seed.

use super::*;
use domain::{Role, time::Millis};

const SCOPES: [Option<&str>; 12] = [
    None,
    Some("leitor criador lider admin vendas"),
    Some("leitor"),
    Some("criador"),
    Some("lider"),
    Some("admin vendas"),
    Some("vendas"),
    Some("publish"),
    Some("criador publish"),
    Some("tasks_view rag approve"),
    Some("leitor criador lider admin vendas tasks_view rag publish"),
    Some("tasks_view rag vendas"),
];
const TRIES: usize = 60;

/// The SplitMix64 random number generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn next_capabilities(&mut self) -> Capabilities {
        let (one, other) = (self.next(), self.next());
        let bits = [one, one & other, one | other, u64::MAX, 0][(self.next() % 5) as usize];
        let some = Capability::ALL
            .iter()
            .filter(|c| bits & (1 << **c as u64) != 0);
        some.copied().collect()
    }
}

fn new_agent(scopes: Capabilities, created_at: Millis) -> Agent {
    Agent {
        id: AgentId::new(created_at),
        member_id: domain::MemberId::default(),
        client_id: domain::ClientId::default(),
        client_name: String::new(),
        redirect_host: String::new(),
        scopes,
        resource: String::new(),
        created_at,
        expires_at: Millis::MAX,
        last_used_at: None,
        revoked_at: None,
    }
}

fn all_grantable_sets() -> impl Iterator<Item = Capabilities> {
    Role::ALL.iter().flat_map(|role| {
        Level::ALL.iter().flat_map(move |level| {
            let level = (*level).min(role.level());
            [false, true].map(|financeiro| Capabilities::of_level(level, financeiro))
        })
    })
}

/// Returns the choices that are submitted if the page is left unchanged.
fn unchanged_choice(offer: &Offer, level: Option<Level>) -> Choice {
    match offer {
        Offer::Levels(grantable) => Choice {
            level,
            lists: LEVELS.map(|level| capabilities_listed_for_level(*grantable, level)),
            marked: Capabilities::default(),
        },
        Offer::More(step_up) => Choice {
            marked: step_up.default_selection(),
            ..Choice::default()
        },
    }
}

#[test]
fn a_grant_is_within_the_request_the_choice_and_the_rights_of_the_person() {
    let (mut random, mut tried, mut extended) = (Random(1), 0, 0);
    for may in all_grantable_sets() {
        for scope in SCOPES {
            for _ in 0..TRIES {
                let active: Vec<Agent> = (0..random.next() % 4)
                    .map(|n| new_agent(random.next_capabilities(), n as Millis))
                    .collect();
                let offer = Offer::for_scope(scope, may, active);
                let asked = scopes::requested_capabilities(scope);
                assert!(asked.intersection(may).includes(offer.grantable()));
                let choice = Choice {
                    level: [
                        None,
                        Some(Level::Nenhum),
                        Some(Level::Leitor),
                        Some(Level::Criador),
                        Some(Level::Lider),
                        Some(Level::Admin),
                    ][(random.next() % 6) as usize],
                    lists: [(); 4].map(|()| random.next_capabilities()),
                    marked: random.next_capabilities(),
                };
                let granted = offer.capabilities_for(&choice);
                assert!(asked.intersection(may).includes(granted));
                let all = choice
                    .lists
                    .iter()
                    .fold(choice.marked, |all, list| all.union(*list));
                assert!(
                    all.includes(granted),
                    "a capability was granted that was not checked"
                );
                for capability in granted.iter() {
                    let level = choice.level.unwrap_or(Level::Nenhum);
                    match &offer {
                        Offer::Levels(_) => assert!(fits_level(capability, level)),
                        Offer::More(_) => extended += 1,
                    }
                    assert!(
                        !is_chosen_separately(capability) || choice.marked.contains(capability)
                    );
                }
                tried += 1;
            }
        }
    }
    assert!(tried >= 10_000 && extended > 1_000, "{tried}, {extended}");
}

#[test]
fn an_unchanged_form_grants_the_checked_capabilities_and_nothing_sensitive() {
    let mut random = Random(2);
    for may in all_grantable_sets() {
        for scope in SCOPES {
            for _ in 0..TRIES {
                let active: Vec<Agent> = (0..random.next() % 3)
                    .map(|n| new_agent(random.next_capabilities(), n as Millis))
                    .collect();
                let offer = Offer::for_scope(scope, may, active);
                match &offer {
                    Offer::Levels(grantable) => {
                        for level in levels_adding_capabilities(*grantable) {
                            let granted =
                                offer.capabilities_for(&unchanged_choice(&offer, Some(level)));
                            assert_eq!(granted, capabilities_listed_for_level(*grantable, level));
                            assert!(
                                granted
                                    .iter()
                                    .all(|c| !is_chosen_separately(c) && fits_level(c, level))
                            );
                        }
                    }
                    Offer::More(step_up) => {
                        let granted = offer.capabilities_for(&unchanged_choice(&offer, None));
                        assert_eq!(granted, step_up.default_selection());
                        assert!(granted.includes(step_up.before));
                        let new = granted.without(step_up.before);
                        assert!(new.iter().all(|c| !c.is_sensitive()));
                        assert_eq!(step_up.before, step_up.agent.scopes.intersection(may));
                    }
                }
            }
        }
    }
}

#[test]
fn the_usual_request_of_another_machine_extends_no_agent() {
    for may in all_grantable_sets() {
        for scope in [
            None,
            Some("leitor criador lider admin vendas"),
            Some("lider"),
            Some("openid email"),
        ] {
            for level in LEVELS {
                let active = vec![new_agent(Capabilities::of_level(level, false), 1)];
                assert!(
                    Offer::for_scope(scope, may, active)
                        .extended_agent_id()
                        .is_none()
                );
            }
        }
    }
}

#[test]
fn the_agent_with_most_capabilities_is_extended_and_none_of_several_equal_ones_is_replaced() {
    let may = Capabilities::of_level(Level::Lider, true);
    let (reader, creator) = (
        Capabilities::of_level(Level::Leitor, false),
        Capabilities::of_level(Level::Criador, false),
    );
    let scope = Some("criador publish");
    let offer = Offer::for_scope(
        scope,
        may,
        vec![new_agent(creator, 1), new_agent(reader, 2)],
    );
    let Offer::More(step_up) = &offer else {
        panic!("an extension")
    };
    assert_eq!(
        step_up.replaceable_agent().map(|agent| agent.created_at),
        Some(1)
    );
    assert_eq!(
        step_up.new.iter().collect::<Vec<_>>(),
        [Capability::Publish]
    );
    let offer = Offer::for_scope(
        scope,
        may,
        vec![new_agent(creator, 1), new_agent(creator, 2)],
    );
    assert!(offer.extended_agent_id().is_some() && offer.replaceable_agent_id().is_none());
    // An agent with more than the requested capabilities belongs to another machine.
    let leader = Capabilities::of_level(Level::Lider, false);
    let offer = Offer::for_scope(scope, may, vec![new_agent(leader, 1)]);
    assert!(offer.extended_agent_id().is_none());
}

#[test]
fn criador_is_the_default_level_if_it_can_be_granted() {
    let all = Capabilities::of_level(Level::Admin, true);
    assert_eq!(
        default_level(&levels_adding_capabilities(all)),
        Some(Level::Criador)
    );
    let leader = scopes::requested_capabilities(Some("approve"));
    assert_eq!(
        default_level(&levels_adding_capabilities(leader)),
        Some(Level::Lider)
    );
    let reader = Capabilities::of_level(Level::Leitor, false);
    assert_eq!(
        default_level(&levels_adding_capabilities(reader)),
        Some(Level::Leitor)
    );
    assert_eq!(
        default_level(&levels_adding_capabilities(scopes::requested_capabilities(
            Some("vendas")
        ))),
        None
    );
}
