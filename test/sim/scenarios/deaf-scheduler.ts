import type { Scenario, Stage } from "../scenario.ts";
import { forAWhile, range, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

/** The scheduler's agent reports as ever, and takes no event off its queue: nothing drains, and nothing is taken back. */
export const deafScheduler: Scenario = {
  name: "deaf-scheduler",
  about: "events stay on their queue for a while, longer than drains may take, and then come all at once",
  draw: (chance) => {
    const jobs = range(chance.whole(2, 14)).map((index) =>
      slotsJob(`job-${index}`, {
        submitSeconds: chance.between(0, troubleSeconds * 0.9),
        runSeconds: chance.between(10, 200),
      }),
    );
    const deaf = (isDeaf: boolean) => ({
      what: isDeaf ? "the scheduler hears no events" : "the scheduler hears again",
      happens: (stage: Stage) => {
        stage.source("hpc").isDeaf = isDeaf;
      },
    });
    const happenings = forAWhile(chance, deaf(true), deaf(false));
    const config = { drain_timeout: chance.pick([0, 40, 120, 300]), idle_timeout: chance.pick([30, 180]) };
    return { clusters: [{ definition: smallCluster("hpc"), config, jobs }], happenings, troubleSeconds };
  },
};
