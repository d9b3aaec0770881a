import { type Exercise, type Finding, runs } from "./exercise.ts";

const array = "htc";
const job = "ex5-wide";
const cores = 80;
const family = "standardFSv2Family";
const raised = 32;
const granted = 48;

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
    await panel.tell("limits", { cluster: panel.cluster, nodearray: array, maxCoreCount: raised });
    await panel.tell("quota", { cluster: panel.cluster, families: { [family]: granted } });
  },
  // A plan by the limits of before would ask for more nodes than there may be, and the size would be backed off.
  isSeen: async (service) => {
    const { limits } = await service.ask("limits");
    return [raised, granted].every((cores) =>
      limits.some(({ unit, max }) => unit === "cores" && max === cores),
    );
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
    const grant: Finding = {
      isMet: quota === undefined || quota.is >= cores,
      text:
        quota === undefined
          ? `The quota of ${family} is what it was.`
          : `The quota of ${family} is ${quota.is}, the job needs ${cores}.`,
    };
    return [limit, grant, runs(cluster, job)];
  },
};
