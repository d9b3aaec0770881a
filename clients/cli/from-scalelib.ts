import { isDictionary } from "../../shared/json/json.ts";
import { type JobDetails, readJobDetails } from "../../shared/messages/index.ts";

/** A job as `azpbs jobs` and `azge jobs` print it, as in a demand message. What cannot be read is left for the message's check. */
export function fromScalelib(job: unknown): unknown {
  if (!isDictionary(job)) return job;
  return {
    ...detailsIn(job.metadata),
    ...job,
    ...(Array.isArray(job.constraints) && { constraints: constraintsOf(job.constraints) }),
  };
}

/** azpbs prints no metadata of a job, azge its hard requests (`h_rt` is the run time); a site may add more in its own words. */
function detailsIn(metadata: unknown): JobDetails {
  if (!isDictionary(metadata)) return {};
  const { gridengine, walltime, user, owner, account, project, queue } = metadata;
  const requests = isDictionary(gridengine) && isDictionary(gridengine.resources) ? gridengine.resources : {};
  return readJobDetails({
    runtimeSeconds: toSeconds(walltime ?? requests.h_rt),
    user: user ?? owner,
    account: account ?? project,
    queue,
  });
}

/** `3600`, `90:00`, `01:30:00`; undefined for any other text, such as INFINITY. */
function toSeconds(duration: unknown): number | undefined {
  const text = typeof duration === "number" ? String(duration) : duration;
  if (typeof text !== "string" || !/^\d{1,9}(:\d{1,2}){0,2}$/.test(text)) return undefined;
  return text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** Constraints that hold others: a hostgroup often stands below an `or`. */
const nesting: ReadonlySet<string> = new Set(["and", "or", "xor", "not"]);

/** Whom a queue of Grid Engine lets in: printed only for jobs that are let in (others have `never`), so there is nothing to check. */
const admissions: ReadonlySet<string> = new Set([
  "gridengine-user-constraint",
  "gridengine-xuser-constraint",
  "gridengine-project-constraint",
  "gridengine-xproject-constraint",
]);

/** What a node has of a resource that is only looked at: a number, a text, or a flag. */
const anything = (resource: string) => ({
  or: [{ [resource]: 0 }, { [resource]: "*" }, { [resource]: [true, false] }],
});

function constraintsOf(list: readonly unknown[]): readonly unknown[] {
  const asked = new Set(list.flatMap((json) => (isDictionary(json) ? Object.keys(json) : [])));
  return list.map((json) => constraint(json, asked));
}

/** `asked`: the keys beside it, all of which hold. */
function constraint(json: unknown, asked: ReadonlySet<string>): unknown {
  if (Array.isArray(json)) return json.map((child) => constraint(child, asked));
  if (!isDictionary(json)) return json;
  const keys = Object.keys(json);
  // "In a placement group" is printed as the name of a class of Python's.
  if (keys.join() === "class") return { "in-a-placement-group": true };
  const hostgroup = json["hostgroup-and-pg"];
  if (isDictionary(hostgroup) && keys.length === 1) return ofHostgroup(hostgroup) ?? json;
  const alias = aliasIn(json, keys);
  const read = Object.fromEntries(
    Object.entries(json)
      .filter(
        ([key]) => !admissions.has(key) && !(alias !== undefined && ["class", alias.name].includes(key)),
      )
      // Below `or` and `not`, what is asked beside does not count: each alternative stands by itself.
      .map(([key, value]) => [key, nesting.has(key) ? constraint(value, new Set()) : value]),
  );
  if (alias === undefined || asked.has(alias.resource) || Object.hasOwn(read, alias.resource)) return read;
  return Object.keys(read).length === 0
    ? anything(alias.resource)
    : { and: [read, anything(alias.resource)] };
}

/** A second name for a resource: `{"class": "….ReadOnlyAlias", "mfree": "m_mem_free"}`. It takes nothing; the node must have it. */
function aliasIn(
  json: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): { readonly name: string; readonly resource: string } | undefined {
  if (typeof json.class !== "string" || !json.class.endsWith("ReadOnlyAlias")) return undefined;
  const name = keys[keys.indexOf("class") + 1];
  const resource = name === undefined ? undefined : json[name];
  return name !== undefined && typeof resource === "string" ? { name, resource } : undefined;
}

/** A hostgroup of Grid Engine stands for its configured constraints, in one placement group; without one, outside of all. */
function ofHostgroup({ constraints, "placement-group": group }: Readonly<Record<string, unknown>>): unknown {
  if (!Array.isArray(constraints)) return undefined;
  const isNamed = typeof group === "string" && group !== "";
  const where = isNamed ? { "node.placement_group": group } : { "in-a-placement-group": false };
  return { and: [...constraintsOf(constraints), where] };
}
