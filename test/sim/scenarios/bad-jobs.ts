import type { Chance } from "../chance.ts";
import type { Scenario } from "../scenario.ts";
import type { Body, Spoilt } from "../source.ts";
import { forAWhile, nowAndThen, range, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

const cluster = "hpc";

/** Mistakes in jobs: of users in what they submit, of what posts it. Where they run can be told all the same. */
const badJobs: readonly [(job: Body) => unknown, ...((job: Body) => unknown)[]] = [
  (job) => ({ ...job, priority: "high" }),
  (job) => ({ ...job, iterations: -1 }),
  (job) => ({ ...job, constraints: "4 | 8" }),
  (job) => ({ ...job, submittedAt: "yesterday" }),
  (job) => ({ ...job, "node-count": [2] }),
  (job) => withHosts(job, hostsOf(job).join(", ")),
  (job) => ({ ...withHosts(job, hostsOf(job)[0] ?? null), executingHostnames: 5 }),
  (job) => ({ ...job, executingHostnames: [...hostsOf(job), ""] }),
  // These say nothing of where they run: no node may go meanwhile.
  (job) => ({ ...job, executingHostnames: [{ rack: 7 }] }),
];

/** In a delta, what is known of the job would count until the next snapshot, and buy a node too many now and then. */
const namelessJobs: typeof badJobs = [(job) => ({ ...job, name: "" }), () => null];

const badNodes: readonly [(node: Body) => unknown, ...((node: Body) => unknown)[]] = [
  (node) => ({ ...node, state: "asleep" }),
  (node) => ({ ...node, resources: [] }),
  () => ({ hostname: "" }),
];

const badEnvelopes: readonly [Body, ...Body[]] = [
  { version: 2 },
  { sequence: "next" },
  { sentAt: "soon" },
  { source: 5 },
  { jobs: { name: "a" } },
];

function hostsOf({ executingHostnames = [] }: Body): readonly string[] {
  return executingHostnames as readonly string[];
}

function withHosts({ executingHostnames: _, ...job }: Body, hosts: unknown): Body {
  return { ...job, "executing-host": hosts };
}

function spoiling(chance: Chance, share: number): (body: Body) => Spoilt {
  const perhaps = (items: unknown, change: (item: Body) => unknown) =>
    ((items ?? []) as readonly Body[]).map((item) => (chance.happens(share) ? change(item) : item));
  return (body) => {
    if (chance.happens(share / 2))
      return { body: { ...body, ...chance.pick(badEnvelopes) }, isRefused: true };
    const isNameless = body.kind === "snapshot" && chance.happens(0.2);
    const jobs = perhaps(body.jobs, chance.pick(isNameless ? namelessJobs : badJobs));
    const nodes = perhaps(body.nodes, chance.pick(badNodes));
    return { body: { ...body, jobs, nodes }, isRefused: false };
  };
}

/** Nothing that is posted, by whomever and however wrong, may cost a job its node. */
export const badJobsScenario: Scenario = {
  name: "bad-jobs",
  about: "jobs, nodes and messages that do not check out, while jobs come, run and go",
  draw: (chance) => {
    const share = chance.pick([0.1, 0.4, 0.9]);
    const jobs = range(chance.whole(3, 10)).map((index) =>
      // Odd, and right all the same.
      slotsJob(chance.happens(0.3) ? `job-${index}|/\u202e🚀\n` : `job-${index}`, {
        submitSeconds: chance.between(0, troubleSeconds * 0.8),
        runSeconds: chance.between(60, 900),
        slots: chance.whole(1, 3),
      }),
    );
    const happenings = [
      ...forAWhile(
        chance,
        {
          what: "messages are spoilt",
          happens: (stage) => {
            stage.source(cluster).spoil = spoiling(stage.chance, share);
          },
        },
        {
          what: "messages are right again",
          happens: (stage) => {
            stage.source(cluster).spoil = undefined;
          },
        },
      ),
      ...nowAndThen(chance, 3, {
        what: "a stranger posts",
        happens: (stage) =>
          stage.putMangled({
            version: 1,
            kind: "snapshot",
            cluster,
            source: stage.chance.pick(["?", "stranger"]),
          }),
      }),
    ];
    return { clusters: [{ definition: smallCluster(cluster), jobs }], happenings, troubleSeconds };
  },
};
