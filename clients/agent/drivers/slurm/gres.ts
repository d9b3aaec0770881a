/** Generic resources, as Slurm writes them: `gpu:a100:4(S:0-1),nvme:2` of a node, `gres:nvme:1` or `gres/nvme=1` of a job. */

/** Amounts by name, and of typed ones also by name and type: `fpga`, `fpga:xilinx`. */
export type Gres = ReadonlyMap<string, number>;

interface Item {
  readonly name: string;
  readonly type: string | undefined;
  readonly count: number;
  /** The node says that it has them; jobs do not use them up. */
  readonly isConsumed: boolean;
}

/** All but GPUs, which every scheduler counts as `ngpus` (`tres.ts`). */
export function gresIn(text: string): Gres {
  const amounts = new Map<string, number>();
  for (const { name, type, count, isConsumed } of itemsIn(text)) {
    if (!isConsumed) continue;
    for (const key of type === undefined ? [name] : [name, `${name}:${type}`])
      amounts.set(key, (amounts.get(key) ?? 0) + count);
  }
  return amounts;
}

/** Names of those that a node has and jobs do not use up. */
export function gresNotConsumed(text: string): readonly string[] {
  return itemsIn(text).flatMap(({ name, isConsumed }) => (isConsumed ? [] : [name]));
}

function itemsIn(text: string): readonly Item[] {
  return text
    .replace(/\([^()]*\)/g, "")
    .split(",")
    .flatMap((item) => {
      const [name = "", ...rest] = item
        .trim()
        .replace(/^gres[:/]/, "")
        .split(/[:=]/);
      if (name === "" || name === "gpu") return [];
      const count = countOf(rest.at(-1) ?? "");
      const types = count === undefined ? rest : rest.slice(0, -1);
      const isConsumed = !types.includes("no_consume");
      return [{ name, type: types.find((type) => type !== "no_consume"), count: count ?? 1, isConsumed }];
    });
}

const perSuffix: Readonly<Record<string, number>> = {
  "": 1,
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  T: 1024 ** 4,
  P: 1024 ** 5,
};

function countOf(text: string): number | undefined {
  const match = /^(\d{1,15})([KMGTP]?)$/i.exec(text);
  return match === null ? undefined : Number(match[1]) * (perSuffix[(match[2] ?? "").toUpperCase()] ?? 1);
}

/** Names that mean something else in a job's constraints. */
const taken =
  /^(?:n(?:cpus|gpus|odearray)|pcpus|ccnodeid|mem[kmgt]?b|and|or|xor|not|never|exclusive(?:[-_]task)?|in[-_]a[-_]placement[-_]group|shared[-_].*|capacity[-_]failure[-_]backoff|node\..*)$/;

/** A resource of nodes and jobs, as it is posted. */
export function resourceName(gres: string): string {
  return taken.test(gres) ? `gres/${gres}` : gres;
}
