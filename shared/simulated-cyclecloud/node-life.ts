/** CycleCloud's words for where a node is. `Stopping` leads to Deallocated, `Terminating` to the end. */
type NodeStatus =
  | "Acquiring"
  | "Preparing"
  | "Ready"
  | "Failed"
  | "Restarting"
  | "Reimaging"
  | "Stopping"
  | "Deallocated"
  | "Terminating"
  | "Terminated";

type TargetState = "Started" | "Deallocated" | "Terminated";

/** From `at` (simulated seconds) until the next step, this is what the node looks like. */
export interface Step {
  readonly at: number;
  /** "Gone": the record is no more. */
  readonly status: NodeStatus | "Gone";
  readonly target: TargetState;
  /** Uses cores of every quota: from asking Azure for a VM until Azure has taken it back. */
  readonly holdsCores: boolean;
  /** How much of its address the record shows. */
  readonly address: "none" | "ip" | "hostname";
  readonly message?: string;
  /** Azure had no VM to give at this moment. */
  readonly capacityFailure?: true;
  /** Why it ends, when nobody asked for that. */
  readonly reason?: "SpotEvicted" | "VMDisappeared";
}

/**
 * A node's whole timetable: the past as it was, the future as it will be unless somebody acts. Everything that the
 * API shows is read from it for a moment in time, so no timer runs. Steps are in order of time.
 */
export type Life = readonly [Step, ...Step[]];

export interface BootDraw {
  readonly bootSeconds: number;
  /** Share of the boot, 0 to 1, in which the VM is not there yet. */
  readonly acquireShare: number;
  readonly outcome: BootOutcome;
  /** Seconds from Ready to a spot eviction, and what Azure then needs to take the VM back. */
  readonly eviction?: { readonly afterSeconds: number; readonly terminateSeconds: number };
}

export type BootOutcome =
  | { readonly kind: "ready" }
  /** The software configuration fails after this share of it. */
  | { readonly kind: "fails"; readonly share: number; readonly message?: string }
  /** Azure gives no VM. `charged`: whether the cores count while it is being asked for. */
  | {
      readonly kind: "no-vm";
      readonly message: string;
      readonly capacityFailure: boolean;
      readonly charged: boolean;
    }
  /** It stays in this status for ever. */
  | { readonly kind: "stuck"; readonly status: "Acquiring" | "Preparing" };

/** Between Azure's notice, when the node begins to terminate, and the end of its VM. */
export const evictionNoticeSeconds = 30;

const started = { target: "Started", holdsCores: true } as const;

export function stepAt(life: Life, at: number): Step {
  return life.findLast((step) => step.at <= at) ?? life[0];
}

/** The future from `at` on is replaced; what has been stays. */
export function redirect(life: Life, at: number, future: readonly Step[]): Life {
  const [first, ...rest] = life;
  const past = rest.filter((step) => step.at <= at);
  return [first, ...past, ...future];
}

export function boot(at: number, draw: BootDraw): Life {
  const acquired = at + draw.bootSeconds * draw.acquireShare;
  const ready = at + draw.bootSeconds;
  const acquiring: Step = { at, status: "Acquiring", address: "none", ...started };
  const preparing: readonly Step[] = [
    { at: acquired, status: "Preparing", address: "ip", ...started },
    { at: (acquired + ready) / 2, status: "Preparing", address: "hostname", ...started },
  ];
  const readyStep: Step = { at: ready, status: "Ready", address: "hostname", ...started };
  const { outcome } = draw;
  switch (outcome.kind) {
    case "ready":
      return [acquiring, ...preparing, readyStep, ...evicted()];
    case "fails": {
      const failed = acquired + (ready - acquired) * outcome.share;
      const { message = "Software configuration failed" } = outcome;
      const steps = preparing.filter((step) => step.at < failed);
      const { address } = steps.at(-1) ?? acquiring;
      return [acquiring, ...steps, { at: failed, status: "Failed", address, message, ...started }];
    }
    case "no-vm": {
      const { message, charged, capacityFailure } = outcome;
      const failed: Step = {
        at: acquired,
        status: "Failed",
        address: "none",
        target: "Started",
        holdsCores: false,
        message,
      };
      return [
        { ...acquiring, holdsCores: charged },
        capacityFailure ? { ...failed, capacityFailure } : failed,
      ];
    }
    case "stuck":
      return outcome.status === "Acquiring" ? [acquiring] : [acquiring, ...preparing];
  }

  function evicted(): readonly Step[] {
    if (draw.eviction === undefined) return [];
    const { afterSeconds, terminateSeconds } = draw.eviction;
    const at = ready + afterSeconds;
    const goneSeconds = Math.max(evictionNoticeSeconds, terminateSeconds);
    return terminate({
      at,
      from: readyStep,
      terminateSeconds: goneSeconds,
      fixed: false,
      reason: "SpotEvicted",
    });
  }
}

export function terminate(options: {
  readonly at: number;
  /** What the node was until then: a node without a VM holds no cores on its way out either. */
  readonly from: Step;
  readonly terminateSeconds: number;
  /** A Fixed node's record stays when its VM is gone. */
  readonly fixed: boolean;
  readonly reason?: "SpotEvicted";
}): readonly Step[] {
  const { at, terminateSeconds, fixed } = options;
  const reason = options.reason === undefined ? {} : { reason: options.reason };
  const { holdsCores, address } = options.from;
  const end = fixed ? "Terminated" : "Gone";
  return [
    { at, status: "Terminating", target: "Terminated", holdsCores, address },
    {
      at: at + terminateSeconds,
      status: end,
      target: "Terminated",
      holdsCores: false,
      address: "none",
      ...reason,
    },
  ];
}

export function deallocate(
  at: number,
  { address, holdsCores }: Step,
  deallocateSeconds: number,
): readonly Step[] {
  return [
    { at, status: "Stopping", target: "Deallocated", holdsCores, address },
    { at: at + deallocateSeconds, status: "Deallocated", target: "Deallocated", holdsCores: false, address },
  ];
}

/** A restart keeps the disk, a reimage configures the software anew. */
export function reboot(at: number, status: "Restarting" | "Reimaging", seconds: number): readonly Step[] {
  const running = { ...started, address: "hostname" } as const;
  return [
    { at, status, ...running },
    { at: at + seconds / 2, status: "Preparing", ...running },
    { at: at + seconds, status: "Ready", ...running },
  ];
}

export function fail(at: number, { address, holdsCores }: Step, message: string): readonly Step[] {
  return [{ at, status: "Failed", target: "Started", holdsCores, address, message }];
}

export function vanish(at: number): readonly Step[] {
  const gone = { status: "Gone", target: "Terminated", holdsCores: false, address: "none" } as const;
  return [{ at, ...gone, reason: "VMDisappeared" }];
}

/** Seconds between `from` and `to` in which the node held cores. */
export function heldSeconds(life: Life, from: number, to: number): number {
  return life.reduce((sum, step, index) => {
    if (!step.holdsCores) return sum;
    const end = life[index + 1]?.at ?? Infinity;
    return sum + Math.max(0, Math.min(to, end) - Math.max(from, step.at));
  }, 0);
}

/** When the node first had this status, if that was before or at `at`. */
export function firstAt(life: Life, status: Step["status"], at: number): number | undefined {
  return life.find((step) => step.status === status && step.at <= at)?.at;
}
