import type { Bucket, NodeArray } from "../model/bucket.ts";
import type { SpotShare } from "../model/plan-input.ts";
import { type Charge, Quota } from "../model/quota.ts";

const whole = 1_000;

/**
 * How much of a pair's cores may be spot, as a counter: a new regular node gives room for spot nodes, and a new spot node
 * takes it. Of a share of 800 thousandths, 4 regular cores give room for 16 spot cores.
 */
export class SpotShares {
  readonly #shares: readonly SpotShare[];
  readonly #quotas: ReadonlyMap<SpotShare, Quota>;

  constructor(shares: readonly SpotShare[], coresOf: (nodeArray: string) => number) {
    this.#shares = shares;
    this.#quotas = new Map(
      shares.map((share) => {
        const quota = new Quota(0, 0);
        // Below zero where more is spot than may be: regular nodes make up for that first.
        quota.left = share.perMille * coresOf(share.regular) - (whole - share.perMille) * coresOf(share.spot);
        return [share, quota];
      }),
    );
  }

  chargesOf({ name }: NodeArray, { vm }: Bucket): readonly Charge[] {
    return this.#shares.flatMap((share) => {
      const quota = this.#quotas.get(share);
      if (quota === undefined || (name !== share.spot && name !== share.regular)) return [];
      const perCore = name === share.spot ? whole - share.perMille : -share.perMille;
      const scope = `${share.spot} and ${share.regular}`;
      return [{ limit: "spot-share", scope, unit: "cores", quota, perNode: perCore * vm.vcpuCount }];
    });
  }
}
