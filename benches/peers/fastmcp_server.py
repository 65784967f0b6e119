"""The same read and write as the server written by hand (`benches/by-hand`), with FastMCP and sqlite3.

python fastmcp_server.py PORT DATABASE
"""

import base64
import hashlib
import hmac
import json
import sqlite3
import sys
import time
import unicodedata
import uuid
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.dependencies import get_http_headers
from fastmcp.tools import ToolResult
from starlette.responses import PlainTextResponse

PORT, DATABASE = int(sys.argv[1]), sys.argv[2]
LEVELS = ["nenhum", "leitor", "criador", "lider", "admin"]
BRASILIA = ZoneInfo("America/Sao_Paulo")

db = sqlite3.connect(DATABASE, isolation_level=None, check_same_thread=False)
db.row_factory = sqlite3.Row
db.execute("PRAGMA journal_mode = wal")
db.execute("PRAGMA synchronous = full")
db.execute("PRAGMA foreign_keys = on")

mcp = FastMCP("peer")


def millis():
    return int(time.time() * 1000)


def authorize(capability, least):
    header = get_http_headers(include={"authorization"}).get("authorization", "")
    token = header.removeprefix("Bearer ")
    row = db.execute(
        """SELECT t.id, t.secret_sha256, t.scopes, t.expires_at, t.revoked_at, m.id AS member_id,
           m.user_id, m.role, m.api_access_level, m.active
           FROM personal_tokens t JOIN members m ON m.id = t.member_id WHERE t.prefix = ?""",
        (token[:25],),
    ).fetchone()
    digest = hashlib.sha256(token.encode()).hexdigest()
    if (
        row is None
        or not hmac.compare_digest(row["secret_sha256"], digest)
        or row["revoked_at"]
        or not row["active"]
        or row["expires_at"] <= millis()
        or min(LEVELS.index(row["role"]), LEVELS.index(row["api_access_level"])) < LEVELS.index(least)
        or capability not in json.loads(row["scopes"])
    ):
        raise PermissionError("refused")
    return row


def link(medium, now):
    until = now // 3_600_000 * 3_600 + 7 * 86_400
    digest = hmac.digest(b"a key of this benchmark and no other", f"{medium}\n{until}".encode(), "sha256")
    signature = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return f"http://127.0.0.1:{PORT}/media/{medium}?exp={until}&sig=1.{signature}"


def instant(at):
    text = datetime.fromtimestamp(at / 1000, timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def view(row):
    due = row["due_at"]
    local = due is not None and datetime.fromtimestamp(due / 1000, BRASILIA)
    plain = ("id", "api_revision", "clickup_id", "title", "channel", "status", "description")
    return {
        **{name: row[name] for name in plain},
        "day": local.day if local else None,
        "month": local.month if local else None,
        "year": local.year if local else None,
        "hour": f"{local:%H:%M}" if local else None,
        "due_at": instant(due) if local else None,
        "editorial_tag": row["editorial_tag"],
        "assignee_member_ids": [],
        "assignees_names": [],
        "media": [],
        "created_by": row["created_by"],
        "created_by_name": row["created_by_name"],
        "created_at": instant(row["created_at"]),
        "updated_at": instant(row["updated_at"]),
    }


def answer(content):
    return ToolResult(content=json.dumps(content, ensure_ascii=False), structured_content=content)


@mcp.tool
def list_pending_approvals(limit: int) -> ToolResult:
    """Pending approvals"""
    authorize("approve", "lider")
    now = millis()
    rows = db.execute(
        """SELECT e.*, c.name AS created_by_name FROM events e JOIN members c ON c.id = e.created_by
           WHERE e.status = 'em aprovação' ORDER BY e.agenda_at, e.id LIMIT ?""",
        (limit + 1,),
    ).fetchall()
    more = len(rows) > limit
    rows = rows[:limit]
    views = {row["id"]: view(row) for row in rows}
    ids = json.dumps(list(views))
    for row in db.execute(
        """SELECT a.event_id, m.id, m.name FROM event_assignees a JOIN members m ON m.id = a.member_id
           WHERE a.event_id IN (SELECT value FROM json_each(?)) ORDER BY a.event_id, a.position""",
        (ids,),
    ):
        views[row["event_id"]]["assignee_member_ids"].append(row["id"])
        views[row["event_id"]]["assignees_names"].append(row["name"])
    for row in db.execute(
        """SELECT * FROM event_media WHERE event_id IN (SELECT value FROM json_each(?))
           ORDER BY event_id, slide_index""",
        (ids,),
    ):
        views[row["event_id"]]["media"].append(
            {
                "id": row["media_id"],
                "url": link(row["media_id"], now),
                "slide_index": row["slide_index"],
                "kind": row["kind"],
                "alt": row["alt"],
                "media_type": row["media_type"],
            }
        )
    cursor = None
    if more:
        last = json.dumps([rows[-1]["agenda_at"], rows[-1]["id"]], separators=(",", ":"))
        cursor = base64.urlsafe_b64encode(last.encode()).rstrip(b"=").decode()
    return answer({"pendentes": list(views.values()), "next_cursor": cursor})


def fold(text):
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return plain.lower()


# An async function runs on the event loop, so only one call writes on the connection at a time.
@mcp.tool
async def save_draft(event_id: str, expected_revision: int, caption: str) -> ToolResult:
    """Saves a draft"""
    caller = authorize("draft_save", "criador")
    now = millis()
    db.execute("BEGIN IMMEDIATE")
    try:
        row = db.execute("SELECT * FROM events WHERE id = ?", (event_id,)).fetchone()
        changed = db.execute(
            """UPDATE events SET api_revision = api_revision + 1, status = 'em progresso',
               description = ?, updated_at = ? WHERE id = ? AND api_revision = ?""",
            (caption, now, event_id, expected_revision),
        ).rowcount
        if changed == 0:
            raise ValueError("stale")
        texts = [row["title"], caption, row["editorial_tag"]]
        db.execute(
            "UPDATE event_texts SET searched = ? WHERE event_id = ?",
            (fold("\n".join(text for text in texts if text)), event_id),
        )
        changes = {"description": {"before": row["description"], "after": caption}}
        db.execute(
            """INSERT INTO event_history (id, event_id, api_revision, actor_member_id, action, changes,
               occurred_at) VALUES (?, ?, ?, ?, 'save_draft', ?, ?)""",
            (
                str(uuid.uuid4()),
                event_id,
                expected_revision + 1,
                caller["member_id"],
                json.dumps(changes, ensure_ascii=False),
                now,
            ),
        )
        db.execute(
            """INSERT INTO audit_events (id, occurred_at, request_id, actor_member_id, actor_user_id,
               token_id, auth_method, capability, action, resource_type, resource_id, outcome,
               status_code, metadata)
               VALUES (?, ?, ?, ?, ?, ?, 'personal_token', 'draft_save', 'save_draft', 'event', ?,
               'succeeded', 200, '{}')""",
            (
                str(uuid.uuid4()),
                now,
                str(uuid.uuid4()),
                caller["member_id"],
                caller["user_id"],
                caller["id"],
                event_id,
            ),
        )
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    return answer({"ok": True, "status": "em progresso", "api_revision": expected_revision + 1})


@mcp.custom_route("/readyz", methods=["GET"])
async def ready(_request):
    return PlainTextResponse("ok")


app = mcp.http_app(path="/api/mcp", stateless_http=True, json_response=True)
uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="error", access_log=False)
