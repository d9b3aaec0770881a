import type { DemandPosted } from "../api/index.ts";
import { effectOf, noteRefused } from "../cycle/index.ts";
import {
  type DemandMessage,
  demandWarnings,
  parseDemand,
  type SetAside,
  withItemsAside,
} from "../messages/index.ts";
import type { DemandQueue, DemandToSend, Ports } from "../ports/index.ts";
import { counted } from "../text/text.ts";

export type PostOutcome =
  | { readonly outcome: "answered"; readonly answer: DemandPosted }
  | { readonly outcome: "refused"; readonly problems: readonly string[] };

/** Checks a demand message and puts it on the queue, in parts or as an upload. The queue keeps, retries and limits it. */
export async function postDemand(
  ports: Pick<Ports, "clock" | "configs" | "demand" | "log"> & { readonly demandQueue: DemandQueue },
  wish: {
    readonly cluster: string;
    readonly message: Readonly<Record<string, unknown>>;
    readonly dryRun: boolean;
  },
): Promise<PostOutcome> {
  const { cluster, dryRun } = wish;
  const { cluster: named = cluster, ...message } = wish.message;
  const parsed = parseDemand({ ...message, cluster });
  const problems = [
    ...(named === cluster ? [] : [`cluster: "${String(named)}", expected "${cluster}" or none`]),
    // The service splits large messages itself.
    ...["part", "blob"].filter((key) => Object.hasOwn(message, key)).map((key) => `${key}: expected none`),
    ...(parsed.ok ? [] : parsed.problems),
  ];
  if (!parsed.ok || problems.length > 0) {
    // The sender receives the problems, but cannot send better until somebody fixes it: meanwhile its running jobs are
    // unknown.
    if (!dryRun && named === cluster) await noteRefused(ports, { cluster, body: message, problems });
    return { outcome: "refused", problems };
  }
  const demand: DemandToSend = { ...parsed.message, ...withItemsAside(parsed, message) };
  const { setAside } = parsed;
  const { source, sequence, jobs, nodes, kind } = parsed.message;
  const { effect, why } = await foresee(ports, parsed.message);
  if (!dryRun) {
    const sent = await ports.demandQueue.send(demand);
    if (sent.outcome === "refused") return { outcome: "refused", problems: [sent.reason] };
  }
  const hosts = nodes.length === 0 ? "" : ` and ${counted(nodes.length, "nodes")}`;
  const change = kind === "delta" ? "changes to " : "";
  const aside = setAside.length === 0 ? "" : `; ${counted(setAside.length, "items")} set aside`;
  const what = `${change}${counted(jobs.length, "jobs")}${hosts} of source "${source}" for cluster "${cluster}"`;
  return {
    outcome: "answered",
    answer: {
      cluster,
      atSeconds: ports.clock.nowSeconds(),
      outcome: dryRun ? "would" : "done",
      summary: `${dryRun ? "Would post" : "Posted"} ${what}${aside}.${why}`,
      effect,
      source,
      sequence,
      jobs: jobs.length,
      nodes: nodes.length,
      setAside: setAsideAnswer(setAside),
      warnings: demandWarnings(parsed, message).slice(0, mostShown),
    },
  };
}

/** Predicts how the message will be handled: a sender would else not learn that it will be ignored. */
async function foresee(
  { demand, clock }: Pick<Ports, "demand" | "clock">,
  message: DemandMessage,
): Promise<{ readonly effect: DemandPosted["effect"]; readonly why: string }> {
  const { cluster, source, sequence } = message;
  const newest = (await demand.summaries(cluster)).find((each) => each.source === source);
  const effect = effectOf(newest, message, clock.nowSeconds());
  return { effect, why: whyNot(effect, { sequence, newest: newest?.sequence }) };
}

function whyNot(
  effect: DemandPosted["effect"],
  { sequence, newest }: { readonly sequence: number; readonly newest: number | undefined },
): string {
  switch (effect) {
    case "merged":
      return "";
    case "ignored":
      return ` It will be ignored: sequence ${sequence} is not above ${newest}, that of the source's newest message. Send it with a larger one.`;
    case "early":
      return newest === undefined
        ? " It will wait: it is a delta, and no snapshot of this source has come. Send a snapshot first."
        : ` It will wait: it is a delta with sequence ${sequence}, and the source's newest message has ${newest}. Send ${newest + 1}, or a snapshot.`;
  }
}

const mostShown = 100;

/** The items that could not be read, as the sender receives them. */
export function setAsideAnswer(setAside: readonly SetAside[]): DemandPosted["setAside"] {
  const items = setAside
    .slice(0, mostShown)
    .map(({ kind, index, name, problems }) => ({ kind, index, name, problems }));
  return { count: setAside.length, items };
}
