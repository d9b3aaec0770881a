import type { ExplainAnswer, WhatIfAsked } from "../../../shared/api/index.ts";
import { isDictionary, parseJson } from "../../../shared/json/json.ts";
import { redacted } from "../../../shared/text/redact.ts";
import { commandLine } from "../act/command-line.ts";

/** What a job asks for, as its source sent it, without secrets. */
export type Request = Readonly<Record<string, unknown>>;
export type Asked = Pick<WhatIfAsked, "change" | "limits" | "placement">;

interface Constraints {
  readonly cpus: string;
  readonly nodeArray: string;
  /** All others, as JSON; empty: there are none. */
  readonly rest: string;
}

/** Constraints with the two that are asked for most set apart, and names of those left out: their values are secrets. */
export function split(constraints: unknown): Constraints & { readonly secret: readonly string[] } {
  const all: readonly unknown[] = [constraints ?? []].flat();
  const secret: string[] = [];
  let cpus = "";
  let nodeArray = "";
  const rest = all.flatMap((each) => {
    if (!isDictionary(each)) return [each];
    const { ncpus, "node.nodearray": array, ...others } = each;
    const isSecret = ([, value]: readonly [string, unknown]) => JSON.stringify(value).includes(redacted);
    const members = Object.entries(others);
    secret.push(...members.filter(isSecret).map(([name]) => name));
    const kept = Object.fromEntries(members.filter((member) => !isSecret(member)));
    if (cpus === "" && typeof ncpus === "number") cpus = String(ncpus);
    else if (ncpus !== undefined) kept.ncpus = ncpus;
    if (nodeArray === "" && typeof array === "string") nodeArray = array;
    else if (array !== undefined) kept["node.nodearray"] = array;
    return Object.keys(kept).length === 0 ? [] : [kept];
  });
  return { cpus, nodeArray, rest: rest.length === 0 ? "" : JSON.stringify(rest), secret };
}

/** Which field says how much a job asks for. */
export function amountOf({ nodeCount }: Request): "nodeCount" | "iterations" {
  return Number(nodeCount ?? 0) > 0 ? "nodeCount" : "iterations";
}

/**
 * What the form asks for: only what differs from the job. So a job whose constraints are left alone keeps those that have a
 * secret, which the page does not know. Throws SyntaxError for constraints that are no JSON.
 */
export function bodyOf(fields: FormData, { job, source, raise }: ExplainAnswer, request: Request): Asked {
  const of = (name: string) => String(fields.get(name) ?? "").trim();
  const amount = amountOf(request);
  const constraints = constraintsOf({ cpus: of("cpus"), nodeArray: of("nodeArray"), rest: of("rest") });
  const isSame = JSON.stringify(constraints) === JSON.stringify(constraintsOf(split(request.constraints)));
  const limits = fields.getAll("limit").map((each) => parseJson(String(each)));
  const placement = of("placement");
  return {
    change: {
      job,
      ...(source === null ? {} : { source }),
      with: {
        ...(Number(of(amount)) === Number(request[amount] ?? 1) ? {} : { [amount]: Number(of(amount)) }),
        ...(isSame ? {} : { constraints }),
        ...Object.fromEntries(
          ["colocated", "exclusive"]
            .filter((name) => fields.has(name) !== (request[name] === true))
            .map((name) => [name, fields.has(name)]),
        ),
      },
    },
    ...(limits.length > 0 && raise !== undefined ? { limits: limits as NonNullable<Asked["limits"]> } : {}),
    ...(placement === "" ? {} : { placement: placement as NonNullable<Asked["placement"]> }),
  };
}

function constraintsOf({ cpus, nodeArray, rest }: Constraints): readonly unknown[] {
  return [
    ...(cpus === "" ? [] : [{ ncpus: Number(cpus) }]),
    ...(rest === "" ? [] : [jsonOf(rest)].flat()),
    ...(nodeArray === "" ? [] : [{ "node.nodearray": nodeArray }]),
  ];
}

function jsonOf(constraints: string): unknown {
  try {
    return parseJson(constraints);
  } catch (error) {
    throw new SyntaxError(`Constraints: ${error instanceof Error ? error.message : error}`);
  }
}

export function commandOf(
  cluster: string,
  { change, limits = [], placement }: Asked,
  { job, source }: Pick<ExplainAnswer, "job" | "source">,
): string {
  return commandLine([
    ...["ccscale", "what-if", "--cluster", cluster, "--change", job],
    ...(source === null ? [] : ["--source", source]),
    ...["--job", JSON.stringify(change?.with ?? {})],
    ...limits.flatMap(({ limit, scope, unit, more }) => ["--raise", `${limit} ${scope} ${more} ${unit}`]),
    ...(placement === undefined ? [] : ["--placement", placement]),
  ]);
}
