import { expect, test } from "vitest";
import { countCalls } from "./prices.ts";

test("requests are told apart by what they cost: any table is a table, polls are left out", () => {
  const calls = [
    "PUT /devstoreaccount1/Samples(PartitionKey='hpc',RowKey='hour')",
    "GET /devstoreaccount1/QuotaClaims(PartitionKey='shared',RowKey='claims')",
    "POST /devstoreaccount1/$batch",
    "POST /devstoreaccount1/Tables",
    "PUT /devstoreaccount1/plans/hpc/archive/Plan-1.json.gz",
    "GET /devstoreaccount1/demand?restype=container&comp=list",
    "GET /devstoreaccount1/snapshots/hpc.json",
    "HEAD /devstoreaccount1/snapshots/hpc.json",
    "POST /devstoreaccount1/job-demand/messages",
    "DELETE /devstoreaccount1/job-demand/messages/1?popreceipt=x",
    "GET /devstoreaccount1/job-demand/messages?numofmessages=16",
  ];
  expect(countCalls(calls)).toEqual({ blobWrites: 2, blobReads: 2, tableCalls: 4, queueCalls: 2 });
});
