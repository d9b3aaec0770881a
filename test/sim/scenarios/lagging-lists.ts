import type { Chance } from "../chance.ts";
import type { Happening, Scenario, Stage } from "../scenario.ts";
import { range, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

/** Less than the `node_list_lag` of the clusters, by the calls and snapshots that come in between. */
const mostLagSeconds = 100;

/**
 * CycleCloud's status, its list of nodes and its list of requests lag behind, each for itself and node by node, while answers
 * of creates are lost: what was bought shows late, in part, or is not known (a 409, then a 404).
 */
export const laggingLists: Scenario = {
  name: "lagging-lists",
  about: "lists that lag and are partial, requests that are not known yet, lost answers",
  draw: (chance) => {
    const config = { node_list_lag: 120 };
    const jobs = range(chance.whole(1, 4)).flatMap((wave) => {
      const startsAt = wave * chance.between(100, 400);
      return range(chance.whole(1, 4)).map((index) =>
        slotsJob(`wave-${wave}-${index}`, {
          submitSeconds: startsAt + chance.between(0, 20),
          runSeconds: chance.between(60, 400),
          slots: chance.whole(1, 6),
        }),
      );
    });
    return {
      clusters: [{ definition: smallCluster("hpc"), config, jobs }],
      happenings: weather(chance),
      weights: { "cyclecloud.create": 30 },
      troubleSeconds,
    };
  },
};

/** From the start, changed now and then, and over with the trouble. */
function weather(chance: Chance): readonly Happening[] {
  const most = () => (chance.happens(0.2) ? 0 : chance.between(mostLagSeconds / 2, mostLagSeconds));
  const changes = range(chance.whole(1, 3)).map((index) => {
    const lag = { statusSeconds: most(), nodesSeconds: most(), requestSeconds: most() };
    return {
      atSeconds: index === 0 ? 0 : chance.between(1, troubleSeconds),
      what: `lists lag by up to ${JSON.stringify(lag)}`,
      happens: ({ cloud }: Stage) => cloud.control.lag({ cluster: "hpc", ...lag }),
    };
  });
  return [
    ...changes,
    {
      atSeconds: troubleSeconds,
      what: "lists do not lag any more",
      happens: ({ cloud }) => cloud.control.lag({ cluster: "hpc" }),
    },
  ];
}
