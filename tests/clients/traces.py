"""Decodes the traces of a real process by the published schema of OTLP (PyPI `opentelemetry-proto`).

    traces.py PAUTA
"""

import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse
from opentelemetry.proto.trace.v1.trace_pb2 import Span

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
EMAIL = "rastro@pauta.test"
requests = []


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        request = ExportTraceServiceRequest()
        request.ParseFromString(body)
        requests.append((self.path, dict(self.headers), request))
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def unknown_fields(message):
    """The fields that the schema does not have, at all levels."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    found = len(UnknownFieldSet(message))
    for field, value in message.ListFields():
        if field.message_type:
            values = value if hasattr(value, "__len__") and not hasattr(value, "ListFields") else [value]
            found += sum(unknown_fields(each) for each in values)
    return found


def main():
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    binary = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="pauta-traces-") as folder:
        environment = {
            "PATH": os.environ["PATH"],
            "PAUTA_LOG_FORMAT": "json",
            "PAUTA_DRAIN_TIME": "0",
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{receiver.server_port}/",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20coletor",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=teste",
        }
        run = lambda *arguments, **more: subprocess.run(
            [binary, *arguments], env=environment, cwd=folder, check=True, text=True, capture_output=True, **more
        ).stdout
        run("migrate")
        run("admin", "create", "--name", "Ana Rastro", "--email", EMAIL, "--password-stdin", input="uma senha longa de teste")
        token = re.search(r"svc_live_\S+", run("token", "create", "--email", EMAIL)).group()
        served = subprocess.Popen(
            [binary, "serve", "--listen", "127.0.0.1:0"], env=environment, cwd=folder, stderr=subprocess.PIPE, text=True
        )
        try:
            for line in served.stderr:
                if (entry := json.loads(line)).get("message") == "no ar":
                    break
            threading.Thread(target=served.stderr.read, daemon=True).start()
            url = f"http://{entry['address']}/api/me"
            headers = {"authorization": f"Bearer {token}", "traceparent": f"00-{TRACE}-{PARENT}-01"}
            begun = time.time_ns()
            urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10).read()
            served.send_signal(signal.SIGTERM)
            assert served.wait(timeout=60) == 0, "the service ended with an error"
        finally:
            served.kill()
    assert requests, "nothing was exported"
    spans = {}
    for path, headers, request in requests:
        assert path == "/v1/traces", path
        headers = {name.lower(): value for name, value in headers.items()}
        assert headers["content-type"] == "application/x-protobuf" and headers["authorization"] == "Bearer coletor"
        assert unknown_fields(request) == 0, "the schema does not have all fields"
        for of_resource in request.resource_spans:
            resource = {pair.key: pair.value.string_value for pair in of_resource.resource.attributes}
            assert resource["service.name"] == "pauta" and resource["deployment.environment.name"] == "teste", resource
            for of_scope in of_resource.scope_spans:
                assert of_scope.scope.name == "pauta"
                spans.update({span.name: span for span in of_scope.spans})
    call = spans["get_me"]
    assert (call.trace_id.hex(), call.parent_span_id.hex()) == (TRACE, PARENT), call
    assert call.kind == Span.SPAN_KIND_SERVER and len(call.span_id) == 8
    assert call.flags & 0x1 and call.flags & 0x300 == 0x300, call.flags
    assert begun - 2 * 10**9 < call.start_time_unix_nano <= call.end_time_unix_nano < begun + 60 * 10**9
    attributes = {pair.key: pair.value for pair in call.attributes}
    assert attributes["http.response.status_code"].int_value == 200
    assert attributes["pauta.door"].string_value == "rest"
    everything = " ".join(str(request) for _, _, request in requests)
    for secret in (EMAIL, "Ana Rastro", token):
        assert secret not in everything, "a trace names the person or the token"
    print(f"{len(spans)} kinds of spans, decoded by the schema: {', '.join(sorted(spans))}")


main()
