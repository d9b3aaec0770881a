import { expect, test } from "vitest";
import { openBook } from "../../../shared/accounting/index.ts";
import type { AccountStore } from "../../../shared/ports/index.ts";
import { createMemoryStores } from "../../../shared/stores/in-memory/index.ts";
import { monthOfPages } from "../accounts-month.ts";
import { clusterName } from "./busy-cluster.ts";
import { openWithPast } from "./past.ts";

const nowSeconds = Date.parse("2026-11-25T12:00Z") / 1_000;

test("the past is written although the service saves its own record between reading and writing", async () => {
  const { accounts } = createMemoryStores();
  let snapshots = 0;
  const raced: Pick<AccountStore, "load" | "save"> = {
    load: async (cluster) => {
      const read = await accounts.load(cluster);
      if (snapshots < 3) {
        snapshots += 1;
        const sight = { takenAtSeconds: nowSeconds + snapshots, nodes: [], jobs: [] };
        await accounts.save(cluster, openBook(sight), read?.etag);
      }
      return read;
    },
    save: (cluster, book, ifMatch) => accounts.save(cluster, book, ifMatch),
  };
  const pages = monthOfPages({ untilSeconds: nowSeconds, days: 3, nodes: 2, jobs: 5 });
  await openWithPast(raced, pages, nowSeconds);
  const total = pages.flatMap(({ lines }) => lines).reduce((sum, { nanoUsd }) => sum + nanoUsd, 0);
  expect(snapshots).toBe(3);
  expect((await accounts.load(clusterName))?.value.month.sums.total.nanoUsd).toBe(total);
});
