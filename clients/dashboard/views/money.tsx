import type { CostAnswer, CostDimensionName, CostRowView } from "../../../shared/api/index.ts";
import { besideWords } from "../../../shared/text/idle-money.ts";
import { Choice } from "../parts/choice.tsx";
import { Days } from "../parts/days.tsx";
import { FieldFilter } from "../parts/field-filter.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Shown, Time } from "../parts/state.tsx";
import { choose, type Place } from "../place.ts";
import { addressOf, pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { percent, usd } from "../words.ts";

const dimensions = {
  array: "Node array",
  size: "VM size",
  user: "User",
  account: "Account",
  queue: "Queue",
  purpose: "Purpose",
  day: "Day",
  spot: "Spot or regular",
  job: "Job",
} as const satisfies { readonly [name in CostDimensionName]?: string };

const spans = [
  { value: "day", title: "Today" },
  { value: "month", title: "This month" },
  { value: "last", title: "Last month" },
] as const;

export function Money({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { by = "array", span = "month", from = "", until = "", user = "" } = place.options;
  const period = from === "" ? periodOf(span) : { from, until };
  const address = addressOf(pathOf("clusters", cluster, "cost"), { by, ...period, user });
  const polled = usePolled<CostAnswer>(address, {
    // It is added up anew each time, and changes with each snapshot at most.
    everyMs: 30_000,
  });
  return (
    <>
      <h1>Money</h1>
      <p class="quiet">By list and configured prices: an estimate, not the bill. Days and months are UTC.</p>
      <Choice
        legend="Time counted"
        options={spans}
        value={from === "" ? span : ""}
        onChoose={(value) => choose(place, { span: value, from: "", until: "" })}
      />
      <Days place={place} />
      <FieldFilter place={place} name="user" title="Jobs of user" placeholder="all" />
      <Choice
        legend="Costs by"
        options={Object.keys(dimensions).map((value) => ({ value, title: `by ${value}` }))}
        value={by}
        onChoose={(value) => choose(place, { by: value })}
      />
      <Shown polled={polled}>
        {({ rows, total, notInTotal, fromSeconds, untilSeconds }) => (
          <>
            <p>
              <strong>{usd(total.usd)}</strong>, {hours(total.nodeHours)} node-hours, from{" "}
              <Time at={fromSeconds} /> to <Time at={untilSeconds} />.
              {total.unpricedNodeHours > 0
                ? ` ${hours(total.unpricedNodeHours)} node-hours have no known price and are left out.`
                : ""}
              {besideWords(notInTotal, usd).map((line) => ` ${line}.`)}
            </p>
            <ListTable
              caption={`Costs by ${by}`}
              rows={rows}
              rowKey={(row) => nameOf(row, by)}
              none="Nothing was used."
              columns={[
                [headOf(by), (row) => nameOf(row, by)],
                ["Cost", (row) => usd(row.usd), "number"],
                ["Share", shareOf, "number"],
                ["Node-hours", (row) => hours(row.nodeHours), "number"],
                ["Jobs", (row) => usd(row.usdByPurpose.job), "number"],
                ["Unused", (row) => usd(row.usdByPurpose.unused), "number"],
                ["Booting", (row) => usd(row.usdByPurpose.boot), "number"],
                ["Idle", (row) => usd(row.usdByPurpose.idle), "number"],
              ]}
            />
          </>
        )}
      </Shown>
    </>
  );
}

function periodOf(span: string): Record<string, string> {
  const now = new Date();
  const at = (year: number, month: number, day: number) => String(Date.UTC(year, month, day) / 1_000);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (span === "day") return { from: at(year, month, day) };
  if (span === "last") return { from: at(year, month - 1, 1), until: at(year, month, 1) };
  return { from: at(year, month, 1) };
}

/** The service rounds: what cost something has a share. */
function shareOf({ usd: cost, share }: CostRowView): string {
  return percent(cost > 0 ? Math.max(share, Number.MIN_VALUE) : share);
}

function headOf(by: string): string {
  return Object.hasOwn(dimensions, by) ? dimensions[by as keyof typeof dimensions] : by;
}

function nameOf({ keys, isOverhead }: CostRowView, by: string): string {
  const value = keys[by as CostDimensionName];
  if (value === undefined) return isOverhead ? "(no job)" : "(others)";
  if (value === null) return "unknown";
  if (typeof value === "boolean") return value ? "spot" : "regular";
  return value;
}

function hours(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 1 });
}
