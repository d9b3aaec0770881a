import type { CostAnswer } from "../../../shared/api/index.ts";
import type { Environment } from "../environment/environment.ts";

/** What the service counted of a cluster's nodes, in simulated time. */
export interface Costs {
  readonly usd: number;
  /** Each in US dollars; together they are `usd`. */
  readonly byPurpose: CostAnswer["total"]["usdByPurpose"];
  readonly nodeHours: number;
  readonly unpricedNodeHours: number;
}

/**
 * Reads what `ccscale cost` shows. The service counts real time, in which a node's hour is one of `speed` hours of the
 * simulated world. Undefined when the service does not answer: that is not known, and not zero.
 */
export async function readCosts(
  { functionsUrl, cluster }: Environment,
  { fromSeconds, speed }: { readonly fromSeconds: number; readonly speed: number },
): Promise<Costs | undefined> {
  const url = `${functionsUrl}/api/clusters/${encodeURIComponent(cluster)}/cost?from=${Math.floor(fromSeconds)}`;
  try {
    const response = await fetch(url);
    return response.ok ? inSimulatedTime((await response.json()) as CostAnswer, speed) : undefined;
  } catch {
    return undefined;
  }
}

export function inSimulatedTime({ total }: Pick<CostAnswer, "total">, speed: number): Costs {
  const purposes = Object.entries(total.usdByPurpose).map(([purpose, usd]) => [purpose, usd * speed]);
  return {
    usd: total.usd * speed,
    byPurpose: Object.fromEntries(purposes) as Costs["byPurpose"],
    nodeHours: total.nodeHours * speed,
    unpricedNodeHours: total.unpricedNodeHours * speed,
  };
}
