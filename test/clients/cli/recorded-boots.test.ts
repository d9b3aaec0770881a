import { describe, expect, test } from "vitest";
import { parseFor } from "../../../clients/cli/backtest/one-run.ts";
import { withRecordedBoots } from "../../../clients/cli/backtest/recorded-boots.ts";
import type { NodeHistory } from "../../../shared/engine/index.ts";

const nowSeconds = 1_000_000;
const parsed = parseFor("hpc", { boot_timeout: 1_800 });
if (!parsed.ok) throw new TypeError(parsed.problems.join("; "));
const { config } = parsed;

const definition = {
  name: "hpc",
  region: "westeurope",
  quotas: { westeurope: { cores: 100 } },
  nodearrays: [
    { name: "htc", machineTypes: ["Standard_F4s_v2", "Standard_F16s_v2"] },
    { name: "gpu", machineTypes: ["Standard_NC24ads_A100_v4"] },
  ],
};

/** A node that took so long to boot; null: it never was ready. */
function booted(vmSize: string, seconds: number | null, fields: Partial<NodeHistory> = {}): NodeHistory {
  return {
    nodeId: "n",
    name: "n",
    hostname: null,
    instanceId: null,
    nodeArray: "htc",
    vmSize,
    createdSeconds: nowSeconds - 10_000,
    readySeconds: seconds === null ? null : nowSeconds - 10_000 + seconds,
    lastMatchSeconds: null,
    deletedSeconds: nowSeconds,
    ...fields,
  };
}

const many = (vmSize: string, ...seconds: readonly (number | null)[]) =>
  seconds.map((each) => booted(vmSize, each));

const read = (history: readonly NodeHistory[]) => {
  const found = withRecordedBoots(definition, { history, atSeconds: nowSeconds }, config);
  return {
    recorded: found.definition.nodearrays.map(({ recordedBoots }) => recordedBoots),
    boots: found.boots,
  };
};

describe("withRecordedBoots", () => {
  test("a size has its own boots, in order, and the share of them that failed", () => {
    const { recorded, boots } = read(many("Standard_F4s_v2", 300, 120, 200, null));
    expect(recorded[0]?.Standard_F4s_v2).toEqual({ seconds: [120, 200, 300], failureRate: 0.25 });
    expect(boots[0]).toBe(
      "Boot times and failures as the service recorded them in the last 7 days: htc/Standard_F4s_v2 (4 boots, 1 failed, median 3m20s).",
    );
  });

  test("a size with too few has those of its array, an array with too few stays as it is", () => {
    const { recorded, boots } = read([
      ...many("Standard_F4s_v2", 100, 200, 300),
      ...many("Standard_F16s_v2", 500),
    ]);
    expect(recorded).toEqual([
      {
        Standard_F4s_v2: { seconds: [100, 200, 300], failureRate: 0 },
        Standard_F16s_v2: { seconds: [100, 200, 300, 500], failureRate: 0 },
      },
      {},
    ]);
    expect(boots.slice(1)).toEqual([
      "Boot times and failures as recorded of their whole node array (4 boots, 0 failed, median 3m20s), because fewer than 3 boots of the size are: htc/Standard_F16s_v2.",
      "The simulator's usual boot times (1m to 5m, median 2m) and no failures, because fewer than 3 boots of the node array are recorded: gpu/Standard_NC24ads_A100_v4.",
    ]);
  });

  test("a size whose boots failed fails again, although nobody knows how long its boots take", () => {
    const { recorded, boots } = read(many("Standard_F4s_v2", null, null, null, 100));
    expect(recorded[0]?.Standard_F4s_v2).toEqual({ failureRate: 0.75 });
    expect(boots[0]).toContain("(4 boots, 3 failed, too few Ready for times: usual ones)");
  });

  test("boots of more than a week ago do not count", () => {
    const long = { createdSeconds: nowSeconds - 8 * 86_400 };
    const old = [1, 2, 3].map((seconds) => booted("Standard_F4s_v2", seconds, long));
    expect(read(old).recorded).toEqual([{}, {}]);
  });
});
