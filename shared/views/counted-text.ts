import { type CountedResource, isSize, type Scalar } from "../engine/index.ts";
import { shownNumber } from "../text/text.ts";

const megabyte = 1024 ** 2;

/** What a scheduler counts of a new node, beside what its VM has: `slurm counts 15000 MB of 16384`. */
export function countedText({ resource, by, amount, ofVm }: CountedResource): string {
  const isMemory = resource === "memmb";
  const unit = isMemory ? "MB" : resource;
  const of = ofVm === null ? "" : ` of ${figure(ofVm)}`;
  return `${by} counts ${amount === null ? "no" : figure(amount)} ${unit}${of}`;
}

function figure(value: Scalar): string {
  if (value !== null && isSize(value)) return shownNumber(value.bytes / megabyte);
  return typeof value === "number" ? shownNumber(value) : String(value);
}
