import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { actionBody } from "../../../shared/api/index.ts";
import { nodeActions } from "../commands/node-actions.ts";
import { loginName } from "../login-name.ts";
import { type Confirmations, confirmationMinutes } from "./confirmations.ts";
import {
  type Arguments,
  asWritten,
  clusterProperty,
  type JsonSchema,
  type ObjectSchema,
  published,
  refuseUnknown,
} from "./tool-input.ts";
import { answered, type Reaching } from "./tool-result.ts";

/** Who asks is the person whose assistant this is; a dry run is made first in any case. */
const ours: readonly string[] = ["by", "dryRun"];

interface Preview extends Arguments {
  readonly cluster?: string;
  readonly action: Readonly<Record<string, unknown>>;
}

/** Two tools: one shows what an action would do, the other does what was shown. */
export function registerActingTools(
  server: McpServer,
  reaching: Reaching,
  confirmations: Confirmations,
): void {
  server.registerTool(
    "preview_action",
    {
      title: "What an action would do",
      description:
        "Shows what an action on nodes would do: create, delete, drain, keep-alive, ignore, restart, pause, resume and so on. Nothing is sent. Show the answer and its question to the user; only after a yes call carry_out with the confirmation.",
      inputSchema: published<Preview>(previewInput),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ cluster, action, ...rest }) =>
      answered(async () => {
        refuseUnknown(previewInput, { action, ...rest });
        const body = { ...action, by: `${loginName()} (by an assistant)` };
        const service = await reaching(cluster);
        const would = await service.ask("actions", { body: { ...body, dryRun: true } });
        if (would.outcome !== "would") return { answer: would, next: ["preview_action"] };
        const answer = {
          would,
          question: questionOf(String(action.kind)),
          confirmation: confirmations.keep({ cluster, body }),
          validForMinutes: confirmationMinutes,
        };
        return { answer, next: ["carry_out"] };
      }),
  );
  server.registerTool(
    "carry_out",
    {
      title: "Carry out what was previewed",
      description:
        "Does what preview_action showed, once. Call it only after the user has seen that answer and agreed.",
      inputSchema: z.object({ confirmation: z.string().max(100) }),
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    ({ confirmation }) =>
      answered(async () => {
        const confirmed = confirmations.take(confirmation);
        if (confirmed === undefined)
          throw new RangeError(
            `No preview waits for this confirmation: each counts once, for ${confirmationMinutes} minutes. Call preview_action again.`,
          );
        const service = await reaching(confirmed.cluster);
        const answer = await service.ask("actions", { body: { ...confirmed.body, dryRun: false } });
        return { answer, next: ["events", "nodes"] };
      }),
  );
}

/** What the command of this action asks before it acts. */
function questionOf(kind: string): string {
  return nodeActions.find((action) => action.kind === kind)?.question ?? "Do it?";
}

const { $defs: definitions = {}, ...anAction } = asWritten(actionBody);

const previewInput: ObjectSchema = {
  type: "object",
  properties: { cluster: clusterProperty, action: anAction },
  required: ["action"],
  additionalProperties: false,
  $defs: Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, withoutOurs(definition)]),
  ),
};

function withoutOurs({ properties, required, ...rest }: JsonSchema): JsonSchema {
  const isKept = (name: string) => !ours.includes(name);
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isKept(name))),
    }),
    ...(required && { required: required.filter(isKept) }),
  };
}
