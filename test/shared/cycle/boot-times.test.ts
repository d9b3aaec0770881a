import { describe, expect, test } from "vitest";
import { bootSecondsOf, bootsOf } from "../../../shared/cycle/boot-times.ts";
import type { NodeHistory } from "../../../shared/engine/index.ts";
import { historyRow } from "../engine/tiny.ts";

const nowSeconds = 2_000_000;
const hour = 3_600;
let count = 0;

/** A node that was asked for an hour ago and became Ready after so many seconds; null: never. */
function booted(seconds: number | null, fields: Partial<NodeHistory> = {}): NodeHistory {
  count += 1;
  const createdSeconds = fields.createdSeconds ?? nowSeconds - hour;
  const readySeconds = seconds === null ? null : createdSeconds + seconds;
  return historyRow(`htc-${count}`, { createdSeconds, readySeconds, ...fields });
}

const bucket = { nodeArray: "htc", vmSize: "Standard_F4s_v2" };
const bootTimeoutSeconds = { default: 1_800, byNodeArray: { slow: 7_200 } };
const boots = (rows: readonly NodeHistory[], of = bucket) =>
  bootsOf(rows, { nowSeconds, bootTimeoutSeconds })(of);

describe("bootsOf", () => {
  test("the median and the 95th percentile are boots that took place, by nearest rank", () => {
    const rows = Array.from({ length: 20 }, (_, index) => booted((index + 1) * 10));
    expect(boots(rows)).toEqual({
      count: 20,
      failed: 0,
      p50Seconds: 100,
      p95Seconds: 190,
      startP50Seconds: null,
    });
  });

  test("nothing is known of a bucket without boots: that is null, and not zero", () => {
    expect(boots([])).toEqual({
      count: 0,
      failed: 0,
      p50Seconds: null,
      p95Seconds: null,
      startP50Seconds: null,
    });
  });

  test("a deallocated node that starts again is no boot, and its time is shown apart", () => {
    const started = (seconds: number | null) => booted(seconds, { madeSeconds: nowSeconds - 9 * hour });
    const rows = [booted(300), started(40), started(60), started(90), started(null)];
    expect(boots(rows)).toEqual({
      count: 1,
      failed: 0,
      p50Seconds: 300,
      p95Seconds: 300,
      startP50Seconds: 60,
    });
    expect(bootSecondsOf([...rows, booted(300), booted(300)])("htc")).toBe(300);
  });

  test("arrays and sizes are counted apart", () => {
    const rows = [booted(60), booted(90, { vmSize: "Standard_F8s_v2" }), booted(120, { nodeArray: "slow" })];
    expect(boots(rows).p50Seconds).toBe(60);
    expect(boots(rows, { ...bucket, vmSize: "Standard_F8s_v2" }).p50Seconds).toBe(90);
    expect(boots(rows, { ...bucket, nodeArray: "slow" }).p50Seconds).toBe(120);
  });

  const failure = { atSeconds: nowSeconds - hour + 30, message: null };
  test.each<[string, NodeHistory, { count: number; failed: number }]>([
    ["failed before it was Ready", booted(null, { failure }), { count: 1, failed: 1 }],
    ["failed, was retried and became Ready", booted(400, { failure }), { count: 1, failed: 1 }],
    ["failed when it had been Ready", booted(10, { failure }), { count: 1, failed: 0 }],
    ["is past the boot time-out", booted(null), { count: 1, failed: 1 }],
    [
      "has an array with a longer boot time-out",
      booted(null, { nodeArray: "slow" }),
      { count: 0, failed: 0 },
    ],
    [
      "was deleted while it booted in time",
      booted(null, { deletedSeconds: nowSeconds - hour + 60 }),
      { count: 0, failed: 0 },
    ],
    [
      "was deleted at the boot time-out",
      booted(null, { deletedSeconds: nowSeconds - hour + 1_801 }),
      { count: 1, failed: 1 },
    ],
    ["boots", booted(null, { createdSeconds: nowSeconds - 60 }), { count: 0, failed: 0 }],
    [
      "was asked for more than a week ago",
      booted(60, { createdSeconds: nowSeconds - 8 * 24 * hour }),
      { count: 0, failed: 0 },
    ],
  ])("a node that %s", (_, row, expected) => {
    expect(boots([row], row)).toMatchObject(expected);
  });

  test("one that was Ready when it was first seen is a boot of which nobody knows the time", () => {
    expect(boots([booted(0)])).toEqual({
      count: 1,
      failed: 0,
      p50Seconds: null,
      p95Seconds: null,
      startP50Seconds: null,
    });
  });
});

describe("bootSecondsOf", () => {
  test("with too few boots of the array, those of the cluster count", () => {
    const of = bootSecondsOf([booted(10), booted(20), booted(60, { nodeArray: "slow" })]);
    expect([of("htc"), of("slow")]).toEqual([20, 20]);
    expect(bootSecondsOf([booted(10)])("htc")).toBeNull();
  });
});
