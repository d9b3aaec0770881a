import type { AutoscaleAnswer } from "../api/index.ts";
import type { World } from "../cycle/plan/load-world.ts";
import { metTargets } from "../cycle/plan/plan-head.ts";
import type { Plan } from "../engine/index.ts";
import type { RequestSet } from "../ports/index.ts";
import { decided } from "./demand.ts";
import { outlookOf } from "./outlook.ts";

type Forecast = NonNullable<AutoscaleAnswer["forecast"]>;

/** The plan that would be made now if a request set wanted this. Pure; nothing is recorded or sent. */
export function whatIfTargets(world: World, wanted: RequestSet, nowSeconds: number): Forecast {
  const others = world.loaded.targets.filter(({ requestSet }) => requestSet !== wanted.requestSet);
  const without = outlookOf(world, nowSeconds).plan;
  const loaded = { ...world.loaded, targets: [...others, wanted] };
  const { plan, made, held } = outlookOf({ ...world, loaded }, nowSeconds);
  return {
    held: held ?? null,
    met: metTargets(plan, made.backedOff, nowSeconds),
    more: {
      create: Math.max(0, created(plan) - created(without)),
      start: Math.max(0, plan.start.length - without.start.length),
    },
    ...decided(plan, made.backedOff, nowSeconds),
  };
}

export function created({ create }: Plan): number {
  return create.reduce((sum, { count }) => sum + count, 0);
}
