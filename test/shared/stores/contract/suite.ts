/**
 * A port's contract: what is promised, with what checks it on whatever the port's suite works on. Every implementation is run
 * through all of it. Each case uses cluster names of its own (`uniqueCluster`), because one Azurite serves a whole file.
 */
export type ContractCases<T> = Readonly<Record<string, (subject: T) => Promise<void>>>;

let clusters = 0;

/** A cluster name that no other case has used. */
export function uniqueCluster(suffix = ""): string {
  clusters += 1;
  return `cluster-${clusters}${suffix}`;
}

/** How many of these promises were kept, and the errors of the others. */
export async function outcomes(promises: readonly Promise<unknown>[]) {
  const settled = await Promise.allSettled(promises);
  return {
    kept: settled.filter((one) => one.status === "fulfilled").length,
    errors: settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : [])),
  };
}
