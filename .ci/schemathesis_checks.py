"""Checks of Pauta's own that .ci/run adds to schemathesis's."""

import schemathesis


@schemathesis.check
def not_an_internal_error(ctx, response, case):
    """A failing provider answers 500 with a code of its own; `INTERNAL` is always a defect."""
    if response.status_code == 500 and '"INTERNAL"' in response.text:
        raise AssertionError("the service failed inside (code INTERNAL)")


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Two rules that OpenAPI cannot say, kept in data that is meant to be right: a cursor comes from a page, never from
    imagination, and a key given twice is the same key."""
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive:
        return
    if case.query:
        case.query.pop("cursor", None)
    if case.headers and isinstance(case.body, dict) and "idempotency_key" in case.body:
        case.headers.pop("Idempotency-Key", None)
