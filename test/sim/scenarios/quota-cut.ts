import type { Happening, Scenario } from "../scenario.ts";
import { range, region, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

/** The quota shrinks while nodes are being created, and grows again. */
export const quotaCut: Scenario = {
  name: "quota-cut",
  about: "less quota than the last snapshot promised, for a while",
  draw: (chance) => {
    const jobs = range(chance.whole(4, 16)).map((index) =>
      slotsJob(`job-${index}`, {
        submitSeconds: chance.between(0, 300),
        runSeconds: chance.between(60, 300),
      }),
    );
    // Moments at which nodes are being asked for.
    const cuts = range(chance.whole(1, 6)).map((): Happening => {
      const cores = chance.whole(1, 12) * 4;
      return {
        atSeconds: chance.between(0, 400),
        what: `quota of ${cores} cores`,
        happens: ({ cloud }) => cloud.control.quota({ cluster: "hpc", region, cores }),
      };
    });
    return {
      clusters: [{ definition: smallCluster("hpc"), jobs }],
      happenings: [...cuts, back],
      troubleSeconds,
    };
  },
};

const back: Happening = {
  atSeconds: troubleSeconds - 100,
  what: "the whole quota again",
  happens: ({ cloud }) => cloud.control.quota({ cluster: "hpc", region, cores: 400 }),
};
