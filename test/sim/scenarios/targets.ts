import type { Scenario } from "../scenario.ts";
import { smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";
import { asking, floorIsMet } from "./wishes.ts";

/** The calm that a floor gets to be met in, before it is looked at; then its sets fall silent and all goes. */
const calmSeconds = 900;
const cores = 4;

/** Floors that move, a dynamic array that comes and goes, and jobs on the same nodes. */
export const targets: Scenario = {
  name: "targets",
  about: "two request sets ask for nodes of an array and of a dynamic one, beside jobs",
  draw: (chance) => {
    const phaseSeconds = chance.between(200, 500);
    const floors = [chance.whole(0, 6), chance.whole(0, 6), chance.whole(0, 6), chance.whole(1, 6)] as const;
    const special = [chance.happens(0.5), true, chance.happens(0.5), chance.happens(0.5)] as const;
    const other = chance.whole(0, 5);
    const last = floors.length - 1;
    const phaseAt = (seconds: number) =>
      seconds >= troubleSeconds ? last : Math.min(last - 1, Math.floor(seconds / phaseSeconds));
    const untilSeconds = troubleSeconds + calmSeconds;
    const common = { cluster: "hpc", untilSeconds };
    const standard = asking({
      ...common,
      requestSet: "standard",
      everySeconds: chance.between(30, 200),
      at: (seconds) => [
        { Name: "htc", TargetCoreCount: (floors[phaseAt(seconds)] ?? 0) * cores },
        ...(special[phaseAt(seconds)]
          ? [{ Name: "special", Extends: "htc", Dynamic: true, TargetCount: 2, Configuration: { a: 1 } }]
          : []),
      ],
    });
    const second = asking({
      ...common,
      requestSet: "second",
      everySeconds: chance.between(60, 250),
      at: () => [{ Name: "htc", TargetCount: other }],
    });
    const wanted = { htc: Math.max(floors[last] ?? 0, other), ...(special[last] ? { special: 2 } : {}) };
    return {
      clusters: [
        {
          definition: smallCluster("hpc"),
          jobs: steadyJobs(chance, 8),
          config: { target_attributes: ["Configuration.a"] },
        },
      ],
      happenings: [...standard, ...second, floorIsMet("hpc", untilSeconds - 10, wanted)],
      troubleSeconds,
    };
  },
};
