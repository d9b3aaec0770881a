import { isDictionary } from "../../shared/json.ts";

/**
 * A job as `azpbs jobs` and `azge jobs` print it, in the form of a demand message. What is not one of their peculiarities
 * stays as it is, and what cannot be read is left for the check of the message to set aside.
 */
export function fromScalelib(job: unknown): unknown {
  if (!isDictionary(job)) return job;
  const { "iterations-remaining": remaining, ...rest } = job;
  return {
    ...rest,
    // If an array is half done, only the rest is wanted.
    ...(remaining !== undefined && { iterations: remaining }),
    ...(Array.isArray(job.constraints) && { constraints: job.constraints.map(constraint) }),
  };
}

/** Constraints that hold others: a hostgroup often stands below an `or`. */
const nesting: ReadonlySet<string> = new Set(["and", "or", "xor", "not"]);

function constraint(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(constraint);
  if (!isDictionary(json)) return json;
  // "In a placement group" is printed as the name of a class of Python's.
  if (Object.keys(json).join() === "class") return { "in-a-placement-group": true };
  const hostgroup = json["hostgroup-and-pg"];
  if (isDictionary(hostgroup) && Object.keys(json).length === 1) return ofHostgroup(hostgroup) ?? json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, nesting.has(key) ? constraint(value) : value]),
  );
}

/** A hostgroup of Grid Engine stands for the constraints that its configuration gives it, in one placement group. */
function ofHostgroup({ constraints, "placement-group": group }: Readonly<Record<string, unknown>>): unknown {
  if (!Array.isArray(constraints)) return undefined;
  const inGroup = typeof group === "string" && group !== "" ? [{ "node.placement_group": group }] : [];
  return { and: [...constraints.map(constraint), ...inGroup] };
}
