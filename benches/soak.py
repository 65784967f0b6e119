#!/usr/bin/env python3
"""Calls two instances for a long time, causes faults, and finds measurements that grow.

    soak.py PAUTA [--calls N] [--minutes M] [--fault-every SECONDS] [--keep FOLDER]

Two `pauta serve` share a PostgreSQL database that is created for the run; HAProxy runs deploy/haproxy.cfg in front of
them. 32 callers mix REST, MCP, pages of the console, ingestion, files, and videos, whose jobs call a test double of the
provider. The faults follow each other: an instance is killed, the sessions with PostgreSQL are ended, clients disconnect
in the middle of a body, PostgreSQL stops for 3 s, the instance is restarted, and clients send one byte per second.

The run fails if, at the end,

- the memory of the instance that is never restarted is more than 1.1 times that at 10 % of the calls;
- an instance holds descriptors, tasks, streams or sessions that it did not hold before;
- a table has rows that the acknowledged calls do not explain, or lacks some; a job, a lease or an upload is left;
- the storage has files that no row names, or lacks some;
- the database grew by more than the rows predict;
- the p99 of a kind of call grew;
- a call failed that no fault explains.
"""

import argparse
import http.client
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/clients"), str(ROOT / "benches/soak")]

from callers import CALLERS, TIMELINE_TOKEN, Caller, Calls
from faults import Faults, Server
from instances import (
    Balancer, Instance, Provider, ProviderServer, balanced_environment, create_token, free_ports, prepare, sign_in,
)
from report import answers, disk, latencies, occupation
from rows import Rows
from samples import Sampler, measure, wait_until_quiet

PASSWORD = "uma senha longa para a soak"
# Disables the quotas of a credential, a member and an address, which would refuse most calls.
QUOTAS = {f"PAUTA_QUOTA_{of}": "0" for of in ("CREDENTIAL", "MEMBER", "ADDRESS")}


def post(port, path, body, token, method="POST"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
    connection.request(method, path, json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    assert answer.status in (200, 201), f"{path} answered {answer.status} {text[:300]!r}"
    return json.loads(text)


def sign_in_for_token(port, email):
    return post(port, "/auth/v1/token?grant_type=password", {"email": email, "password": PASSWORD}, None)["access_token"]


def add_member(port, session, number, role, command):
    """Invites a member, who accepts, and returns their credentials."""
    email = f"membro-{number}@soak.test"
    invited = post(port, "/api/membros", {"name": f"Membro {number}", "email": email, "access_level": role}, session)
    token = invited["convite_url"].rsplit("#", 1)[1].removeprefix("token=")
    post(port, "/auth/v1/verify", {"token": token, "password": PASSWORD}, None)
    post(port, f"/api/access/members/{invited['membro']['id']}", {"api_access_level": role}, session, "PATCH")
    return credentials(port, email, command, role)


def credentials(port, email, command, role):
    return {
        "email": email, "password": PASSWORD, "reads_only": role == "criador",
        "token": create_token(command, email), "cookie": sign_in(port, email, PASSWORD),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--calls", type=int, default=30_000)
    parser.add_argument("--fault-every", type=float, default=15, help="seconds")
    parser.add_argument("--minutes", type=float, help="ends earlier if the calls take longer")
    parser.add_argument("--keep", help="a folder for the logs and samples")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pauta-soak-"))
    folder.chmod(0o755)
    binary = str(pathlib.Path(options.binary).resolve())
    public, one, two, provider_port, *metrics = free_ports(6)
    server = Server(folder / "postgres", ROOT)
    environment = balanced_environment(server.url, folder, public, provider_port)
    environment["PAUTA_JORNADA_TOKEN"] = TIMELINE_TOKEN
    provider = ProviderServer(provider_port)
    instances, balancer, sampler = [], None, None
    try:
        command, token = prepare(binary, environment, folder, "ana@soak.test", PASSWORD, "Ana da Soak")
        environment |= QUOTAS
        for port, scraped in zip((one, two), metrics):
            instance = Instance(binary, port, {**environment, "PAUTA_METRICS_LISTEN": f"127.0.0.1:{scraped}"}, folder)
            instance.metrics = scraped
            instance.start()
            instances.append(instance)
        balancer = Balancer(folder, public, (one, two), True)
        balancer.wait_until_up()
        session = sign_in_for_token(public, "ana@soak.test")
        members = [{**credentials(public, "ana@soak.test", command, "admin"), "token": token}]
        for number, role in enumerate(("admin", "criador", "admin")):
            members.append(add_member(public, session, number, role, command))
        time.sleep(2)
        rows = Rows(server, folder / "media")
        # The ports of connections whose number varies: of clients, the database, the provider and the scrape.
        passing = {one, two, urllib.parse.urlsplit(server.url).port, provider_port, *metrics}
        idle = {instance.port: measure(instance, passing) for instance in instances}
        faults = Faults(options.fault_every, server, balancer, instances, public, token)
        calls = Calls(options.calls, faults)
        sampler = Sampler(2, instances, calls, passing)
        callers = [Caller(number, calls, public, members) for number in range(CALLERS)]
        for thread in (*callers, sampler, faults):
            thread.start()
        if options.minutes:
            timer = threading.Timer(options.minutes * 60, calls.stopped.set)
            timer.daemon = True
            timer.start()
        for caller in callers:
            caller.join()
        took = time.monotonic() - calls.begun
        faults.finish()
        sampler.finish()
        print(f"{calls.made} calls in {took:.0f} s by {CALLERS} callers; faults: {', '.join(faults.made) or 'none'}")
        problems = [*latencies(calls)]
        problems += rows.problems(calls, faults, Provider)
        wait_until_quiet(instances, passing, idle)
        problems += occupation(instances, faults.steady, sampler, idle)
        problems += disk(rows)
        problems += answers(calls)
    except BaseException:
        for instance in instances:
            lines = pathlib.Path(instance.log.name).read_text(errors="replace").splitlines()[-15:]
            print(f"-- the last lines of {instance.port}:", *lines, sep="\n", file=sys.stderr)
        raise
    finally:
        if options.keep:
            for path in folder.glob("*.log"):
                shutil.copy(path, options.keep)
            if sampler:
                (pathlib.Path(options.keep) / "samples.json").write_text(json.dumps(sampler.samples))
        for process in [*(each.process for each in instances), balancer and balancer.process]:
            if process and process.poll() is None:
                process.terminate()
                process.wait(timeout=60)
        provider.shutdown()
        server.remove()
        shutil.rmtree(folder, ignore_errors=True)
    for problem in problems:
        print(f"FAILED: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
