"""Kills the primary of a cluster that Patroni manages, under load, and counts what clients lose: nothing.

    patroni.py PAUTA [--rounds N] [--seconds S] [--asynchronous]

An etcd, two PostgreSQL 15 under Patroni with `synchronous_mode`, and one `pauta serve`, whose address names both servers.
Each round kills the primary and its Patroni without warning, waits until the other server is promoted and the service
writes again, and starts the killed server as a standby. Writers repeat a write that got UNAVAILABLE or
OUTCOME_UNKNOWN with its idempotency key, as the contract asks. At the end each acknowledged write is there, once.

It needs the Debian packages etcd-server, patroni and postgresql-15, so it is run by hand. `--asynchronous` turns
`synchronous_mode` off, where the check fails as soon as a write is lost.
"""

import argparse
import collections
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import uuid

from instances import Instance, free_ports, prepare, wait_for
from rolling_restart import all_titles

EMAIL, PASSWORD = "patroni@pauta.test", "uma senha longa para o cluster"
BIN = os.environ.get("PGBIN", "/usr/lib/postgresql/15/bin")
# PostgreSQL refuses to run as root.
AS_USER = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []


class Node:
    """A PostgreSQL with its Patroni."""

    def __init__(self, folder, name, etcd, synchronous):
        self.name, self.folder = name, folder / name
        self.port, self.api = free_ports(2)
        self.folder.mkdir()
        settings = {
            "scope": "pauta", "name": name,
            "restapi": {"listen": f"127.0.0.1:{self.api}", "connect_address": f"127.0.0.1:{self.api}"},
            "etcd": {"host": f"127.0.0.1:{etcd}"},
            "bootstrap": {
                "dcs": {
                    "ttl": 10, "loop_wait": 1, "retry_timeout": 3, "synchronous_mode": synchronous,
                    "postgresql": {"use_pg_rewind": True, "parameters": {"max_connections": 60, "wal_log_hints": "on"}},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}],
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}", "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": str(self.folder / "data"), "bin_dir": BIN, "pgpass": str(self.folder / "pgpass"),
                "authentication": {
                    "superuser": {"username": "postgres", "password": "p"},
                    "replication": {"username": "replicator", "password": "r"},
                    "rewind": {"username": "postgres", "password": "p"},
                },
                "parameters": {"unix_socket_directories": str(self.folder)},
            },
        }
        # JSON is YAML.
        (self.folder / "patroni.yml").write_text(json.dumps(settings))
        if AS_USER:
            shutil.chown(folder, "nobody", "nogroup")
            for path in (self.folder, self.folder / "patroni.yml"):
                shutil.chown(path, "nobody", "nogroup")
        self.log = open(folder / f"{name}.log", "ab")

    def start(self):
        command = [*AS_USER, "patroni", str(self.folder / "patroni.yml")]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, cwd=self.folder)

    def state(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.api}/patroni", timeout=2) as answer:
                return json.load(answer)
        except OSError as error:
            return json.loads(error.read()) if hasattr(error, "read") else {}

    def is_primary(self):
        state = self.state()
        return state.get("role") == "master" and state.get("state") == "running"

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        postmaster = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        children = subprocess.run(["pgrep", "-P", str(postmaster)], capture_output=True, text=True).stdout.split()
        for pid in (postmaster, *map(int, children)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Writers:
    def __init__(self, port, token):
        self.port, self.token = port, token
        self.ended, self.lock = threading.Event(), threading.Lock()
        self.acknowledged, self.answers, self.failures = [], collections.Counter(), []
        self.threads = [threading.Thread(target=self.write, daemon=True) for _ in range(8)]

    def write(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while not self.ended.is_set():
            title, key = f"peça {uuid.uuid4().hex}", uuid.uuid4().hex
            headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json", "idempotency-key": key}
            while True:
                connection.request("POST", "/api/demanda", json.dumps({"title": title}), headers)
                answer = connection.getresponse()
                body = json.loads(answer.read())
                code = body.get("code", "ok")
                with self.lock:
                    self.answers[code] += 1
                    if answer.status in (200, 201):
                        self.acknowledged.append(title)
                        break
                if code not in ("UNAVAILABLE", "OUTCOME_UNKNOWN", "IDEMPOTENCY_IN_PROGRESS"):
                    self.failures.append(f"{answer.status} {body}")
                    return
                time.sleep(0.05)
        connection.close()

    def finish(self):
        self.ended.set()
        for thread in self.threads:
            thread.join(timeout=60)
            assert not thread.is_alive(), "a writer hangs"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3, help="load before and after each kill")
    parser.add_argument("--asynchronous", action="store_true")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pauta-patroni-"))
    folder.chmod(0o755)
    client, peer, port = free_ports(3)
    log = open(folder / "etcd.log", "ab")
    etcd = subprocess.Popen(
        ["etcd", "--enable-v2", "--data-dir", folder / "etcd", "--listen-client-urls", f"http://127.0.0.1:{client}",
         "--advertise-client-urls", f"http://127.0.0.1:{client}", "--listen-peer-urls", f"http://127.0.0.1:{peer}"],
        stdout=log, stderr=log,
    )
    nodes = [Node(folder, name, client, not options.asynchronous) for name in ("a", "b")]
    service = None
    try:
        wait_for(lambda: urllib.request.urlopen(f"http://127.0.0.1:{client}/health", timeout=2).status == 200, "etcd answers")
        for node in nodes:
            node.start()
            wait_for(lambda: node.state().get("state") == "running", f"{node.name} runs", 120)
        primary = lambda: next((node for node in nodes if node.is_primary()), None)
        # Patroni promotes only a server that it has named as the synchronous standby.
        def standby_follows():
            state = next((node.state() for node in nodes if not node.is_primary()), {})
            is_replica = state.get("role") == "replica" and state.get("state") == "running"
            return primary() and is_replica and (options.asynchronous or state.get("sync_standby"))

        wait_for(standby_follows, "the standby follows", 120)
        psql = [*AS_USER, f"{BIN}/psql", "-h", "127.0.0.1", "-p", str(primary().port), "-U", "postgres", "-qc", "CREATE DATABASE pauta"]
        subprocess.run(psql, check=True, cwd=folder)
        environment = {
            "PATH": os.environ["PATH"],
            "PAUTA_DATABASE_URL": f"postgres://postgres@127.0.0.1:{nodes[0].port},127.0.0.1:{nodes[1].port}/pauta",
            "PAUTA_SECRET": "a secret that only this run knows, long enough",
            "PAUTA_STORAGE": str(folder / "media"), "RUST_LOG": "warn",
        }
        binary = str(pathlib.Path(options.binary).resolve())
        _, token = prepare(binary, environment, folder, EMAIL, PASSWORD, "Ana")
        service = Instance(binary, port, environment, folder)
        service.start()
        ready = lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5).status == 200
        wait_for(ready, "the service is ready")
        writers = Writers(port, token)
        for thread in writers.threads:
            thread.start()
        after_kill, after_promotion = [], []
        for _ in range(options.rounds):
            time.sleep(options.seconds)
            killed = primary()
            other = next(node for node in nodes if node is not killed)
            killed.kill()
            began, before = time.monotonic(), len(writers.acknowledged)
            wait_for(other.is_primary, "the other server is promoted")
            promoted = time.monotonic()
            wait_for(lambda: len(writers.acknowledged) > before + 8, "the service writes again")
            after_kill.append(time.monotonic() - began)
            after_promotion.append(time.monotonic() - promoted)
            killed.start()
            wait_for(standby_follows, "the killed server follows", 120)
        time.sleep(options.seconds)
        writers.finish()
        assert not writers.failures, writers.failures[:5]
        load = lambda: None
        load.request = lambda kind, connection, method, path: fetch(connection, method, path, token)
        titles = all_titles(load, http.client.HTTPConnection("127.0.0.1", port, timeout=60))
        lost = [title for title in writers.acknowledged if not titles[title]]
        twice = [title for title, count in titles.items() if count > 1]
        assert not lost and not twice, f"{len(lost)} acknowledged writes are lost, {len(twice)} are there twice"
        print(f"{options.rounds} fail-overs: {len(writers.acknowledged)} writes acknowledged and there once; answers: {dict(writers.answers)}")
        print(f"writing again {max(after_kill):.1f} s after the kill at most, {max(after_promotion):.1f} s after the promotion")
    except BaseException:
        for name in ("a.log", "b.log", "etcd.log", f"instance-{port}.log"):
            if (file := folder / name).exists():
                print(f"-- the last lines of {name}:", *file.read_text(errors="replace").splitlines()[-12:], sep="\n", file=sys.stderr)
        raise
    finally:
        for process in [service and service.process, *(getattr(node, "process", None) for node in nodes), etcd]:
            if process and process.poll() is None:
                process.terminate()
                try:
                    process.wait(timeout=30)
                except subprocess.TimeoutExpired:
                    process.kill()
        shutil.rmtree(folder, ignore_errors=True)


def fetch(connection, method, path, token):
    connection.request(method, path, headers={"authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    assert answer.status == 200, answer.status
    return json.loads(answer.read())


if __name__ == "__main__":
    main()
