"""The project's own checks, which .ci/run adds to those of schemathesis."""

import urllib.parse

import schemathesis


# A PNG image in Base64.
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mN4tiWAJMQwqmFUw/DVAAAVEeoQqbfJ2wAAAABJRU5Erk"
         "Jggg==")


@schemathesis.check
def not_an_internal_error(ctx, response, case):
    """A failing provider causes a 500 with its own code; `INTERNAL` is always a defect."""
    if response.status_code == 500 and '"INTERNAL"' in response.text:
        raise AssertionError("the service failed inside (code INTERNAL)")


@schemathesis.check
def refused_as_without_provider(ctx, response, case):
    """Only an operation that needs a provider according to the contract (`x-without-provider`) may answer 5xx."""
    if response.status_code >= 500:
        refusal = case.operation.definition.raw.get("x-without-provider")
        if not refusal or response.status_code != refusal["status"] or f'"{refusal["code"]}"' not in response.text:
            raise AssertionError(f"{response.status_code} although the contract names no missing provider for it")


@schemathesis.hook
def filter_query(ctx, query):
    """Drops long queries: a request line and headers of more than 64 KiB are refused (431) before they reach a route."""
    return not query or len(urllib.parse.urlencode(query, doseq=True)) < 60_000


def cards_that_may_be(cards):
    """Makes generated cards valid without changing their number. Each medium is used once and unchanged, because only a
    read of the event says which of its media were generated with a text. All other cards become new cards with a text
    and at most one background."""
    kept, right = set(), []
    for card in cards:
        medium = card.get("media_id")
        if medium and medium not in kept:
            kept.add(medium)
            right.append({"media_id": medium})
        else:
            background = "photo_id" if "photo_id" in card else "prompt"
            new = {"text": card.get("text", "Um card")}
            right.append(new | {name: card[name] for name in [background] if name in card})
    return right


def with_exact_integers(value):
    """Replaces integers beyond 64 bits, at any depth."""
    if isinstance(value, dict):
        return {name: with_exact_integers(field) for name, field in value.items()}
    if isinstance(value, list):
        return [with_exact_integers(item) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return 0
    return value


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Makes generated input satisfy rules that OpenAPI cannot express. A cursor must come from a page. A value with two
    names or forms (a key, a validity, a size and its ratio) is sent once. A parameter comes with the one that it needs,
    and without those that it excludes. A period ends after it begins, and a day exists in its month."""
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive:
        return
    if case.query:
        case.query.pop("cursor", None)
        # A page refuses NUL in any text.
        for name, value in case.query.items():
            if isinstance(value, str) and "\0" in value:
                case.query[name] = value.replace("\0", "")
        if case.operation.path == "/api/skills" and "name" not in case.query:
            for of_one_skill in ("version", "de", "tamanho"):
                case.query.pop(of_one_skill, None)
        if case.operation.path == "/api/email-drafts/{templateId}" and "busca" in case.query:
            for of_a_window in ("de", "tamanho"):
                case.query.pop(of_a_window, None)
        if case.operation.path in ("/api/eventos", "/api/access/audit") and {"de", "ate"} <= case.query.keys():
            case.query["de"], case.query["ate"] = sorted([case.query["de"], case.query["ate"]])
        # If a launch gets only one of the two days, it adds its own other day, which may be before or after the given
        # one.
        days = [case.query[name] for name in ("inicio", "fim") if name in case.query]
        if days:
            case.query["inicio"], case.query["fim"] = min(days), max(days)
        values = ("valor_minimo_centavos", "valor_maximo_centavos")
        bounds = [case.query[name] for name in values if name in case.query]
        if len(bounds) == 2 and all(str(bound).isdigit() for bound in bounds):
            case.query.update(zip(values, sorted(bounds, key=int)))
        if case.headers and "idempotency_key" in case.query:
            case.headers.pop("Idempotency-Key", None)
    if case.headers and isinstance(case.body, dict) and "idempotency_key" in case.body:
        case.headers.pop("Idempotency-Key", None)
    # JSON that the service stores as it is has no integer that a 64-bit reader would change.
    if isinstance(case.body, (dict, list)):
        case.body = with_exact_integers(case.body)
    if isinstance(case.body, dict):
        if "expiresInDays" in case.body:
            case.body.pop("expires_in_days", None)
        if "caption" in case.body:
            case.body.pop("caption_revision", None)
        if "size" in case.body:
            case.body.pop("format", None)
        # An event without a date has no parts of a date.
        if case.operation.path == "/api/eventos/{eventId}" and case.body.get("sem_data"):
            for part in ("day", "month", "year", "hour"):
                case.body.pop(part, None)
        days = [case.body[name] for name in ("inicio", "fim") if case.body.get(name)]
        if len(days) == 2 or (days and case.operation.path.startswith("/api/lancamentos")):
            case.body["inicio"], case.body["fim"] = min(days), max(days)
        # Only a video has a duration.
        if case.operation.path == "/api/roteiro" and case.body.get("formato") != "reel":
            case.body.pop("duracao_s", None)
        # The body contains one change of a project, or several.
        if case.operation.path in ("/api/projects/{projectId}/operations", "/api/projects/{projectId}/batch"):
            for change in case.body.get("operations", [case.body]):
                payload = change["payload"]
                if payload.get("starts_on") and payload.get("ends_on"):
                    payload["starts_on"], payload["ends_on"] = sorted([payload["starts_on"], payload["ends_on"]])
        # The values of a key that Pauta reads must have the form that the description of `key` gives.
        if case.operation.path == "/api/config" and case.body.get("key") == "comercial.comissoes":
            case.body["value"] = {"padrao": 0.05}
        if case.operation.path == "/api/eventos/{eventId}/carousel":
            case.body["cards"] = cards_that_may_be(case.body["cards"])
        # No file is at a generated URL, and generated Base64 is no image.
        if case.operation.path == "/api/media":
            case.body.pop("url", None)
            case.body.pop("file", None)
            case.body["data"] = PIXEL
        # The maximum size depends on the type.
        if case.operation.path == "/api/uploads" and case.body.get("media_type", "").startswith("image/"):
            if "bytes" in case.body:
                case.body["bytes"] = min(case.body["bytes"], 25_000_000)
        # The link of a post must name a public host and contain no password.
        if case.operation.path == "/api/eventos/{eventId}/post" and "post_url" in case.body:
            case.body["post_url"] = "https://www.instagram.com/p/C8x1"
        # Not every month has these days; July has all of them.
        for date in [case.body, *case.body.get("demandas", [])]:
            if "month" in date and date.get("day") in (29, 30, 31):
                date["month"] = 7
