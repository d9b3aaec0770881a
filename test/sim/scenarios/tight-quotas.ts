import type { Happening, Scenario } from "../scenario.ts";
import { arrayOf, nowAndThen, range, region, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

/** Both are of one family, and draw on one quota. */
const sizes: [string, ...string[]] = ["Standard_F4s_v2", "Standard_F8s_v2"];
const family = "standardFSv2Family";

/** Several arrays draw on one family quota, which is small, and changes. */
export const tightQuotas: Scenario = {
  name: "tight-quotas",
  about: "arrays and sizes that share a small family quota, with nodes always on order",
  draw: (chance) => {
    // Residents hold two nodes, and somebody else has to get through.
    const cores = chance.whole(4, 8) * 4;
    const jobs = range(chance.whole(4, 20)).map((index) =>
      slotsJob(`job-${index}`, {
        slots: chance.whole(1, 3),
        submitSeconds: chance.between(0, troubleSeconds * 0.8),
        runSeconds: chance.between(30, 400),
      }),
    );
    const definition = smallCluster("hpc", {
      quotaLagSeconds: chance.pick([0, 30, 120]),
      quotas: { [region]: { cores: cores + chance.pick([4, 8, 400]), families: { [family]: cores } } },
      nodearrays: [
        arrayOf("first", { maxCount: chance.whole(2, 6) }),
        arrayOf("second", { machineTypes: chance.pick([sizes, sizes.toReversed()]) }),
      ],
    });
    const cuts = nowAndThen(chance, 4, {
      what: "another family quota",
      happens: ({ cloud, chance: draw }) =>
        cloud.control.quota({ cluster: "hpc", region, families: { [family]: draw.whole(1, 8) * 4 } }),
    });
    return { clusters: [{ definition, jobs }], happenings: [...cuts, back(cores)], troubleSeconds };
  },
};

function back(cores: number): Happening {
  return {
    atSeconds: troubleSeconds,
    what: "the first family quota again",
    happens: ({ cloud }) => cloud.control.quota({ cluster: "hpc", region, families: { [family]: cores } }),
  };
}
