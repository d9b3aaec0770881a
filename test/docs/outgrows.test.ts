import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const path = join(root, "docs/deploy-settings.md");
const page = readFileSync(path, "utf8");
const main = textOf("infra/main.bicep");

const learn = "https://learn.microsoft.com/azure";

/** What Microsoft's pages say, each under the address that its row names. */
const azure = {
  flexCores: 250,
  coresOfMemory: { 512: 0.25, 2048: 1 },
  serviceBusCreditsPerSecond: 1_000,
  accountRequestsPerSecond: 20_000,
  queueMessagesPerSecond: 2_000,
} as const;

/** Sent, read and deleted. */
const callsOfMessage = 3;

const found = (text: string, pattern: RegExp): readonly number[] => {
  const [, ...numbers] = pattern.exec(text) ?? [];
  if (numbers.length === 0) throw new Error(`Cannot find ${pattern}`);
  return numbers.map((each) => Number(each.replaceAll(",", "")));
};
const one = (text: string, pattern: RegExp): number => found(text, pattern)[0] ?? Number.NaN;
/** Two digits that count: these are estimates. */
const about = (count: number) => Number(count.toPrecision(2)).toLocaleString("en");

test("the limits that outgrow one deployment follow from what was counted, Azure's limits and the code; -u writes them", async () => {
  const counted =
    /needs in a minute, by the same count: (\d+) storage requests without polls, ([\d.]+) Service Bus operations, ([\d.]+) s of instances, ([\d.]+) KB of its own log/;
  const [requests = 0, busCalls = 0, seconds = 0, logKb = 0] = found(page, counted);
  const hostMb =
    (one(page, /traces and metrics of the host \(estimate\) \|[^|]* to ([\d.]+) GB/) * 1_000) / 30;
  const ownMb = (logKb * 60 * 24) / 1_000;
  const capGb = one(main, /param dailyLogCapGb int = (\d+)/);
  const instances = one(main, /param maximumInstanceCount int = (\d+)/);
  const mostInstances = one(main, /@maxValue\((\d+)\)\nparam maximumInstanceCount/);
  const app = textOf("infra/modules/function-app.bicep");
  const sessionsOf = (mb: number) => one(app, new RegExp(`'${mb}': '(\\d+)'`));
  const instancesOf = (mb: 512 | 2048) => azure.flexCores / azure.coresOfMemory[mb];
  const ofInstances = (count: number) => about((count * 60) / seconds);
  const messages = (azure.queueMessagesPerSecond * 60) / callsOfMessage;
  const rows = [
    [
      `the daily cap of the log, \`dailyLogCapGb\` = ${capGb}: a cluster's own log is ${ownMb.toFixed(1)} MB a day, counted; with the host's requests and traces up to ${about(hostMb)} MB, estimated`,
      `${about((capGb * 1_000) / ownMb)} clusters; ${about((capGb * 1_000) / hostMb)}: [raise it](alerts.md)`,
    ],
    [
      `\`maximumInstanceCount\` = ${instances} instances of each function, with ${sessionsOf(512)} sessions each (512 MB; ${sessionsOf(2048)} with 2,048 MB)`,
      `${about(instances * sessionsOf(512))} clusters that plan at the same moment, others wait in the queue; ${ofInstances(instances)} all the time, were the ${seconds.toFixed(1)} s all of one function and no two runs at a time. Raise it, to ${about(mostInstances)} at most`,
    ],
    [
      `[${azure.flexCores} cores of Flex Consumption in a region](${learn}/azure-functions/flex-consumption-plan#regional-subscription-memory-quotas), for all apps of the subscription: ${about(instancesOf(2048))} instances of 2,048 MB, ${about(instancesOf(512))} of 512 MB`,
      `${ofInstances(instancesOf(2048))} clusters; ${ofInstances(instancesOf(512))}`,
    ],
    [
      `[${about(azure.serviceBusCreditsPerSecond)} credits a second of Service Bus Standard](${learn}/service-bus-messaging/service-bus-throttling)`,
      `${about((azure.serviceBusCreditsPerSecond * 60) / busCalls)} clusters`,
    ],
    [
      `[${about(azure.accountRequestsPerSecond)} requests a second of a storage account](${learn}/storage/common/scalability-targets-standard-account), blobs, tables and queues together`,
      `${about((azure.accountRequestsPerSecond * 60) / requests)} clusters`,
    ],
  ];
  const table = [
    "| limit of Azure | binds at about |",
    "|---|---|",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ];
  const rest = /(?<=\n\n)\| limit of Azure \|[\s\S]*?(?=\n\n)/;
  expect(page).toMatch(rest);
  await expect(page.replace(rest, () => table.join("\n"))).toMatchFileSnapshot(path);
  const most = one(page, /Storage Queues stay right for demand up to some ([\d,]+) messages a minute/);
  expect(most).toBeLessThanOrEqual(messages / 3);
  expect(most).toBeGreaterThan(messages / 5);
});

test("as many alert rules as there are stand in what is created and what it costs", () => {
  const rules = [...textOf("infra/modules/alerts.bicep").matchAll(/^ {4}todo: /gm)].length;
  expect(page).toContain(`| ${rules} rules (\`alert-…\`); a budget`);
  expect(page).toContain(
    `| ${rules} alert rules every 15 minutes, for any number of clusters | ${rules} rules | ${(rules / 2).toFixed(2)} |`,
  );
});
