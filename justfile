# The everyday commands, for https://just.systems. CONTRIBUTING.md has them written out.

# Lists the recipes.
_default:
    @{{ just_executable() }} --list --unsorted

# Compiles everything, tests and benchmarks too, without running it.
check:
    cargo check --workspace --all-targets

# The tests on SQLite whose path begins like this, or all: `just test limits::`
test *filter:
    cargo test --workspace -- {{ filter }}

# The tests on a PostgreSQL of their own, which .ci/pg-up starts: `just test-postgres limits::`
test-postgres *filter:
    #!/usr/bin/env bash
    set -euo pipefail
    cluster=$(mktemp -d)
    trap '.ci/pg-down "$cluster"; rm -rf "$cluster"' EXIT
    url=$(FAST=1 .ci/pg-up "$cluster")
    PAUTA_TEST_DATABASE_URL=$url cargo test --workspace -- {{ filter }}

# What a commit must pass: formatting, and clippy without a warning.
lint:
    cargo fmt --all
    cargo clippy --workspace --all-targets --locked -- -D warnings

# Unused dependencies, licences, duplicates and sources, with the tools of .ci/install.
dependencies:
    .tools/cargo/bin/cargo-machete
    .tools/cargo/bin/cargo-deny --locked check licenses bans sources

# Records what is published: answers of the examples, snapshots of tools and error codes, documents.
record:
    PAUTA_TEST_RECORD_EXAMPLES=1 cargo test --test suite -- contract::examples
    INSTA_UPDATE=always cargo test --test suite -- contract::projections::schemas
    cargo run -- artifacts
    git status --short ai-artifacts/dist tests/suite/contract/snapshots

# A ready team in a throw-away database, on http://127.0.0.1:8080
demo:
    cargo run --release -- demo

# The pages in Chromium, against the debug binary.
test-browser:
    cargo build
    node --test tests/browser/*.test.mjs

# All that must hold before a change lands.
ci:
    .ci/run
