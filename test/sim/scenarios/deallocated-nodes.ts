import type { Scenario } from "../scenario.ts";
import { arrayOf, forAWhile, nowAndThen, range, slotsJob, smallCluster, troubleSeconds } from "./cluster.ts";

const where = { cluster: "hpc", nodearray: "htc" };

/** Waves of jobs whose nodes are deallocated in between and started again, while starts fail or find no capacity. */
export const deallocatedNodes: Scenario = {
  name: "deallocated-nodes",
  about: "idle nodes are deallocated and started again; starts fail for a while, and nodes get too old",
  draw: (chance) => {
    const waveSeconds = chance.between(350, 600);
    const jobs = range(chance.whole(2, 4)).flatMap((wave) =>
      range(chance.whole(1, 8)).map((index) =>
        slotsJob(`wave-${wave}-${index}`, {
          submitSeconds: wave * waveSeconds + chance.between(0, 30),
          runSeconds: chance.between(20, 120),
        }),
      ),
    );
    const trouble = chance.pick(["boots", "drought", "none"] as const);
    const failing = forAWhile(
      chance,
      { what: "every start fails", happens: ({ cloud }) => cloud.control.failBoots({ ...where, share: 1 }) },
      { what: "starts are as ever", happens: ({ cloud }) => cloud.control.failBoots({ ...where, share: 0 }) },
    );
    const drought = forAWhile(
      chance,
      { what: "no capacity", happens: ({ cloud }) => cloud.control.drought({ ...where, mode: "fail" }) },
      { what: "capacity again", happens: ({ cloud }) => cloud.control.drought({ ...where, mode: "off" }) },
    );
    const asks = nowAndThen(chance, 3, {
      what: "a node asks to stop",
      happens: ({ cloud, ask }) => {
        const [node] = cloud.nodes("hpc").filter(({ status }) => status === "Ready");
        if (node !== undefined) ask("hpc", node.name);
      },
    });
    const most = chance.whole(1, 5);
    const policy = chance.pick(["Terminate", "Deallocate"] as const);
    const array = arrayOf("htc", { shutdownPolicy: policy });
    return {
      clusters: [
        {
          definition: smallCluster("hpc", { nodearrays: [array] }),
          jobs,
          config: {
            boot_timeout: 250,
            boot_failure_backoff: 120,
            nodearrays: { htc: { deallocate: { most, max_age: chance.pick([900, 86_400]) } } },
          },
          mostDeallocated: most,
        },
      ],
      // A node that asks goes as its shutdown policy says, also beyond the most, until the next plan.
      happenings: [
        ...(trouble === "boots" ? failing : trouble === "drought" ? drought : []),
        ...(policy === "Terminate" ? asks : []),
      ],
      troubleSeconds: Math.max(troubleSeconds, 5 * waveSeconds),
    };
  },
};
