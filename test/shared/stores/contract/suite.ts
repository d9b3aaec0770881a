/**
 * One case of a port's contract. `t` is whatever the port's suite works on; every implementation is run through every
 * case. Each case uses cluster names of its own (`uniqueCluster`), because one Azurite serves a whole file.
 */
export interface ContractCase<T> {
  readonly name: string;
  run(t: T): Promise<void>;
}

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
