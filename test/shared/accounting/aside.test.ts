import { expect, test } from "vitest";
import { asideIn } from "../../../shared/accounting/index.ts";

const hourMs = 3_600_000;

test("what is paid without a VM is cut at full hours and added up by name, unknown prices apart", () => {
  const disks = { kind: "deallocated", name: "htc", nodes: 2, usdPerHour: 0.5 } as const;
  const reserved = { kind: "reserved", name: "r1", nodes: 1, usdPerHour: null } as const;
  const byHour = asideIn([
    { seen: [disks], fromMs: 0.5 * hourMs, untilMs: 1.25 * hourMs },
    { seen: [reserved], fromMs: 1.25 * hourMs, untilMs: 1.5 * hourMs },
    { seen: [disks, reserved], fromMs: 1.5 * hourMs, untilMs: 2 * hourMs },
  ]);
  const of = { kind: "deallocated", name: "htc", unpricedNodeMs: 0 };
  expect([...byHour]).toEqual([
    [0, [{ ...of, nodeMs: hourMs, nanoUsd: 0.5e9 }]],
    [
      3_600,
      [
        { ...of, nodeMs: 1.5 * hourMs, nanoUsd: 0.75e9 },
        { kind: "reserved", name: "r1", nodeMs: 0.75 * hourMs, nanoUsd: 0, unpricedNodeMs: 0.75 * hourMs },
      ],
    ],
  ]);
});
