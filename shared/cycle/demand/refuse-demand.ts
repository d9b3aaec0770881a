import { claimedOrigin, claimedSequence, toldProblems } from "../../messages/index.ts";
import type { Ports } from "../../ports/index.ts";
import { tellSchedulers } from "../tell-schedulers.ts";
import { namesHidden } from "./hide-names.ts";
import { noteRefused } from "./note-refused.ts";
import { type RawMessage, reject } from "./reject.ts";

type RefusePorts = Pick<
  Ports,
  "clock" | "configs" | "demand" | "ids" | "log" | "rejections" | "schedulerEvents"
>;

/** Records a demand message that takes no effect, and that its source's demand is unknown from now on. */
export async function refuseDemand(
  ports: RefusePorts,
  sent: RawMessage,
  why: { readonly kind: "invalid" | "poison"; readonly problems: readonly string[] },
): Promise<void> {
  const raw = { ...sent, body: (await namesHidden(ports, sent))(sent.body) };
  await reject(ports, raw, why);
  const { cluster, source } = claimedOrigin(raw.body);
  // A message that names no cluster could be about any cluster's nodes.
  if (cluster === undefined) return;
  const noted = await noteRefused(ports, { cluster, body: raw.body, problems: why.problems });
  if (noted !== "news" || source === undefined) return;
  const sequence = claimedSequence(raw.body) ?? null;
  await tellRefused(ports, { cluster, source, sequence, whole: true, problems: why.problems });
}

/** The part of a source's demand that did not take effect. */
export interface Refused {
  readonly cluster: string;
  readonly source: string;
  /** Null: it cannot be read. */
  readonly sequence: number | null;
  /** True: no part of the message took effect. */
  readonly whole: boolean;
  /** New problems only: callers do not repeat them with every message. */
  readonly problems: readonly string[];
}

/** Reports to a source what was refused, for its own log: otherwise only readers of the status would know. */
export async function tellRefused(
  ports: Pick<Ports, "clock" | "log" | "schedulerEvents">,
  { problems, ...refused }: Refused,
): Promise<void> {
  if (problems.length === 0) return;
  const about = { version: 1, kind: "demand-refused", atSeconds: ports.clock.nowSeconds() } as const;
  await tellSchedulers(ports, [{ ...about, ...refused, problems: toldProblems(problems) }]);
}
