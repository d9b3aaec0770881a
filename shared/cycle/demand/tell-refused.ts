import { toldProblems } from "../../messages/scheduler-event.ts";
import type { Ports } from "../../ports/index.ts";
import { tellSchedulers } from "../tell-schedulers.ts";

/** What of a source's demand did not take effect. */
export interface Refused {
  readonly cluster: string;
  readonly source: string;
  /** Null: it cannot be read. */
  readonly sequence: number | null;
  /** Nothing of the message took effect. */
  readonly whole: boolean;
  /** Those that are news: whoever calls does not repeat them with every message. */
  readonly problems: readonly string[];
}

/** Tells a source what was not taken, for its own log: else only who reads the status would know. */
export async function tellRefused(
  ports: Pick<Ports, "clock" | "log" | "schedulerEvents">,
  { problems, ...refused }: Refused,
): Promise<void> {
  if (problems.length === 0) return;
  const about = { version: 1, kind: "demand-refused", atSeconds: ports.clock.nowSeconds() } as const;
  await tellSchedulers(ports, [{ ...about, ...refused, problems: toldProblems(problems) }]);
}
