import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { afterEach, expect, test } from "vitest";
import { runScheduler, type SchedulerOptions } from "../../../../infra/local/scheduler/run.ts";
import { workloadSchema } from "../../../../infra/local/scheduler/workload.ts";

type Message = Parameters<SchedulerOptions["post"]>[0];

/** A CycleCloud that knows these hosts, all of them up; take some away, and they are gone. */
async function serveHosts(hostnames: string[]): Promise<string> {
  const app = new Hono().get("/clusters/:cluster/nodes", (context) =>
    context.json({
      nodes: hostnames.map((Hostname) => ({
        Hostname,
        Status: "Ready",
        TargetState: "Started",
        Template: "htc",
        MachineType: "Standard_F4s_v2",
      })),
    }),
  );
  const port = await new Promise<number>((listening) => {
    const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, (info) =>
      listening(info.port),
    );
    close = () => new Promise((closed) => server.close(() => closed()));
  });
  return `http://127.0.0.1:${port}`;
}

let close = async (): Promise<void> => {};

afterEach(() => close());

test("a scheduler that has nothing left to do leaves no host behind that has gone", async () => {
  const hostnames = ["ip-0A000005"];
  const url = await serveHosts(hostnames);
  const messages: Message[] = [];
  await new Promise<void>((posted) => {
    const scheduler = runScheduler({
      jobs: [],
      access: { url, cluster: "hpc", username: "demo", password: "demo" },
      simulatedSeconds: () => 0,
      speed: 1,
      takeEvents: () => Promise.resolve(),
      post: async (message) => {
        messages.push(message);
        if (messages.length > 1) return;
        hostnames.pop();
        void scheduler.stop().then(posted);
      },
    });
  });
  expect(messages.map(({ nodes }) => nodes.map(({ hostname }) => hostname))).toEqual([["ip-0A000005"], []]);
  expect(messages.at(-1)?.sequence).toBeGreaterThan(messages[0]?.sequence ?? Number.POSITIVE_INFINITY);
});

/** Runs a scheduler on one host until `isEnough` of its messages. */
async function running(
  isEnough: (messages: readonly Message[]) => boolean,
  options: Partial<SchedulerOptions>,
): Promise<readonly Message[]> {
  const messages: Message[] = [];
  const scheduler = runScheduler({
    jobs: [],
    access: { url: await serveHosts(["ip-0A000005"]), cluster: "hpc", username: "demo", password: "demo" },
    simulatedSeconds: () => Date.now() / 1000,
    speed: 1,
    takeEvents: () => Promise.resolve(),
    post: async (message) => void messages.push(message),
    ...options,
  });
  await expect.poll(() => isEnough(messages)).toBe(true);
  await scheduler.stop();
  return messages;
}

test("a scheduler takes jobs that it is given later, and says which order it took", async () => {
  const reports: Parameters<NonNullable<SchedulerOptions["takeOrders"]>>[0][] = [];
  const jobs = workloadSchema.parse([{ name: "later", runSeconds: 3_600 }]);
  const isThere = (messages: readonly Message[]) => messages.some((each) => each.jobs[0]?.name === "later");
  await running((messages) => isThere(messages) && reports.at(-1)?.takenOrder === 7, {
    takeOrders: async (report) => {
      reports.push(report);
      return {
        isSilent: false,
        orders: report.takenOrder === 7 ? [] : [{ number: 7, kind: "submit", jobs }],
      };
    },
  });
  expect(reports.at(-1)?.jobs).toEqual([{ name: "later", waiting: 0, running: 1, done: 0, lost: 0 }]);
});

test("a scheduler that is silent neither posts nor takes events, and its jobs go on", async () => {
  let isSilent = true;
  let taken = 0;
  const jobs = [
    {
      name: "long",
      submitSeconds: 0,
      runSeconds: 3_600,
      shape: { kind: "slots", slots: 1 },
      need: { ncpus: 1, memoryGiB: 1, ngpus: 0, exclusive: false, nodeArrays: [] },
    } as const,
  ];
  let asked = 0;
  const messages = await running((each) => each.length > 0, {
    jobs,
    takeEvents: async () => {
      expect(isSilent).toBe(false);
      taken += 1;
    },
    takeOrders: async ({ progress }) => {
      asked += 1;
      if (asked > 3) {
        expect(progress.running).toBe(1);
        isSilent = false;
      }
      return { isSilent, orders: [] };
    },
  });
  expect(asked).toBeGreaterThan(3);
  expect(taken).toBeGreaterThan(0);
  expect(messages[0]?.jobs).toMatchObject([{ name: "long", executingHostnames: ["ip-0A000005"] }]);
});
