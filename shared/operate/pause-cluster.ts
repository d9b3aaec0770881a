import {
  changeControl,
  eventsOf,
  loadControl,
  noteEvents,
  requestPlan,
  resumeLogin,
} from "../cycle/index.ts";
import type { ClusterControl, Ports } from "../ports/index.ts";
import { notedDecision } from "./ending.ts";

type PausePorts = Pick<Ports, "clock" | "controls" | "events" | "log">;
type ResumePorts = PausePorts & Pick<Ports, "planRequests">;

/** An operator's decision, and the reason; `untilSeconds`: a pause ends by itself then. */
export interface Decision {
  readonly cluster: string;
  readonly by: string;
  readonly reason: string;
  readonly untilSeconds?: number;
}

/** What stops a cluster: nothing is sent. None: it is not stopped. */
export function stopsOf({ paused, refusedLogin }: ClusterControl): readonly ("pause" | "refused login")[] {
  return [
    ...(paused === null ? [] : (["pause"] as const)),
    ...(refusedLogin === null ? [] : (["refused login"] as const)),
  ];
}

/** From now on plans are made and nothing is sent; waiting actions are dropped. Pausing again replaces the reason. */
export async function pauseCluster(ports: PausePorts, decision: Decision): Promise<void> {
  const { cluster, ...made } = decision;
  const paused = { ...made, atSeconds: ports.clock.nowSeconds() };
  await changeControl(ports, cluster, (control) => ({ ...control, paused }));
  await noteEvents(ports, cluster, eventsOf(notedDecision("pause", made, paused.atSeconds), null));
}

/**
 * Ends a pause, and asks for a plan. A refused login may be tried once more; plans stay held until it is accepted. A cluster that is
 * not stopped is left alone.
 */
export async function resumeCluster(ports: ResumePorts, decision: Decision): Promise<void> {
  const { cluster, by, reason } = decision;
  const before = await loadControl(ports, cluster);
  if (stopsOf(before).length === 0) return;
  // Before the cluster's own record changes: a repeated command decides from that record.
  if (before.refusedLogin !== null) await resumeLogin(ports, before.refusedLogin.fingerprint);
  const resumedAtSeconds = ports.clock.nowSeconds();
  await changeControl(ports, cluster, (control) => {
    const { refusedLogin } = control;
    return { ...control, paused: null, refusedLogin: refusedLogin && { ...refusedLogin, resumedAtSeconds } };
  });
  await noteEvents(
    ports,
    cluster,
    eventsOf({ kind: "resume", by, reason, atSeconds: resumedAtSeconds }, null),
  );
  await requestPlan(ports, { cluster, reason: `resumed by ${by}: ${reason}` });
}
