import { InvalidArgumentError } from "commander";
import { raisableLimits, type WhatIfAnswer } from "../../../shared/api/index.ts";
import { counted, printable } from "../../../shared/text/text.ts";
import { jobsCostLine } from "./answer-line.ts";

/** As `POST what-if` takes it. */
export interface RaisedLimit {
  readonly limit: string;
  readonly scope: string;
  readonly unit: string;
  readonly more: number;
}

const raised = /^(?<limit>[a-z-]+) (?<scope>.+) (?<more>\d+(?:\.\d+)?) (?<unit>nodes|cores|usd)$/;

/** Reads `node-array htc 10 nodes`: kind and scope as `limits` shows them, by how much, in which unit. */
export function collectLimits(text: string, before: readonly RaisedLimit[]): readonly RaisedLimit[] {
  const parts = raised.exec(text.trim())?.groups;
  const { limit = "", scope = "", unit = "", more = "" } = parts ?? {};
  if (!raisableLimits.some((each) => each === limit))
    throw new InvalidArgumentError(
      `expected a limit, its scope, by how much and the unit, such as 'node-array htc 10 nodes'; limits: ${raisableLimits.join(", ")}.`,
    );
  return [...before, { limit, scope, unit, more: Number(more) }];
}

const mostNamed = 5;

/** What else would be different: nodes that are not needed, the job's cost, other jobs. */
export function differenceLines({ more, changed, others }: WhatIfAnswer): readonly string[] {
  const cost = jobsCostLine(more.cost);
  const before = changed?.costBefore;
  const was =
    before === undefined || before.usdPerHour === more.cost.usdPerHour
      ? ""
      : ` (${before.usdPerHour.toFixed(2)} USD/h as it is)`;
  const fewer = more.fewer.map(({ count, vmSize, nodeArray }) => `${count} ${vmSize} in ${nodeArray}`);
  const names = others.first
    .slice(0, mostNamed)
    .map(({ job, before: had, after, asked }) => `${job} ${had} -> ${after} of ${asked}`);
  const otherCount = others.better + others.worse;
  const losers = others.first.filter(({ before: had, after }) => after < had).slice(0, mostNamed);
  return [
    ...(fewer.length === 0 ? [] : [`Not needed any more: ${fewer.join(" and ")}`]),
    ...netLines(more),
    ...more.bindsNext.map(({ text }) => printable(`Nothing comes of it: ${text}`)),
    ...(cost === null ? [] : [`${cost}${was}`]),
    ...(otherCount === 0
      ? []
      : [
          printable(
            `Other jobs: ${counted(others.better, "jobs")} get more, ${others.worse} less: ${names.join(", ")}${otherCount > names.length ? ", …" : ""}`,
          ),
        ]),
    ...losers.flatMap(({ job, why }) => (why === null ? [] : [printable(`  ${job} gets less: ${why}`)])),
  ];
}

/** What all nodes cost more or less, where some are not needed any more or would go: the new ones alone are not the whole. */
function netLines({ fewer, gone, netUsdPerHour: net }: WhatIfAnswer["more"]): readonly string[] {
  if (fewer.length === 0 && gone === 0) return [];
  const nodes = gone === 0 ? "" : `${counted(gone, "nodes")} more would go. `;
  if (net === null) return [`${nodes}In all: the price is not known`];
  return [`${nodes}In all: ${net < 0 ? "-" : "+"}${Math.abs(net).toFixed(2)} USD/h`];
}
