import { z } from "zod";
import { jsonOr } from "../../../shared/json/json.ts";
import { isHttpToLoopback } from "../../../shared/machine/loopback.ts";
import { printable } from "../../../shared/text/text.ts";
import { CommandFailure, NotFound, Refused } from "../exit-code.ts";
import { localEnvironmentFile, placeOf, readLocalEnvironment } from "../local-environment.ts";
import { type PanelCluster, type PanelState, panelState } from "./panel-state.ts";

/** Where a command of `ccscale lab` finds its simulator. */
export interface PanelFlags {
  readonly local?: true | string;
  readonly cluster?: string;
}

export interface Panel {
  readonly cluster: string;
  /** Address of the service that runs beside the simulator. */
  readonly functionsUrl: string;
  read(): Promise<{ readonly server: PanelState; readonly cluster: PanelCluster }>;
  /** Gives a command with what it takes. Throws Refused with the simulator's words. */
  tell(command: string, input?: Readonly<Record<string, unknown>>): Promise<void>;
}

const localSchema = z.object({
  cycleCloudUrl: z.string(),
  functionsUrl: z.url(),
  cluster: z.string().min(1),
});
const refusal = z.object({ message: z.string() });

/** A simulator on this machine answers in milliseconds. */
const patienceMilliseconds = 10_000;

/** Finds the running simulator. Nothing is sent before it has said that it is one: a real CycleCloud is refused. Throws CommandFailure. */
export async function connectPanel(flags: PanelFlags): Promise<Panel> {
  const file = placeOf(flags).local ?? localEnvironmentFile;
  const local = await readLocalEnvironment(file, localSchema);
  const address = URL.parse(local.cycleCloudUrl);
  if (address === null || !isHttpToLoopback(address))
    throw new CommandFailure(
      `Cannot use CycleCloud at "${printable(local.cycleCloudUrl)}": not on this machine, expected the simulator`,
      "ccscale lab breaks simulators of a local environment only. Nothing was sent.",
    );
  // Exercises delete nodes through the service: one elsewhere would delete those of a real cluster.
  const service = URL.parse(local.functionsUrl);
  if (service === null || !isHttpToLoopback(service))
    throw new CommandFailure(
      `Cannot use the service at "${printable(local.functionsUrl)}": not on this machine, expected that of the local environment`,
      "ccscale lab uses a local environment only. Nothing was sent.",
    );
  const server = await readState(address);
  const name = flags.cluster ?? local.cluster;
  pick(server, name);
  return {
    cluster: name,
    functionsUrl: local.functionsUrl,
    read: async () => {
      const now = await readState(address);
      return { server: now, cluster: pick(now, name) };
    },
    tell: async (command, input = {}) => {
      const { status, text } = await call(new URL(`/_control/${command}`, address), input);
      if (status >= 200 && status < 300) return;
      const parsed = refusal.safeParse(jsonOr(text));
      throw new Refused(
        parsed.success
          ? printable(parsed.data.message)
          : `The simulator refused "${command}": HTTP ${status}`,
        '"ccscale lab status" lists node arrays, sizes and nodes.',
      );
    },
  };
}

async function readState(address: URL): Promise<PanelState> {
  const { status, text } = await call(new URL("/_control/state", address));
  const parsed = panelState.safeParse(status === 200 ? jsonOr(text) : undefined);
  if (parsed.success) return parsed.data;
  throw new CommandFailure(
    `Cannot use the server at ${address.origin}: it does not say that it is the simulator`,
    'ccscale lab breaks simulators only: a real CycleCloud is refused. Start one with "npm start".',
  );
}

function pick({ clusters }: PanelState, name: string): PanelCluster {
  const cluster = clusters.find((each) => each.name === name);
  if (cluster !== undefined) return cluster;
  throw new NotFound(
    `The simulator has no cluster "${printable(name)}", only ${clusters.map((each) => each.name).join(", ")}`,
    "Name one of them with --cluster.",
  );
}

async function call(
  url: URL,
  body?: Readonly<Record<string, unknown>>,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(url, {
      // Never followed to somewhere else.
      redirect: "manual",
      signal: AbortSignal.timeout(patienceMilliseconds),
      ...(body !== undefined && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    throw new CommandFailure(
      `Cannot reach the simulator at ${url.origin}`,
      'It ends with its local environment: start that again with "npm start".',
    );
  }
}
