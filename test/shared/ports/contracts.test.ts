import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../../shared/ports");
const text = globSync("*.ts", { cwd: folder })
  .map((file) => readFileSync(join(folder, file), "utf8"))
  .join("\n");

/** They answer at once, from this process. */
const withoutWorld = ["Clock", "Log", "Telemetry", "Ids", "Random"];
const behindOthers = ["CycleCloud", "ConfigFiles", "DemandQueue", "Notifier", "PriceList"];
const members = [...text.matchAll(/export interface (?:Stores|Ports extends Stores) \{([^}]*)\}/g)];
const ports = members
  .flatMap(([, inside = ""]) => [...inside.matchAll(/: (\w+);/g)])
  .map(([, name = ""]) => name)
  .filter((name) => !withoutWorld.includes(name) && name !== "CycleCloudFor");

describe("the contract of a port", () => {
  test("is asked of many", () => {
    expect(ports.length).toBeGreaterThan(15);
  });

  test.each([...ports, ...behindOthers])("%s says who calls, twice, gone, and who retries", (port) => {
    const [, comment = ""] =
      new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\nexport interface ${port} \\{`).exec(text) ?? [];
    const labels = [...comment.matchAll(/^ \* - ([A-Z][a-z ]+): \S/gm)].map(([, label]) => label);
    expect(labels).toEqual(["Called by", "Twice", "Gone", "Retries"]);
  });
});
