import { createChance } from "./chance.ts";
import { listedFaults } from "./faults.ts";
import type { ClusterScript } from "./scenario.ts";
import { World } from "./world.ts";

/** A world of one cluster without faults, with a snapshot each minute. */
export function undisturbedWorld(seed: number, cluster: ClusterScript): World {
  return new World({
    script: { clusters: [cluster], happenings: [], troubleSeconds: 0 },
    seed,
    chance: createChance(seed + 1),
    faults: listedFaults([]),
    machines: 2,
    canDrain: true,
    isBlind: false,
    snapshotSeconds: 60,
    trace: undefined,
  });
}
