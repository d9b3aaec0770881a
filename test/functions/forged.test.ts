import { HttpRequest } from "@azure/functions";
import { describe, expect, test } from "vitest";
import { refusedForgery } from "../../functions/support/forged.ts";
import { type Route, routes } from "../../shared/api/index.ts";

const changing = { method: "POST", role: "operator" } as const;

function refusalOf(
  headers: Record<string, string>,
  route: Pick<Route, "method" | "role"> = changing,
): number | undefined {
  const request = new HttpRequest({ method: route.method, url: "http://127.0.0.1/api/x", headers });
  return refusedForgery(request, route)?.problem.status;
}

describe("a call that changes something", () => {
  test.each([
    ["as text, which any page may send", { "content-type": "text/plain;charset=UTF-8" }],
    ["as a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["as a form with JSON in its name", { "content-type": "text/plain; application/json" }],
    ["without a type", {}],
    [
      "with the login that a browser adds by itself",
      { authorization: "Basic eA==", "sec-fetch-site": "cross-site" },
    ],
    ["from another port of this machine", { authorization: "Basic eA==", "sec-fetch-site": "same-site" }],
  ])("%s is refused", (_, headers) => {
    expect(refusalOf(headers)).toBe(415);
  });

  test.each([
    ["as JSON", { "content-type": "application/json" }],
    ["as JSON with its encoding", { "content-type": "Application/JSON; charset=utf-8" }],
    ["as JSON of a kind", { "content-type": "application/problem+json" }],
    ["of curl with a key", { "content-type": "application/x-www-form-urlencoded", "x-functions-key": "k" }],
    ["of a node with its login", { authorization: "Basic eA==" }],
    ["of ccscale without a body", { "api-version": "1" }],
    ["of the dashboard", { "content-type": "application/json", "sec-fetch-site": "same-origin" }],
  ])("%s is taken", (_, headers) => {
    expect(refusalOf(headers)).toBeUndefined();
  });

  test("says what to send", () => {
    const request = new HttpRequest({
      method: "POST",
      url: "http://127.0.0.1/",
      headers: { "content-type": "text/plain" },
    });
    expect(refusedForgery(request, changing)?.problem).toMatchObject({
      title: "Cannot take a call that changes something as text/plain",
      detail: expect.stringContaining("Content-Type: application/json"),
    });
  });
});

test("a node's question may delete it: no page of another site asks it", () => {
  const autostop = { method: "GET", role: "node" } as const;
  expect(refusalOf({ "sec-fetch-site": "cross-site" }, autostop)).toBe(403);
  expect(refusalOf({}, autostop)).toBeUndefined();
});

test("what only reads is taken from anywhere", () => {
  const reading = { method: "POST", role: "reader" } as const;
  expect(
    refusalOf({ "content-type": "text/plain", "sec-fetch-site": "cross-site" }, reading),
  ).toBeUndefined();
});

test("every route that is no GET and changes something is one of an operator or a node", () => {
  const readers = routes
    .filter(({ method, role }) => method !== "GET" && role === "reader")
    .map(({ id }) => id);
  expect(readers).toEqual(["what-if", "quote", "validate-constraint"]);
});
