import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endedRuns, predictor, withRuns } from "../../../../shared/cycle/demand/run-times.ts";
import type { DemandJob } from "../../../../shared/messages/index.ts";
import type { RunTime } from "../../../../shared/ports/index.ts";
import { createWorld } from "../../../support/world.ts";

const job = (fields: Partial<DemandJob>): DemandJob => ({
  name: "1",
  constraints: [],
  iterations: 1,
  nodeCount: 0,
  colocated: false,
  exclusive: false,
  executingHostnames: [],
  priority: 0,
  ...fields,
});

const user = fc.constantFrom(null, "ada", "bob", "");
const jobName = fc.constantFrom("mesh", "solve", "a b", '["x"]');
const run = fc.record({ user, jobName, seconds: fc.integer({ min: 1, max: 100_000 }) });
const runs = fc.array(run, { maxLength: 40 });

describe("what is remembered of runs", () => {
  test("the last two of each user and name, whatever came in between, and however it came in parts", () => {
    fc.assert(
      fc.property(runs, fc.nat(40), (all, cut) => {
        const known = withRuns(withRuns([], all.slice(0, cut)), all.slice(cut));
        for (const { user, jobName, lastSeconds } of known) {
          const own = all.filter((each) => each.user === user && each.jobName === jobName);
          expect(lastSeconds).toEqual(
            own
              .slice(-2)
              .map(({ seconds }) => seconds)
              .reverse(),
          );
        }
        const names = new Set(all.map((each) => JSON.stringify([each.user, each.jobName])));
        expect(known).toHaveLength(names.size);
      }),
    );
  });

  test("at most a thousand names, of which those go that ended first", () => {
    const all = Array.from({ length: 3_000 }, (_, index) => ({
      user: null,
      jobName: `${index}`,
      seconds: 1,
    }));
    const known = withRuns(withRuns([], all), [{ user: null, jobName: "2500", seconds: 2 }]);
    expect(known).toHaveLength(1_000);
    expect(known.at(0)?.jobName).toBe("2000");
    expect(known.at(-1)).toEqual({ user: null, jobName: "2500", lastSeconds: [2, 1] });
  });
});

test("a job that ran and is gone ran until the later message was sent", () => {
  const ran = job({ jobName: "mesh", startedAtSeconds: 100, executingHostnames: ["a"] });
  const demand = { cluster: "hpc", source: "pbs", sequence: 1, nodes: [], ignoredMessages: 0 };
  const before = { ...demand, receivedAtSeconds: 0, expiresAtSeconds: 400, jobs: [ran] };
  const after = { jobs: [], sentAtSeconds: 160, receivedAtSeconds: 161 };
  expect(endedRuns(before, after, [])).toEqual([{ user: null, jobName: "mesh", seconds: 60 }]);
  expect(endedRuns(before, { ...after, jobs: [ran] }, [])).toEqual([]);
  expect(endedRuns(before, { ...after, receivedAtSeconds: 400 }, [])).toEqual([]);
  expect(endedRuns(before, { ...after, receivedAtSeconds: 399 }, [])).toHaveLength(1);
  const { jobName: _, ...nameless } = ran;
  const { startedAtSeconds: __, ...unstarted } = ran;
  for (const untimed of [nameless, unstarted, { ...ran, executingHostnames: [] }])
    expect(endedRuns({ ...before, jobs: [untimed] }, after, [])).toEqual([]);
});

describe("what is predicted", () => {
  test("is between the last two runs, and never more than the limit", () => {
    fc.assert(
      fc.property(
        runs,
        user,
        fc.option(jobName),
        fc.option(fc.integer({ min: 1, max: 100_000 })),
        (...drawn) => {
          const [all, owner, called, limit] = drawn;
          const asked = job({
            ...(owner === null ? {} : { user: owner }),
            ...(called === null ? {} : { jobName: called }),
            ...(limit === null ? {} : { runtimeSeconds: limit }),
          });
          const predicted = predictor({ runTimes: withRuns([], all) })(asked);
          const own = all.filter((each) => each.user === owner && each.jobName === called).slice(-2);
          if (own.length < 2) {
            expect(predicted).toBeUndefined();
            return;
          }
          const seconds = own.map((each) => each.seconds);
          const most = limit ?? Number.POSITIVE_INFINITY;
          expect(predicted).toBeLessThanOrEqual(Math.min(Math.max(...seconds), most));
          expect(predicted).toBeGreaterThanOrEqual(Math.min(Math.min(...seconds), most));
        },
      ),
    );
  });

  const twice: readonly RunTime[] = [{ user: "ada", jobName: "mesh", lastSeconds: [100, 300] }];

  test("is nothing for a job that has run for longer already", () => {
    const predict = predictor({ runTimes: twice, sentAtSeconds: 1_000 });
    const named = { user: "ada", jobName: "mesh" };
    expect(predict(job({ ...named, startedAtSeconds: 900 }))).toBe(200);
    expect(predict(job({ ...named, startedAtSeconds: 800 }))).toBeUndefined();
  });

  test("is nothing for another user, or without a name", () => {
    const predict = predictor({ runTimes: twice });
    for (const other of [{ jobName: "mesh" }, { user: "bob", jobName: "mesh" }, { user: "ada" }])
      expect(predict(job(other))).toBeUndefined();
  });
});

/** A source whose jobs of the given names run since a minute after the world began. */
async function worldOf() {
  const world = createWorld();
  const startedAtSeconds = world.now();
  const post = (names: readonly string[], more: readonly Record<string, unknown>[] = [], fields = {}) =>
    world.post(
      [
        ...names.map((name) => ({
          name,
          constraints: { ncpus: 1 },
          executingHostnames: ["ip-1"],
          user: "ada",
          jobName: "mesh",
          startedAtSeconds,
        })),
        ...more,
      ],
      fields,
    );
  const learned = async () => (await world.ports.demand.load("hpc", "celery"))?.value.runTimes;
  await post(["1", "2", "3"]);
  return { world, post, learned };
}

describe("learning from demand", () => {
  test("a job that is gone ran from its start until the message that lacks it", async () => {
    const { world, post, learned } = await worldOf();
    await post(["1", "2", "3", "ends at once"]);
    await post(["1", "2", "3"]);
    expect(await learned()).toBeUndefined();
    world.advance(60);
    await post(["2", "3"]);
    expect(await learned()).toEqual([{ user: "ada", jobName: "mesh", lastSeconds: [60] }]);
    world.advance(40);
    await post([], [{ name: "9", executingHostnames: ["ip-1"] }]);
    world.advance(1);
    await post([], [{ name: "10" }]);
    expect(await learned()).toEqual([{ user: "ada", jobName: "mesh", lastSeconds: [100, 100] }]);
  });

  test("a delta that removes it tells the same", async () => {
    const { world, post, learned } = await worldOf();
    world.advance(60);
    await post([], [], { kind: "delta", remove: ["1"] });
    expect(await learned()).toEqual([{ user: "ada", jobName: "mesh", lastSeconds: [60] }]);
  });

  test("nothing is learned of one that waits again, is set aside, or came and went while its source was silent", async () => {
    const waits = { name: "1", user: "ada", jobName: "mesh" };
    const aside = { name: "1", iterations: -1 };
    for (const more of [waits, aside]) {
      const { world, post, learned } = await worldOf();
      world.advance(60);
      await post(["2", "3"], [more]);
      expect(await learned()).toBeUndefined();
    }
    const { world, post, learned } = await worldOf();
    world.advance(300);
    await post([]);
    expect(await learned()).toBeUndefined();
  });

  test("nor while a job is set aside that has no name: it may be any", async () => {
    const { world, post, learned } = await worldOf();
    world.advance(60);
    await post(["2"], [{ name: { first: 1 }, iterations: 1 }]);
    expect(await learned()).toBeUndefined();
  });

  test("plans count with it, unless it is switched off", async () => {
    for (const predictsRunTimes of [true, false]) {
      const { world, post } = await worldOf();
      world.configure({ cycle: { predictsRunTimes } });
      const limited = { constraints: { ncpus: 1 }, user: "ada", runtimeSeconds: 3_600 };
      world.advance(60);
      await post(
        ["3"],
        [
          { ...limited, name: "8", jobName: "mesh" },
          { ...limited, name: "9" },
        ],
      );
      await world.round();
      const [newest] = await world.ports.plans.list("hpc", 1);
      const archived = await world.ports.plans.load("hpc", newest?.planId ?? "");
      const planned = archived?.archive === "whole" ? archived.input.jobs : [];
      const seconds = Object.fromEntries(planned.map(({ name, runtimeSeconds }) => [name, runtimeSeconds]));
      expect(seconds).toEqual({ 3: null, 8: predictsRunTimes ? 60 : 3_600, 9: 3_600 });
    }
  });
});
