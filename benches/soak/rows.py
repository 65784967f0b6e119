"""Compares the rows and files after the run with those that the acknowledged calls must have created."""

import collections
import pathlib
import time

from callers import CALLERS, EVENTS_IN_BATCH

# The number of jobs that an instance runs at the same time.
JOBS_AT_ONCE = 16
# The seconds within which a read is in the audit trail: reads are collected for a minute and then written within five
# seconds.
GATHERED = 70

TABLES = """
SELECT c.relname, sum(pg_total_relation_size(coalesce(i.inhrelid, c.oid)))
FROM pg_class c LEFT JOIN pg_inherits i ON i.inhparent = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
GROUP BY c.relname ORDER BY c.relname"""
# Counts the unfinished work of the last calls: jobs other than timers, texts to index, and figures to count.
OPEN = """
SELECT (SELECT count(*) FROM jobs WHERE id <> name AND finished_at IS NULL) + (SELECT count(*) FROM jobs WHERE state = 'running')
     + (SELECT count(*) FROM event_texts WHERE pending) + (SELECT count(*) FROM search_texts WHERE pending)
     + (SELECT count(*) FROM figure_stale_days)"""


class Rows:
    def __init__(self, server, storage):
        self.server, self.storage = server, pathlib.Path(storage)
        self.before, _ = self.count()
        self.size_before = self.size()
        self.since = self.number("SELECT (extract(epoch FROM now()) * 1000)::bigint")

    def count(self):
        """Returns the number of rows and the bytes of each table."""
        sizes = {table: int(size) for table, size in self.server.query(TABLES)}
        union = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in sizes)
        return {table: int(count) for table, count in self.server.query(union)}, sizes

    def size(self):
        return self.number("SELECT pg_database_size(current_database())")

    def number(self, sql):
        return int(self.server.query(sql)[0][0])

    def column(self, sql):
        return [row[0] for row in self.server.query(sql)]

    def settle(self, seconds=200):
        """Waits until the work of the last calls is done. Returns the number of unfinished items."""
        deadline = time.monotonic() + seconds
        while (left := self.number(OPEN)) and time.monotonic() < deadline:
            time.sleep(1)
        return left

    def files(self):
        """Returns the names of all files, including incomplete uploads, except the lock files of running processes."""
        return [path.name for path in self.storage.rglob("*") if path.is_file() and path.name != "lock"]

    def problems(self, calls, faults, provider):
        """Yields a sentence for each difference that the acknowledged calls do not explain."""
        left = self.settle()
        if left:
            yield f"{left} jobs, texts or figures are still open"
        after, self.sizes = self.count()
        self.after = after
        signed_in = range(calls.sessions, calls.sessions + calls.during_faults_of("session") + 1)
        pieces, files, videos = len(calls.pieces), len(calls.files), len(calls.videos)
        sessions = len(calls.timeline_sessions)
        expected = {
            "events": pieces, "event_texts": pieces, "event_index": pieces, "event_people": pieces,
            "event_history": pieces + calls.drafts, "idempotency_keys": calls.writes.total(),
            "media": files, "contents": files, "search_texts": files, "search_index": files,
            "videos": videos, "timeline_events": sessions * EVENTS_IN_BATCH, "timeline_sessions": sessions,
            "session_families": signed_in, "refresh_tokens": signed_in,
            # A row for each launch and day, and one for the job itself; the soak may run over midnight.
            "figure_journey": range(3), "figure_state": range(2),
        }
        # The jobs of failed videos stay for the operator. `problems_of_trail` checks the audit trail.
        for table in after.keys() - {"jobs", "audit_events"}:
            made, should = after[table] - self.before[table], expected.get(table, 0)
            if made not in (should if isinstance(should, range) else (should,)):
                yield f"{table} has {made} new rows, and should have {should}"
        yield from self.problems_of_writes(calls)
        yield from self.problems_of_work(calls, faults, provider)
        yield from self.problems_of_trail(calls, faults)
        yield from self.problems_of_files()

    def problems_of_writes(self, calls):
        titles = collections.Counter(self.column("SELECT title FROM events"))
        if lost := calls.pieces - titles.keys():
            yield f"{len(lost)} acknowledged pieces are not there: {sorted(lost)[:3]}"
        if twice := [title for title, count in titles.items() if count > 1]:
            yield f"{len(twice)} pieces are there twice: {twice[:3]}"
        if unknown := titles.keys() - calls.pieces:
            yield f"{len(unknown)} pieces that nobody made: {sorted(unknown)[:3]}"
        partial = f"SELECT count(*) FROM (SELECT 1 FROM timeline_events GROUP BY session_id HAVING count(*) <> {EVENTS_IN_BATCH}) s"
        if batches := self.number(partial):
            yield f"{batches} batches of events are there in part, or twice"

    def problems_of_work(self, calls, faults, provider):
        if held := self.number("SELECT count(*) FROM idempotency_keys WHERE status IS NULL OR lease_until IS NOT NULL"):
            yield f"{held} idempotency keys have no answer, or a lease"
        jobs = {(name, state): int(count) for name, state, count in self.server.query(
            "SELECT name, state, count(*) FROM jobs WHERE id <> name OR state = 'running' GROUP BY name, state")}
        # The test double of the provider fails every video. If a process was killed while it submitted a video, the outcome
        # of that job is unknown.
        failed, unknown = jobs.pop(("follow_video", "failed"), 0), jobs.pop(("submit_video", "unknown"), 0)
        if failed + unknown > len(calls.videos) or jobs or unknown > faults.made.count("kill") * JOBS_AT_ONCE:
            yield f"jobs are left: {jobs}, {failed} failed, {unknown} unknown"
        states = dict(self.server.query("SELECT state, count(*) FROM videos GROUP BY state"))
        if int(states.get("failed", 0)) != len(calls.videos):
            yield f"videos have not ended: {states}"
        if often := [prompt for prompt in calls.videos if provider.asked[prompt] > 1]:
            yield f"the provider was asked more than once for {len(often)} videos"
        if (silent := sum(provider.asked[prompt] == 0 for prompt in calls.videos)) > unknown:
            yield f"the provider was not asked for {silent} videos, of which {unknown} are unknown"
        # If a process is killed or loses the database after it stored a file and before it inserted the row, its claim on the
        # file stays for six hours.
        self.claims = self.number("SELECT coalesce(sum(claims), 0) FROM contents")
        if self.claims > CALLERS * len(faults.windows):
            yield f"{self.claims} claims on contents are left"

    def problems_of_trail(self, calls, faults):
        since = f"occurred_at >= {self.since}"
        written = dict(self.server.query(f"SELECT action, count(*) FROM audit_events WHERE outcome = 'succeeded' AND {since} GROUP BY action"))
        for operation, count in calls.writes.items():
            if int(written.get(operation, 0)) != count:
                yield f"the trail has {written.get(operation, 0)} rows of {operation}, of which {count} were acknowledged"
        # A row counts the reads of one credential and operation in one minute. Reads are missing if a process was killed before
        # it wrote them, or if their commit was lost.
        count = "coalesce(sum((metadata::json->>'count')::int), 0)"
        sums = f"SELECT {count} FROM audit_events WHERE action = 'get_me' AND outcome = 'allowed' AND {since}"
        lost = sum(any(fault - GATHERED <= read <= fault + 1 for fault in faults.losses()) for read in calls.me_reads)
        most = len(calls.me_reads) + calls.during_faults_of("rest_read")
        deadline = time.monotonic() + 80
        while (recorded := self.number(sums)) < len(calls.me_reads) and time.monotonic() < deadline:
            time.sleep(2)
        self.reads = (recorded, len(calls.me_reads), lost)
        if not len(calls.me_reads) - lost <= recorded <= most:
            yield f"the trail has {recorded} reads of get_me; {len(calls.me_reads)} were answered, and {lost} may be lost"
        kinds, rows, minutes = map(int, self.server.query(
            "SELECT count(DISTINCT (actor_member_id, token_id, action, auth_method, metadata::json->>'door')), count(*), "
            f"count(DISTINCT occurred_at / 60000) FROM audit_events WHERE outcome = 'allowed' AND {since}")[0])
        if rows > kinds * (minutes + len(faults.made)) * 2:
            yield f"the trail has {rows} rows of reads, of {kinds} kinds in {minutes} minutes"

    def problems_of_files(self):
        files, contents = self.files(), self.column("SELECT sha256 FROM contents")
        if lost := set(contents) - set(files):
            yield f"{len(lost)} files are not in the storage: {sorted(lost)[:3]}"
        if orphans := set(files) - set(contents):
            yield f"{len(orphans)} files belong to no row: {sorted(orphans)[:3]}"
        if unused := self.number("SELECT count(*) FROM contents c WHERE NOT EXISTS (SELECT 1 FROM media m WHERE m.sha256 = c.sha256)"):
            yield f"{unused} files belong to no medium"
