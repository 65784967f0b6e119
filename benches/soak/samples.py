"""Measures the memory and counts of the instances, and computes percentiles."""

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
    """Measures the memory of an instance in megabytes, and its counts, such as connections and threads."""
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
    # "anonymous" is the memory of the process itself; the rest of "rss" is pages of the binary.
    sample |= {"rss": sizes["Rss"], "pss": sizes["Pss"], "anonymous": sizes["Anonymous"], "threads": int(status["Threads"])}
    sample["other_fds"] = count_other_files(process, passing)
    # Connections that no gauge counts: to the provider, from the scrape of the metrics, and for LISTEN at the database.
    sample["uncounted"] = max(0, sample["fds"] - sample["other_fds"] - sample["connections"] - sample["sessions"])
    return sample


def count_other_files(process, passing):
    """Counts the file descriptors of a process, except connections to or from the ports in `passing`."""
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
    """Measures the instances every `every` seconds. An instance that is not running is skipped."""

    def __init__(self, every, instances, calls, passing):
        super().__init__(daemon=True, name="sampler")
        self.every, self.instances, self.calls, self.passing = every, instances, calls, passing
        self.ended = threading.Event()
        # For each instance: the number of calls made, the process id, and the measurement.
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
        """Returns the lower quartiles of the measurements between two shares of the calls.

        A password check needs 20 MB, which the allocator keeps for a while. The lower quartile hides such peaks, but
        not a leak.
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
    """Waits until each instance has at most as many connections as when it was idle."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        samples = [(idle[instance.port], measure(instance, passing)) for instance in instances]
        if all(after["connections"] + after["uncounted"] <= before["connections"] + before["uncounted"] for before, after in samples):
            return
        time.sleep(2)
