import { CommandFailure, NotFound } from "./exit-code.ts";
import type { Service } from "./service/service.ts";

const mostShown = 5;

/** Asks with an id, or with the one that begins with it; `list` is called only when there is none. Throws when several begin so. */
export async function withWholeId<T>(
  asked: string,
  ask: (id: string) => Promise<T>,
  list: () => Promise<readonly string[]>,
): Promise<T> {
  try {
    return await ask(asked);
  } catch (error) {
    if (!(error instanceof NotFound) || asked === "") throw error;
    const [only, ...others] = (await list()).filter((id) => id.startsWith(asked));
    if (only === undefined) throw error;
    if (others.length === 0) return ask(only);
    const some = [only, ...others].slice(0, mostShown).join(", ");
    throw new CommandFailure(
      `${others.length + 1} ids begin with "${asked}": ${some}${others.length >= mostShown ? ", …" : ""}`,
      "Give more of it.",
    );
  }
}

const mostLookedThrough = 1_000;

export async function planIds(service: Service): Promise<readonly string[]> {
  const { plans } = await service.ask("plans", { query: { limit: mostLookedThrough } });
  return plans.map(({ planId }) => planId);
}
