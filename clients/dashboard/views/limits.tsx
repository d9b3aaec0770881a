import type { LimitsAnswer } from "../../../shared/api/index.ts";
import { Breakable } from "../parts/breakable.tsx";
import { AllOf } from "../parts/links.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { ShareMeter } from "../parts/share-meter.tsx";
import { SharedQuotas } from "../parts/shared-quotas.tsx";
import { Shown } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import type { Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { count, counted, usd } from "../words.ts";

/** Every limit, what most cores wait for first. */
export function Limits({ cluster }: { readonly place: Place; readonly cluster: string }) {
  return (
    <>
      <h1>Limits</h1>
      <LimitTable cluster={cluster} most={Number.POSITIVE_INFINITY} />
    </>
  );
}

const mostBinding = 5;

/** One that is wholly free is the next to bind for somebody, and news for nobody. */
function isTight({ binds, waitingJobs, used, left }: LimitsAnswer["limits"][number]): boolean {
  return waitingJobs > 0 || (binds > 0 && (used !== 0 || left === 0));
}

export function BindingLimits({ cluster }: { readonly cluster: string }) {
  return (
    <section>
      <h2>Limits that bind</h2>
      <LimitTable cluster={cluster} most={mostBinding} />
      <AllOf cluster={cluster} view="limits" />
    </section>
  );
}

function LimitTable({ cluster, most }: { readonly cluster: string; readonly most: number }) {
  const isWhole = most === Number.POSITIVE_INFINITY;
  const LimitList = isWhole ? ListTable : Table;
  const polled = usePolled<LimitsAnswer>(
    pathOf("clusters", cluster, "limits"),
    isWhole ? {} : { everyMs: 15_000 },
  );
  return (
    <Shown polled={polled}>
      {({ limits, shared, unshared }) => (
        <>
          <LimitList
            caption="Limits"
            rows={limits.filter((limit) => isWhole || isTight(limit)).slice(0, most)}
            rowKey={({ limit, scope, unit }) => `${limit} ${scope} ${unit}`}
            none="No limit is known."
            columns={[
              ["Limit", ({ limit }) => limit],
              ["Of", ({ scope }) => <Breakable name={scope} />, "long"],
              ["Used", ({ used }) => (used === null ? "–" : count(used)), "number"],
              ["Most", ({ max }) => (max === null ? "–" : count(max)), "number"],
              [
                "Left",
                ({ left, unit }) => (unit === "usd" ? usd(left) : counted(left, unit.slice(0, -1))),
                "number",
              ],
              [
                "Share used",
                ({ used, max, limit, scope }) =>
                  used === null || max === null || max === 0 ? (
                    "–"
                  ) : (
                    <ShareMeter used={used} most={max} label={`${limit} ${scope} used`} />
                  ),
              ],
              [
                "Waiting",
                ({ waitingJobs, waitingCores }) =>
                  waitingJobs === 0
                    ? "–"
                    : `${counted(waitingJobs, "job")}, ${counted(waitingCores, "core")}`,
              ],
              ["Binds", ({ binds, boundBy }) => boundBy ?? (binds > 0 ? counted(binds, "bucket") : "–")],
            ]}
          />
          {isWhole ? <SharedQuotas shared={shared} unshared={unshared} /> : null}
        </>
      )}
    </Shown>
  );
}
