import { describe, expect, test } from "vitest";
import { noteRefused } from "../../../../shared/cycle/demand/note-refused.ts";
import { ConflictError, UpstreamError } from "../../../../shared/errors/errors.ts";
import { cluster, createWorld } from "../../../support/world.ts";

const body = { cluster, source: "slurm", sequence: 7 };
const problems = ["jobs: none".padEnd(300, "!"), "a", "b", "c"];
const kept = ["jobs: none".padEnd(200, "!"), "a", "b"];

/** A store whose first saves fail, and what becomes of a refused message there. */
async function notedAfter(failures: number, error: Error) {
  const world = createWorld();
  await world.post([{ name: "1", constraints: { ncpus: 1 } }], {
    source: "slurm",
    sequence: 1,
    ttlSeconds: 400,
  });
  const { demand } = world.ports;
  let saves = 0;
  const save: typeof demand.save = async (...given) => {
    saves += 1;
    if (saves <= failures) throw error;
    return demand.save(...given);
  };
  const failing = { load: demand.load.bind(demand), save } as typeof demand;
  const noting = noteRefused({ ...world.ports, demand: failing }, { cluster, body, problems });
  return { noted: await noting.catch((thrown: unknown) => thrown), saves: () => saves, world };
}

describe("a refused message, recorded for its source", () => {
  const conflict = new ConflictError("demand of slurm");

  test("somebody else wrote the demand in between: it is read and written again", async () => {
    const { noted, saves, world } = await notedAfter(2, conflict);
    expect(noted).toBe("news");
    expect(saves()).toBe(3);
    const stored = await world.ports.demand.load(cluster, "slurm");
    expect(stored?.value.refused).toMatchObject({ sequence: 7, messages: 1, problems: kept });
  });

  test("after 20 conflicts in a row the conflict is thrown, for the queue to send the message again", async () => {
    const { noted, saves } = await notedAfter(20, conflict);
    expect(noted).toBe(conflict);
    expect(saves()).toBe(20);
  });

  test("the same again counts every five seconds at most, until it is forgotten after the time to live of its source", async () => {
    const { world } = await notedAfter(0, conflict);
    const sinceSeconds = world.now();
    const again = async (afterSeconds: number) => {
      world.advance(afterSeconds);
      return noteRefused(world.ports, { cluster, body: { ...body, sequence: 6 }, problems });
    };
    const refused = async () => (await world.ports.demand.load(cluster, "slurm"))?.value.refused;
    expect([await again(4), await again(1)]).toEqual(["nothing-new", "once-more"]);
    const counted = { sinceSeconds, untilSeconds: world.now() + 400, sequence: 7, messages: 2 };
    expect(await refused()).toMatchObject(counted);
    await again(400);
    expect(await refused()).toMatchObject({ sinceSeconds: world.now(), sequence: 6, messages: 1 });
  });

  test("one no newer than what counts is nothing new, until that has expired and its sender may start over", async () => {
    const { world } = await notedAfter(1, new UpstreamError("Cannot save the demand", { retryable: true }));
    const older = async (afterSeconds: number) => {
      world.advance(afterSeconds);
      return noteRefused(world.ports, { cluster, body: { ...body, sequence: 1 }, problems });
    };
    expect([await older(399), await older(1)]).toEqual(["nothing-new", "news"]);
  });

  test("another error is thrown at once", async () => {
    const error = new UpstreamError("Cannot save the demand", { retryable: true });
    const { noted, saves } = await notedAfter(1, error);
    expect(noted).toBe(error);
    expect(saves()).toBe(1);
  });
});
