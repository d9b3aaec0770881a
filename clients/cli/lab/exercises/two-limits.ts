import { type Exercise, type Finding, runs } from "./exercise.ts";

const array = "htc";
const job = "ex5-wide";
const cores = 80;
const family = "standardFSv2Family";

/** Two limits, one behind the other: raising the first alone helps hardly anything. */
export const twoLimits: Exercise = {
  title: "The limit was raised, and it still waits",
  story:
    'Somebody raised the core limit of htc for "ex5-wide" last week, a little. It still does not run in full, and its owner asks what else you need from whom.',
  needs: [array],
  jobs: [
    {
      name: job,
      runSeconds: 14_400,
      constraints: { ncpus: 4, "node.nodearray": array },
      iterations: cores / 4,
    },
  ],
  breakIt: async (panel) => {
    await panel.tell("limits", { cluster: panel.cluster, nodearray: array, maxCoreCount: 32 });
    await panel.tell("quota", { cluster: panel.cluster, families: { [family]: 48 } });
  },
  hints: [
    '"ccscale explain ex5-wide" names the limit that binds, and the one that binds once that is raised.',
    '"ccscale limits" lists every limit with what is used and left.',
    `Ask for both at once: "ccscale lab limit htc --max-cores 160" (CycleCloud) and "ccscale lab quota --family ${family}=320" (Azure).`,
  ],
  check: async ({ cluster }) => {
    const most = cluster.nodeArrays.find(({ name }) => name === array)?.maxCoreCount ?? 0;
    const quota = cluster.quotas.find((each) => each.quota === family);
    const limit: Finding = {
      isMet: most >= cores,
      text: `MaxCoreCount of ${array} is ${most}, the job needs ${cores}.`,
    };
    const granted: Finding = {
      isMet: quota === undefined || quota.is >= cores,
      text:
        quota === undefined
          ? `The quota of ${family} is what it was.`
          : `The quota of ${family} is ${quota.is}, the job needs ${cores}.`,
    };
    return [limit, granted, runs(cluster, job)];
  },
};
