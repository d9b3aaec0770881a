import * as common from "@grafana/grafana-foundation-sdk/common";
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  VariableRefresh,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as TimeSeriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";

/** Panels are drawn from these: PromQL, and how a series is called. */
interface Query {
  readonly expr: string;
  readonly legend: string;
}

const datasource = { type: "prometheus", uid: `$\{datasource}` };
const metric = (name: string, labels = "") =>
  `cyclecloud_autoscale_${name}{cluster=~"$cluster"${labels === "" ? "" : `, ${labels}`}}`;

/** Sums a metric by labels. */
function sumBy(by: string, name: string, labels = ""): string {
  return `sum by (${by}) (${metric(name, labels)})`;
}

/** The Grafana dashboard for `GET /api/metrics`: a cluster's health, nodes, jobs, limits and money. */
export function clusterDashboard(): Dashboard {
  return (
    new DashboardBuilder("CycleCloud autoscale")
      .uid("cyclecloud-autoscale")
      .description("Clusters that cyclecloud-autoscale scales: health, nodes, jobs, limits and money.")
      .tags(["cyclecloud", "hpc"])
      .refresh("1m")
      .time({ from: "now-24h", to: "now" })
      .timezone("browser")
      .tooltip(DashboardCursorSync.Crosshair)
      .withVariable(new DatasourceVariableBuilder("datasource").label("Data source").type("prometheus"))
      .withVariable(
        new QueryVariableBuilder("cluster")
          .label("Cluster")
          .query("label_values(cyclecloud_autoscale_up, cluster)")
          .datasource(datasource)
          .refresh(VariableRefresh.OnTimeRangeChanged)
          .multi(true)
          .includeAll(true),
      )
      .withRow(new RowBuilder("Health"))
      // Without a planned cluster the figures below are missing.
      .withPanel(
        figure(
          "Planned",
          "Clusters that can be read and planned",
          { expr: metric("up"), legend: "{{cluster}}" },
          { healthyFrom: 1 },
        ),
      )
      .withPanel(
        figure(
          "Problems",
          "Problems that stop scaling or degrade it",
          { expr: sumBy("cluster", "problems", 'gravity!="notice"'), legend: "{{cluster}}" },
          { healthyBelow: 1 },
        ),
      )
      .withPanel(
        figure(
          "Snapshot age",
          "Older than three minutes: CycleCloud is not read",
          { expr: metric("snapshot_age_seconds"), legend: "{{cluster}}" },
          { unit: "s", healthyBelow: 180 },
        ),
      )
      .withPanel(
        figure(
          "Demand age",
          "The oldest newest message of a source",
          { expr: `max by (cluster) (${metric("demand_age_seconds")})`, legend: "{{cluster}}" },
          { unit: "s" },
        ),
      )
      .withPanel(
        figure(
          "Cost per hour",
          "By list and configured prices, not the bill",
          { expr: metric("cost_dollars_per_hour"), legend: "{{cluster}}" },
          { unit: "currencyUSD" },
        ),
      )
      .withPanel(
        figure(
          "This month",
          "What nodes have cost since the month began (UTC)",
          { expr: metric("month_cost_dollars"), legend: "{{cluster}}" },
          { unit: "currencyUSD" },
        ),
      )
      .withRow(new RowBuilder("Nodes and jobs"))
      .withPanel(
        curves(
          "Nodes by state",
          [{ expr: sumBy("cluster, state", "nodes"), legend: "{{cluster}} {{state}}" }],
          { stacked: true },
        ),
      )
      .withPanel(
        curves(
          "Nodes by node array",
          [{ expr: sumBy("cluster, nodearray", "nodes"), legend: "{{cluster}} {{nodearray}}" }],
          { stacked: true },
        ),
      )
      .withPanel(
        curves(
          "Jobs by state",
          [{ expr: sumBy("cluster, state", "jobs"), legend: "{{cluster}} {{state}}" }],
          { stacked: true },
        ),
      )
      .withPanel(
        curves(
          "Why jobs wait",
          [{ expr: sumBy("cluster, reason", "waiting_jobs"), legend: "{{cluster}} {{reason}}" }],
          { stacked: true },
        ),
      )
      .withRow(new RowBuilder("Limits and money"))
      .withPanel(
        curves(
          "Limits used",
          [
            {
              expr: `${metric("limit_used")} / (${metric("limit_max")} > 0)`,
              legend: "{{cluster}} {{limit}} {{scope}} ({{unit}})",
            },
          ],
          { unit: "percentunit" },
        ),
      )
      .withPanel(
        curves("Cost per hour", [{ expr: metric("cost_dollars_per_hour"), legend: "{{cluster}}" }], {
          unit: "currencyUSD",
        }),
      )
      .withPanel(
        curves(
          "The month against its budget",
          [
            { expr: metric("month_cost_dollars"), legend: "{{cluster}} spent" },
            { expr: metric("month_budget_dollars"), legend: "{{cluster}} budget" },
          ],
          { unit: "currencyUSD" },
        ),
      )
      .withRow(new RowBuilder("The service"))
      .withPanel(
        curves("Actions of the last hour", [
          {
            expr: sumBy("cluster, kind, outcome", "actions_last_hour"),
            legend: "{{cluster}} {{kind}} {{outcome}}",
          },
        ]),
      )
      .withPanel(
        curves("Plan", [{ expr: metric("plan_duration_seconds"), legend: "{{cluster}}" }], { unit: "s" }),
      )
      .withPanel(
        curves(
          "Age of demand by source",
          [{ expr: metric("demand_age_seconds"), legend: "{{cluster}} {{source}}" }],
          { unit: "s" },
        ),
      )
      .build()
  );
}

interface FigureOptions {
  readonly unit?: string;
  /** Green from this value on, red below. */
  readonly healthyFrom?: number;
  /** Green below this value, red from it on. */
  readonly healthyBelow?: number;
}

/** One figure for each cluster. */
function figure(title: string, description: string, query: Query, options: FigureOptions = {}): StatBuilder {
  const { unit = "none", healthyFrom, healthyBelow } = options;
  const steps =
    healthyFrom !== undefined
      ? [
          { value: null, color: "red" },
          { value: healthyFrom, color: "green" },
        ]
      : healthyBelow !== undefined
        ? [
            { value: null, color: "green" },
            { value: healthyBelow, color: "red" },
          ]
        : [{ value: null, color: "blue" }];
  return new StatBuilder()
    .title(title)
    .description(description)
    .datasource(datasource)
    .unit(unit)
    .height(4)
    .span(4)
    .colorMode(common.BigValueColorMode.Value)
    .textMode(common.BigValueTextMode.ValueAndName)
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps))
    .withTarget(targetOf(query, 0).instant());
}

/** Curves over time. */
function curves(
  title: string,
  queries: readonly Query[],
  { unit = "short", stacked = false }: { readonly unit?: string; readonly stacked?: boolean } = {},
): TimeSeriesBuilder {
  const panel = new TimeSeriesBuilder()
    .title(title)
    .datasource(datasource)
    .unit(unit)
    .min(0)
    .height(8)
    .span(12)
    .fillOpacity(stacked ? 30 : 0)
    .stacking(
      new common.StackingConfigBuilder().mode(
        stacked ? common.StackingMode.Normal : common.StackingMode.None,
      ),
    );
  return queries.reduce((built, query, index) => built.withTarget(targetOf(query, index)), panel);
}

function targetOf({ expr, legend }: Query, index: number): DataqueryBuilder {
  return new DataqueryBuilder()
    .expr(expr)
    .legendFormat(legend)
    .refId(String.fromCharCode("A".charCodeAt(0) + index));
}
