/** What stands in Slurm's files as it is: no character of it ends a value, or begins another key, a comment or a line. */
export const plainWord = /^[\w.:+-]{1,200}$/;

/** To Slurm these mean every node, or what follows for all others. */
const taken = ["all", "default"];

/** A plain word that Slurm can have as the name of a node array or a partition. */
export function isPlainName(name: string): boolean {
  return plainWord.test(name) && !taken.includes(name.toLowerCase());
}

/** A sentence about the first value that Slurm's files cannot hold; undefined: they can hold all. */
export function unfitFor(values: readonly (readonly [field: string, value: string])[]): string | undefined {
  const unfit = values.find(([, value]) => !plainWord.test(value));
  if (unfit === undefined) return undefined;
  const [field, value] = unfit;
  return `${field} is ${JSON.stringify(value)}, expected letters, digits and . _ : + - only: Slurm's files cannot hold it`;
}
