"""Fails unless every request of the collection ran once and passed its own test. newman also succeeds if none ran.

    python newman_audit.py COLLECTION REPORT
"""
import json
import sys

collection, report = (json.load(open(path)) for path in sys.argv[1:3])


def requests(items):
    for item in items:
        if "item" in item:
            yield from requests(item["item"])
        else:
            yield item["name"]


ran = [execution["item"]["name"] for execution in report["run"]["executions"]]
assert sorted(ran) == sorted(requests(collection["item"])), "not every request ran once"
for execution in report["run"]["executions"]:
    name, assertions = execution["item"]["name"], execution.get("assertions") or []
    assert assertions and not any("error" in assertion for assertion in assertions), f"{name}: {assertions}"
assert not report["run"]["failures"], report["run"]["failures"]
print(f"{len(ran)} requests, each with its test")
