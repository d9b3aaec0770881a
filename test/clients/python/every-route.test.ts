import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import openApi from "../../../shared/api/openapi.json" with { type: "json" };
import { python, root, run, withoutPython } from "./python.ts";

interface Asked {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
}

/** Those that several routes take are components. */
const shared: Readonly<Record<string, Parameter>> = openApi.components.parameters;

const noPython = withoutPython();

const operations = Object.entries(openApi.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs as unknown as Readonly<Record<string, Operation>>)
    .filter(([verb]) => ["get", "post", "put"].includes(verb))
    .map(([verb, { operationId, parameters = [] }]) => ({
      id: operationId,
      method: verb.toUpperCase(),
      path: path.slice(1),
      query: parameters
        .map((each) => ("$ref" in each ? shared[each.$ref.split("/").at(-1) ?? ""] : each))
        .flatMap((each) => (each?.in === "query" ? (each.name ?? "") : [])),
    })),
);

/** What pages are asked for is the module's own business; the rest has to be offered to its callers. */
const ofPages = ["limit", "cursor"];
/** Which of the resources a table shows. */
const notOffered = ["resources"];

describe.skipIf(noPython !== "")(`Cluster of Python has every operation of the API${noPython}`, () => {
  let asked: ReadonlyMap<string, Asked>;

  beforeAll(async () => {
    const env = { PYTHONPATH: `${root}/clients/python` };
    const { code, out, errors } = await run(
      python,
      ["-W", "error", join(import.meta.dirname, "unit/every_route.py")],
      { env },
    );
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const all = JSON.parse(out) as readonly Asked[];
    asked = new Map(all.map((each) => [each.name, each]));
  });

  test("the document has as many as it had", () => {
    expect(operations.length).toBeGreaterThanOrEqual(36);
  });

  test.each(operations)("$id: $method $path", ({ id, method, path, query }) => {
    const call = asked.get(id.replaceAll("-", "_"));
    expect(call, `clients/python/ccscale/cluster.py has no method for ${id}`).toBeDefined();
    expect(call?.method).toBe(method);
    // Parameters of paths are quoted, and called as in Python.
    const snake = path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect(decodeURIComponent(call?.path ?? "")).toBe(snake);
    const missing = query.filter(
      (name) => ![...ofPages, ...notOffered, ...(call?.query ?? [])].includes(name),
    );
    expect(missing, `parameters of ${id} that the method does not send`).toEqual([]);
  });

  test("no method is of no operation", () => {
    const ids = operations.map(({ id }) => id.replaceAll("-", "_"));
    expect([...asked.keys()].filter((name) => !ids.includes(name))).toEqual([]);
  });
});
