import { defineJob, type Job, parseConstraints, shortHostname } from "../../../shared/engine/index.ts";
import type { Job as SchedulerJob } from "../../agent/drivers/driver.ts";
import type { ConstraintJson } from "./constraints.ts";

/** A job as schedulers write it: plain JSON that `planInput`, `POST demand` and the queue take. */
export interface JobJson extends Omit<SchedulerJob, "constraints"> {
  readonly constraints: ConstraintJson | readonly ConstraintJson[];
}

/**
 * A job of one slot, or of what is given beside. Throws a TypeError that names each constraint which cannot be read.
 */
export function job(
  name: string,
  constraints: ConstraintJson | readonly ConstraintJson[] = {},
  more: Omit<JobJson, "name" | "constraints"> = {},
): JobJson {
  const described: JobJson = { name, constraints, ...more };
  toJob(described);
  return described;
}

/** The job as the planner takes it. Throws a TypeError that names each constraint which cannot be read. */
export function toJob(described: JobJson): Job {
  const { constraints, submittedAt, executingHostnames, notes: _, ...fields } = described;
  const parsed = parseConstraints(constraints);
  if (!parsed.ok)
    throw new TypeError(
      `Cannot make job "${described.name}": ${parsed.problems.map(({ message }) => message).join("; ")}`,
    );
  return defineJob({
    ...fields,
    constraints: parsed.constraints,
    executingHostnames: executingHostnames?.map(shortHostname),
    submittedAtSeconds: submittedAt === undefined ? undefined : secondsOf(described.name, submittedAt),
  });
}

function secondsOf(name: string, submittedAt: string): number {
  const milliseconds = Date.parse(submittedAt);
  if (Number.isFinite(milliseconds)) return milliseconds / 1000;
  throw new TypeError(
    `Cannot make job "${name}": submittedAt is "${submittedAt}", expected a time in ISO 8601`,
  );
}
