import type { Happening, Scenario, Stage } from "../scenario.ts";
import { range, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** Failed logins within so many seconds lock the account; one less is allowed. */
const lockSeconds = 60;
const lockingLogins = 5;
const clusters = ["hpc", "lab"] as const;

/** CycleCloud refuses the login for a while, and operators pause and resume: nothing is sent then, nothing is lost. */
export const stopped: Scenario = {
  name: "stopped",
  about: "a refused login (401) of two clusters, pauses and resumes",
  draw: (chance) => {
    const shutAtSeconds = chance.between(60, troubleSeconds / 2);
    const openAtSeconds = shutAtSeconds + chance.between(30, troubleSeconds / 3);
    const happenings: Happening[] = [
      { atSeconds: shutAtSeconds, what: "logins are refused", happens: (stage) => shut(stage, true) },
      { atSeconds: openAtSeconds, what: "logins are taken again", happens: (stage) => shut(stage, false) },
      ...range(chance.whole(0, 3)).map(() => {
        const decision = chance.pick<"pause" | "resume">(["pause", "resume"]);
        const cluster = chance.pick(clusters);
        return {
          atSeconds: chance.between(0, troubleSeconds),
          what: `${decision} of ${cluster}`,
          happens: (stage: Stage) => stage.decide(cluster, decision),
        };
      }),
      // Once faults are over, so that it is heard, and the slowest decision before it has come.
      ...clusters.map((cluster) => ({
        atSeconds: troubleSeconds + 300,
        what: `resume of ${cluster}`,
        happens: (stage: Stage) => {
          holdLogins(stage);
          stage.decide(cluster, "resume");
        },
      })),
    ];
    const scripts = clusters.map((name) => ({ definition: smallCluster(name), jobs: steadyJobs(chance, 6) }));
    return { clusters: scripts, happenings, troubleSeconds };
  },
};

function shut({ cloud }: Stage, isShut: boolean): void {
  cloud.door.isShut = isShut;
}

/**
 * The account must never have been locked: of each machine one call meets a refusal, or those that were under way together
 * when it began, and after a resume one of all.
 */
function holdLogins(stage: Stage): void {
  const times = stage.cloud.door.refusedAtSeconds;
  const isLocked = times.some((at, index) => {
    const fifth = times[index + lockingLogins - 1];
    return fifth !== undefined && fifth - at < lockSeconds;
  });
  if (isLocked) stage.violate(`the account was locked: logins were refused at ${times.join(", ")}`);
}
