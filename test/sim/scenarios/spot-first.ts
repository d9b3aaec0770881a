import type { Happening, Scenario } from "../scenario.ts";
import {
  arrayOf,
  forAWhile,
  needOf,
  range,
  region,
  slotsJob,
  smallCluster,
  troubleSeconds,
} from "./cluster.ts";

const spot = { cluster: "hpc", nodearray: "htc-spot" };

/** A spot array that gives nothing, gives late, or takes back, and a regular one beside it. */
export const spotFirst: Scenario = {
  name: "spot-first",
  about: "jobs go to a spot array first and fall back to the regular one",
  draw: (chance) => {
    const jobs = range(chance.whole(3, 14)).map((index) =>
      slotsJob(`job-${index}`, {
        submitSeconds: chance.between(0, troubleSeconds * 0.8),
        runSeconds: chance.between(30, 500),
        need: needOf({ ncpus: chance.pick([2, 4]) }),
      }),
    );
    const definition = smallCluster("hpc", {
      quotas: { [region]: { cores: 400, spotCores: chance.pick([8, 16, 200]) } },
      nodearrays: [
        arrayOf("htc", { maxCount: chance.pick([4, 30]) }),
        arrayOf("htc-spot", { interruptible: true, evictionsPerHour: chance.pick([0, 4, 15]) }),
      ],
    });
    const trouble = chance.pick([noVms(chance), stuck(chance), evictions(chance)]);
    const config = {
      spot: {
        pairs: [{ spot: "htc-spot", regular: "htc" }],
        patience: chance.pick([60, 150, 300]),
        max_share: chance.pick([1, 0.5, 0.8]),
        evictions_before_regular: chance.whole(1, 2),
      },
      placement: chance.pick(["reuse", "cost"]),
    };
    return { clusters: [{ definition, jobs, config }], happenings: trouble, troubleSeconds, events: true };
  },
};

type Draw = Parameters<Scenario["draw"]>[0];

function noVms(chance: Draw): readonly Happening[] {
  const mode = chance.pick(["refuse", "fail"] as const);
  return forAWhile(
    chance,
    { what: `no spot nodes (${mode})`, happens: ({ cloud }) => cloud.control.drought({ ...spot, mode }) },
    { what: "spot nodes again", happens: ({ cloud }) => cloud.control.drought({ ...spot, mode: "off" }) },
  );
}

/** Spot nodes are added, and never come up. */
function stuck(chance: Draw): readonly Happening[] {
  return forAWhile(
    chance,
    {
      what: "spot nodes never come up",
      happens: ({ cloud }) => cloud.control.stuck({ ...spot, status: "Acquiring" }),
    },
    { what: "they do again", happens: ({ cloud }) => cloud.control.stuck({ ...spot, status: "off" }) },
  );
}

function evictions(chance: Draw): readonly Happening[] {
  return range(chance.whole(1, 8)).map(() => ({
    atSeconds: chance.between(60, troubleSeconds),
    what: "a spot node is evicted",
    happens: ({ cloud, chance: draw }) => {
      const [first, ...rest] = cloud
        .nodes("hpc")
        .filter((node) => node.nodeArray === "htc-spot" && node.isWanted);
      if (first !== undefined)
        cloud.control.evict({ cluster: "hpc", names: [draw.pick([first, ...rest]).name] });
    },
  }));
}
