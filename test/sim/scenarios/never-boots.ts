import type { Scenario } from "../scenario.ts";
import { arrayOf, forAWhile, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** Nodes that hang on their way up until the boot time-out, and nodes whose software fails. */
export const neverBoots: Scenario = {
  name: "never-boots",
  about: "nodes that stay in Acquiring or Preparing, and nodes that fail while they boot",
  draw: (chance) => {
    const status = chance.pick(["Acquiring", "Preparing"] as const);
    const where = { cluster: "hpc", nodearray: "htc" };
    const happenings = forAWhile(
      chance,
      { what: `nodes hang in ${status}`, happens: ({ cloud }) => cloud.control.stuck({ ...where, status }) },
      { what: "nodes boot again", happens: ({ cloud }) => cloud.control.stuck({ ...where, status: "off" }) },
    );
    const array = arrayOf("htc", { bootFailureRate: chance.pick([0, 0.1, 0.3]) });
    const definition = smallCluster("hpc", { nodearrays: [array] });
    const config = { boot_timeout: 250, failed_nodes: chance.pick(["delete", "retry"]) };
    return { clusters: [{ definition, config, jobs: steadyJobs(chance, 10) }], happenings, troubleSeconds };
  },
};
