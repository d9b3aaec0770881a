import type { CauseView } from "../../api/index.ts";
import type { SourceDemand } from "../../ports/index.ts";
import type { Outlook } from "../outlook.ts";
import { cause, rounded } from "./cause.ts";

/** A source past its time to live: what waits there counts for nothing, what runs there is protected for a day. */
export function silentSource(outlook: Outlook, source: string | null): readonly CauseView[] {
  const demand = outlook.loaded.demand.find((each) => each.source === source);
  return demand === undefined || demand.expiresAtSeconds > outlook.atSeconds
    ? []
    : [silence(outlook, demand)];
}

export function silence(
  { atSeconds }: Pick<Outlook, "atSeconds">,
  { source, expiresAtSeconds, receivedAtSeconds }: SourceDemand,
): CauseView {
  const silent = rounded(atSeconds - receivedAtSeconds);
  const ttl = rounded(expiresAtSeconds - receivedAtSeconds);
  return cause("source-expired", {
    text: `Source "${source}" has been silent for ${silent} s, expected a message within ${ttl} s: what waits there has not counted for ${rounded(atSeconds - expiresAtSeconds)} s, what ran keeps its nodes for a day.`,
    next: `See on the scheduler's host whether what posts the demand of "${source}" still runs (\`systemctl status ccscale-agent\`), and \`ccscale rejects list\`; its next message counts at once.`,
    asked: ttl,
    left: silent,
  });
}
