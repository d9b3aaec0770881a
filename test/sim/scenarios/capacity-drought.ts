import type { Scenario } from "../scenario.ts";
import { arrayOf, forAWhile, smallCluster, steadyJobs, troubleSeconds } from "./cluster.ts";

/** Azure has no machines of one kind for a while: it refuses at once, or nodes fail when they are due. */
export const capacityDrought: Scenario = {
  name: "capacity-drought",
  about: "no capacity for one array, or the only one, for a while",
  draw: (chance) => {
    const arrays = [arrayOf("first"), ...(chance.happens(0.5) ? [arrayOf("second")] : [])] as const;
    const where = { cluster: "hpc", nodearray: "first" };
    const mode = chance.pick(["refuse", "fail"] as const);
    const happenings = forAWhile(
      chance,
      { what: `drought (${mode})`, happens: ({ cloud }) => cloud.control.drought({ ...where, mode }) },
      { what: "drought is over", happens: ({ cloud }) => cloud.control.drought({ ...where, mode: "off" }) },
    );
    const definition = smallCluster("hpc", { nodearrays: [...arrays] });
    return { clusters: [{ definition, jobs: steadyJobs(chance, 12) }], happenings, troubleSeconds };
  },
};
