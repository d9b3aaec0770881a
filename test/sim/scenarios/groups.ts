import type { Scenario } from "../scenario.ts";
import { nowAndThen, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";
import { asking, floorIsMet } from "./wishes.ts";

const calmSeconds = 900;

/** Groups are asked for while machines disappear: each is completed again, or given up as a whole. */
export const groups: Scenario = {
  name: "groups",
  about: "groups of nodes are asked for, and lose members",
  draw: (chance) => {
    const count = chance.whole(1, 3);
    const size = chance.whole(2, 4);
    const untilSeconds = troubleSeconds + calmSeconds;
    const wishes = asking({
      cluster: "hpc",
      requestSet: "mpi",
      untilSeconds,
      everySeconds: chance.between(30, 200),
      at: () => [{ Name: "htc", TargetGroupCount: count, GroupInstanceCount: size }],
    });
    const losses = nowAndThen(chance, 4, {
      what: "a machine disappears",
      happens: ({ cloud, chance: draw }) => {
        const [first, ...rest] = cloud.nodes("hpc").filter((node) => node.isWanted);
        if (first !== undefined)
          cloud.control.kill({ cluster: "hpc", names: [draw.pick([first, ...rest]).name] });
      },
    });
    const floor = { [`htc-${size}-nodes`]: count * size };
    return {
      clusters: [{ definition: smallCluster("hpc"), jobs: steadyJobs(chance, 6) }],
      happenings: [...wishes, ...losses, floorIsMet("hpc", untilSeconds - 10, floor)],
      troubleSeconds,
    };
  },
};
