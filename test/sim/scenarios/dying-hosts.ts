import type { Scenario } from "../scenario.ts";
import { range, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

/**
 * Jobs start on nodes that are about to go, their scheduler cannot drain, and many messages about them are hidden for
 * two minutes by the lease of a machine that died with them.
 */
export const dyingHosts: Scenario = {
  name: "dying-hosts",
  about:
    "machines die with messages in hand, while jobs start on nodes that have been idle for almost too long",
  draw: (chance) => {
    const idleSeconds = chance.pick([30, 60]);
    const rhythm = idleSeconds + 60;
    const jobs = range(chance.whole(8, Math.floor(troubleSeconds / rhythm))).map((index) =>
      slotsJob(`job-${index}`, {
        submitSeconds: 200 + index * rhythm + chance.between(-20, 20),
        runSeconds: chance.between(20, 90),
        slots: chance.whole(1, 3),
      }),
    );
    return {
      clusters: [{ definition: smallCluster("hpc"), config: { idle_timeout: idleSeconds }, jobs }],
      happenings: [],
      troubleSeconds,
      drains: false,
      weights: { "job-demand delivery": 12, "job-demand queue": 6 },
    };
  },
};
