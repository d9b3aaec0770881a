import { describe, expect, test } from "vitest";
import { compileRoute } from "../../../../infra/local/functions-host/http-route.ts";

const route = (template: string) => compileRoute({ prefix: "api", template, methods: ["get"] });

describe("route", () => {
  test.each([
    ["status", "/api/status", {}],
    ["status", "/API/Status/", {}],
    ["status", "/api/status/more", undefined],
    ["v1.0/status", "/api/v1x0/status", undefined],
    ["nodes/{name}", "/api/nodes/a%20b", { name: "a b" }],
    ["nodes/{name}", "/api/nodes", undefined],
    ["nodes/{name?}", "/api/nodes", {}],
    ["nodes/{name?}", "/api/nodes/x", { name: "x" }],
    ["files/{*path}", "/api/files/a/b.txt", { path: "a/b.txt" }],
    ["files/{*path}", "/api/files", {}],
    ["{cluster}/nodes/{name}", "/api/c/nodes/n", { cluster: "c", name: "n" }],
  ])("%s against %s", (template, pathname, params) => {
    expect(route(template).match(pathname)).toEqual(params);
  });

  test("an empty prefix puts functions at the root", () => {
    const { template, match } = compileRoute({ prefix: "", template: "/status", methods: [] });
    expect([template, match("/status")]).toEqual(["/status", {}]);
  });

  test("literal routes come before plain, optional and catch-all ones", () => {
    const templates = ["a/{*r}", "a/{x?}", "a/{x}", "a/b"];
    const sorted = templates.map(route).toSorted((a, b) => (a.precedence < b.precedence ? -1 : 1));
    expect(sorted.map(({ template }) => template.slice("/api/".length))).toEqual(templates.toReversed());
  });

  test.each(["{name}.txt", "{id:int}"])(
    "a segment that is more than a parameter is refused: %s",
    (segment) => {
      expect(() => route(`files/${segment}`)).toThrow(segment);
    },
  );
});
