import type { LimitsAnswer, SharedLimit } from "../../../shared/api/index.ts";
import { linkTo } from "../place.ts";
import { count } from "../words.ts";
import { Breakable } from "./breakable.tsx";
import { ShareMeter } from "./share-meter.tsx";
import { Table } from "./table.tsx";

type Row = Pick<SharedLimit["clusters"][number], "heldCores"> &
  Partial<SharedLimit["clusters"][number]> & { readonly max: number | null };

/** Who has what of the quotas that clusters of the deployment share: as `ccscale limits --shared`. Nothing for a cluster that is alone. */
export function SharedQuotas({ shared = [], unshared = [] }: Pick<LimitsAnswer, "shared" | "unshared">) {
  if (shared.length + unshared.length === 0) return null;
  return (
    <section>
      <h2>Quotas shared by clusters</h2>
      {shared.map(({ limit, scope, max, clusters, otherCores }) => (
        <section key={`${limit} ${scope}`}>
          <h3>
            {limit} <Breakable name={scope} />: {max === null ? "no known maximum" : `${count(max)} cores`}
          </h3>
          <Table
            caption={`Who has what of ${limit} ${scope}`}
            rows={[
              ...clusters.map((each): Row => ({ ...each, max })),
              ...(otherCores ? [{ heldCores: otherCores, max }] : []),
            ]}
            rowKey={({ cluster = "" }) => cluster}
            columns={[
              [
                "Cluster",
                ({ cluster }) =>
                  cluster === undefined ? (
                    "others"
                  ) : (
                    <a href={linkTo({ cluster, view: "limits" })}>{cluster}</a>
                  ),
              ],
              [
                "Share",
                ({ cluster = "others", heldCores, orderedCores = 0, max: most }) =>
                  most === null || most === 0 ? (
                    "–"
                  ) : (
                    <ShareMeter
                      used={heldCores + orderedCores}
                      most={most}
                      label={`${scope}: has ${cluster}`}
                    />
                  ),
              ],
              ["Holds", ({ heldCores }) => count(heldCores), "number"],
              ["Ordered", amountOf("orderedCores"), "number"],
              ["Waits", amountOf("waitingCores"), "number"],
              ["Guaranteed", amountOf("guaranteedCores"), "number"],
              ["Lends", amountOf("lendsCores"), "number"],
              ["Waits for", ({ waitsFor = [] }) => waitsFor.join(", ") || "–"],
            ]}
          />
        </section>
      ))}
      {unshared.length === 0 ? null : (
        <p class="quiet">
          Cannot tell who shares the quotas of {unshared.join(", ")}: CycleCloud does not name the account.
        </p>
      )}
    </section>
  );
}

function amountOf(key: "orderedCores" | "waitingCores" | "guaranteedCores" | "lendsCores") {
  return ({ [key]: cores }: Row) => (cores === undefined ? "–" : count(Math.floor(cores)));
}
