//! Tests of the cycle checker, on sources with and without cycles.

use super::{Circle, find_cycles, modules::Modules};

fn find_cycles_in(files: &[(&str, &str)]) -> Vec<Circle> {
    let text = |path: &str| {
        let file = files.iter().find(|(name, _)| *name == path);
        file.map(|(_, text)| (*text).to_owned())
    };
    find_cycles("c", &Modules::read_crate("lib.rs", &text))
}

fn cycle_names(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    find_cycles_in(files)
        .into_iter()
        .map(|circle| circle.modules)
        .collect()
}

#[test]
fn a_cycle_is_found_and_described_by_its_paths() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::B; pub struct A(B);"),
        ("b.rs", "pub struct B; fn f() -> u8 { super::c::f() }"),
        ("c.rs", "use super::{b, a::A}; pub fn f() -> u8 { 1 }"),
    ];
    let found = find_cycles_in(&files);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].modules, ["c::a", "c::b", "c::c"]);
    let told =
        "c::a uses c::b (crate::b::B); c::b uses c::c (super::c::f); c::c uses c::a (super::a::A)";
    assert_eq!(found[0].told, told);
}

#[test]
fn dependencies_in_one_direction_are_no_cycle() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use a::A;"),
        ("a.rs", "use crate::b::B; pub struct A(B);"),
        ("b.rs", "pub struct B;"),
    ];
    assert!(cycle_names(&files).is_empty());
}

#[test]
fn folders_that_use_each_other_form_a_cycle_even_if_no_files_do() {
    let files = [
        ("lib.rs", "mod x; mod y;"),
        ("x/mod.rs", "mod one; mod two;"),
        ("x/one.rs", "use crate::y::one::F;"),
        ("x/two.rs", "pub struct T;"),
        ("y/mod.rs", "pub mod one; mod two;"),
        ("y/one.rs", "pub struct F;"),
        ("y/two.rs", "use crate::x::two::T;"),
    ];
    assert_eq!(cycle_names(&files), [["c::x", "c::y"]]);
}

#[test]
fn a_re_export_resolves_to_the_defining_module() {
    // `crate::A` is defined in `a`, although the root re-exports it.
    let files = [
        ("lib.rs", "mod a; mod b; pub use a::A;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::A; pub struct B;"),
    ];
    assert_eq!(cycle_names(&files), [["c::a", "c::b"]]);
    let by_glob = [
        ("lib.rs", "mod a; mod b; pub use a::*;"),
        files[1],
        files[2],
    ];
    assert_eq!(cycle_names(&by_glob), [["c::a", "c::b"]]);
}

#[test]
fn a_parent_and_a_child_that_use_each_other_form_a_cycle() {
    let files = [
        (
            "lib.rs",
            "mod a; pub const LIMIT: u8 = 1; pub fn f() { a::f() }",
        ),
        ("a.rs", "pub fn f() -> u8 { super::LIMIT }"),
    ];
    assert_eq!(cycle_names(&files), [["c", "c::a"]]);
    let re_exported = [
        (
            "lib.rs",
            "mod a; pub use a::A; pub const LIMIT: u8 = 1; pub fn f(a: A) {}",
        ),
        ("a.rs", "pub struct A; pub fn f() -> u8 { crate::LIMIT }"),
    ];
    assert_eq!(cycle_names(&re_exported), [["c", "c::a"]]);
    let only_re_exported = [
        ("lib.rs", "mod a; pub use a::A; pub const LIMIT: u8 = 1;"),
        re_exported[1],
    ];
    assert!(cycle_names(&only_re_exported).is_empty());
}

#[test]
fn comments_strings_and_tests_are_not_uses() {
    let a = r##"
        // use crate::b::B;
        /* use crate::b::B; /* crate::b::f() */ crate::b::f() */
        const TEXT: &str = "crate::b::f()";
        const RAW: &[u8] = br#"crate::b::f() "quoted" "#;
        const QUOTE: [char; 2] = ['"', '\''];
        fn life<'a>(x: &'a str) -> &'a str { x }
        struct S { #[cfg(test)] field: crate::b::B, other: u8 }
        #[cfg(test)]
        use crate::b::{B, C};
        #[cfg(test)]
        fn f<X, Y>(x: (X, Y)) -> u8 { crate::b::f() }
        #[cfg(test)]
        mod tests { use crate::b::B; }
        pub(in crate::b) struct A;
    "##;
    let b = ("b.rs", "use crate::a::A; pub struct B;");
    assert!(cycle_names(&[("lib.rs", "mod a; mod b;"), ("a.rs", a), b]).is_empty());
    let with_use = format!("{a} use crate::b::B;");
    assert_eq!(
        cycle_names(&[("lib.rs", "mod a; mod b;"), ("a.rs", &with_use), b]),
        [["c::a", "c::b"]]
    );
}
