import type { Scenario } from "../scenario.ts";
import { range, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

/** Many jobs at once, nothing for a while, and many again. */
export const burst: Scenario = {
  name: "burst",
  about: "waves of jobs, with time in between for nodes to go idle",
  draw: (chance) => {
    const jobs = range(chance.whole(1, 4)).flatMap((wave) => {
      const startsAt = wave * chance.between(150, 500);
      return range(chance.whole(2, 12)).map((index) =>
        slotsJob(`wave-${wave}-${index}`, {
          submitSeconds: startsAt + chance.between(0, 10),
          runSeconds: chance.between(20, 300),
        }),
      );
    });
    return { clusters: [{ definition: smallCluster("hpc"), jobs }], happenings: [], troubleSeconds };
  },
};
