import type { SpotShare } from "../model/plan-input.ts";
import { type Counters, nothingUsed } from "./counters.ts";
import type { Limit } from "./limit.ts";
import { Quota } from "./quota.ts";

const whole = 1_000;

/**
 * How much of a pair's cores may be spot, as a counter: a new regular node gives room for spot nodes, and a new spot node
 * takes it. Of a share of 800 thousandths, 4 regular cores give room for 16 spot cores.
 */
export const spotShare = {
  charges: ({ array, size }, counters) =>
    (counters.input.spotShares ?? []).flatMap((share) => {
      if (array.name !== share.spot && array.name !== share.regular) return [];
      const perCore = array.name === share.spot ? whole - share.perMille : -share.perMille;
      return [
        {
          scope: `${share.spot} and ${share.regular}`,
          unit: "cores",
          quota: quotaOf(share, counters),
          perNode: perCore * size.vm.vcpuCount,
        },
      ];
    }),
  // It grows with the nodes of another array.
  shown: null,
} satisfies Limit;

function quotaOf(share: SpotShare, counters: Counters): Quota {
  return counters.once(["spot-share", share.spot, share.regular, String(share.perMille)], () => {
    const coresOf = (name: string) => (counters.inUse.byArray.get(name) ?? nothingUsed).cores;
    const quota = new Quota(0, 0);
    // Below zero where more is spot than may be: regular nodes make up for that first.
    quota.left = share.perMille * coresOf(share.regular) - (whole - share.perMille) * coresOf(share.spot);
    return quota;
  });
}
