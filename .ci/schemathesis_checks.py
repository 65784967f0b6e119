"""Checks of Pauta's own that .ci/run adds to schemathesis's."""

import schemathesis


@schemathesis.check
def not_an_internal_error(ctx, response, case):
    """A failing provider answers 500 with a code of its own; `INTERNAL` is always a defect."""
    if response.status_code == 500 and '"INTERNAL"' in response.text:
        raise AssertionError("the service failed inside (code INTERNAL)")
