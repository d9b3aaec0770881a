import { type Problem, type ProblemKind, problemType } from "./problem.ts";
import { SUPPORT_PARTS } from "./support.ts";

function refusal(kind: ProblemKind, status: number, words: Omit<Problem, "type" | "status">): Problem {
  return { type: problemType(kind), status, ...words };
}

const longestShownName = 100;

/** What somebody asked for, as it is told back: cut where it is long. */
export function quoted(name: string): string {
  return `"${name.length <= longestShownName ? name : `${name.slice(0, longestShownName)}…`}"`;
}

/**
 * Refusals in the words of the service, whoever gives them: its functions, or `ccscale` where it works on the storage
 * account itself.
 */
export const refusals = {
  unknownCluster: (cluster: string) =>
    refusal("unknown-cluster", 404, { title: `No cluster ${quoted(cluster)} is configured` }),
  unknownPlan: (planId: string) => refusal("not-found", 404, { title: `No plan ${quoted(planId)} is kept` }),
  unknownReject: (rejectionId: string) =>
    refusal("not-found", 404, {
      title: `No rejected message ${quoted(rejectionId)} is kept`,
      detail: "Rejected messages are kept for 30 days",
    }),
  unknownSupportPart: (part: string) =>
    refusal("not-found", 404, {
      title: `There is no part ${quoted(part)}`,
      detail: `Parts: ${SUPPORT_PARTS.join(", ")}`,
    }),
  notReplayed: (problems: readonly string[]) =>
    refusal("refused", 409, {
      title: "Nothing was sent",
      detail:
        "A demand message can be mended: send the right one along, as `message`; with ccscale, `--file mended.json`",
      problems: [...problems],
    }),
  demandUnusable: (problems: readonly string[]) =>
    refusal("bad-request", 400, { title: "This is no demand that can be taken", problems: [...problems] }),
  configUnusable: (problems: readonly string[]) =>
    refusal("bad-request", 400, { title: "This configuration cannot be used", problems: [...problems] }),
  configChangedMeanwhile: (cluster: string) =>
    refusal("conflict", 412, {
      title: `The configuration of "${cluster}" is not the one that was seen`,
      detail: "Look again, then try again",
    }),
} as const;
