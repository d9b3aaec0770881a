const mostHosts = 100_000;
const longestHostname = 255;
const separators = /[\s,;+]+/;

/** `executing-hostnames`, `ExecutingHosts`, `exec_host` of PBS: without the characters in which spellings differ. */
const spellings = new Set(
  ["executinghost", "executinghostname", "exechost", "exechostname"].flatMap((name) => [name, `${name}s`]),
);

/** The hosts that an invalid job reports. */
export interface RunningHosts {
  readonly hostnames: readonly string[];
  /** False: it also runs on hosts that cannot be read. */
  readonly isWhole: boolean;
}

const nowhere: RunningHosts = { hostnames: [], isWhole: true };

/**
 * The hosts of a job that does not check out, read as leniently as possible: a host that is overlooked here is a node that
 * is deleted under a job. A list, or texts with commas, blanks or plus signs between the names; `host/0*4` of PBS; objects
 * that have a `hostname` or a `name`. Empty texts and nulls name no host.
 */
export function runningHosts(job: Readonly<Record<string, unknown>>): RunningHosts {
  const values = hostKeys(job).flatMap((key): unknown => job[key]);
  if (values.length === 0) return nowhere;
  const hostnames: string[] = [];
  let isWhole = true;
  for (const value of values) {
    const names = namesIn(value);
    if (names === undefined) isWhole = false;
    for (const name of names ?? []) {
      if (hostnames.length < mostHosts && name.length <= longestHostname) hostnames.push(name);
      else isWhole = false;
    }
  }
  return { hostnames, isWhole };
}

/** Keys of a job that name its hosts, in any spelling. */
export function hostKeys(job: Readonly<Record<string, unknown>>): readonly string[] {
  // The quick test first: a message may hold 200,000 jobs.
  return Object.keys(job).filter(
    (key) => /exec/i.test(key) && spellings.has(key.replaceAll(/[-_ ]/g, "").toLowerCase()),
  );
}

/** Undefined: something is there, and it is no host name. */
function namesIn(value: unknown): readonly string[] | undefined {
  switch (typeof value) {
    case "string":
      // A range such as `node[1-3,7]` names hosts that are not spelled out.
      if (value.includes("[")) return undefined;
      return value
        .split(separators)
        .map(withoutSlots)
        .filter((name) => name !== "");
    case "number":
      return [String(value)];
    case "undefined":
      return [];
    case "object":
      return value === null ? [] : namesOfObject(value);
    default:
      return undefined;
  }
}

function namesOfObject(value: object): readonly string[] | undefined {
  const { hostname, name = hostname } = value as Readonly<Record<string, unknown>>;
  return typeof name === "string" ? namesIn(name) : undefined;
}

function withoutSlots(name: string): string {
  const slash = name.indexOf("/");
  return slash < 0 ? name : name.slice(0, slash);
}
