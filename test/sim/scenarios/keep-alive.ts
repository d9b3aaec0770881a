import type { Happening, Scenario, Stage } from "../scenario.ts";
import { nowAndThen, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** Operators protect nodes, busy or idle, in CycleCloud or here, and take the protection away at the end. */
export const keepAlive: Scenario = {
  name: "keep-alive",
  about:
    "nodes are set to keep-alive, in CycleCloud or here, at any moment, also while a plan wants them gone",
  draw: (chance) => {
    const kept = nowAndThen(chance, 6, {
      what: "a node is kept alive in CycleCloud",
      happens: (stage) => {
        const names = [...anyNode(stage)];
        if (names.length > 0) stage.cloud.control.keepAlive({ cluster: "hpc", names, on: true });
      },
    });
    const keptHere = nowAndThen(chance, 30, {
      what: "a node is kept alive here",
      happens: (stage) => stage.keepAlive("hpc", { names: anyNode(stage), on: true }),
    });
    const given: Happening = {
      // Once faults are over, so that it is heard, and the slowest wish before it has come.
      atSeconds: troubleSeconds + 300,
      what: "no node is kept alive any more",
      happens: ({ cloud, keepAlive }) => {
        const names = cloud.nodes("hpc").map((node) => node.name);
        if (names.length > 0) cloud.control.keepAlive({ cluster: "hpc", names, on: false });
        keepAlive("hpc", { names: ["*"], on: false });
      },
    };
    const jobs = steadyJobs(chance, 12);
    return {
      clusters: [{ definition: smallCluster("hpc"), jobs }],
      happenings: [...kept, ...keptHere, given],
      troubleSeconds,
    };
  },
};

/** The name of one, if there is any. */
function anyNode({ cloud, chance }: Stage): readonly string[] {
  const [first, ...rest] = cloud.nodes("hpc").filter((node) => node.isWanted);
  return first === undefined ? [] : [chance.pick([first, ...rest]).name];
}
