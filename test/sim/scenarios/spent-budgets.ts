import type { Scenario } from "../scenario.ts";
import { arrayOf, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** A day's budget is spent while jobs come and run; before the trouble is over, somebody takes it away. */
export const spentBudgets: Scenario = {
  name: "spent-budgets",
  about: "a budget holds jobs without an account, or a node array, until it is taken away",
  draw: (chance) => {
    const definition = smallCluster("hpc", {
      nodearrays: chance.pick([[arrayOf("htc")], [arrayOf("htc"), arrayOf("more")]]),
    });
    const subject = chance.pick([{ account: "unknown" }, { node_array: "htc" }]);
    const daily = chance.pick([0.002, 0.01, 0.04]);
    const budgets = [{ ...subject, daily_usd: daily, hold: true }];
    return {
      clusters: [{ definition, jobs: steadyJobs(chance, 12), config: { budgets } }],
      happenings: [
        {
          atSeconds: chance.between(troubleSeconds * 0.3, troubleSeconds * 0.6),
          what: "the budget is doubled",
          happens: (stage) => stage.configure("hpc", { budgets: [{ ...budgets[0], daily_usd: 2 * daily }] }),
        },
        {
          atSeconds: chance.between(troubleSeconds * 0.7, troubleSeconds),
          what: "the budget is taken away",
          happens: (stage) => stage.configure("hpc", { budgets: [] }),
        },
      ],
      troubleSeconds,
    };
  },
};
