import type { BudgetStatus, SpendingStatus } from "../../../shared/api/index.ts";
import { idleMoneyWords } from "../../../shared/text/idle-money.ts";
import { linkTo } from "../place.ts";
import { usd } from "../words.ts";
import { ShareMeter } from "./share-meter.tsx";
import { Ago, Time } from "./state.tsx";
import { Table } from "./table.tsx";

export function Spending(props: { readonly cluster: string; readonly spending: SpendingStatus | null }) {
  const { cluster, spending } = props;
  const linkBy = (by: string) => <a href={linkTo({ cluster, view: "money", options: { by } })}>by {by}</a>;
  return (
    <section>
      <h2>Money</h2>
      {spending === null ? (
        <p class="quiet">Not counted yet.</p>
      ) : (
        <>
          <Table
            caption="Costs by node array"
            rows={[...spending.nodeArrays, { ...spending, nodeArray: "all" }]}
            rowKey={({ nodeArray }) => nodeArray}
            columns={[
              ["Node array", (row) => ("budgets" in row ? <strong>all</strong> : row.nodeArray)],
              ["Now, per hour", ({ usdPerHour }) => usd(usdPerHour), "number"],
              ["This hour", ({ hourUsd }) => usd(hourUsd), "number"],
              ["Today", ({ dayUsd }) => usd(dayUsd), "number"],
              [spending.month, ({ monthUsd }) => usd(monthUsd), "number"],
              ["Forecast", ({ forecastUsd }) => usd(forecastUsd), "number"],
            ]}
          />
          <p class="quiet">
            USD by list and configured prices, as of <Time at={spending.asOfSeconds} />; hours, days and
            months are UTC. {notes(spending)} Also {linkBy("account")}, {linkBy("user")}, {linkBy("day")}.
          </p>
          {spending.budgets.length === 0 ? null : (
            <Budgets budgets={spending.budgets} now={spending.asOfSeconds} />
          )}
        </>
      )}
    </section>
  );
}

function notes(spending: SpendingStatus): string {
  const { unpricedNodes, reservedNodes, reckonedSinceSeconds } = spending;
  return [
    unpricedNodes > 0 && `Nodes without a known price, left out: ${unpricedNodes}.`,
    reservedNodes > 0 && `Nodes that reservations pay, left out: ${reservedNodes}.`,
    ...idleMoneyWords(spending, (price) => `${usd(price)} USD`).map((line) => `${line}.`),
    reckonedSinceSeconds !== null && "Reckoned by what runs: the accounts cannot be read.",
  ]
    .filter(Boolean)
    .join(" ");
}

function Budgets({ budgets, now }: { readonly budgets: readonly BudgetStatus[]; readonly now: number }) {
  return (
    <Table
      caption="Budgets"
      rows={budgets}
      rowKey={({ name }) => name}
      columns={[
        ["Budget", ({ name }) => <span class="name">{name}</span>],
        [
          "Counts",
          ({ of, period }) =>
            `${of === null ? "the cluster" : `${of.dimension.replace("A", " a")} ${of.name}`}, a ${period}`,
        ],
        ["Spent", ({ spentUsd, limitUsd }) => `${usd(spentUsd)} of ${usd(limitUsd)}`, "number"],
        [
          "Share",
          ({ name, spentUsd, limitUsd }) => (
            <ShareMeter used={spentUsd} most={limitUsd} label={`${name} spent`} />
          ),
        ],
        [
          "Lasts",
          ({ spentAtSeconds, untilSeconds }) =>
            spentAtSeconds === null ? (
              <>
                longer than its period, which ends <Ago at={untilSeconds} now={now} />
              </>
            ) : (
              <>
                spent <Ago at={spentAtSeconds} now={now} /> if all runs on
              </>
            ),
        ],
        [
          "Holds",
          ({ level, hold }) =>
            level === "reached"
              ? hold
                ? "spent: nothing new is bought for it"
                : "spent: it only reports that"
              : level === "near"
                ? "nothing yet: 80 % are spent"
                : "nothing",
          "long",
        ],
      ]}
    />
  );
}
