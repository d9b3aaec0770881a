import type { Scenario } from "../scenario.ts";
import { range, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

/** Short jobs that come one by one, about as far apart as a node may be idle: each may start on a node that is about to go. */
export const trickle: Scenario = {
  name: "trickle",
  about: "jobs that come just when the node of the last one has been idle for too long",
  draw: (chance) => {
    const idle = chance.pick([
      { idle_timeout: 30 },
      { idle_timeout: 60 },
      { idle_timeout: "auto", idle_timeout_most: 120 },
    ]);
    const config = { ...idle, drain_timeout: chance.pick([60, 300, 900]) };
    const rhythm = (idle.idle_timeout === "auto" ? 80 : Number(idle.idle_timeout)) + 40;
    const jobs = range(chance.whole(10, Math.floor(troubleSeconds / rhythm))).map((index) =>
      slotsJob(`job-${index}`, {
        submitSeconds: 200 + index * rhythm + chance.between(-20, 40),
        runSeconds: chance.between(10, 30),
        slots: chance.whole(1, 3),
      }),
    );
    return { clusters: [{ definition: smallCluster("hpc"), config, jobs }], happenings: [], troubleSeconds };
  },
};
