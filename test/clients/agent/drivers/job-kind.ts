/**
 * A row of a table of kinds of jobs: each gets a queue, a node array and nodes of its own, so that none uses what another left, and
 * says how many nodes the real scheduler used when it had those that were bought.
 */
export interface KindOfJob<Node extends string = string> {
  readonly node: Node;
  /** What is given to the command that submits; a placeholder stands for the name of its queue. */
  readonly options: string;
  readonly nodes: number;
  /** How often it is submitted. */
  readonly times: number;
}

/** Of the kind with this index: its queue and its node array have one name. */
export const nameOfKind = (index: number) => `k${index}`;

/** Arguments for the command that submits. */
export function argumentsOf({ options }: KindOfJob, index: number, placeholder: string): readonly string[] {
  return options.replaceAll(placeholder, nameOfKind(index)).split(" ");
}

/** For each kind what was bought for it and what its jobs use, as the table has it: twice the same. */
export function expectedOf(kinds: readonly KindOfJob[]) {
  return rowsOf(
    kinds,
    kinds.map(({ nodes }) => nodes),
    kinds.map(({ nodes }) => nodes),
  );
}

export function rowsOf(
  kinds: readonly KindOfJob[],
  bought: readonly (number | undefined)[],
  used: readonly (number | undefined)[],
) {
  return kinds.map(({ node, options, times }, index) => ({
    job: `${times} of ${node} ${options}`,
    bought: bought[index],
    used: used[index],
  }));
}
