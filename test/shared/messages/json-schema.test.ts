import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { parseMessage, wholly } from "../../../shared/messages/job-demand.ts";
import { messageSchemas } from "../../../shared/messages/json-schema.ts";

const folder = join(import.meta.dirname, "../../../shared/messages");
const schemas = messageSchemas();
const ajv = new Ajv2020({ strict: true, strictTypes: false });
formats.default(ajv);
const validateDemand = ajv.compile(schemas["job-demand.schema.json"] ?? {});

describe("published schemas", () => {
  test.each(Object.entries(schemas))("%s is what the code says", async (file, schema) => {
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(join(folder, file));
  });

  const envelope = {
    version: 1,
    cluster: "hpc",
    source: "pbs",
    sequence: 1,
    sentAt: "2026-11-21T10:00:00Z",
  };
  test.each([
    ["an empty snapshot", { ...envelope, kind: "snapshot" }, true],
    ["a delta that removes", { ...envelope, kind: "delta", remove: ["1"] }, true],
    [
      "node arrays",
      { ...envelope, kind: "targets", arrays: [{ Name: "execute", TargetCoreCount: 128 }] },
      true,
    ],
    ["a drained node", { ...envelope, kind: "snapshot", nodes: [{ hostname: "a", state: "drained" }] }, true],
    ["an unknown kind", { ...envelope, kind: "wish" }, false],
    ["no source", { ...envelope, source: undefined, kind: "snapshot" }, false],
    ["a negative count", { ...envelope, kind: "snapshot", jobs: [{ name: "a", iterations: -1 }] }, false],
    ["a job without a name", { ...envelope, kind: "snapshot", jobs: [{}] }, false],
    ["a slash in a job's name", { ...envelope, kind: "snapshot", jobs: [{ name: "a/b" }] }, true],
    [
      "a resource that is a list",
      { ...envelope, kind: "snapshot", nodes: [{ hostname: "a", resources: { x: [] } }] },
      false,
    ],
  ])("%s: the schema and the parser agree", (_, message, isGood) => {
    const json: unknown = JSON.parse(JSON.stringify(message));
    expect([validateDemand(json), wholly(parseMessage(json)).ok]).toEqual([isGood, isGood]);
  });
});

describe("examples", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/post-demand.md"), "utf8");
  const blocks = [...page.matchAll(/```(bash|python|csharp)\n([\s\S]*?)```/g)];
  test("one in each language", () => {
    expect(blocks.map(([, language]) => language)).toEqual(["bash", "python", "csharp"]);
  });
  test.each(blocks.map(([, language, code]) => [language, code ?? ""]))(
    "%s posts a message that is taken",
    (_, code) => {
      // The only lines that hold JSON begin and end with a brace at the margin.
      const json: unknown = JSON.parse(/^\{$[\s\S]*?^\}$/m.exec(code)?.[0] ?? "none");
      expect(validateDemand(json)).toBe(true);
      expect(wholly(parseMessage(json)).ok).toBe(true);
    },
  );
});
