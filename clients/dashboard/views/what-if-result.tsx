import type { ExplainAnswer, WhatIfAnswer } from "../../../shared/api/index.ts";
import { Causes } from "../parts/explained.tsx";
import { Table } from "../parts/table.tsx";
import { linkTo } from "../place.ts";
import { count, counted, duration, usd } from "../words.ts";

/** The answer first, then what differs from the job as it is. */
export function WhatIfResult({ answer }: { readonly answer: WhatIfAnswer }) {
  const { cluster, changed, more, others, held } = answer;
  if (changed === null) return null;
  const { before, after, costBefore } = changed;
  return (
    <>
      <p class={`problem ${after.granted >= after.asked ? "fine" : "degraded"}`}>
        <strong>{headlineOf(answer, after)}</strong>
      </p>
      {held === null ? null : <p class="problem degraded">Nothing would be sent now: {held}.</p>}
      <Table
        caption="What differs"
        rows={[
          { what: "Has", was: hasOf(before), is: hasOf(after) },
          { what: "Nodes", was: count(before.placeCount), is: count(after.placeCount) },
          {
            what: "Its share of their cost, per hour",
            was: usd(costBefore.usdPerHour),
            is: usd(more.cost.usdPerHour),
          },
          { what: "New nodes only for this", was: nodesOf(more.fewer), is: nodesOf(more.additions) },
          ...others.first.map(({ job, asked, before: was, after: is }) => ({
            what: `Job ${job}`,
            job,
            was: `${count(was)} of ${count(asked)}`,
            is: `${count(is)} of ${count(asked)}`,
          })),
        ]}
        rowKey={({ what }) => what}
        columns={[
          [
            "What",
            ({ what, job }: { what: string; job?: string }) =>
              job === undefined ? what : <a href={linkTo({ cluster, view: "jobs", subject: job })}>{what}</a>,
          ],
          ["As it is", ({ was }) => was],
          ["Then", ({ is }) => is],
        ]}
      />
      <p class="quiet">
        {others.better + others.worse === 0
          ? "No other job gets more or less."
          : `Other jobs: ${counted(others.better, "job")} would get more, ${count(others.worse)} less.`}
      </p>
      <Causes causes={after.causes} title="What it would wait for" />
    </>
  );
}

function headlineOf({ more }: WhatIfAnswer, { asked, granted, unit, placeCount }: ExplainAnswer): string {
  if (granted === 0) return "It would still wait.";
  const amount =
    granted < asked ? `${count(granted)} of ${count(asked)}` : asked === 1 ? "its" : `all ${count(asked)}`;
  const has = `${amount} ${granted >= asked && asked === 1 ? unit.slice(0, -1) : unit}`;
  const parts = [
    `It would have ${has}${unit === "nodes" ? "" : ` on ${counted(placeCount, "node")}`}`,
    more.additions.length > 0 && `+${nodesOf(more.additions)}`,
    `${usd(more.cost.usdPerHour)} per hour for its share`,
    readyIn(more.additions),
  ];
  return `${parts.filter(Boolean).join(", ")}.`;
}

type Additions = WhatIfAnswer["more"]["additions"];

function nodesOf(additions: Additions): string {
  return (
    additions
      .map(({ count: number, vmSize, nodeArray }) => `${number} × ${vmSize} in ${nodeArray}`)
      .join(", ") || "none"
  );
}

/** When the slowest are; false: no boot of theirs is known. */
function readyIn(additions: Additions): string | false {
  const seconds = additions.flatMap(({ readyInSeconds }) => readyInSeconds ?? []);
  return (
    seconds.length > 0 &&
    seconds.length === additions.length &&
    `ready in about ${duration(Math.max(...seconds))}`
  );
}

function hasOf({ granted, asked, unit }: ExplainAnswer): string {
  return `${count(granted)} of ${counted(asked, unit.slice(0, -1))}`;
}
