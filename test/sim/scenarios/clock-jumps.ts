import type { Happening, Scenario } from "../scenario.ts";
import { range, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** Machines whose clocks are ahead or behind, and jump when they are set right. */
export const clockJumps: Scenario = {
  name: "clock-jumps",
  about: "clocks of machines up to two minutes wrong, set anew now and then",
  draw: (chance) => {
    const furthest = chance.pick([1, 10, 120]);
    const jumps = range(chance.whole(1, 8)).map(() => {
      const which = chance.whole(0, 2);
      const offset = chance.between(-furthest, furthest);
      return { atSeconds: chance.between(0, troubleSeconds), which, offset };
    });
    const right = range(3).map((which) => ({ atSeconds: troubleSeconds, which, offset: 0 }));
    const happenings = [...jumps, ...right].map(
      ({ atSeconds, which, offset }): Happening => ({
        atSeconds,
        what: `clock ${which + 1} is off by ${Math.round(offset)} s`,
        happens: ({ fleet }) => {
          const machine = fleet.machines[which];
          if (machine !== undefined) machine.clockOffsetSeconds = offset;
        },
      }),
    );
    const jobs = steadyJobs(chance, 12);
    return { clusters: [{ definition: smallCluster("hpc"), jobs }], happenings, troubleSeconds };
  },
};
