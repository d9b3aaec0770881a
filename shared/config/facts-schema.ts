import { z } from "zod";
import { createVmCatalogue, type VmCatalogueOptions, type VmSizeOverride } from "../facts/index.ts";
import { flag, text } from "./setting-value.ts";

const count = z.int("expected a whole number").min(0, "expected a whole number, 0 or more");
const amount = z.number("expected a number").positive("expected a number above 0");

const cores = z.int("expected a whole number").min(1, "expected a whole number, 1 or more").optional();

const overrideShape = {
  family: text.optional(),
  vcpus: cores,
  vcpus_available: cores,
  vcpus_per_core: cores,
  pcpus: cores,
  memory_gib: amount.optional(),
  gpus: count.optional(),
  rdma: flag.optional(),
  arch: z.enum(["amd64", "arm64"], 'expected "amd64" or "arm64"').optional(),
  price_per_hour_usd: amount.optional(),
  spot_price_per_hour_usd: amount.optional(),
};

const overrideSchema = z.strictObject(overrideShape, {
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? `unknown facts ${issue.keys.join(", ")}, expected ${Object.keys(overrideShape).join(", ")}`
      : "expected an object of facts",
});

/** `vm_sizes`: facts that replace or complete those of the catalogue. Every size is checked, so that all problems show at once. */
const vmSizesSchema = z
  .record(z.string(), z.unknown(), "expected an object of VM sizes")
  .transform((sizes, context): Readonly<Record<string, VmSizeOverride>> => {
    const refuse = (name: string, problem: { message: string; path?: PropertyKey[]; input?: unknown }) =>
      context.addIssue({
        code: "custom",
        input: sizes[name],
        ...problem,
        path: [name, ...(problem.path ?? [])],
      });
    return Object.fromEntries(
      Object.entries(sizes).flatMap(([name, value]) => {
        const facts = overrideSchema.safeParse(value, { reportInput: true });
        for (const { message, path, input } of facts.error?.issues ?? [])
          refuse(name, { message, path, input });
        if (!facts.success) return [];
        const override = toOverride(facts.data);
        if (!describesSize(name, override))
          refuse(name, { message: "expected vcpus and memory_gib, because the size is not known" });
        return [[name, override]];
      }),
    );
  });

/** `proxied_locations`: the public location whose facts stand in for another one. */
const proxiedLocationsSchema = z.record(z.string(), text, "expected an object of locations");

/** The keys of facts. `proxied-locations` is the spelling of the reference's own file of VM sizes. */
export const factsShape = {
  vm_sizes: vmSizesSchema.optional(),
  proxied_locations: proxiedLocationsSchema.optional(),
  "proxied-locations": proxiedLocationsSchema.optional(),
};

const factsSchema = z.object(factsShape);

/** The configuration's changes to the catalogue; empty if there are none. `proxied_locations` wins over the other spelling. */
export function toFacts(keys: z.output<typeof factsSchema>): VmCatalogueOptions {
  const { vm_sizes: overrides, proxied_locations: locations, "proxied-locations": hyphenated } = keys;
  return {
    ...(overrides && { overrides }),
    ...((locations ?? hyphenated) && { proxiedLocations: { ...hyphenated, ...locations } }),
  };
}

const spelling: Readonly<Record<string, keyof VmSizeOverride>> = {
  vcpus_available: "vcpusAvailable",
  vcpus_per_core: "vcpusPerCore",
  memory_gib: "memoryGiB",
  price_per_hour_usd: "pricePerHourUsd",
  spot_price_per_hour_usd: "spotPricePerHourUsd",
};

function toOverride(facts: z.output<typeof overrideSchema>): VmSizeOverride {
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [spelling[key] ?? key, value]));
}

/** A size that is not in the catalogue must give its vcpus and memory. */
function describesSize(name: string, override: VmSizeOverride): boolean {
  try {
    createVmCatalogue({ overrides: { [name]: override } });
    return true;
  } catch {
    return false;
  }
}
