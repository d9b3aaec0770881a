import { counted } from "../../../../shared/text/text.ts";
import { type Exercise, finding, runs } from "./exercise.ts";

const array = "htc";
const job = "ex2-fold";

/** Nodes fail while their software is configured. Failed nodes are replaced until their size is closed for a while; the cause has to go. */
export const bootsFail: Exercise = {
  title: "Nodes come, and never join",
  story:
    '"ex2-fold" does not start. The bill says that nodes were bought for it; the scheduler has seen none of them.',
  needs: [array],
  jobs: [{ name: job, runSeconds: 7_200, constraints: { ncpus: 4, "node.nodearray": array }, iterations: 8 }],
  breakIt: (panel) =>
    panel.tell("failBoots", {
      cluster: panel.cluster,
      nodearray: array,
      share: 1,
      message: "Cluster-init failed: mount of nfs-1:/shared timed out",
    }),
  hints: [
    'What does CycleCloud say of the nodes that failed? "ccscale events --kind node-failed", or the first lines of "ccscale status".',
    'The file server nfs-1 is down. Somebody starts it again: "ccscale lab fail htc --off". The failed nodes are deleted, and a size whose boots keep failing gets no new nodes for a while (boot_failure_backoff).',
    '"ccscale explain ex2-fold" shows when the size is tried again. Then new nodes come by themselves.',
  ],
  check: async ({ cluster, service }) => {
    const isFailing = cluster.weather.some(
      ({ nodeArray, failingBoots }) => nodeArray === array && failingBoots !== undefined,
    );
    const { nodes } = await service.ask("nodes", { query: { state: "Failed", resources: "-" } });
    const cost = `${counted(nodes.length, "nodes")} are Failed, and cost money.`;
    const fails = "The file server nfs-1 does not answer: every boot fails.";
    return [
      finding(!isFailing, "The file server nfs-1 answers.", fails),
      finding(nodes.length === 0, "No node is Failed.", cost),
      runs(cluster, job),
    ];
  },
};
