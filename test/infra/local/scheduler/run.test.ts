import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { afterEach, expect, test } from "vitest";
import { runScheduler, type SchedulerOptions } from "../../../../infra/local/scheduler/run.ts";

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
