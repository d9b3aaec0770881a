import type { WeekAnswer } from "../../../shared/api/index.ts";
import { Chart } from "../parts/chart.tsx";
import { Shown, Time } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import type { Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { count, counted, duration, localTime, usd } from "../words.ts";

type WeekOfArray = WeekAnswer["nodeArrays"][number];

/** The last seven days of each node array, hour by hour. */
export function Week({ cluster }: { readonly place: Place; readonly cluster: string }) {
  const polled = usePolled<WeekAnswer>(pathOf("clusters", cluster, "week"), { everyMs: 60_000 });
  return (
    <>
      <h1>Week</h1>
      <Shown polled={polled}>{(week) => <Arrays week={week} />}</Shown>
    </>
  );
}

function Arrays({ week }: { readonly week: WeekAnswer }) {
  const { openedAtSeconds, fromSeconds, untilSeconds, waiting } = week;
  const span = [fromSeconds, untilSeconds] as const;
  const times = Array.from({ length: 168 }, (_, index) => fromSeconds + index * 3_600);
  const isQuiet = ({ hours, sizes, kept, paused }: WeekOfArray) =>
    hours.every(({ nodes }) => nodes === 0) && sizes.length + kept.length + paused.length === 0;
  const quiet = week.nodeArrays.filter(isQuiet);
  const jobs = new Map(waiting.map((hour) => [hour.fromSeconds, hour.jobs]));
  const shared = { times, span, mostRows: times.length };
  return (
    <>
      <p class="quiet">
        The last seven days, each hour on average.{" "}
        {openedAtSeconds === null ? (
          "Nothing was counted yet."
        ) : openedAtSeconds > fromSeconds ? (
          <>
            Counted since <Time at={openedAtSeconds} />.
          </>
        ) : null}
      </p>
      {week.nodeArrays
        .filter((array) => !isQuiet(array))
        .map((array) => {
          const { name, hours, unpricedNodeHours, sizes, kept, paused } = array;
          const byHour = new Map(hours.map((hour) => [hour.fromSeconds, hour]));
          const valuesOf = (read: (hour: WeekOfArray["hours"][number]) => number) =>
            times.map((at) => {
              const hour = byHour.get(at);
              return hour === undefined ? null : read(hour);
            });
          return (
            <section key={name}>
              <h2>{name}</h2>
              <div class="charts">
                <Chart
                  {...shared}
                  title={`Nodes of ${name}`}
                  curves={[
                    { title: "With jobs", color: "use-jobs", values: valuesOf(({ busyNodes }) => busyNodes) },
                    {
                      title: "Without",
                      color: "use-idle",
                      values: valuesOf(({ nodes, busyNodes }) => Math.max(0, nodes - busyNodes)),
                    },
                  ]}
                  isStacked
                  format={oneDigit}
                  bands={kept.map(({ schedule, keeps, ...window }) => ({
                    name: `kept by schedule ${schedule}: ${keeps}`,
                    ...window,
                  }))}
                />
                <Chart
                  {...shared}
                  title={`Idle money of ${name}`}
                  curves={[
                    {
                      title: "USD of idle nodes, by the hour",
                      color: "use-kept",
                      values: valuesOf(({ idleUsd }) => idleUsd),
                    },
                  ]}
                  format={usd}
                />
              </div>
              {unpricedNodeHours === 0 ? null : (
                <p class="quiet">
                  {counted(unpricedNodeHours, "node-hour")} without a known price are left out of the money.
                </p>
              )}
              <Kept kept={kept} />
              {paused.map(({ schedule, keeps, untilSeconds: until }) => (
                <p key={schedule}>
                  Schedule {schedule} ({keeps}) is paused until <Time at={until} />.
                </p>
              ))}
              <Sizes sizes={sizes} />
            </section>
          );
        })}
      {quiet.length === 0 ? null : (
        <p class="quiet">Without any node in the week: {quiet.map(({ name }) => name).join(", ")}.</p>
      )}
      {waiting.length === 0 ? null : (
        <Chart
          {...shared}
          title="Waiting jobs of the whole cluster"
          curves={[{ title: "Waiting", color: "use-boot", values: times.map((at) => jobs.get(at) ?? null) }]}
          format={oneDigit}
        />
      )}
    </>
  );
}

function Kept({ kept }: { readonly kept: WeekOfArray["kept"] }) {
  if (kept.length === 0) return null;
  return (
    <>
      <h3>Kept by schedules</h3>
      <Table
        caption="Kept by schedules"
        rows={kept}
        rowKey={({ schedule, fromSeconds }) => `${schedule} ${fromSeconds}`}
        columns={[
          ["Schedule", ({ schedule }) => schedule],
          ["Keeps", ({ keeps }) => keeps],
          ["From", ({ fromSeconds }) => localTime(fromSeconds)],
          ["Until", ({ untilSeconds }) => localTime(untilSeconds)],
          ["Nodes with jobs", ({ busyNodes }) => (busyNodes === null ? "–" : oneDigit(busyNodes)), "number"],
        ]}
      />
    </>
  );
}

function Sizes({ sizes }: { readonly sizes: WeekOfArray["sizes"] }) {
  const seconds = (value: number | null) => (value === null ? "–" : duration(value));
  return (
    <>
      <h3>Boots, failures, evictions</h3>
      <Table
        caption="Boots, failures and evictions by VM size"
        rows={sizes}
        rowKey={({ vmSize }) => vmSize}
        none="No node booted, failed or was evicted."
        columns={[
          ["VM size", ({ vmSize }) => vmSize],
          ["Boots", ({ boots }) => count(boots), "number"],
          ["Half within", ({ p50Seconds }) => seconds(p50Seconds), "number"],
          ["95 % within", ({ p95Seconds }) => seconds(p95Seconds), "number"],
          ["Failures", ({ failures }) => count(failures), "number"],
          ["Spot evictions", ({ evictions }) => count(evictions), "number"],
        ]}
      />
    </>
  );
}

function oneDigit(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 1 });
}
