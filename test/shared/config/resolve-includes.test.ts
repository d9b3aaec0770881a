import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolveIncludes } from "../../../shared/config/resolve-includes.ts";
import { cases } from "../../support/cases.ts";

/** Resolves `main` among files that exist only here. */
function resolve(files: Record<string, unknown>, main = "c.json") {
  return resolveIncludes({ path: main, json: files[main], loadInclude: async (path) => files[path] });
}

describe("includes", () => {
  test("dictionaries merge key by key, the included file wins", async () => {
    const files = {
      "c.json": { include: ["site.json"], idle_timeout: { default: 60 }, read_only: true },
      "site.json": { url: "https://x", idle_timeout: { default: 300, low: 5 }, read_only: false },
    };
    expect(await resolve(files)).toEqual({
      ok: true,
      json: { url: "https://x", idle_timeout: { default: 300, low: 5 }, read_only: false },
    });
  });

  test("a later include wins over an earlier one, and lists are joined, each member once", async () => {
    const files = {
      "c.json": { include: ["a.json", "b.json"], ignored_nodes: ["mine"] },
      "a.json": { x: 1, y: 1, list: [1, 2], ignored_nodes: ["theirs"] },
      "b.json": { y: 2, list: [3, 2] },
    };
    expect(await resolve(files)).toEqual({
      ok: true,
      json: { x: 1, y: 2, list: [1, 2, 3], ignored_nodes: ["mine", "theirs"] },
    });
  });

  test("a file that many include is read once: nine levels of two are 512 ways to the last", async () => {
    const loads: string[] = [];
    const resolved = await resolveIncludes({
      path: "c.json",
      json: { include: ["0a.json", "0b.json"] },
      loadInclude: async (path) => {
        loads.push(path);
        const level = Number.parseInt(path, 10) + 1;
        return level === 9 ? { last: path } : { include: [`${level}a.json`, `${level}b.json`] };
      },
    });
    expect(resolved).toEqual({ ok: true, json: { last: "8b.json" } });
    expect(loads).toHaveLength(new Set(loads).size);
    expect(loads).toHaveLength(18);
  });

  test.each([
    ["levels", (path: string) => ({ include: [`${path}x`] }), "10 levels of includes lead here"],
    [
      "includes",
      (path: string) => ({
        include: path.length > 3 ? [] : Array.from({ length: 60 }, (_, index) => `${path}-${index}`),
      }),
      "one too many, expected at most 100 in all",
    ],
  ])("too many %s are one problem", async (_, contentOf, words) => {
    const loadInclude = async (path: string) => contentOf(path);
    const resolved = await resolveIncludes({ path: "c.json", json: contentOf("c"), loadInclude });
    expect(resolved).toEqual({ ok: false, problems: [expect.stringContaining(words)] });
  });

  test("members that are the same but for the order of their keys are joined once", async () => {
    const resolved = await resolve({
      "c.json": { include: ["i.json"], list: [{ a: 1, b: 2 }] },
      "i.json": { list: [{ b: 2, a: 1 }] },
    });
    expect(resolved).toEqual({ ok: true, json: { list: [{ a: 1, b: 2 }] } });
  });

  test("paths are relative to the file that names them; the same file may be included twice", async () => {
    const files = {
      "clusters/c.json": { include: ["../site/all.json", "./near.json"] },
      "site/all.json": { include: ["base.json"], a: 1 },
      "site/base.json": { a: 0, b: 1 },
      "clusters/near.json": { include: ["../site/base.json"], c: 1 },
    };
    expect(await resolve(files, "clusters/c.json")).toEqual({ ok: true, json: { a: 0, b: 1, c: 1 } });
  });

  test.each<{ name: string; files: Record<string, unknown>; says: RegExp[] }>([
    {
      name: "a file that includes itself",
      files: { "c.json": { include: ["./c.json"] } },
      says: [/^include\[0\]: "\.\/c\.json", a circle \(c\.json -> c\.json\)/],
    },
    {
      name: "a circle of two",
      files: { "c.json": { include: ["a.json"] }, "a.json": { include: ["c.json"] } },
      says: [/^a\.json: include\[0\]: "c\.json", a circle \(c\.json -> a\.json -> c\.json\)/],
    },
    {
      name: "files that do not exist, all of them",
      files: { "c.json": { include: ["a.json", "/opt/b.json"] } },
      says: [
        /^include\[0\]: "a\.json", no file at "a\.json"/,
        /^include\[1\]: .*no file at "\/opt\/b\.json"/,
      ],
    },
    {
      name: "a file that is no object",
      files: { "c.json": { include: ["a.json"] }, "a.json": [] },
      says: [/^include\[0\]: "a\.json", expected a file that holds an object$/],
    },
    {
      name: "an include that is no list",
      files: { "c.json": { include: "a.json" } },
      says: [/^include: "a\.json", expected a list of paths$/],
    },
    {
      name: "a path that is no text",
      files: { "c.json": { include: [5, ""] } },
      says: [/^include\[0\]: 5, expected a path$/, /^include\[1\]: "", expected a path$/],
    },
  ])("$name is a problem", async ({ files, says }) => {
    expect(await resolve(files)).toEqual({
      ok: false,
      problems: says.map((pattern) => expect.stringMatching(pattern)),
    });
  });

  test("a file that cannot be read is a problem with the reason", async () => {
    const loadInclude = () => Promise.reject(new SyntaxError("Unexpected token"));
    const resolved = await resolveIncludes({ path: "c.json", json: { include: ["a.json"] }, loadInclude });
    expect(resolved).toEqual({
      ok: false,
      problems: ['include[0]: "a.json", Unexpected token, expected a file that can be read'],
    });
  });

  test("what is no object is left to the parser", async () => {
    expect(await resolve({ "c.json": [1] })).toEqual({ ok: true, json: [1] });
  });

  test("merging changes neither file, and every key of both is there", async () => {
    const json = fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(json, json, async (own, included) => {
        const before = JSON.stringify([own, included]);
        const resolved = await resolve({ "c.json": { ...own, include: ["i.json"] }, "i.json": included });
        expect(JSON.stringify([own, included])).toBe(before);
        if (!resolved.ok) expect.fail("refused");
        expect(Object.keys(resolved.json as object).sort()).toEqual(
          [...new Set([...Object.keys({ ...own }), ...Object.keys(included)])].sort(),
        );
      }),
      cases(50),
    );
  });
});
