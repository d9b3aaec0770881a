/** What implements a port is run through the port's contract: a new driver or store without it fails here. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const find = (pattern: string) => globSync([pattern], { cwd: root }).toSorted();
const folderOf = (file: string, of: string) => file.slice(of.length).split("/")[0] ?? "";

/** Which of these folders no test of that kind imports from. */
function untested(folders: readonly string[], tests: readonly string[], runs: string): readonly string[] {
  const texts = tests.map(read).filter((text) => text.includes(`${runs}(`));
  return folders.filter((folder) => !texts.some((text) => text.includes(`/${folder}/`)));
}

describe("drivers", () => {
  const folder = "clients/agent/drivers/";
  const drivers = [...new Set(find(`${folder}*/*.ts`).map((file) => folderOf(file, folder)))];
  const tests = find("test/clients/agent/**/*.test.ts");

  test("each is run through the contract of drivers", () => {
    expect(drivers).toEqual(expect.arrayContaining(["celery", "example", "slurm"]));
    expect(untested(drivers, tests, "testDriver")).toEqual([]);
    expect(untested(["torque"], tests, "testDriver")).toEqual(["torque"]);
  });
});

describe("stores", () => {
  const folder = "shared/stores/";
  const adapters = [...new Set(find(`${folder}*/*.ts`).map((file) => folderOf(file, folder)))];
  const classes = find(`${folder}*/*.ts`).flatMap((file) =>
    [...read(file).matchAll(/\bclass (\w+)[^{]* implements ([\w, ]+?) \{/g)].flatMap(([, name, ports = ""]) =>
      ports.split(", ").map((port) => ({ adapter: folderOf(file, folder), name, port })),
    ),
  );
  const suites = [...read("test/shared/stores/contract/run.ts").matchAll(/\bport: "(\w+)"/g)].map(
    ([, port]) => port,
  );
  /** The operator's files of a configuration, which the service only shows and replaces: tested with that. */
  const elsewhere = ["ConfigFiles"];

  test("each folder of adapters is run through the contracts", () => {
    expect(adapters).toEqual(expect.arrayContaining(["azure", "in-memory"]));
    expect(untested(adapters, find("test/shared/stores/*.test.ts"), "runContractSuites")).toEqual([]);
  });

  test("each port that a store implements has a suite", () => {
    expect(classes.length).toBeGreaterThan(20);
    const missing = classes.filter(({ port }) => !suites.includes(port) && !elsewhere.includes(port));
    expect(missing).toEqual([]);
  });

  test("each store of the service has one, and is there in every folder of adapters", () => {
    const ports = [...read("shared/ports/index.ts").matchAll(/readonly \w+: (\w+Store);/g)].map(
      ([, port]) => port,
    );
    expect(ports.length).toBeGreaterThan(10);
    expect(ports.filter((port) => !suites.includes(port ?? ""))).toEqual([]);
    const absent = adapters.flatMap((adapter) =>
      ports
        .filter((port) => !classes.some((each) => each.adapter === adapter && each.port === port))
        .map((port) => `${adapter}: ${port}`),
    );
    expect(absent).toEqual([]);
  });
});
