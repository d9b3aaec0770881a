import type { Happening, Scenario } from "../scenario.ts";
import { range, slotsJob, smallCluster } from "./cluster.ts";

const hour = 3600;

/** The scheduler's agent says nothing for an hour, and then goes on as if nothing had been. */
export const silentScheduler: Scenario = {
  name: "silent-scheduler",
  about: "no demand for an hour, longer than its time to live, while jobs run and wait",
  draw: (chance) => {
    const from = chance.between(30, 600);
    const jobs = range(chance.whole(3, 10)).map((index) =>
      slotsJob(`job-${index}`, {
        submitSeconds: chance.between(0, from + hour),
        runSeconds: chance.between(60, 900),
      }),
    );
    const happenings = [
      { atSeconds: from, what: "the scheduler falls silent", isSilent: true },
      { atSeconds: from + hour, what: "the scheduler speaks again", isSilent: false },
    ].map(
      ({ isSilent, ...when }): Happening => ({
        ...when,
        happens: (stage) => {
          stage.source("hpc").isSilent = isSilent;
        },
      }),
    );
    const definition = smallCluster("hpc");
    return { clusters: [{ definition, jobs }], happenings, troubleSeconds: from + hour + 300 };
  },
};
