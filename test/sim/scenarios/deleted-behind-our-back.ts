import type { Scenario } from "../scenario.ts";
import { nowAndThen, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** Somebody deletes nodes in the portal, whatever runs on them; other nodes fail. */
export const deletedBehindOurBack: Scenario = {
  name: "deleted-behind-our-back",
  about: "nodes vanish or fail at once, whatever their state",
  draw: (chance) => {
    const happenings = nowAndThen(chance, 8, {
      what: "a node is deleted by hand, or fails",
      happens: ({ cloud, chance: draw }) => {
        const [first, ...rest] = cloud.nodes("hpc");
        if (first === undefined) return;
        const names = [draw.pick([first, ...rest]).name];
        if (draw.happens(0.7)) cloud.control.kill({ cluster: "hpc", names });
        else cloud.control.fail({ cluster: "hpc", names });
      },
    });
    const jobs = steadyJobs(chance, 12);
    return { clusters: [{ definition: smallCluster("hpc"), jobs }], happenings, troubleSeconds };
  },
};
