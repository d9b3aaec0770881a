import { type Exercise, finding, runs } from "./exercise.ts";

const array = "htc";
const job = "ex1-render";

/** Azure has no VM of the sizes that an array has. More sizes help; waiting does not. */
export const noCapacity: Exercise = {
  title: "Jobs wait, and no node comes",
  story:
    'The people of "ex1-render" call: their job has waited since this morning, and it used to start within minutes. Nobody has changed anything.',
  needs: [array],
  jobs: [
    { name: job, runSeconds: 7_200, constraints: { ncpus: 4, "node.nodearray": array }, iterations: 12 },
  ],
  breakIt: async (panel, cluster) => {
    for (const machineType of cluster.nodeArrays.find(({ name }) => name === array)?.machineTypes ?? [])
      await panel.tell("drought", { cluster: panel.cluster, nodearray: array, machineType });
  },
  hints: [
    'Ask why the job waits: "ccscale explain ex1-render". Is it a limit of yours, or something that Azure does not have?',
    '"ccscale buckets" shows when each size last had no capacity (NO_CAPACITY). Which sizes may the job use?',
    'A size of another family may have capacity. Add one to the array, as an administrator does in CycleCloud: "ccscale lab sizes htc --add Standard_D8as_v5".',
  ],
  check: async ({ cluster }) => {
    const dry = cluster.weather.filter(
      ({ nodeArray, drought }) => nodeArray === array && drought !== undefined,
    );
    const added = cluster.sizes.find(({ nodeArray }) => nodeArray === array)?.added ?? [];
    const sizes = dry.map(({ machineType }) => machineType).join(", ");
    const ended = "The drought was ended: Azure does not do that on request.";
    return [
      finding(dry.length > 0, `Azure still has no ${sizes}.`, ended),
      finding(added.length > 0, `${array} has ${added.join(", ")} as well.`, `${array} has no other size.`),
      runs(cluster, job),
    ];
  },
};
