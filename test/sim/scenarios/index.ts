import type { Scenario } from "../scenario.ts";
import { burst } from "./burst.ts";

/** Every kind of trouble; a seed picks the one at its place. */
export const scenarios: readonly [Scenario, ...Scenario[]] = [burst];
