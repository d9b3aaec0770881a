import type { Cap } from "./limit.ts";
import { raisedCap } from "./sums.ts";

const key = ["max-cores"];
const scope = "cluster";

/** The operator's cap on usable vcpus of all nodes of node arrays. */
export const maxCores = {
  scopeOf: () => scope,
  coresOf: ({ vcpuCount }) => vcpuCount,
  charges: ({ size }, counters) =>
    counters.input.caps?.maxCores == null
      ? []
      : [
          {
            scope,
            unit: "cores",
            quota: counters.unbounded(key),
            perNode: size.vm.vcpuCount,
          },
        ],
  bound: (caps, { cores }) => (caps.maxCores === null ? null : { max: caps.maxCores, used: cores }),
  close: (counters, { max, used }) => counters.unbounded(key).atMost(max, used),
  without: (caps) => ({ ...caps, maxCores: null }),
  raise: { caps: (caps, { more }) => ({ maxCores: raisedCap(caps.maxCores, more) }) },
} satisfies Cap;
