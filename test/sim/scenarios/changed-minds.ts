import type { Happening, Scenario } from "../scenario.ts";
import { range, slotsJob, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** Long enough that a job which is cancelled leaves a node that still boots. */
const times = {
  boot: { minSeconds: 120, medianSeconds: 240, maxSeconds: 480 },
  terminate: { minSeconds: 10, medianSeconds: 25, maxSeconds: 60 },
};

/** Waves of jobs that people cancel while the nodes for them boot, beside jobs that they keep. */
export const changedMinds: Scenario = {
  name: "changed-minds",
  about: "jobs are cancelled while their nodes boot, and others come in their place",
  draw: (chance) => {
    const waves = range(chance.whole(2, 5)).map((wave) => {
      const submitSeconds = chance.between(0, troubleSeconds * 0.8);
      const jobs = range(chance.whole(1, 6)).map((index) =>
        slotsJob(`changed-${wave}-${index}`, { submitSeconds, runSeconds: chance.between(20, 300) }),
      );
      const cancelled: Happening = {
        atSeconds: submitSeconds + chance.between(15, 120),
        what: `the jobs of wave ${wave} are cancelled`,
        happens: (stage) =>
          stage.source("hpc").scheduler.cancel((name) => name.startsWith(`changed-${wave}-`)),
      };
      return { jobs, cancelled };
    });
    const jobs = [...steadyJobs(chance, 6), ...waves.flatMap((wave) => wave.jobs)];
    const happenings = waves.map(({ cancelled }) => cancelled);
    return { clusters: [{ definition: smallCluster("hpc", { times }), jobs }], happenings, troubleSeconds };
  },
};
