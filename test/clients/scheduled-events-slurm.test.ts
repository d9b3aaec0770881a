import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { slurmIsMissing, startSlurm } from "../support/machines/slurm.ts";
import { DrivenSlurm } from "./agent/drivers/driven-slurm.ts";

const script = join(import.meta.dirname, "../../clients/scheduled-events/watch_scheduled_events.py");
const testHere = slurmIsMissing === undefined ? test : test.skip;
const reason = slurmIsMissing === undefined ? "" : ` (skipped: ${slurmIsMissing})`;

const conf = `SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PrivateData=cloud
ReturnToService=1
SuspendTime=-1
SuspendProgram=/bin/true
ResumeProgram=/bin/true
CommunicationParameters=NoAddrCache
NodeName=htc-[1-4] CPUs=4 RealMemory=15000 State=CLOUD Feature=cloud
PartitionName=htc Nodes=htc-[1-4] Default=YES
`;

/** A stand-in for Azure on the machine: what the file holds is announced. */
const standIn = `import http.server, sys
class Events(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(open(sys.argv[1], "rb").read())
http.server.HTTPServer(("127.0.0.1", 8080), Events).serve_forever()
`;

testHere(
  `a spot node with a job and a job that must not be requeued is about to go: the one waits for another node at once, the other stays${reason}`,
  { timeout: 300_000 },
  async () => {
    const slurm = await startSlurm({ conf });
    try {
      const { network } = slurm;
      const announced = join(network.folder, "events.json");
      const announce = (events: readonly object[]) =>
        writeFile(announced, JSON.stringify({ DocumentIncarnation: 1, Events: events }));
      await announce([]);
      await writeFile(join(network.folder, "stand-in.py"), standIn);
      const driven = new DrivenSlurm(slurm, {});
      await driven.pass();
      await slurm.bootNode("htc-1", "ip-1", "10.0.0.1");
      await driven.send("node-joined", [{ name: "htc-1", hostname: "ip-1" }]);
      const may = await slurm.submit("-p htc -n 1 --mem=1G --requeue");
      const mustNot = await slurm.submit("-p htc -n 1 --mem=1G --no-requeue");
      const running = async () =>
        (await driven.pass()).jobs.filter(({ executingHostnames = [] }) => executingHostnames.length > 0);
      await driven.until(async () => (await running()).length === 2);

      network.start("ip-1", "python3", [join(network.folder, "stand-in.py"), announced]);
      network.start("ip-1", "/usr/bin/python3", [script], {
        env: {
          ...slurm.env,
          SCHEDULER: "slurm",
          NODE_NAME: "htc-1",
          RESOURCE: "vm-7",
          EVENTS_URL: "http://127.0.0.1:8080/",
        },
      });
      const began = Date.now();
      await announce([
        {
          EventId: "e1",
          EventType: "Preempt",
          EventStatus: "Scheduled",
          Resources: ["vm-7"],
          NotBefore: "",
        },
      ]);
      const waits = async () => {
        const job = (await driven.pass()).jobs.find(({ name }) => name === String(may));
        return job !== undefined && job.executingHostnames === undefined;
      };
      await driven.until(waits);
      console.info(`from notice to the demand for another node: ${(Date.now() - began) / 1000} s`);
      expect((await running()).map(({ name }) => name)).toEqual([String(mustNot)]);
      const { nodes } = await driven.pass();
      expect(nodes).toMatchObject([
        { hostname: "ip-1", state: "draining", isOutByOthers: true, stateReason: "azure Preempt now" },
      ]);

      // It was cancelled: the node takes jobs again.
      await announce([]);
      await driven.until(async () => (await driven.pass()).nodes[0]?.state === "up");
      await driven.until(async () => (await running()).length === 2);
    } finally {
      await slurm.stop();
    }
  },
);
