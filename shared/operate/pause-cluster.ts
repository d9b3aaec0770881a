import {
  changeControl,
  eventsOf,
  loadControl,
  noteEvents,
  requestPlan,
  resumeLogin,
} from "../cycle/index.ts";
import type { ConfigStore, Ports } from "../ports/index.ts";
import { notedDecision } from "./ending.ts";

type PausePorts = Pick<Ports, "clock" | "controls" | "events" | "log"> & {
  readonly configs: Pick<ConfigStore, "clusters">;
};
type ResumePorts = PausePorts & Pick<Ports, "planRequests">;

/** An operator's decision, and the reason; `untilSeconds`: a pause ends by itself then. */
export interface Decision {
  readonly cluster: string;
  readonly by: string;
  readonly reason: string;
  readonly untilSeconds?: number;
}

export type PauseOutcome = { readonly outcome: "paused" } | UnknownCluster;

export type ResumeOutcome =
  /** What held the cluster until now. */
  | { readonly outcome: "resumed"; readonly from: readonly ("pause" | "refused login")[] }
  | { readonly outcome: "not-stopped" }
  | UnknownCluster;

interface UnknownCluster {
  readonly outcome: "unknown-cluster";
  readonly knownClusters: readonly string[];
}

/** From now on plans are made and nothing is sent; waiting actions are dropped. Pausing again replaces the reason. */
export async function pauseCluster(ports: PausePorts, decision: Decision): Promise<PauseOutcome> {
  const { cluster, ...made } = decision;
  const unknown = await unknownCluster(ports, cluster);
  if (unknown !== undefined) return unknown;
  const paused = { ...made, atSeconds: ports.clock.nowSeconds() };
  await changeControl(ports, cluster, (control) => ({ ...control, paused }));
  await noteEvents(ports, cluster, eventsOf(notedDecision("pause", made, paused.atSeconds), null));
  return { outcome: "paused" };
}

/** Ends a pause, and asks for a plan. A refused login may be tried once more; plans stay held until it is accepted. */
export async function resumeCluster(ports: ResumePorts, decision: Decision): Promise<ResumeOutcome> {
  const { cluster, by, reason } = decision;
  const unknown = await unknownCluster(ports, cluster);
  if (unknown !== undefined) return unknown;
  const before = await loadControl(ports, cluster);
  const from = [
    ...(before.paused === null ? [] : (["pause"] as const)),
    ...(before.refusedLogin === null ? [] : (["refused login"] as const)),
  ];
  if (from.length === 0) return { outcome: "not-stopped" };
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
  return { outcome: "resumed", from };
}

async function unknownCluster(ports: PausePorts, cluster: string): Promise<UnknownCluster | undefined> {
  const clusters = await ports.configs.clusters();
  return clusters.includes(cluster) ? undefined : { outcome: "unknown-cluster", knownClusters: clusters };
}
