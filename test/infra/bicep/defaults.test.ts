import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

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
    const redundancy = "zoneRedundant && storageSku == 'Standard_LRS' ? 'Standard_ZRS' : storageSku";
    expect(main).toContain(`var redundancy = ${redundancy}\n`);
    expect(main.match(/sku: redundancy\n/g)).toHaveLength(2);
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

  test("override the value of host.json by its path", () => {
    const path = "extensions.serviceBus.maxConcurrentSessions".replaceAll(".", "__");
    expect(app).toContain(`name: 'AzureFunctionsJobHost__${path}'\n    value: sessionsOfMemory[`);
    expect(JSON.parse(textOf("host.json")).extensions.serviceBus.maxConcurrentSessions).toBeGreaterThan(0);
  });

  test("are in docs/performance.md", () => {
    const rows = [...textOf("docs/performance.md").matchAll(/^\| ([\d,]+) MB \| (\d+) \|/gm)];
    expect(rows.map(([, size = "", count]) => [size.replace(",", ""), count])).toEqual(sessions);
  });
});
