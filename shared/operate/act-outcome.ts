import type { ActionAnswer } from "../api/index.ts";
import type { WorldPorts } from "../cycle/index.ts";
import type { Ports } from "../ports/index.ts";
import type { Outlook } from "../views/index.ts";

export type ActPorts = WorldPorts & Pick<Ports, "events" | "ids" | "log" | "planRequests" | "scaleActions">;

export type ActOutcome =
  | { readonly outcome: "answered"; readonly answer: ActionAnswer }
  | {
      readonly outcome: "refused";
      readonly problems: readonly string[];
      /** As `Creation` has it. */
      readonly taken?: readonly string[];
      readonly answer: ActionAnswer;
    }
  /** The key was given before, for another request. */
  | { readonly outcome: "key-reused"; readonly actionId: string }
  | { readonly outcome: "busy" }
  | { readonly outcome: "unknown-cluster" };

export function answered(
  { cluster, atSeconds }: Pick<Outlook, "cluster" | "atSeconds">,
  outcome: ActionAnswer["outcome"],
  summary: string,
  more: Partial<Pick<ActionAnswer, "actions" | "skipped" | "problems">> = {},
): Extract<ActOutcome, { outcome: "answered" }> {
  const { actions = [], skipped = [], problems = [] } = more;
  const answer = { cluster, atSeconds, outcome, summary, actions, skipped, problems, expiresInSeconds: null };
  return { outcome: "answered", answer };
}

/** A dry run answers; without one, the refusal is the outcome. */
export function refused(
  outlook: Pick<Outlook, "cluster" | "atSeconds">,
  problems: readonly string[],
  isDryRun: boolean,
): ActOutcome {
  const made = answered(outlook, "refused", "Refused.", { problems });
  return isDryRun ? made : { outcome: "refused", problems, answer: made.answer };
}
