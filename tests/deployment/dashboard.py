"""Loads the dashboard with Grafana's own types (PyPI `grafana_foundation_sdk`), and its queries with promtool.

    dashboard.py PROMTOOL

A key that the types do not know would be lost when they read and write it again. promtool parses every expression.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
# Values that Grafana puts in the place of its variables.
VARIABLES = {"$__rate_interval": "5m", "$instance": ".*", "$door": ".*"}


def assert_kept(written, read, at):
    """Each value of the file is in what the types wrote."""
    if isinstance(written, dict):
        assert isinstance(read, dict), f"{at}: {read!r} is no object"
        for key, value in written.items():
            # The types leave out what is empty or null.
            if value in (None, [], {}) and key not in read:
                continue
            assert key in read, f"{at}: Grafana knows no `{key}`"
            assert_kept(value, read[key], f"{at}.{key}")
    elif isinstance(written, list):
        assert isinstance(read, list) and len(written) == len(read), f"{at}: a list has lost values"
        for number, (one, other) in enumerate(zip(written, read)):
            assert_kept(one, other, f"{at}[{number}]")
    else:
        assert written == read, f"{at}: {written!r} became {read!r}"


def expressions(board):
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]


def main():
    promtool = sys.argv[1]
    register_default_plugins()
    board = json.loads((DEPLOY / "grafana/pauta.json").read_text())
    read = json.loads(json.dumps(Dashboard.from_json(board), cls=JSONEncoder))
    assert_kept(board, read, "dashboard")
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids)), "two panels have one id"
    rules = []
    for title, expression in expressions(board):
        for name, value in VARIABLES.items():
            expression = expression.replace(name, value)
        assert not re.search(r"\$\w", expression), f"{title}: an unknown variable in {expression}"
        rules.append({"record": f"panel:{len(rules)}", "expr": expression})
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
        file.flush()
        subprocess.run([promtool, "check", "rules", file.name], check=True, stdout=subprocess.DEVNULL)
    print(f"dashboard: {len(ids)} panels, {len(rules)} queries")


main()
