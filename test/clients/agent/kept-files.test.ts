import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Command } from "../../../clients/agent/drivers/driver.ts";
import { slurm } from "../../../clients/agent/drivers/slurm/slurm.ts";
import { KeptFiles } from "../../../clients/agent/kept-files.ts";
import { bucket } from "./drivers/cluster-parts.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kept-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** An agent's files beside a controller that has `known` nodes, of which each pass is a minute later. */
function agent(state: { most: number; known: number; fails?: boolean }, apply = "reconfigure") {
  const configured = slurm.configure({ config: { folder, apply } });
  const files = configured.ok ? configured.driver.files : undefined;
  if (files === undefined) throw new Error("the driver has no files");
  const commands: string[] = [];
  let open = false;
  let minutes = 0;
  const kept = () =>
    new KeptFiles({
      files,
      cluster: async () => ({ buckets: [bucket({ most: state.most })], nodes: [] }),
      run: async ({ args }: Command) => {
        if (args[0] === "--version") return { text: "slurm-wlm 22.05.8\n", exitCode: 0 };
        if (args[0] === "show") return { text: nodes(state.known), exitCode: 0 };
        if (state.fails) throw new Error("slurmctld is away");
        commands.push(args.join(" "));
        return { text: "", exitCode: 0 };
      },
      isOpen: async () => open,
      setOpen: async (is) => {
        open = is;
      },
    });
  let current = kept();
  return {
    commands,
    pass: () => current.keep(60 * minutes++),
    restart: () => {
      current = kept();
    },
  };
}
const nodes = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => `NodeName=htc-${index + 1} State=IDLE+CLOUD Partitions=htc\n`,
  ).join("");
const main = () => join(folder, "cyclecloud.conf");

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
    expect((await readdir(folder)).toSorted()).toEqual(["cyclecloud.conf", "cyclecloud.conf.bak"]);
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

  test("files-only: written, and never read by order of the agent", async () => {
    const { pass, commands } = agent({ most: 5, known: 5 }, "files-only");
    expect(await pass()).toMatchObject({ written: [main()], applied: false });
    expect(commands).toEqual([]);
  });
});
