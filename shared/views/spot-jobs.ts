import type { JobView } from "../api/index.ts";
import { evictionsOf, waitingSinceOf } from "../cycle/index.ts";
import type { Job } from "../engine/index.ts";
import type { Outlook } from "./outlook.ts";

/** Reads where a job stands between spot and regular nodes, by its place in the input. */
export function spotReader(
  outlook: Pick<Outlook, "made" | "config" | "losses" | "atSeconds">,
): (job: Job, place: number) => JobView["spot"] {
  const { made, config, losses, atSeconds } = outlook;
  const settings = config.cycle.spot;
  return (job, place) => {
    const stance = made.spot.stances.get(place);
    if (stance === undefined) return null;
    const evictions = evictionsOf(job, losses);
    if (stance !== "first") return { stance, patienceLeftSeconds: null, evictions };
    if (settings === undefined) return null;
    const waited = atSeconds - (waitingSinceOf(job) ?? atSeconds);
    const patienceLeftSeconds = Math.max(0, settings.patienceSeconds - waited);
    return { stance, patienceLeftSeconds, evictions };
  };
}
