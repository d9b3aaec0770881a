import { settled } from "../../functions/support/settle.ts";
import {
  answerPlanRequest,
  executeAction,
  type LastReadings,
  receiveDemand,
  receiveEvent,
  refuseDemand,
  requestSnapshots,
  snapshotOnBeat,
  watchDeadAction,
  watchDeadPlanRequest,
} from "../../shared/cycle/index.ts";
import { planRequestSchema } from "../../shared/messages/plan-request.ts";
import { scaleActionSchema } from "../../shared/messages/scale-action.ts";
import { act, pauseCluster, requestStop, resumeCluster } from "../../shared/operate/index.ts";
import type { Ports } from "../../shared/ports/index.ts";
import type { QueueMessage } from "./demand-queue.ts";
import type { Run } from "./fleet.ts";
import type { DeadMessage } from "./session-queue.ts";

/** The function app without Functions: what each trigger does with what it is given, as the files in `functions/` do. */
export interface App {
  snapshotNodes(run: Run): Promise<void>;
  acceptDemand(run: Run, message: QueueMessage): Promise<void>;
  watchRejects(run: Run, message: QueueMessage): Promise<void>;
  planScale(run: Run, body: unknown): Promise<void>;
  executeAction(run: Run, body: unknown): Promise<void>;
  nodeEvents(run: Run, event: unknown): Promise<void>;
  autostop(run: Run, cluster: string, instance: string): Promise<void>;
  decide(run: Run, cluster: string, decision: "pause" | "resume"): Promise<void>;
  keepAlive(run: Run, cluster: string, kept: KeptAlive): Promise<void>;
  watchDeadPlanRequests(run: Run, message: DeadMessage): Promise<void>;
  watchDeadActions(run: Run, message: DeadMessage): Promise<void>;
}

/** What an operator says of nodes, by their names. */
export interface KeptAlive {
  readonly names: readonly string[];
  readonly on: boolean;
}

export function createApp(portsFor: (run: Run) => Ports): App {
  const memories = new WeakMap<Run["machine"], LastReadings>();
  const memoryOf = ({ machine }: Run): LastReadings => {
    const memory = memories.get(machine) ?? new Map();
    memories.set(machine, memory);
    return memory;
  };
  return {
    snapshotNodes: (run) => requestSnapshots(portsFor(run)),
    async acceptDemand(run, message) {
      const ports = portsFor(run);
      const trigger = {
        trigger: "storage-queue",
        log: ports.log,
        about: { messageId: message.messageId },
      } as const;
      const { body, messageId } = message;
      const raw = { body, messageId, queue: "job-demand" };
      await settled(trigger, () => receiveDemand(ports, raw));
    },
    watchRejects: (run, { body, messageId }) =>
      refuseDemand(
        portsFor(run),
        { body, messageId, queue: "job-demand" },
        { kind: "poison", problems: ["message: failed in every attempt"] },
      ),
    async planScale(run, body) {
      const ports = portsFor(run);
      const request = planRequestSchema.parse(body);
      if (request.onBeat === true) {
        // The next beat is the retry, whatever went wrong.
        const beat = { trigger: "timer", log: ports.log, about: { cluster: request.cluster } } as const;
        await settled(beat, () => snapshotOnBeat(ports, request, memoryOf(run))).catch(() => undefined);
        return;
      }
      const trigger = {
        trigger: "service-bus",
        log: ports.log,
        about: { cluster: request.cluster },
      } as const;
      await settled(trigger, () => answerPlanRequest(ports, request));
    },
    async executeAction(run, body) {
      const ports = portsFor(run);
      const action = scaleActionSchema.parse(body);
      const trigger = {
        trigger: "service-bus",
        log: ports.log,
        about: { cluster: action.cluster, actionId: action.actionId },
      } as const;
      await settled(trigger, () => executeAction(ports, action));
    },
    async nodeEvents(run, event) {
      const ports = portsFor(run);
      const trigger = { trigger: "event-grid", log: ports.log, about: { run: run.name } } as const;
      await settled(trigger, () => receiveEvent(ports, event));
    },
    async autostop(run, cluster, instance) {
      const requestedBy = { who: `node ${instance}`, why: "autostop" };
      await requestStop(portsFor(run), { cluster, instance, requestedBy, afterIdleTime: true });
    },
    async decide(run, cluster, decision) {
      const why = { cluster, by: "operator", reason: decision };
      await (decision === "pause" ? pauseCluster(portsFor(run), why) : resumeCluster(portsFor(run), why));
    },
    async keepAlive(run, cluster, { names, on }) {
      const why = { by: "operator", reason: "keep", dryRun: false };
      await act(portsFor(run), { cluster, body: { kind: "keep-alive", ...why, nodes: { names }, on } });
    },
    watchDeadPlanRequests: (run, message) =>
      watchDeadPlanRequest(portsFor(run), { ...message, queue: "plan-requests" }),
    watchDeadActions: async (run, message) => {
      await watchDeadAction(portsFor(run), { ...message, queue: "scale-actions" });
    },
  };
}
