import { type LocalStack, type StackOptions, startStack } from "../local-stack.ts";

type Definition = NonNullable<StackOptions["definition"]> & { readonly nodearrays: readonly object[] };

/** A real scheduler and its agent take seconds: what looks more often only takes the processor from them. */
const unhurried = {
  snapshotSchedule: "*/2 * * * * *",
  settings: { AzureFunctionsJobHost__extensions__queues__maxPollingInterval: "00:00:01" },
};

/** A cluster of which no quota binds, with boots as in Azure; stopped when it was used. */
export async function onCluster(
  definition: Pick<Definition, "nodearrays"> & Partial<Definition>,
  options: Omit<StackOptions, "definition">,
  use: (stack: LocalStack) => Promise<void>,
): Promise<void> {
  const stack = await startStack({
    definition: {
      name: "matrix",
      region: "westeurope",
      quotas: { westeurope: { cores: 100_000, familyCores: 100_000 } },
      times: { boot: { minSeconds: 30, medianSeconds: 60, maxSeconds: 120 } },
      ...definition,
    },
    ...unhurried,
    ...options,
  });
  try {
    await use(stack);
  } finally {
    await stack.stop();
  }
}
