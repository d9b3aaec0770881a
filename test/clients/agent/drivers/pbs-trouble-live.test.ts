import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NodeEvent, SchedulerNode } from "../../../../clients/agent/drivers/driver.ts";
import { pbs as kind } from "../../../../clients/agent/drivers/pbs/pbs.ts";
import { type OpenPbs, openPbsIsMissing, startOpenPbs } from "../../../support/machines/openpbs.ts";
import { Driven, type Known } from "./driven.ts";

const describeHere = openPbsIsMissing === undefined ? describe : describe.skip;
const reason = openPbsIsMissing === undefined ? "" : ` (skipped: ${openPbsIsMissing})`;

const nodeOf = (hostname: string, name: string): NodeEvent["nodes"][number] => ({
  hostname,
  name,
  nodeId: `id-of-${name}`,
  nodeArray: "htc",
  vmSize: "Standard_F2s_v2",
  placementGroup: null,
});
const busy = nodeOf("ip-0a010001", "htc-1");
const idle = nodeOf("ip-0a010002", "htc-2");
/** The first node, as it is called after a restart with another address. */
const renamed = { ...busy, hostname: "ip-0a010003" };

const stateOf = ({ nodes }: Known, { hostname }: { readonly hostname: string }) =>
  nodes.find((node) => node.hostname === hostname)?.state;
const hostsOf = ({ jobs }: Known, id: string) =>
  jobs.find(({ name }) => name === id.split(".")[0])?.executingHostnames;
const waiting = ({ jobs }: Known) =>
  jobs.filter(({ executingHostnames }) => executingHostnames === undefined);

describeHere(`a real OpenPBS in trouble${reason}`, { timeout: 300_000 }, () => {
  let server: OpenPbs;
  let driven: Driven;
  let job: string;

  beforeAll(async () => {
    server = await startOpenPbs();
    driven = new Driven(kind, { node_arrays: { htc: { resources: { ncpus: 2 } } } }, server.run);
    await driven.pass();
    await server.bootNode(busy.hostname, "10.1.0.1");
    await server.bootNode(idle.hostname, "10.1.0.2");
    await driven.send("node-joined", [busy, idle]);
    job = await server.submit(["-l", `select=1:ncpus=1:host=${busy.hostname}`, "-r", "y"], "ann", 3_000);
    await driven.until((reading) => hostsOf(reading, job) !== undefined && reading.nodes.length === 2);
  }, 300_000);
  afterAll(() => server?.stop());

  test("the server is away: unknown; it is back: as before, and nothing is to be done", async () => {
    const before = await driven.pass();
    await server.kill();
    for (let look = 0; look < 3; look++)
      expect(await driven.look()).toMatchObject({
        known: false,
        reason: expect.stringMatching(/^Cannot run|Command failed/),
      });
    await server.restart();
    const after = await driven.until(
      ({ nodes }) => nodes.every(({ state }) => state === "up") && nodes.length === 2,
    );
    // PBS may have started the job again.
    const withoutStart = ({ jobs }: Known) => jobs.map(({ startedAtSeconds: _, ...rest }) => rest);
    expect(withoutStart(after)).toEqual(withoutStart(before));
    expect(after.nodes).toEqual(before.nodes);
    expect(after.corrections).toEqual([]);
  });

  test("an offline stays whose it is when the server starts again and has lost all comments", async () => {
    const offline = async (isSo: (node: SchedulerNode | undefined) => boolean) => {
      const reading = await driven.until(({ nodes }) =>
        isSo(nodes.find(({ hostname }) => hostname === idle.hostname)),
      );
      expect(reading.corrections).toEqual([]);
    };
    const again = async () => {
      await server.kill();
      await server.restart();
    };
    await server.run("pbsnodes", "-o", "-C", "disk is broken", idle.hostname);
    const isTheirs = (node: SchedulerNode | undefined) =>
      node?.state === "drained" && node.isOutByOthers === true && node.stateReason === "disk is broken";
    await offline(isTheirs);
    await driven.send("drain", [idle]);
    await driven.send("undrain", [idle]);
    await again();
    await offline(isTheirs);
    await server.run("pbsnodes", "-r", "-C", "", idle.hostname);
    await driven.until((each) => stateOf(each, idle) === "up");
    await driven.send("drain", [idle]);
    await again();
    await offline((node) => node?.state === "drained" && node.isOutByOthers === undefined);
    await driven.send("undrain", [idle]);
    await driven.until((each) => stateOf(each, idle) === "up");
  });

  test("a machine dies with its job: the job keeps it, it is not drained, and its job is not demand a second time", async () => {
    server.network.switchOff(busy.hostname);
    const reading = await driven.until(({ silent }) => silent.includes(busy.hostname));
    expect(hostsOf(reading, job)).toEqual([busy.hostname]);
    expect(waiting(reading)).toEqual([]);
    expect(stateOf(reading, busy)).not.toBe("drained");
    expect(stateOf(reading, idle)).toBe("up");
  });

  test("it comes back under another name: the new one takes jobs, the old one is deleted once its job has left it", async () => {
    await server.bootNode(renamed.hostname, "10.1.0.3");
    // As the service tells it.
    await driven.send("node-deleted", [busy]);
    await driven.send("node-joined", [renamed]);
    const reading = await driven.until((each) => stateOf(each, renamed) === "up");
    expect(stateOf(reading, busy)).toBeUndefined();
    expect(hostsOf(reading, job)).toEqual([busy.hostname]);
    expect(waiting(reading)).toEqual([]);
    await server.run("qdel", "-W", "force", job);
    const next = await server.submit(["-l", `select=1:ncpus=1:host=${renamed.hostname}`], "ann", 3_000);
    const after = await driven.until(
      (each) => hostsOf(each, next) !== undefined && each.corrections.length === 0,
    );
    expect(hostsOf(after, next)).toEqual([renamed.hostname]);
    expect(await server.run("pbsnodes", "-a", "-F", "json")).not.toContain(busy.hostname);
    // Late news of the old name is none of the new one.
    await driven.send("node-deleted", [busy]);
    expect(stateOf(await driven.pass(), renamed)).toBe("up");
  });
});
