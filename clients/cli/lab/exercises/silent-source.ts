import { type Exercise, finding, runs } from "./exercise.ts";

const job = "ex3-late";

/** The agent beside the scheduler has stopped. The service cannot know of jobs that came since. */
export const silentSource: Exercise = {
  title: "The service knows nothing of a job",
  story:
    'A user shows you "squeue" on the scheduler host ("ccscale lab queue" here): "ex3-late" is there and waits. "ccscale jobs" does not list it.',
  needs: ["htc"],
  before: [
    {
      name: "ex3-early",
      runSeconds: 7_200,
      constraints: { ncpus: 4, "node.nodearray": "htc" },
      iterations: 2,
    },
  ],
  jobs: [{ name: job, runSeconds: 3_600, constraints: { ncpus: 4, "node.nodearray": "htc" }, iterations: 4 }],
  breakIt: (panel) => panel.tell("silence", { cluster: panel.cluster, on: true }),
  hints: [
    'When did the scheduler last post? "ccscale status" lists the sources under Demand, and says so when one is silent (after demand_ttl: a minute here).',
    "On the scheduler host you would look at the agent: systemctl status ccscale-agent. It has stopped.",
    'Start it: "ccscale lab silence --off" is systemctl start ccscale-agent here.',
  ],
  check: async ({ cluster, service }) => {
    const { demand } = await service.ask("status");
    const name = cluster.scheduler.report?.source ?? "none";
    const source = demand.find((each) => each.source === name);
    const posts = source !== undefined && !source.expired && !cluster.scheduler.isSilent;
    return [finding(posts, `Source "${name}" posts.`, `Source "${name}" posts nothing.`), runs(cluster, job)];
  },
};
