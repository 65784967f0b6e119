"""What an instance occupies, and how long calls take."""

import os
import pathlib
import threading
import time
import urllib.request

GAUGES = {
    "fds": "process_open_fds", "connections": "pauta_connections", "sessions": "pauta_db_connections",
    "waiting": "pauta_db_waiting", "streams": "pauta_live_streams", "tasks": "pauta_tasks", "detached": "pauta_detached_calls",
}

LISTENING = "0A"


def measure(instance, passing):
    """The occupation of an instance, in megabytes and counts."""
    process = pathlib.Path(f"/proc/{instance.process.pid}")
    sizes = {}
    for line in (process / "smaps_rollup").read_text().splitlines()[1:]:
        name, size = line.split(":")
        sizes[name] = int(size.split()[0]) / 1024
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    with urllib.request.urlopen(f"http://127.0.0.1:{instance.metrics}/metrics", timeout=10) as answer:
        lines = [line.rsplit(" ", 1) for line in answer.read().decode().splitlines() if not line.startswith("#")]
    values = {name: float(value) for name, value in lines if "{" not in name}
    sample = {name: values.get(metric) for name, metric in GAUGES.items()}
    # Memory of the process itself; what else is resident are pages of the binary.
    sample |= {"rss": sizes["Rss"], "pss": sizes["Pss"], "anonymous": sizes["Anonymous"], "threads": int(status["Threads"])}
    sample["other_fds"] = count_other_files(process, passing)
    # Connections that no gauge counts: to the provider, from the scrape, and those on which an instance listens to the database.
    sample["uncounted"] = max(0, sample["fds"] - sample["other_fds"] - sample["connections"] - sample["sessions"])
    return sample


def count_other_files(process, passing):
    """The descriptors that are no connection to or from one of these ports: what a process holds for itself."""
    sockets = {}
    for row in (process / "net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, *_, inode = row.split()[:10]
        ports = {int(address.split(":")[1], 16) for address in (local, remote)}
        sockets[f"socket:[{inode}]"] = state != LISTENING and bool(ports & passing)
    others = 0
    for link in (process / "fd").iterdir():
        try:
            others += not sockets.get(os.readlink(link), False)
        except OSError:
            continue
    return others


class Sampler(threading.Thread):
    """Measures the instances every so often. An instance that is away is left out."""

    def __init__(self, every, instances, calls, passing):
        super().__init__(daemon=True, name="sampler")
        self.every, self.instances, self.calls, self.passing = every, instances, calls, passing
        self.ended = threading.Event()
        # Of each instance: at how many calls, which process, and what was measured.
        self.samples = {instance.port: [] for instance in instances}

    def run(self):
        while not self.ended.wait(self.every):
            self.calls.note_load(os.getloadavg()[0])
            for instance in self.instances:
                pid = instance.process.pid
                try:
                    sample = measure(instance, self.passing)
                except (OSError, ValueError, KeyError):
                    continue
                if instance.process.pid == pid:
                    self.samples[instance.port].append((self.calls.made, pid, sample))

    def finish(self):
        self.ended.set()
        self.join()

    def between(self, instance, least, most):
        """What was measured from one share of the calls to another: the lower quartiles.

        A password check takes 20 MB for a moment, and the allocator keeps them for a while. What leaks stays.
        """
        total = self.calls.made
        inside = [sample for made, _, sample in self.samples[instance.port] if least <= made / total <= most]
        if not inside:
            return None
        measured = {name: [sample[name] for sample in inside] for name in inside[0]}
        return {name: percentile(values, 0.25) for name, values in measured.items() if None not in values}


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def wait_until_quiet(instances, passing, idle, seconds=150):
    """Waits until connections that nobody uses are closed."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        samples = [(idle[instance.port], measure(instance, passing)) for instance in instances]
        if all(after["connections"] + after["uncounted"] <= before["connections"] + before["uncounted"] for before, after in samples):
            return
        time.sleep(2)
