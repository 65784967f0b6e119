"""Reads a calendar of a running demo with a parser of RFC 5545 (PyPI `icalendar`).

    PAUTA_URL=… PAUTA_SESSION=… calendar_client.py
"""

import datetime
import json
import os
import re
import urllib.error
import urllib.request

from icalendar import Calendar

URL, SESSION = os.environ["PAUTA_URL"], os.environ["PAUTA_SESSION"]
ODD = 'Bolo, café; pão \\ "assim": 🍞\u202eשלום\u200f 👩🏽‍🍳 ' + "é🎂" * 20
CAPTION = "Uma, duas\nEND:VEVENT\n\tBEGIN:VALARM\n" + "ção; " * 60


def call(method, path, fields=None):
    headers = {"authorization": f"Bearer {SESSION}", "content-type": "application/json"}
    body = None if fields is None else json.dumps(fields).encode()
    request = urllib.request.Request(URL + path, body, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def read(url, headers={}):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


demand = {"title": ODD, "channel": "blog", "tipo": "doce, salgado", "day": 3, "month": 2, "year": 2027, "hour": "10:30"}
piece = call("POST", "/api/demanda", demand)["event_id"]
call("POST", "/api/draft", {"event_id": piece, "expected_revision": 1, "caption": CAPTION})
made = call("POST", "/api/calendarios", {"nome": ODD[:60], "channel": "blog"})

status, headers, body = read(made["url"])
assert status == 200, status
assert headers["content-type"] == "text/calendar; charset=utf-8", headers["content-type"]
calendar = Calendar.from_ical(body)
assert not calendar.errors, calendar.errors
# The parser knows no type for this property, and leaves it escaped.
name = re.sub(r"\\(.)", r"\1", calendar["X-WR-CALNAME"])
assert name == ODD[:60].strip(), name
events = {str(event["UID"]): event for event in calendar.walk("VEVENT")}
for event in events.values():
    assert not event.errors, event.errors
event = events[piece]
assert str(event["SUMMARY"]) == f"{ODD.strip()} (em progresso)", event["SUMMARY"]
assert CAPTION.strip() in str(event["DESCRIPTION"]), event["DESCRIPTION"]
assert [str(name) for name in event["CATEGORIES"].cats] == ["blog", "doce, salgado"]
start = datetime.datetime(2027, 2, 3, 13, 30, tzinfo=datetime.timezone.utc)
assert event["DTSTART"].dt == start, event["DTSTART"].dt
assert event["DTEND"].dt > start
assert str(event["STATUS"]) == "TENTATIVE" and event["SEQUENCE"] == 2
# A program that has the file asks again, and gets nothing.
assert read(made["url"], {"if-none-match": headers["etag"]})[0] == 304
call("DELETE", f"/api/calendarios/{made['calendario']['id']}")
assert read(made["url"])[0] == 404
print(f"{len(events)} pieces of the calendar arrived")
