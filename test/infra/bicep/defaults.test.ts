import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadHostJson } from "../../../infra/local/functions-host/host-json.ts";

const root = join(import.meta.dirname, "../../..");
const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const main = textOf("infra/main.bicep");

describe("the version of Node.js", () => {
  const { engines } = JSON.parse(textOf("package.json"));
  const majors = [...engines.node.matchAll(/\^(\d+)/g)].map(([, major]) => Number(major));

  test("can be each that the package runs on", () => {
    const allowed = majors.map((major) => `'${major}'`).join(", ");
    for (const text of [main, textOf("infra/modules/function-app.bicep")])
      expect(text).toContain(`@allowed([${allowed}])\nparam nodeVersion string`);
  });

  test.each([
    ["infra/main.bicep", "param nodeVersion string = '%'"],
    ["infra/main.parameters.json", "AUTOSCALE_NODE_VERSION=%}"],
    ["infra/example.bicepparam", "param nodeVersion = '%'"],
  ])("is the newest of these by default in %s", (path, line) => {
    expect(textOf(path)).toContain(line.replace("%", String(Math.max(...majors))));
  });
});

describe("zone redundancy", () => {
  test("is off by default, and reaches the plan", () => {
    expect(main).toContain("param zoneRedundant bool = false");
    expect(main).toContain("    zoneRedundant: zoneRedundant\n");
    expect(textOf("infra/modules/function-app.bicep")).toMatch(
      /serverfarms[\s\S]*properties: \{\n {4}reserved: true\n {4}zoneRedundant: zoneRedundant\n/,
    );
  });

  test("takes storage that is in all zones", () => {
    expect(main).toContain(
      "sku: zoneRedundant && storageSku == 'Standard_LRS' ? 'Standard_ZRS' : storageSku",
    );
  });
});

describe("clusters that an instance plans at a time", () => {
  const app = textOf("infra/modules/function-app.bicep");
  const [, sizes = ""] = /@allowed\(\[([\d, ]+)\]\)\nparam instanceMemoryMB/.exec(app) ?? [];
  const [, table = ""] = /var sessionsOfMemory = \{\n([^}]*)\}/.exec(app) ?? [];
  const sessions = [...table.matchAll(/'(\d+)': '(\d+)'/g)].map(([, size = "", count = ""]) => [size, count]);

  test("are set for every size", () => {
    expect(sessions.map(([size]) => size).join(", ")).toBe(sizes);
    expect(main).toContain(`@allowed([${sizes}])\nparam instanceMemoryMB`);
  });

  test.each(sessions)("in the host, with %s MB: %s", (_, count) => {
    const [, setting = ""] =
      /name: '(AzureFunctionsJobHost__\S+)'\n {4}value: sessionsOfMemory\[/.exec(app) ?? [];
    expect(loadHostJson(root, { [setting]: count }).serviceBus.maxConcurrentSessions).toBe(Number(count));
  });

  test("are in docs/performance.md", () => {
    const rows = [...textOf("docs/performance.md").matchAll(/^\| ([\d,]+) MB \| (\d+) \|/gm)];
    expect(rows.map(([, size = "", count]) => [size.replace(",", ""), count])).toEqual(sessions);
  });
});
