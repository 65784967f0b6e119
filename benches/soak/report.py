"""Prints the tables of the soak, and finds the measurements that grew too much."""

import statistics

from samples import measure, percentile

# The maximum ratio of the memory at the end to the memory at 10 % of the calls.
MEMORY = 1.1
# The number of calls after which an instance has warmed up. If 10 % of the calls are fewer, the memory may grow by
# WARMING megabytes more.
WARM, WARMING = 30_000, 10
# The maximum ratio of the median p99 in the last third of the minutes to that in the first third, and the milliseconds
# that count as noise.
P99, NOISE = 1.5, 20
# The kinds of calls whose time grows with the pieces: a search for a common word sorts up to 10,240 matches
# (docs/PERFORMANCE.md).
GROWING = {"search_common"}
# The maximum increase of each count of an idle instance from before the load to after it.
MORE = {"other_fds": 2, "uncounted": 4, "connections": 2, "tasks": 4, "threads": 8, "streams": 0, "detached": 0, "waiting": 0}
SESSIONS = 16
# The bytes of a row of each table, including its indexes.
BYTES = {
    "event_index": 2050, "idempotency_keys": 890, "audit_events": 760, "events": 800, "event_people": 540, "event_history": 420,
    "event_texts": 370, "timeline_events": 300, "timeline_sessions": 395, "media": 630, "contents": 300, "search_index": 850,
    "search_texts": 490, "videos": 710, "jobs": 420, "session_families": 530, "refresh_tokens": 780,
}
# The maximum ratio of the growth of the database to the growth predicted from its rows, and additional bytes.
DISK, SLACK = 1.25, 16e6
SHARES = ((0.05, 0.15), (0.25, 0.35), (0.45, 0.55), (0.65, 0.75), (0.9, 1.0))
COLUMNS = ("rss", "pss", "anonymous", "threads", "fds", "other_fds", "uncounted", "connections", "sessions", "streams", "tasks")


def line(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def table(*heads):
    line(*heads)
    line(*("---" for _ in heads))


def show(value):
    return "–" if value is None else f"{value:.1f}" if value % 1 else f"{value:.0f}"


def occupation(instances, steady, sampler, idle):
    """Prints the memory and counts of the instances; yields those that grew too much."""
    for instance in instances:
        name = "the instance that is never restarted" if instance is steady else "the instance that is restarted"
        print(f"\n{name}; megabytes and counts\n")
        table("at", *COLUMNS)
        rows = [("idle before", idle[instance.port])]
        rows += [(f"{(least + most) * 50:.0f} %", sampler.between(instance, least, most)) for least, most in SHARES]
        after = measure(instance, sampler.passing)
        for at, sample in (*rows, ("idle after", after)):
            line(at, *(show((sample or {}).get(column)) for column in COLUMNS))
        for what, more in MORE.items():
            before = idle[instance.port][what]
            if before is not None and after[what] > before + more:
                yield f"{name} holds {show(after[what])} {what} after the load, and held {show(before)} before"
        if most := [sample["sessions"] for _, _, sample in sampler.samples[instance.port] if sample["sessions"] > SESSIONS]:
            yield f"{name} had {max(most):.0f} sessions with the database"
    begin, end = sampler.between(steady, *SHARES[0]), sampler.between(steady, *SHARES[-1])
    if not begin or not end:
        yield "the run was too short for a curve of memory"
        return
    warming = WARMING if sampler.calls.made / 10 < WARM else 0
    for what in ("rss", "anonymous"):
        if end[what] > begin[what] * MEMORY + warming:
            yield f"memory ({what}) was {begin[what]:.1f} MB at 10 % of the calls and is {end[what]:.1f} MB at the end"


def latencies(calls):
    """Prints p50 and p99 of each kind of call and minute, outside of faults; yields the kinds that became slower."""
    kinds = sorted({kind for kind, _ in calls.latencies})
    minutes = sorted({minute for _, minute in calls.latencies})
    print("\np50 / p99 in ms, by the minute\n")
    table("minute", "load", "calls", *kinds)
    for minute in minutes:
        values = [calls.latencies.get((kind, minute), ()) for kind in kinds]
        cells = [f"{percentile(of, 0.5):.0f} / {percentile(of, 0.99):.0f}" if of else "–" for of in values]
        load = statistics.median(calls.loads[minute] or [0])
        line(minute + 1, f"{load:.1f}", sum(map(len, values)), *cells)
    third = (len(minutes) - 2) // 3
    if third < 2:
        print("\nToo short to compare the p99 of its thirds.")
        return
    # Omits the first minute, in which the instances warm up, and the last minute, which is incomplete.
    whole = minutes[1:-1]
    for kind in set(kinds) - GROWING:
        def median(of):
            return statistics.median(percentile(values, 0.99) for minute in of if len(values := calls.latencies.get((kind, minute), ())) >= 100)
        try:
            first, last = median(whole[:third]), median(whole[-third:])
        except statistics.StatisticsError:
            continue
        if last > first * P99 + NOISE:
            yield f"the p99 of {kind} was {first:.0f} ms in the first third of the minutes and {last:.0f} ms in the last"


def disk(rows):
    """Prints the size of each table; yields the growth of the database if its rows do not explain it."""
    print("\nthe database\n")
    table("table", "new rows", "MB", "bytes a row")
    predicted = 0
    for name, count in sorted(rows.after.items(), key=lambda row: -rows.sizes[row[0]]):
        made = count - rows.before[name]
        if made > 0:
            predicted += made * BYTES.get(name, 0)
            line(name, made, show(rows.sizes[name] / 1e6), f"{rows.sizes[name] / count:.0f}")
    grown = rows.size() - rows.size_before
    print(f"\n{grown / 1e6:.1f} MB more than before the calls; predicted from the rows: {predicted / 1e6:.1f} MB")
    recorded, answered, lost = rows.reads
    print(f"{recorded} of {answered} reads of get_me in the audit trail, {lost} near faults; {rows.claims} claims on files left for the sweep")
    if grown > predicted * DISK + SLACK:
        yield f"the database grew by {grown / 1e6:.1f} MB; its rows predict {predicted / 1e6:.1f} MB"


def answers(calls):
    """Prints the errors that calls got during faults; yields the errors that no fault explains."""
    print("\nanswers that are no success, all during a fault: ", end="")
    print(", ".join(f"{count} {kind} {what}" for (kind, what), count in sorted(calls.during_faults.items())) or "none")
    if calls.given_up:
        yield f"{len(calls.given_up)} writes got no clear answer in time"
    if calls.failures:
        yield f"{len(calls.failures)} calls failed that no fault explains, first: {calls.failures[:5]}"
