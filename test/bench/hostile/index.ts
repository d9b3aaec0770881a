import { bodyCases } from "./bodies.ts";
import type { HostileCase } from "./case.ts";
import { planDemandCases } from "./plan-demand.ts";
import { planTargetsCases } from "./plan-targets.ts";
import { sourceCases } from "./sources.ts";

/** Every case of `npm run bench -- hostile`; a file of this folder has one, or a table of them. */
export const hostileCases: readonly HostileCase[] = [
  ...planDemandCases,
  ...planTargetsCases,
  ...bodyCases,
  ...sourceCases,
];
