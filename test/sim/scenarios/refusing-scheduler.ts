import type { Scenario, Stage } from "../scenario.ts";
import { arrayOf, needOf, range, slotsJob, smallCluster, steadyJobs } from "./cluster.ts";

/** Longer than it takes to be noticed and to idle, whatever else goes wrong; nodes stay while a message lies unread. */
const longestUpSeconds = 1_500;
const lookSeconds = 30;
/** A node each, the same again half an hour later, and one more for each: a fault may cost one. */
const mostBought = (jobs: number) => 3 * jobs;
/** Long enough for a second try. */
const refusedSeconds = 2_400;

/**
 * A scheduler that counts nodes otherwise than we do: some jobs have room on nodes that are up, and it does not start them.
 * They have a node array of their own, so that its nodes are theirs.
 */
export const refusingScheduler: Scenario = {
  name: "refusing-scheduler",
  about: "jobs that their scheduler does not start on idle nodes with room, until somebody corrects it",
  draw: (chance) => {
    const refused = range(chance.whole(1, 4)).map((index) =>
      slotsJob(`refused-${index}`, {
        submitSeconds: chance.between(0, 200),
        runSeconds: chance.between(20, 200),
        need: needOf({ nodeArrays: ["odd"] }),
      }),
    );
    const others = steadyJobs(chance, 8).map((job) => ({ ...job, need: needOf({ nodeArrays: ["htc"] }) }));
    const names = new Set(refused.map(({ name }) => name));
    const upSeconds = new Map<string, number>();
    const everSeen = new Set<string>();
    return {
      drains: true,
      clusters: [
        {
          definition: smallCluster("hpc", { nodearrays: [arrayOf("htc"), arrayOf("odd")] }),
          jobs: [...refused, ...others],
          refusesJobs: true,
        },
      ],
      happenings: [
        {
          atSeconds: 0,
          what: "the scheduler refuses some jobs",
          happens: (stage) => stage.source("hpc").scheduler.refuse((name) => names.has(name)),
        },
        ...range(Math.floor(refusedSeconds / lookSeconds) - 1).map((index) => ({
          atSeconds: (index + 1) * lookSeconds,
          what: "somebody counts the nodes of refused jobs",
          happens: (stage: Stage) => {
            const { cloud, demandQueue } = stage;
            const isRead = demandQueue.waiting === 0;
            const own = cloud
              .nodes("hpc")
              .filter(({ nodeArray, isWanted }) => nodeArray === "odd" && isWanted);
            for (const { nodeId, status } of own) {
              everSeen.add(nodeId);
              const seconds = (upSeconds.get(nodeId) ?? 0) + (status === "Ready" && isRead ? lookSeconds : 0);
              upSeconds.set(nodeId, seconds);
              if (seconds > longestUpSeconds)
                stage.violate(`${nodeId} is up for a job that its scheduler does not start`);
            }
            if (everSeen.size > mostBought(refused.length))
              stage.violate(
                `${everSeen.size} nodes for ${refused.length} jobs that their scheduler does not start`,
              );
          },
        })),
        {
          atSeconds: refusedSeconds,
          what: "the scheduler is corrected",
          happens: (stage) => stage.source("hpc").scheduler.refuse(() => false),
        },
      ],
      troubleSeconds: refusedSeconds,
    };
  },
};
