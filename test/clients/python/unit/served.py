"""A service of this process that answers what a test says, and remembers what it was asked."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from unittest import mock
from urllib.parse import parse_qs, urlsplit


class Served(unittest.TestCase):
    """`self.answers`: (status, headers, body) in turn; the last one is given again and again."""

    def setUp(self):
        self.asked, self.answers, self.waits = [], [(200, {}, {"cluster": "hpc"})], []
        case = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                address = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(address.query).items()}
                asked = {"method": self.command, "path": address.path, "query": query, "headers": self.headers}
                case.asked.append({**asked, "body": json.loads(body) if body else None})
                status, headers, said = case.answers[0] if len(case.answers) == 1 else case.answers.pop(0)
                content = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_args):
                pass

        server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        # No test waits: what would be waited is written down.
        sleeping = mock.patch("ccscale.transport.time.sleep", side_effect=self.waits.append)
        sleeping.start()
        self.addCleanup(sleeping.stop)

    def problem(self, status, kind, title="no", **more):
        body = {"type": f"urn:cyclecloud-autoscale:problem:{kind}", "title": title, "status": status, **more}
        return status, {"Content-Type": "application/problem+json"}, body
