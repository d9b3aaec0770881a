import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAll } from "../../../support/cases.ts";
import { type Slurm, slurmIsMissing, startSlurm } from "../../../support/machines/slurm.ts";
import { DrivenSlurm } from "./driven-slurm.ts";

const waitingJobs = 200;
const arrayTasks = 10_000;

const describeHere = slurmIsMissing === undefined ? describe : describe.skip;
const reason = slurmIsMissing === undefined ? "" : ` (skipped: ${slurmIsMissing})`;

/** What a new operator copies from the page, and nothing else. */
async function confOfThePage(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, "../../../../docs/slurm.md"), "utf8");
  const block = /## slurm\.conf[\s\S]*?```\n([\s\S]*?)```/.exec(page)?.[1];
  if (block === undefined) throw new Error("docs/slurm.md has no slurm.conf");
  return block;
}

/** Both habits of CycleCloud, the second every night: `slurm-operator.test.ts` has both in one cluster. */
const habits = [
  { habit: "hosts have names of their own", hostOf: (_: string, index: number) => `ip-0A00000${index}` },
  { habit: "hosts are called like their nodes", hostOf: (node: string) => node },
];

describeHere(`docs/slurm.md, word for word${reason}`, { timeout: 300_000 }, () => {
  describe.each(isAll ? habits : habits.slice(0, 1))("$habit", ({ hostOf }) => {
    let slurm: Slurm;
    let driven: DrivenSlurm;
    const addressOf = (index: number) => `10.0.0.${index}`;
    /** Boots the machine of a node; the agent does not know yet. */
    const boot = (node: string, index: number) => slurm.bootNode(node, hostOf(node, index), addressOf(index));
    const event = (node: string, index: number) => [{ name: node, hostname: hostOf(node, index) }];

    beforeAll(async () => {
      slurm = await startSlurm({ conf: await confOfThePage() });
      driven = new DrivenSlurm(slurm, {});
    });
    afterAll(async () => {
      await slurm?.stop();
    });

    /** State, address and reason, by node. */
    async function states(...nodes: readonly string[]): Promise<Readonly<Record<string, string>>> {
      const lines = await slurm.run("scontrol", "show", "node", nodes.join(","), "--oneliner");
      const rows = lines.split("\n").flatMap((line) => {
        const fields = /NodeName=(\S+).* NodeAddr=(\S+) .* State=(\S+) .*?(?: Reason=(\S+).*)?$/.exec(line);
        return fields === null ? [] : [[fields[1] ?? "", `${fields[3]} ${fields[4]} ${fields[2]}`] as const];
      });
      return Object.fromEntries(rows);
    }
    const restarts = async (id: number) =>
      /Restarts=(\d+)/.exec(await slurm.run("scontrol", "show", "job", String(id)))?.[1];
    const stateOf = async (id: number) =>
      (await slurm.run("squeue", "--noheader", "--states=all", `--jobs=${id}`, "--format=%T")).trim();
    const isOn = (id: number) => async () => (await stateOf(id)) === "RUNNING";

    /** What does not depend on how hosts are called is tried with the first habit alone. */
    const once = (name: string, run: () => Promise<void>) => {
      if (hostOf === habits[0]?.hostOf) test(name, run);
    };

    test("after the first pass no node is there that has no machine, and jobs wait", async () => {
      await driven.pass();
      const settled = await driven.pass();
      expect(settled).toMatchObject({ nodes: [], corrections: [], setAside: [] });
      expect(await states("htc-1", "hpc-32")).toEqual({
        "htc-1": "DOWN+CLOUD+POWERED_DOWN cyclecloud 255.255.255.255",
        "hpc-32": "DOWN+CLOUD+POWERED_DOWN cyclecloud 255.255.255.255",
      });
      await slurm.submit("-p htc -n 2 --mem=1G");
      const { jobs } = await driven.pass();
      expect(jobs).toMatchObject([{ constraints: { "node.nodearray": "htc" } }]);
      expect(jobs[0]).not.toHaveProperty("executingHostnames");
    });

    test("slurmd comes before the agent: no job starts until the node has its address; then all do, and none starts twice", async () => {
      const ids = [1, await slurm.submit("-p htc -n 2 --mem=1G")];
      await boot("htc-1", 1);
      await boot("htc-2", 2);
      await driven.until(async () =>
        Object.values(await states("htc-1", "htc-2")).every((state) => !state.includes("POWERED_DOWN")),
      );
      expect(await driven.pass()).toMatchObject({ nodes: [] });
      expect(await Promise.all(ids.map(stateOf))).toEqual(["PENDING", "PENDING"]);
      await driven.send("node-joined", [...event("htc-1", 1), ...event("htc-2", 2)]);
      for (const id of ids) await driven.until(isOn(id));
      const { jobs, nodes, corrections } = await driven.pass();
      expect(jobs.flatMap(({ executingHostnames = [] }) => executingHostnames)).toContain(hostOf("htc-1", 1));
      expect(nodes.map(({ hostname, state }) => ({ hostname, state }))).toEqual([
        { hostname: hostOf("htc-1", 1), state: "up" },
        { hostname: hostOf("htc-2", 2), state: "up" },
      ]);
      expect(corrections).toEqual([]);
      expect(await Promise.all(ids.map(restarts))).toEqual(["0", "0"]);
    });

    test("the agent comes before slurmd: the node keeps its address, gets no job before its daemon is there, and its job starts once", async () => {
      const [node, index] = ["htc-8", 8] as const;
      const host = hostOf(node, index);
      await slurm.network.switchOn(host, addressOf(index));
      const id = await slurm.submit(`-p htc -n 4 --mem=1G -w ${node}`);
      await driven.send("node-joined", event(node, index));
      for (let passes = 0; passes < 2; passes++) {
        const { corrections, nodes } = await driven.pass();
        expect(corrections).toEqual([]);
        expect(nodes.map(({ hostname }) => hostname)).not.toContain(host);
        expect(await states(node)).toEqual({ [node]: `DOWN+CLOUD+POWERED_DOWN cyclecloud ${host}` });
        expect(await stateOf(id)).toBe("PENDING");
      }
      // Slurm forgets its address.
      await slurm.run("scontrol", "reconfigure");
      await driven.until(async () => (await states(node))[node]?.endsWith(` ${host}`) === true);
      await boot(node, index);
      await driven.until(isOn(id));
      const { jobs, corrections } = await driven.pass();
      expect(jobs.find(({ name }) => name === String(id))?.executingHostnames).toEqual([host]);
      expect(corrections).toEqual([]);
      expect(await restarts(id)).toBe("0");
      await slurm.run("scancel", String(id));
      await driven.send("node-deleted", event(node, index));
      await driven.pass();
      slurm.network.switchOff(host);
    });

    once(
      "a node that a person takes down while it boots stays down, and is shown with the reason, until that person resumes it",
      async () => {
        const [node, index] = ["htc-30", 30] as const;
        await driven.send("node-joined", event(node, index));
        await slurm.run("scontrol", "update", `NodeName=${node}`, "State=DOWN", "Reason=broken disk");
        // Slurm forgets the reason when the daemon registers.
        await driven.pass();
        await boot(node, index);
        const shown = async () => {
          const { nodes } = await driven.pass();
          return nodes.find(({ hostname }) => hostname === hostOf(node, index));
        };
        await driven.until(async () => (await shown()) !== undefined);
        expect(await shown()).toMatchObject({ state: "drained", stateReason: "broken disk (root)" });
        await slurm.run("scontrol", "update", `NodeName=${node}`, "State=RESUME");
        await driven.until(async () => (await shown())?.state === "up");
        await driven.send("node-deleted", event(node, index));
        await driven.pass();
        slurm.network.switchOff(hostOf(node, index));
      },
    );

    once(
      "a health check drains a node: its job stays, its reason is shown, and the next machine of its name takes jobs again",
      async () => {
        const [node, index] = ["htc-29", 29] as const;
        const host = hostOf(node, index);
        const id = await slurm.submit(`-p htc -n 4 --mem=1G -w ${node}`);
        await boot(node, index);
        await driven.send("node-joined", event(node, index));
        await driven.until(isOn(id));
        // As NHC and the script of healthagent do it.
        const words = "NHC: check_fs_mount: /scratch not mounted";
        await slurm.run("scontrol", "update", "State=DRAIN", `NodeName=${node}`, `Reason=${words}`);
        const shown = async () => (await driven.pass()).nodes.find(({ hostname }) => hostname === host);
        await driven.until(async () => (await shown())?.state === "draining");
        expect(await shown()).toMatchObject({ isOutByOthers: true, stateReason: words, stateBy: "root" });
        await slurm.run("scancel", String(id));
        await driven.until(async () => (await shown())?.state === "drained");
        await driven.send("node-deleted", event(node, index));
        await driven.pass();
        slurm.network.switchOff(host);
        const next = await slurm.submit(`-p htc -n 4 --mem=1G -w ${node}`);
        await boot(node, index);
        await driven.send("node-joined", event(node, index));
        await driven.until(isOn(next));
        expect(await shown()).toMatchObject({ state: "up" });
        await slurm.run("scancel", String(next));
        await driven.send("node-deleted", event(node, index));
        await driven.pass();
        slurm.network.switchOff(host);
      },
    );

    once("a node drains, comes back, drains again and goes", async () => {
      const [node, index] = ["htc-3", 3] as const;
      await boot(node, index);
      await driven.send("node-joined", event(node, index));
      const own = async () =>
        (await driven.pass()).nodes.find(({ hostname }) => hostname === hostOf(node, index))?.state;
      await driven.until(async () => (await own()) === "up");
      const id = await slurm.submit("-p htc -n 1 --mem=1G -w htc-3");
      await driven.until(async () =>
        (await driven.pass()).jobs.some(({ executingHostnames }) =>
          executingHostnames?.includes(hostOf(node, index)),
        ),
      );
      await driven.send("drain", event(node, index));
      await slurm.run("scancel", String(id));
      await driven.until(async () => (await own()) === "drained");
      await driven.send("undrain", event(node, index));
      await driven.until(async () => (await own()) === "up");
      await driven.send("drain", event(node, index));
      await driven.send("node-deleted", event(node, index));
      slurm.network.switchOff(hostOf(node, index));
      expect(await own()).toBeUndefined();
    });

    test("however a node goes, Slurm does not look for it; commands stay quick, and its name can be used again", async () => {
      // One is evicted with a job, one is idle when it goes, one never comes up.
      const evicted = await slurm.submit("-p htc -n 4 --mem=1G -w htc-4 --requeue");
      for (const [node, index] of [
        ["htc-4", 4],
        ["htc-5", 5],
      ] as const) {
        await boot(node, index);
        await driven.send("node-joined", event(node, index));
      }
      await driven.until(isOn(evicted));
      for (const index of [1, 2, 4, 5]) slurm.network.switchOff(hostOf(`htc-${index}`, index));
      const began = Date.now();
      const indices = [1, 2, 4, 5, 6];
      const gone = indices.map((index) => `htc-${index}`);
      await driven.send(
        "node-deleted",
        indices.flatMap((index) => event(`htc-${index}`, index)),
      );
      await driven.pass();
      await slurm.run("scontrol", "reconfigure");
      // Longer than it would look for one name, and the others wait for that.
      for (const until = began + 12_000; Date.now() < until; )
        await slurm.run("scontrol", "update", "NodeName=hpc-32", "State=DOWN", "Reason=cyclecloud");
      expect(await slurm.log()).not.toContain("getaddrinfo() failed");
      // The node that was never there got its name as address from slurm.conf again; Slurm does not contact such a node.
      await driven.pass();
      for (const state of Object.values(await states(...gone)))
        expect(state).toMatch(/^DOWN\S* cyclecloud 255\.255\.255\.255$/);
      expect(await driven.pass()).toMatchObject({ nodes: [], corrections: [] });

      // Its name comes again, on another machine.
      await slurm.bootNode("htc-4", hostOf("htc-4", 9), addressOf(9));
      await slurm.run("scontrol", "update", `JobId=${evicted}`, "StartTime=now");
      await driven.until(async () => !(await states("htc-4"))["htc-4"]?.includes("NOT_RESPONDING"));
      expect(await stateOf(evicted)).toBe("PENDING");
      await driven.send("node-joined", event("htc-4", 9));
      await driven.until(isOn(evicted));
    });

    once(
      "a controller that starts again with new nodes, and reads its settings again, keeps those down that are not there",
      async () => {
        await slurm.restart((conf) => conf.replaceAll("htc-[1-100]", "htc-[1-120]"));
        await slurm.run("scontrol", "reconfigure");
        await driven.pass();
        expect(await driven.pass()).toMatchObject({ corrections: [] });
        expect(await states("htc-1", "htc-7", "htc-110")).toMatchObject({
          "htc-7": "DOWN+CLOUD+POWERED_DOWN cyclecloud 255.255.255.255",
          "htc-110": "DOWN+CLOUD+POWERED_DOWN cyclecloud 255.255.255.255",
        });
        await driven.until(async () => (await driven.pass()).nodes.length > 0);
        expect((await driven.pass()).nodes.map(({ hostname }) => hostname)).toEqual([hostOf("htc-4", 9)]);
      },
    );
  });

  test("jobs that land on nodes that are not there, before the first pass and after a start with new names, wait again at once and are not lost", async () => {
    const slurm = await startSlurm({ conf: await confOfThePage() });
    try {
      const driven = new DrivenSlurm(slurm, {});
      const queued = () => slurm.run("squeue", "--noheader", "--format=%T %r");
      const untilAll = (expected: RegExp) =>
        expect.poll(queued, { interval: 200 }).toSatisfy((jobs: string) =>
          jobs
            .trim()
            .split("\n")
            .every((job) => expected.test(job)),
        );
      const details = async (id: number) => slurm.run("scontrol", "show", "job", String(id));
      const ids = [
        await slurm.submit("-p htc -n 1 --mem=1G -w htc-1"),
        await slurm.submit("-p htc -n 1 --mem=1G -w htc-2 --no-requeue"),
      ];
      await untilAll(/^CONFIGURING/);
      await driven.pass();
      // "None": Slurm has not looked yet; "BeginTime": it will not for two minutes.
      await untilAll(/^PENDING (?!None|BeginTime)/);
      expect(await Promise.all(ids.map(async (id) => /Requeue=./.exec(await details(id))?.[0]))).toEqual([
        "Requeue=1",
        "Requeue=0",
      ]);
      // A job that waits gets one of the new names at once.
      for (const id of ids) await slurm.run("scancel", String(id));
      const waits = await slurm.submit("-p htc -n 1 --mem=1G --no-requeue");
      await slurm.restart((conf) => conf.replaceAll("htc-[1-100]", "htc-[1-120]"));
      await untilAll(/^CONFIGURING/);
      await driven.pass();
      await untilAll(/^PENDING (?!None|BeginTime)/);
      await slurm.run("scontrol", "reconfigure");
      await driven.pass();
      expect(await details(waits)).toMatch(/JobState=PENDING/);
    } finally {
      await slurm.stop();
    }
  });

  test("a reservation for maintenance in five minutes: jobs that would run into it buy nothing before it is over", async () => {
    const slurm = await startSlurm({ conf: await confOfThePage() });
    try {
      const driven = new DrivenSlurm(slurm, {});
      await driven.pass();
      const reserve = (name: string, nodes: string) =>
        slurm.run(
          "scontrol",
          "create",
          "reservation",
          `ReservationName=${name}`,
          "StartTime=now+5minutes",
          "Duration=60",
          "Users=root",
          "Flags=maint",
          `Nodes=${nodes}`,
        );
      await reserve("all-htc", "htc-[1-100]");
      await reserve("some-hpc", "hpc-[1-8]");
      await slurm.submit("-p htc -n 1 --mem=1G -t 60");
      await slurm.submit("-p htc -n 1 --mem=1G -t 2");
      await slurm.submit("-p hpc -n 1 -t 60");
      const demand = async () => (await driven.pass()).jobs.map(({ name }) => name);
      expect(await demand()).toEqual(["2", "3"]);
      // Also when Slurm has looked at the jobs, and says why they wait: for the maintenance, or on a slow machine for nodes that are down.
      await driven.until(
        async () => !(await slurm.run("squeue", "--noheader", "--format=%r")).includes("None"),
      );
      expect(await demand()).toEqual(["2", "3"]);
      const { jobs } = await driven.pass();
      expect(jobs.find(({ name }) => name === "3")?.notes?.[0]).toContain("excludes hpc-1, hpc-2");
      await slurm.run("scontrol", "delete", "ReservationName=all-htc");
      await driven.until(async () => (await demand()).includes("1"));
      expect(await demand()).toEqual(["1", "2", "3"]);
    } finally {
      await slurm.stop();
    }
  });

  test(`${waitingJobs} waiting jobs and an array of ${arrayTasks} tasks are all read in one pass`, async () => {
    const slurm = await startSlurm({ conf: await confOfThePage() });
    try {
      const driven = new DrivenSlurm(slurm, {});
      await driven.pass();
      await slurm.submit(`-p htc --array=1-${arrayTasks} -c 2 --mem=2G`);
      const submit = "sbatch -p hpc -n 4 --mem-per-cpu=1G --output=/dev/null --wrap true";
      await slurm.run("sh", "-c", `seq ${waitingJobs} | xargs -P 8 -n 1 sh -c '${submit}'`);

      const read = await driven.pass();
      expect(read.jobs).toHaveLength(waitingJobs + 1);
      expect(read.jobs.find(({ name }) => name.endsWith("_*"))?.iterations).toBe(arrayTasks);
      expect(read.setAside).toEqual([]);
    } finally {
      await slurm.stop();
    }
  });
});
