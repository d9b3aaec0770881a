"""Logins, settings, and that no secret is shown."""

import json
import os
import tempfile
import time
import unittest
from unittest import mock

import ccscale
from ccscale import Demand, FunctionKey, InvalidValue, LoginFailed, ManagedIdentity, Service, read_settings
from served import Served

SECRET = "s3cret-0f-the-app"


class LoginTest(Served):
    def setUp(self):
        super().setUp()
        environment = mock.patch.dict(os.environ, {}, clear=True)
        environment.start()
        self.addCleanup(environment.stop)

    def token(self, text, seconds=3600):
        return 200, {}, {"access_token": text, "expires_on": str(int(time.time()) + seconds)}

    def identity(self):
        os.environ.update(IDENTITY_ENDPOINT=f"{self.url}/msi/token", IDENTITY_HEADER=SECRET)
        return ManagedIdentity("api://app", "client-1")

    def test_an_app_asks_its_own_endpoint_with_its_header(self):
        self.answers = [self.token("t1")]
        self.assertEqual(self.identity().headers(), {"Authorization": "Bearer t1"})
        [asked] = self.asked
        expected = {"api-version": "2019-08-01", "resource": "api://app", "client_id": "client-1"}
        self.assertEqual((asked["path"], asked["query"]), ("/msi/token", expected))
        self.assertEqual((asked["headers"]["X-IDENTITY-HEADER"], asked["headers"]["Metadata"]), (SECRET, None))

    def test_a_vm_asks_the_metadata_service_past_every_proxy(self):
        os.environ["http_proxy"] = "http://127.0.0.1:9"
        self.answers = [(410, {}, {}), (404, {}, {}), self.token("t1")]
        with mock.patch.object(ManagedIdentity, "vm_endpoint", f"{self.url}/metadata/identity/oauth2/token"):
            self.assertEqual(ManagedIdentity("api://app").headers(), {"Authorization": "Bearer t1"})
        self.assertEqual(self.asked[0]["query"], {"api-version": "2018-02-01", "resource": "api://app"})
        self.assertEqual((self.asked[0]["headers"]["Metadata"], len(self.asked)), ("true", 3))

    def test_a_token_serves_until_five_minutes_before_its_end(self):
        self.answers = [self.token("t1", 299), self.token("t2"), self.token("t3")]
        identity = self.identity()
        shown = [identity.headers()["Authorization"] for _ in range(3)]
        self.assertEqual(shown, ["Bearer t1", "Bearer t2", "Bearer t2"])

    def test_a_token_that_was_withdrawn_is_replaced_once(self):
        identity = self.identity()
        service = Service(self.url, identity)
        refused = self.problem(401, "unauthorized")
        self.answers = [self.token("t1"), (200, {}, {"a": 1}), refused, self.token("t2"), (200, {}, {"a": 2})]
        self.assertEqual([service.call("GET", "clusters") for _ in range(2)], [{"a": 1}, {"a": 2}])
        self.answers, self.asked = [refused, self.token("t3"), refused], []
        with self.assertRaises(LoginFailed):
            service.call("GET", "clusters")
        self.assertEqual([asked["path"] for asked in self.asked], ["/api/clusters", "/msi/token", "/api/clusters"])

    def test_no_token_says_why(self):
        self.answers = [(400, {}, {"error": "invalid_request", "error_description": "Identity not found"})]
        with self.assertRaisesRegex(ccscale.CcscaleError, "'api://app': HTTP 400, Identity not found"):
            self.identity().headers()

    def test_settings_come_from_the_environment_then_from_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "client.json")
            os.environ["CCSCALE_SETTINGS"] = path
            self.assertEqual(read_settings(), {})
            with self.assertRaisesRegex(InvalidValue, "CCSCALE_URL: not set"):
                Service.from_settings()
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"url": "https://stored.example", "key": SECRET, "cluster": "hpc", "more": 1}, file)
            os.environ["CCSCALE_URL"] = self.url
            self.assertEqual(read_settings(), {"url": self.url, "key": SECRET, "cluster": "hpc"})
            Demand("hpc", "pbs").status()
            self.assertEqual(self.asked[0]["headers"]["x-functions-key"], SECRET)
            for text, value in ((f"{{{SECRET}", "no JSON"), ("[]", "list")):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                with self.assertRaises(InvalidValue) as caught:
                    read_settings()
                self.assertEqual((caught.exception.field, caught.exception.value), (path, value))

    def test_no_secret_is_in_an_error_or_in_what_is_printed(self):
        shown = [repr(FunctionKey(SECRET)), repr(Demand("hpc", "pbs", url=self.url, key=SECRET))]
        for make in (
            lambda: FunctionKey(f"{SECRET}\n"),
            lambda: FunctionKey(f"{SECRET} ö"),
            lambda: Service(f"https://user:{SECRET}@example.com"),
            lambda: Service(f"https://example.com/api?code={SECRET}"),
            lambda: Service("https://127.0.0.1:9", FunctionKey(SECRET)).call("GET", "clusters"),
            lambda: self.failing().call("GET", "clusters"),
        ):
            with self.assertRaises(ccscale.CcscaleError) as caught:
                make()
            shown += [str(caught.exception), repr(caught.exception), repr(vars(caught.exception))]
        self.answers = [self.token(SECRET)]
        identity = self.identity()
        identity.headers()
        shown.append(repr(Service(self.url, identity)))
        self.assertEqual([text for text in shown if SECRET in text], [])

    def failing(self):
        self.answers = [self.problem(403, "forbidden")]
        return Service(self.url, FunctionKey(SECRET))


if __name__ == "__main__":
    unittest.main()
