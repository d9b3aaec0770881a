import { z } from "zod";
import { refuseBadConstraints } from "../../../../shared/messages/index.ts";
import { program } from "../configured.ts";

const constraints = z.union([z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown()))]);

const checkedConstraints = constraints.superRefine(refuseBadConstraints);

/** A value is one argument of a command: it must not be taken for an option, nor break a list of names. */
function argument(whenMissing?: string) {
  return z
    .string({ error: ({ input }) => (input === undefined ? whenMissing : undefined) })
    .min(1)
    .max(255)
    .regex(/^[^-,\s][^,\s]*$/, "expected a name without spaces and commas that starts with no dash");
}

/** Which tasks need what. All that is given must fit; a rule with nothing but constraints fits every task. */
const rule = z
  .strictObject({
    /** The task's name; a `*` at its end stands for any rest. */
    task: z.string().min(1).optional(),
    queue: z.string().min(1).optional(),
    /** Message headers and their values, compared as text. */
    headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    constraints: checkedConstraints,
  })
  .readonly();

/** The section `celery` of the agent's configuration. */
export const celerySettingsSchema = z.strictObject({
  /** What `celery -A` takes. */
  app: argument(
    'missing, expected what "celery -A" takes; give it as "app" in the section "celery" of the file',
  ),
  /** The program and its first arguments: `["/opt/app/venv/bin/celery"]`, `["python3", "-m", "celery"]`. */
  command: program.default(["celery"]),
  /** Queues whose backlog is demand. */
  queues: z.array(argument()).min(1).default(["celery"]),
  /** First fit; a task that no rule fits needs `default_constraints`. */
  rules: z.array(rule).default([]),
  default_constraints: checkedConstraints.default({ ncpus: 1 }),
  /** At least so many cores are asked for, busy or not. */
  min_core_count: z.int().min(0).max(1_000_000).default(4),
  /** Cores asked for beyond what tasks need, so that the next ones need not wait for a boot. */
  warm_buffer: z.int().min(0).max(1_000_000).default(2),
  /** How long workers have for an answer; `celery inspect` waits that long every time. */
  reply_seconds: z.number().min(0.1).max(60).default(1),
  /** A worker that does not answer is taken to run what it ran last, for so long. */
  silent_worker_seconds: z.number().min(0).max(604_800).default(600),
  /** Tasks with an ETA count from so long before it; it should cover the boot of a node. */
  eta_seconds: z.number().min(0).max(604_800).default(600),
  /** The resource that a worker's concurrency is reported as; without it a node has what CycleCloud says. */
  concurrency_resource: z.string().min(1).max(256).optional(),
});

export type CelerySettings = z.infer<typeof celerySettingsSchema>;
export type Constraints = z.infer<typeof constraints>;
