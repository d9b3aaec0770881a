import { describe, expect, test } from "vitest";
import {
  type BootDraw,
  boot,
  deallocate,
  fail,
  firstAt,
  heldSeconds,
  type Life,
  reboot,
  redirect,
  stepAt,
  terminate,
  vanish,
} from "../../../shared/simulated-cyclecloud/node-life.ts";

const draw: BootDraw = { bootSeconds: 100, acquireShare: 0.4, outcome: { kind: "ready" } };
const booted = boot(1000, draw);
const at = 1500;
const ready = stepAt(booted, at);
const end = { at, from: ready, terminateSeconds: 40 };

/** Status, target, address and whether cores are held, at a moment. */
function glance(life: Life, when: number): string {
  const { status, target, address, holdsCores } = stepAt(life, when);
  return `${status} ${target} ${address} ${holdsCores ? "cores" : "-"}`;
}

describe("boot", () => {
  test.each([
    [1000, "Acquiring Started none cores"],
    [1039, "Acquiring Started none cores"],
    [1040, "Preparing Started ip cores"],
    [1070, "Preparing Started hostname cores"],
    [1099, "Preparing Started hostname cores"],
    [1100, "Ready Started hostname cores"],
    [9999, "Ready Started hostname cores"],
  ])("boot: at %i it is %s", (when, expected) => expect(glance(booted, when)).toBe(expected));

  const noVm = { kind: "no-vm", message: "no", capacityFailure: true } as const;
  test.each([
    ["a failed configuration", { kind: "fails", share: 0.75 }, 1085, "Failed Started hostname cores"],
    ["an early failed configuration", { kind: "fails", share: 0.1 }, 1046, "Failed Started ip cores"],
    ["no capacity, while asking", { ...noVm, charged: true }, 1039, "Acquiring Started none cores"],
    ["no capacity", { ...noVm, charged: true }, 1040, "Failed Started none -"],
    ["no quota, while asking", { ...noVm, charged: false }, 1000, "Acquiring Started none -"],
    ["stuck without a VM", { kind: "stuck", status: "Acquiring" }, 99_999, "Acquiring Started none cores"],
    ["stuck with a VM", { kind: "stuck", status: "Preparing" }, 99_999, "Preparing Started hostname cores"],
  ] as const)("boot: %s", (_name, outcome, when, expected) => {
    expect(glance(boot(1000, { ...draw, outcome }), when)).toBe(expected);
  });

  test("boot: a spot eviction comes by itself", () => {
    const life = boot(1000, { ...draw, eviction: { afterSeconds: 500, terminateSeconds: 30 } });
    const seen = [1599, 1600, 1630].map((when) => stepAt(life, when).status);
    expect(seen).toEqual(["Ready", "Terminating", "Gone"]);
  });
});

describe("redirect", () => {
  test.each([
    ["terminate", terminate({ ...end, fixed: false }), 1500, "Terminating Terminated hostname cores"],
    ["terminate, done", terminate({ ...end, fixed: false }), 1540, "Gone Terminated none -"],
    ["terminate a fixed node", terminate({ ...end, fixed: true }), 1540, "Terminated Terminated none -"],
    ["deallocate", deallocate(at, ready, 40), 1539, "Stopping Deallocated hostname cores"],
    ["deallocate, done", deallocate(at, ready, 40), 1540, "Deallocated Deallocated hostname -"],
    ["restart", reboot(at, "Restarting", 40), 1500, "Restarting Started hostname cores"],
    ["reimage, half way", reboot(at, "Reimaging", 40), 1520, "Preparing Started hostname cores"],
    ["restart, done", reboot(at, "Restarting", 40), 1540, "Ready Started hostname cores"],
    ["fail", fail(at, ready, "broken"), 1500, "Failed Started hostname cores"],
    ["vanish", vanish(at), 1500, "Gone Terminated none -"],
  ] as const)("redirect: %s", (_name, future, when, expected) => {
    expect(glance(redirect(booted, at, future), when)).toBe(expected);
  });

  test("redirect: the past stays, and what was to come does not", () => {
    const life = redirect(boot(1000, draw), 1050, vanish(1050));
    expect(life.map((step) => step.status)).toEqual(["Acquiring", "Preparing", "Gone"]);
  });

  test("terminate: a deallocated node holds no cores on its way out", () => {
    const stopped = redirect(booted, at, deallocate(at, ready, 40));
    const gone = terminate({ at: 2000, from: stepAt(stopped, 2000), terminateSeconds: 40, fixed: false });
    expect(glance(redirect(stopped, 2000, gone), 2010)).toBe("Terminating Terminated hostname -");
  });
});

describe("what the ledger reads", () => {
  const life = redirect(booted, at, deallocate(at, ready, 40));
  test("heldSeconds: counts from the asking to the giving back, within the bounds", () => {
    expect([
      heldSeconds(life, 0, 99_999),
      heldSeconds(life, 1200, 1300),
      heldSeconds(life, 1600, 1700),
    ]).toEqual([540, 100, 0]);
  });

  test("firstAt: knows what has been, not what will be", () => {
    expect([firstAt(life, "Ready", 1099), firstAt(life, "Ready", 1100), firstAt(life, "Gone", 9999)]).toEqual(
      [undefined, 1100, undefined],
    );
  });
});
