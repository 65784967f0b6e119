"""Reads a calendar of a running demo with two parsers of RFC 5545, PyPI `icalendar` and npm `ical.js`, while its pieces
change. Both must read the same from each file.

    PAUTA_URL=… PAUTA_SESSION=… calendar_client.py
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import urllib.error
import urllib.request

from icalendar import Calendar

URL, SESSION = os.environ["PAUTA_URL"], os.environ["PAUTA_SESSION"]
OTHER_PARSER = pathlib.Path(__file__).with_name("calendar_events.mjs")
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


def instant(moment):
    assert moment.utcoffset() == datetime.timedelta(), moment
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def parse(body):
    """The name of the calendar and its pieces by UID, as both parsers read them."""
    calendar = Calendar.from_ical(body)
    assert not calendar.errors, calendar.errors
    pieces = {}
    for event in calendar.walk("VEVENT"):
        assert not event.errors, event.errors
        piece = {name: str(event[name]) for name in ("UID", "STATUS", "SUMMARY", "DESCRIPTION")}
        piece |= {name: instant(event[name].dt) for name in ("DTSTART", "DTEND", "LAST-MODIFIED")}
        piece |= {"SEQUENCE": event["SEQUENCE"], "CATEGORIES": [str(name) for name in event["CATEGORIES"].cats]}
        assert piece["UID"] not in pieces, f"{piece['UID']} is there twice"
        pieces[piece["UID"]] = piece
    other = subprocess.run(["node", OTHER_PARSER], input=body, stdout=subprocess.PIPE, check=True)
    other = json.loads(other.stdout)
    assert other["pieces"] == list(pieces.values()), "the parsers disagree"
    # The parsers know no type for this property, and leave it escaped.
    assert other["name"] == str(calendar["X-WR-CALNAME"])
    return re.sub(r"\\(.)", r"\1", other["name"]), pieces


def update(fields):
    revision = call("GET", f"/api/eventos/{piece}")["evento"]["api_revision"]
    call("PATCH", f"/api/eventos/{piece}", {"expected_revision": revision, **fields})


demand = {"title": ODD, "channel": "blog", "tipo": "doce, salgado", "day": 3, "month": 2, "year": 2027, "hour": "10:30"}
piece = call("POST", "/api/demanda", demand)["event_id"]
call("POST", "/api/draft", {"event_id": piece, "expected_revision": 1, "caption": CAPTION})
made = call("POST", "/api/calendarios", {"nome": ODD[:60], "channel": "blog"})
of_status = call("POST", "/api/calendarios", {"nome": "Em progresso", "channel": "blog", "status": "em progresso"})

status, headers, body = read(made["url"])
assert status == 200, status
assert headers["content-type"] == "text/calendar; charset=utf-8", headers["content-type"]
name, pieces = parse(body)
assert name == ODD[:60].strip(), name
first = pieces[piece]
assert first["SUMMARY"] == f"{ODD.strip()} (em progresso)", first["SUMMARY"]
assert CAPTION.strip() in first["DESCRIPTION"], first["DESCRIPTION"]
assert first["CATEGORIES"] == ["blog", "doce, salgado"]
assert (first["DTSTART"], first["DTEND"]) == ("2027-02-03T13:30:00.000Z", "2027-02-03T14:00:00.000Z")
# A program that has the file asks again, and gets nothing.
assert read(made["url"], {"if-none-match": headers["etag"]})[0] == 304

# What a program sees of each change: the same piece, with a higher sequence.
date = {"day": 4, "month": 3, "year": 2027, "hour": "09:00"}
assert (first["STATUS"], first["SEQUENCE"]) == ("TENTATIVE", 2), first
for fields, expected in [
    ({"title": "Pão; de, queijo"}, ("TENTATIVE", 3, "Pão; de, queijo", "2027-02-03T13:30:00.000Z")),
    (date, ("TENTATIVE", 4, "Pão; de, queijo", "2027-03-04T12:00:00.000Z")),
    ({"status": "arquivado"}, ("CANCELLED", 5, "Pão; de, queijo", "2027-03-04T12:00:00.000Z")),
    ({"status": "a fazer"}, ("TENTATIVE", 6, "Pão; de, queijo", "2027-03-04T12:00:00.000Z")),
]:
    update(fields)
    status, changed, body = read(made["url"], {"if-none-match": headers["etag"]})
    assert status == 200 and changed["etag"] != headers["etag"], status
    headers = changed
    _, now = parse(body)
    assert now.keys() == pieces.keys(), "pieces came or went"
    shown = now[piece]
    title = shown["SUMMARY"].rsplit(" (", 1)[0]
    assert (shown["STATUS"], shown["SEQUENCE"], title, shown["DTSTART"]) == expected, shown
    assert shown["LAST-MODIFIED"] >= pieces[piece]["LAST-MODIFIED"]
    # The other pieces have not changed.
    assert {**now, piece: None} == {**pieces, piece: None}
    # A calendar of one status cancels the piece too, instead of losing it. In another status it is not there.
    _, narrow = parse(read(of_status["url"])[2])
    assert narrow.get(piece) == (None if shown["SUMMARY"].endswith("(a fazer)") else shown), narrow
    pieces = now

# A piece without a date is in no file: programs replace what they had with the whole file.
update({"sem_data": True})
_, now = parse(read(made["url"])[2])
assert pieces.keys() - now.keys() == {piece}

for feed in (made, of_status):
    call("DELETE", f"/api/calendarios/{feed['calendario']['id']}")
    assert read(feed["url"])[0] == 404
print(f"{len(pieces)} pieces of the calendar arrived, and the changes of one of them")
