import type { TrueNode } from "../cloud.ts";
import type { Happening, Scenario, Stage } from "../scenario.ts";
import { nowAndThen, range, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

const lookSeconds = 15;
/** What goes sooner was on its way when its check failed. */
const surelySeconds = 240;
/** Longer than runs that die, demand that waits to be read, and drains take. */
const longestOutSeconds = 1_200;
const why = "NHC: check_fs_mount: /scratch not mounted";

/** Since when a health check has a node out, and how long it has been there without a job since. */
interface Out {
  readonly sinceSeconds: number;
  emptySeconds: number;
  isCounted: boolean;
}

/** Health checks take nodes out of service, busy or idle, and give some back; so many of them may be replaced. */
export const unhealthyNodes: Scenario = {
  name: "unhealthy-nodes",
  about:
    "health checks take nodes out of service and give some back; they are replaced, so many at a time and a day",
  draw: (chance) => {
    const mostAtOnce = chance.whole(1, 3);
    const mostPerDay = chance.pick([1, 2, 100]);
    const outs = new Map<string, Out>();
    let replaced = 0;
    const fails = nowAndThen(chance, 12, {
      what: "a health check fails",
      happens: (stage) => {
        const nodes = up(stage).filter(({ nodeId }) => !outs.has(nodeId));
        const [first, ...rest] = nodes;
        if (first === undefined) return;
        const { nodeId, hostname = "" } = stage.chance.pick([first, ...rest]);
        stage.source("hpc").scheduler.check(hostname, why);
        outs.set(nodeId, { sinceSeconds: stage.nowSeconds, emptySeconds: 0, isCounted: false });
      },
    });
    const heals = nowAndThen(chance, 3, {
      what: "a health check is passed again",
      happens: (stage) => {
        const [first, ...rest] = up(stage).filter(({ nodeId }) => outs.has(nodeId));
        if (first !== undefined) heal(stage, stage.chance.pick([first, ...rest]));
      },
    });
    function heal(stage: Stage, { nodeId, hostname = "" }: TrueNode): void {
      stage.source("hpc").scheduler.check(hostname, null);
      outs.delete(nodeId);
    }
    const looks = range(Math.floor(troubleSeconds / lookSeconds)).map(
      (index): Happening => ({
        atSeconds: (index + 1) * lookSeconds,
        what: "somebody counts the nodes that are replaced",
        happens: (stage) => {
          const there = new Map(stage.cloud.nodes("hpc").map((node) => [node.nodeId, node]));
          const busy = stage.source("hpc").busyHostnames;
          let leaving = 0;
          for (const [nodeId, out] of outs) {
            const node = there.get(nodeId);
            const isSurely = stage.nowSeconds - out.sinceSeconds > surelySeconds;
            if (node?.isWanted !== true && !out.isCounted && isSurely) replaced += 1;
            if (node?.isWanted !== true) out.isCounted = true;
            if (node?.isWanted === false && isSurely) leaving += 1;
            if (node?.isWanted === true && !busy.has(node.hostname ?? "") && stage.demandQueue.waiting === 0)
              out.emptySeconds += lookSeconds;
            if (out.emptySeconds > longestOutSeconds && mostPerDay > outs.size)
              stage.violate(`${nodeId} is out of service and empty, and is not replaced`);
          }
          if (leaving > mostAtOnce)
            stage.violate(`${leaving} unhealthy nodes go at a time, of ${mostAtOnce}`);
          if (replaced > mostPerDay)
            stage.violate(`${replaced} unhealthy nodes went, of ${mostPerDay} a day`);
        },
      }),
    );
    const end: Happening = {
      atSeconds: troubleSeconds,
      what: "every health check is passed",
      happens: (stage) => {
        for (const node of up(stage)) heal(stage, node);
      },
    };
    const config = {
      unhealthy_nodes: "replace",
      unhealthy_nodes_at_once: mostAtOnce,
      unhealthy_nodes_per_day: mostPerDay,
    };
    return {
      drains: true,
      clusters: [{ definition: smallCluster("hpc"), config, jobs: steadyJobs(chance, 14) }],
      happenings: [...fails, ...heals, ...looks, end],
      troubleSeconds,
    };
  },
};

function up({ cloud }: Stage): readonly TrueNode[] {
  return cloud
    .nodes("hpc")
    .filter(({ status, isWanted, hostname }) => status === "Ready" && isWanted && hostname !== undefined);
}
