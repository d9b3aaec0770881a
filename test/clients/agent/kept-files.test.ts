import { readFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Command } from "../../../clients/agent/drivers/driver.ts";
import { slurm } from "../../../clients/agent/drivers/slurm/slurm.ts";
import { KeptFiles, type KeptState, readKeptState } from "../../../clients/agent/kept-files.ts";
import { writeChange } from "../../../clients/agent/scheduler-files.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { bucket, existing, partsOf } from "./drivers/cluster-parts.ts";

const folder = ownFolder(afterEach);
interface Beside {
  most: number;
  known: number;
  fails?: boolean;
  isAway?: boolean;
  nodes?: readonly ReturnType<typeof existing>[];
  unread?: readonly string[];
  /** Slurm's programs with a SLURM_CONF of their own. */
  tried?: (args: readonly string[]) => undefined;
  /** Of the node that the controller has beside those that it should. */
  other?: string;
}

/** An agent's files beside a controller that has `known` nodes, of which each pass is a minute later. */
function agent(state: Beside, config: object = { apply: "reconfigure" }, patience?: () => Promise<void>) {
  const configured = slurm.configure({ config: { folder: folder(), ...config } });
  const files = configured.ok ? configured.driver.files : undefined;
  if (files === undefined) throw new Error("the driver has no files");
  const commands: string[] = [];
  let kept: KeptState = { isOpen: false, changedAtSeconds: 0 };
  let minutes = 1;
  const start = () =>
    new KeptFiles({
      files,
      cluster: async () => partsOf([bucket({ most: state.most })], state.nodes, state.unread),
      run: async ({ program, args }: Command) => {
        if (program === "env") return state.tried?.(args) ?? { text: "", exitCode: 0 };
        if (state.isAway) throw new Error("slurmctld is away");
        if (args[0] === "--version") return { text: "slurm-wlm 22.05.8\n", exitCode: 0 };
        if (args[0] === "show") return { text: `${nodes(state.known)}${state.other ?? ""}`, exitCode: 0 };
        if (args[0] === "--noheader") return { text: "", exitCode: 0 };
        if (state.fails) throw new Error("slurmctld is away");
        commands.push(args.join(" "));
        return { text: "", exitCode: 0 };
      },
      load: async () => kept,
      save: async (next) => {
        kept = next;
      },
      ...(patience === undefined ? {} : { patience }),
    });
  let current = start();
  return {
    commands,
    pass: () => current.keep(60 * minutes++),
    notices: (afterSeconds = 0) => current.notices(60 * (minutes - 1) + afterSeconds),
    restart: () => {
      current = start();
    },
  };
}
const nodes = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => `NodeName=htc-${index + 1} State=IDLE+CLOUD Partitions=htc\n`,
  ).join("");
const main = () => folder("cyclecloud.conf");

describe("files that the agent keeps in step", () => {
  test("written once, read once, and again only when something changed; owner and rights stay, the old one is kept", async () => {
    const state = { most: 5, known: 5 };
    const { pass, commands } = agent(state);
    expect(await pass()).toMatchObject({ written: [main()], applied: true, refused: undefined });
    expect(await pass()).toBeUndefined();
    expect(commands).toEqual(["reconfigure"]);
    await chmod(main(), 0o640);
    const before = await readFile(main(), "utf8");
    Object.assign(state, { most: 6, known: 6 });
    expect(await pass()).toMatchObject({ applied: true });
    expect((await stat(main())).mode & 0o777).toBe(0o640);
    expect(await readFile(`${main()}.bak`, "utf8")).toBe(before);
    expect(await readFile(main(), "utf8")).toContain("htc-[1-6]");
    expect((await readdir(folder())).toSorted()).toEqual(["cyclecloud.conf", "cyclecloud.conf.bak"]);
  });

  test("a controller that would end on it is left alone until somebody started it again; that is said once", async () => {
    const state = { most: 6, known: 5 };
    const { pass, commands, restart } = agent(state);
    expect(await pass()).toMatchObject({ applied: false, refused: expect.stringContaining("restart it") });
    expect(await pass()).toBeUndefined();
    expect(commands).toEqual([]);
    state.known = 6;
    restart();
    expect(await pass()).toMatchObject({ written: [], applied: true });
    expect(commands).toEqual(["reconfigure"]);
  });

  test("a controller that is away reads them in a later pass, also of an agent that was started again", async () => {
    const state = { most: 5, known: 5, fails: true };
    const { pass, commands, restart } = agent(state);
    await expect(pass()).rejects.toThrow("slurmctld is away");
    state.fails = false;
    restart();
    expect(await pass()).toMatchObject({ written: [], applied: true });
    expect(commands).toEqual(["reconfigure"]);
  });

  test("somebody else's file stays, and nothing is written beside it", async () => {
    await writeFile(main(), "NodeName=mine\n");
    const { pass, commands } = agent({ most: 5, known: 5 });
    expect(await pass()).toMatchObject({ written: [], foreign: [main()], applied: false });
    expect(await pass()).toBeUndefined();
    expect(await readFile(main(), "utf8")).toBe("NodeName=mine\n");
    expect(commands).toEqual([]);
  });

  test("files that Slurm's programs cannot read are not written, beside whatever slurm.conf includes; that is said once, with Slurm's words", async () => {
    const conf = "Include cyclecloud.conf\nInclude site.conf\n";
    for (const [name, text] of [
      ["slurm.conf", conf],
      ["site.conf", "# ours\n"],
    ] as const)
      await writeFile(folder(name), text);
    const state: Beside = { most: 5, known: 5 };
    const { pass, commands, notices } = agent(state, { apply: "files-only" });
    await pass();
    const before = await readFile(main(), "utf8");
    const seen: string[] = [];
    state.most = 6;
    state.known = 6;
    state.tried = ([set = ""]) => {
      const trial = dirname(set.replace("SLURM_CONF=", ""));
      for (const name of ["slurm.conf", "site.conf", "cyclecloud.conf"])
        seen.push(readFileSync(join(trial, name), "utf8"));
      throw new Error(
        'Cannot run "env scontrol": ended with 1: scontrol: error: Bad value "tomorrow" for MaxTime',
      );
    };
    const refused =
      'the scheduler cannot read the new ones: scontrol: error: Bad value "tomorrow" for MaxTime';
    expect(await pass()).toMatchObject({ written: [], applied: false, refused });
    expect(seen).toEqual([conf, "# ours\n", expect.stringContaining("htc-[1-6]")]);
    expect(await readFile(main(), "utf8")).toBe(before);
    expect(await pass()).toBeUndefined();
    expect(notices()).toContain(`the scheduler's files wait: ${refused}.`);
    delete state.tried;
    expect(await pass()).toMatchObject({ written: [main()], refused: undefined });
    expect(commands).toEqual([]);
  });

  test("what the scheduler says of the trial names the real folder, the same each time", async () => {
    const state: Beside = { most: 5, known: 5 };
    const { pass } = agent(state);
    for (const name of ["slurm.conf", "site.conf"]) await writeFile(folder(name), "# ours\n");
    await pass();
    Object.assign(state, { most: 6, known: 6 });
    state.tried = ([set = ""]) => {
      throw new Error(`Cannot run "env ${set}": ended with 1: bad line 3 of ${set.slice(11)}\nmore`);
    };
    const refused = `the scheduler cannot read the new ones: bad line 3 of ${folder("slurm.conf")}`;
    expect(await pass()).toMatchObject({ written: [], refused });
    expect(await pass()).toBeUndefined();
  });

  test("a trial that cannot be made is said in its own words, the same each time", async () => {
    const state: Beside = { most: 5, known: 5 };
    const { pass } = agent(state);
    await writeFile(folder("slurm.conf"), "# ours\n");
    await pass();
    Object.assign(state, { most: 6, known: 6 });
    vi.stubEnv("TMPDIR", folder("nowhere"));
    const refused = `a copy of ${folder()} in ${folder("nowhere")} is needed to try the new ones, and cannot be made: ENOENT: no such file or directory`;
    expect(await pass()).toMatchObject({ written: [], refused });
    expect(await pass()).toBeUndefined();
    vi.unstubAllEnvs();
    expect(await pass()).toMatchObject({ written: [main()], refused: undefined });
  });

  test("files-only: written, and never read by order of the agent", async () => {
    const { pass, commands } = agent({ most: 5, known: 5 }, { apply: "files-only" });
    expect(await pass()).toMatchObject({ written: [main()], applied: false });
    expect(commands).toEqual([]);
  });

  test("a cluster of which not all is known: nothing is written, the reason is told once, and the files stay", async () => {
    const state: Beside = { most: 5, known: 5 };
    const { pass, commands } = agent(state);
    await pass();
    const before = await readFile(main(), "utf8");
    Object.assign(state, { most: 9, unread: ['Left out node array "gpu": location: null'] });
    expect(await pass()).toMatchObject({ written: [], refused: expect.stringContaining('node array "gpu"') });
    expect(await pass()).toBeUndefined();
    expect(await readFile(main(), "utf8")).toBe(before);
    expect(commands).toEqual(["reconfigure"]);
  });

  test("a name that would go and has a job: the file is not even written, until the job has ended", async () => {
    const busy = "NodeName=htc-6 CPUAlloc=4 State=ALLOCATED+CLOUD Partitions=htc\n";
    const state: Beside = { most: 6, known: 6 };
    const { pass, commands } = agent(state);
    await pass();
    Object.assign(state, { most: 5, known: 5, other: busy });
    for (let minutes = 0; minutes < 12; minutes++) await pass();
    expect(await readFile(main(), "utf8")).toContain("htc-[1-6]");
    Object.assign(state, { other: "" });
    expect(await pass()).toMatchObject({ written: [main()], applied: true });
    expect(await readFile(main(), "utf8")).toContain("htc-[1-5]");
    expect(commands).toEqual(["reconfigure", "reconfigure"]);
  });

  test("nodes that come, one a minute, lead to one change in ten minutes; a name that is missing does not wait", async () => {
    const state: Beside = { most: 30, known: 30 };
    const { pass, commands } = agent(state, { apply: "reconfigure", topology: "tree" });
    await pass();
    const come = (count: number) =>
      Array.from({ length: count }, (_, index) => existing(`htc-${index + 1}`, { placementGroup: "pg1" }));
    for (let minute = 1; minute <= 20; minute++) {
      state.nodes = come(minute);
      const report = await pass();
      if (minute === 1) expect(report).toMatchObject({ written: [], waitsUntilSeconds: 660 });
    }
    expect(commands).toHaveLength(3);
    expect(await readFile(folder("topology.conf"), "utf8")).toContain("htc-20");
    Object.assign(state, { most: 31, known: 31, nodes: come(21) });
    expect(await pass()).toMatchObject({ applied: true });
    expect(commands).toHaveLength(4);
  });

  test("a write that failed halfway: the rest is written in the next pass, and only then the scheduler reads the set", async () => {
    const state: Beside = { most: 5, known: 5 };
    const { pass, commands } = agent(state, { apply: "reconfigure", topology: "tree" });
    await pass();
    const topology = folder("topology.conf");
    await rm(topology, { force: true });
    await symlink("nowhere", topology);
    Object.assign(state, { most: 6, known: 6, nodes: [existing("htc-1", { placementGroup: "pg1" })] });
    await expect(pass()).rejects.toThrow("a link to a file that is not there");
    expect(await readFile(main(), "utf8")).toContain("htc-[1-6]");
    await expect(pass()).rejects.toThrow("a link to a file that is not there");
    expect(commands).toEqual(["reconfigure"]);
    await rm(topology);
    expect(await pass()).toMatchObject({ written: [topology], applied: true });
    expect(commands).toEqual(["reconfigure", "reconfigure"]);
  });

  test("a controller that cannot be asked: first files are written all the same, others wait for it", async () => {
    const state: Beside = { most: 5, known: 5, isAway: true };
    const { pass } = agent(state);
    await expect(pass()).rejects.toThrow("slurmctld is away");
    expect(await readFile(main(), "utf8")).toContain("htc-[1-5]");
    state.most = 6;
    await expect(pass()).rejects.toThrow("slurmctld is away");
    expect(await readFile(main(), "utf8")).toContain("htc-[1-5]");
    Object.assign(state, { known: 6, isAway: false });
    expect(await pass()).toMatchObject({ written: [main()], applied: true });
  });

  test("a service that does not answer costs a pass no more than its patience; what was begun is reported later, and not begun twice", async () => {
    const answer = Promise.withResolvers<void>();
    let looks = 0;
    const files = slurm.configure({ config: { folder: folder() } });
    if (!files.ok || files.driver.files === undefined) throw new Error("the driver has no files");
    let waited = 0;
    const kept = new KeptFiles({
      files: files.driver.files,
      cluster: async () => {
        looks += 1;
        await answer.promise;
        return partsOf([bucket()]);
      },
      run: async ({ args }) => ({ text: args[0] === "show" ? nodes(100) : "", exitCode: 0 }),
      load: async () => readKeptState(undefined),
      save: async () => {},
      patience: async () => {
        waited += 1;
      },
    });
    await expect(kept.keep(60)).rejects.toThrow("has not answered in time");
    await expect(kept.keep(600)).rejects.toThrow("has not answered in time");
    answer.resolve();
    await expect.poll(() => kept.keep(601).catch(() => "late")).toMatchObject({ written: [main()] });
    expect({ looks, waited }).toEqual({ looks: 1, waited: 1 });
  });
});

describe("what the status says of the files", () => {
  test("what was renewed, for an hour; what waits for a restart of the controller, as long as it does", async () => {
    const state: Beside = { most: 5, known: 5 };
    const { pass, notices } = agent(state);
    expect(notices()).toEqual([]);
    await pass();
    await pass();
    const [renewed] = notices();
    expect(renewed).toMatch(
      /^cyclecloud\.conf was renewed at 1970-01-01T00:01:00Z, \d+ lines changed; the scheduler has read that\.$/,
    );
    expect(notices(3600)).toEqual([]);
    state.most = 6;
    await pass();
    expect(notices()).toEqual([
      expect.stringContaining(
        "the scheduler's files wait: slurmctld 22.05.8 does not know 1 of the nodes: restart it",
      ),
      "cyclecloud.conf was renewed at 1970-01-01T00:03:00Z, 2 lines changed; the scheduler has not read that yet.",
    ]);
    state.known = 6;
    await pass();
    expect(notices()).toEqual([expect.stringContaining("; the scheduler has read that.")]);
  });

  test("somebody else's file, and changes that are gathered", async () => {
    await writeFile(main(), "NodeName=mine\n");
    const state: Beside = { most: 5, known: 5 };
    const { pass, notices } = agent(state, { topology: "tree" });
    await pass();
    expect(notices()).toEqual([`${main()} was written by somebody else and is left alone.`]);
    await rm(main());
    await pass();
    state.nodes = [existing("htc-1", { placementGroup: "pg1" })];
    await pass();
    expect(notices(3600)).toEqual([
      "changes of the scheduler's files are gathered until 1970-01-01T00:12:00Z.",
    ]);
  });
});

describe("how a file is written", () => {
  const old = "NodeName=mine\n";
  const change = (before: string | undefined, after: string, isForeign: boolean) => ({
    path: main(),
    name: "cyclecloud.conf",
    before,
    after,
    isForeign,
  });

  test("what a person wrote is kept for good, what we wrote until the next time", async () => {
    await writeFile(main(), old);
    await writeChange(change(old, "ours 1\n", true));
    await writeChange(change("ours 1\n", "ours 2\n", false));
    await writeChange(change("ours 2\n", "ours 3\n", true));
    const read = (end: string) => readFile(`${main()}${end}`, "utf8");
    expect([await read(""), await read(".bak"), await read(".orig")]).toEqual(["ours 3\n", "ours 2\n", old]);
  });

  test("a symbolic link stays one: the file that it names is replaced, where it is, with its rights", async () => {
    const shared = folder("sched");
    await mkdir(shared);
    await writeFile(join(shared, "azure.conf"), old, { mode: 0o640 });
    await symlink("sched/azure.conf", main());
    await writeChange(change(old, "ours\n", true));
    expect(await readlink(main())).toBe("sched/azure.conf");
    expect(await readFile(main(), "utf8")).toBe("ours\n");
    expect((await stat(main())).mode & 0o777).toBe(0o640);
    expect((await readdir(folder())).toSorted()).toEqual(["cyclecloud.conf", "sched"]);
    expect((await readdir(shared)).toSorted()).toEqual(["azure.conf", "azure.conf.bak", "azure.conf.orig"]);
  });

  test("a link that somebody put where drafts or old files go leads nowhere", async () => {
    const victim = folder("victim");
    await writeFile(victim, "secret\n");
    await writeFile(main(), old);
    for (const end of [".new", ".bak"]) await symlink(victim, `${main()}${end}`);
    await writeChange(change(old, "ours\n", false));
    expect(await readFile(victim, "utf8")).toBe("secret\n");
    expect(await readFile(`${main()}.bak`, "utf8")).toBe(old);
  });

  test("a link to a file that is not there is refused, and stays", async () => {
    await symlink(folder("nowhere"), main());
    await expect(writeChange(change(undefined, "ours\n", false))).rejects.toThrow(
      "a link to a file that is not there",
    );
    expect(await readdir(folder())).toEqual(["cyclecloud.conf"]);
  });
});

test.each([
  [undefined, { isOpen: false, changedAtSeconds: 0 }],
  ['{"isOpen":true,"changedAtSeconds":7}', { isOpen: true, changedAtSeconds: 7 }],
  ["true", { isOpen: true, changedAtSeconds: 0 }],
  ["{", { isOpen: true, changedAtSeconds: 0 }],
])("remembered as %j: %j", (text, state) => {
  expect(readKeptState(text)).toEqual(state);
});
