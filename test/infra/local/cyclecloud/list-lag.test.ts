import { afterEach, beforeEach, expect, test } from "vitest";
import { ask, type Rig, startRig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

const count = 10;
const create = (requestId: string) =>
  rig.post("/clusters/lab/nodes/create", { requestId, sets: [{ nodearray: "htc", count }] });
const inStatus = async () => (await rig.get("/clusters/lab/status?nodes=true")).body.nodes.length;
const inList = async () => (await rig.get("/clusters/lab/nodes")).body.nodes.length;
const ofRequest = (requestId: string) => rig.get(`/clusters/lab/nodes?request_id=${requestId}`);

/** What a list shows every ten seconds for a minute and a half. */
async function grown(read: () => Promise<number>): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let at = 0; at < 90; at += 10) {
    seen.push(await read());
    rig.clock.advance(10);
  }
  return seen;
}

test("the status shows nodes one by one, each once and for all; the node list shows them at once", async () => {
  rig.control.lag({ cluster: "lab", statusSeconds: 60 });
  await create("r1");
  expect(await inList()).toBe(count);
  const { activeCount, activeNodes } = await rig.bucket("htc");
  expect([activeCount, activeNodes.length]).toEqual([count, 0]);
  const seen = await grown(inStatus);
  expect(seen[0]).toBe(0);
  expect(seen.some((nodes) => nodes > 0 && nodes < count)).toBe(true);
  expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
  expect(seen.at(6)).toBe(count);
});

test("the list of a request is partial as well, and lags for itself", async () => {
  rig.control.lag({ cluster: "lab", nodesSeconds: 60 });
  await create("r1");
  expect(await inStatus()).toBe(count);
  const seen = await grown(async () => (await ofRequest("r1")).body.nodes.length);
  expect(seen.some((nodes) => nodes > 0 && nodes < count)).toBe(true);
  expect(seen.at(6)).toBe(count);
});

test("a request is not known for a while, and refused at once when it is sent again", async () => {
  rig.control.lag({ cluster: "lab", requestSeconds: 60 });
  const { operationId } = (await create("r1")).body;
  expect((await create("r1")).status).toBe(409);
  expect((await ofRequest("r1")).status).toBe(404);
  expect((await rig.get("/operations/?request_id=r1")).body).toEqual([]);
  expect((await rig.get(`/operations/${operationId}`)).status).toBe(404);
  expect((await rig.get("/operations")).body).toEqual([]);
  rig.clock.advance(60);
  expect((await ofRequest("r1")).body.nodes).toHaveLength(count);
  expect((await rig.get("/operations/?request_id=r1")).body).toHaveLength(1);
  expect((await rig.get(`/operations/${operationId}`)).status).toBe(200);
});

test("over HTTP; what was made before lags as it did, what is made from then on does not", async () => {
  const path = `${rig.url}/_control/lag`;
  const lag = (body: unknown) => ask(path, { method: "POST", body: JSON.stringify(body) }, ":");
  expect((await lag({ cluster: "lab", statusSeconds: 1e6 })).status).toBe(200);
  await rig.create("htc", 3);
  rig.clock.advance(1);
  await lag({ cluster: "lab" });
  await rig.create("tight", 2);
  expect(await inStatus()).toBe(2);
  expect((await lag({ cluster: "lab", statusSeconds: -1 })).status).toBe(400);
});

test("the same seed lags the same", async () => {
  const other = await startRig();
  try {
    for (const each of [rig, other]) {
      each.control.lag({ cluster: "lab", nodesSeconds: 60 });
      await each.create("htc", count);
      each.clock.advance(30);
    }
    const [names, others] = await Promise.all([rig, other].map((each) => each.get("/clusters/lab/nodes")));
    expect(names?.body.nodes.length).toBeLessThan(count);
    expect(names?.body.nodes.map(({ NodeId }: { NodeId: string }) => NodeId)).toEqual(
      others?.body.nodes.map(({ NodeId }: { NodeId: string }) => NodeId),
    );
  } finally {
    await other.stop();
  }
});
