import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parseAgentConfig } from "../../../clients/agent/config.ts";
import type { DriverKind } from "../../../clients/agent/drivers/driver.ts";
import { checkedKind } from "../../../clients/agent/drivers/driver-shape.ts";
import { driverNames } from "../../../clients/agent/drivers/index.ts";
import { loadDriver } from "../../../clients/agent/load-driver.ts";
import { collect } from "../../../clients/agent/pass.ts";
import { ownFolder } from "../../support/own-folder.ts";

const methods =
  "reads: () => [], interpret: () => ({ known: false, reason: 'none' }), commandsFor: () => ({})";
const fine = `export default { name: "mine", configure: () => ({ ok: true, driver: { ${methods} } }) };`;

const folder = ownFolder();
beforeAll(async () => {
  const installed = folder("node_modules/my-driver");
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, "package.json"), '{"name": "my-driver", "type": "module", "main": "d.js"}');
  await writeFile(join(installed, "d.js"), fine.replace("export default", "export const driver ="));
});
async function load(text: string) {
  const name = `./${crypto.randomUUID()}.mjs`;
  await writeFile(folder(name), text);
  return loadDriver(name, folder());
}

describe("a driver from outside", () => {
  test("is loaded from a file, or from an installed package", async () => {
    expect(await load(fine)).toMatchObject({ ok: true, kind: { name: "mine" } });
    expect(await loadDriver("my-driver", folder())).toMatchObject({ ok: true, kind: { name: "mine" } });
  });

  test.each([
    ["export const other = 1;", /exports no driver, expected "export default"/],
    ["export default 7;", /is no driver: .*expected a driver: an object with a name/],
    ["export default { name: 'mine' };", /configure: missing, expected a function of the section/],
    ["export default { name: 'My Driver', configure() {} };", /name: .*expected lower-case letters/],
    ["export default { configure() {} };", /name: missing, expected a text/],
    [
      "export default { name: 'slurm', configure() {} };",
      /its name is "slurm", which is that of a driver of the agent/,
    ],
    ["import './nothing.mjs';", /cannot be loaded: .*nothing\.mjs/],
    ["export default {", /cannot be loaded: /],
  ])("%s is refused", async (text, problem) => {
    const loaded = await load(text);
    expect(loaded.ok ? "loaded" : loaded.problem).toMatch(problem);
  });

  test("that is not there is refused with the place where it was looked for", async () => {
    const [file, name] = await Promise.all([loadDriver("./none.mjs", folder()), loadDriver("lsf", folder())]);
    expect(file).toMatchObject({
      ok: false,
      problem: `driver: "./none.mjs", there is no file ${folder("none.mjs")}`,
    });
    expect(name).toMatchObject({
      ok: false,
      problem: expect.stringContaining(`driver: "lsf", expected ${driverNames.join(", ")}, a file`),
    });
  });

  test("in a file that everybody can write is refused: whoever can write it would have the agent's rights", async () => {
    await writeFile(folder("open.mjs"), fine);
    await chmod(folder("open.mjs"), 0o666);
    expect(await loadDriver("./open.mjs", folder())).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/everybody can write/),
    });
  });
});

const whole = {
  reads: () => [[{ kind: "command", name: "jobs", program: "lsq", args: [] }]],
  interpret: () => ({
    known: true,
    jobs: [],
    nodes: [],
    setAside: [],
    silent: [],
    corrections: [],
    memory: {},
  }),
  commandsFor: () => ({ commands: [], memory: {} }),
};
const context = { nowSeconds: 0, draining: new Map(), memory: {} };
/** As a module of somebody else would come: the compiler has not seen it. */
const kindOf = (driver: unknown): DriverKind =>
  checkedKind({ name: "mine", configure: () => ({ ok: true, driver }) } as unknown as DriverKind);
const settingsOf = (kind: DriverKind) =>
  parseAgentConfig({ cluster: "hpc", source: "mine", driver: "./mine.mjs", mine: {} }, kind);

describe("its settings", () => {
  test("are a section of its name, and a whole driver is taken", () => {
    expect(settingsOf(kindOf(whole))).toMatchObject({ ok: true, config: { driverName: "mine" } });
  });

  test.each([
    [
      { ...whole, interpret: undefined },
      /^mine\.driver: interpret: missing, expected a function that makes jobs/,
    ],
    [{ reads: whole.reads }, /interpret: missing.*commandsFor: missing/],
    [undefined, /expected an object with the functions reads, interpret and commandsFor/],
    [{ ...whole, reads: () => [{ kind: "command" }] }, /^mine\.the driver's reads returned /],
    [{ ...whole, reads: () => [[{ kind: "command", name: "jobs", program: "lsq" }]] }, /args/],
    [
      {
        ...whole,
        reads: () => {
          throw new Error("no queue");
        },
      },
      /no queue/,
    ],
  ])("%j is refused at the start", (driver, problem) => {
    const parsed = settingsOf(kindOf(driver));
    expect(parsed.ok ? "accepted" : parsed.problems.join("; ")).toMatch(problem);
  });

  test("cannot have the name of a setting of the agent", () => {
    const kind = checkedKind({
      name: "cluster",
      configure: () => ({ ok: true, driver: whole }),
    } as unknown as DriverKind);
    expect(settingsOf(kind)).toMatchObject({
      ok: false,
      problems: ['driver: its name is "cluster", which is a setting of the agent'],
    });
  });
});

test.each([
  [undefined, /interpret returned/],
  [{ known: true, jobs: [] }, /interpret returned .*nodes/],
  [{ ...whole.interpret(), jobs: [null] }, /interpret returned jobs\[0\]/],
  [Promise.resolve(), /a promise, expected a value/],
])("a reading of another form is unknown, and never less demand: %j", async (reading, reason) => {
  const configured = kindOf({ ...whole, interpret: () => reading }).configure({});
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const collected = await collect(
    configured.driver,
    () => context,
    async () => ({ text: "", exitCode: 0 }),
  );
  expect(collected.known ? "known" : collected.reason).toMatch(reason);
});
