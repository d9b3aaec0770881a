import type { BackedOff } from "../ports/index.ts";
import { duration } from "../text/durations.ts";

type Size = Pick<BackedOff, "nodeArray" | "vmSize">;

/** Of a plan, or of the status. */
type Hold = Pick<BackedOff, "untilSeconds" | "why"> & { readonly budget?: string | undefined };

/** What is known of holds, in an outlook or in the newest plan. */
interface Holds {
  readonly backedOff: readonly BackedOff[];
  readonly nowSeconds: number;
}

/** The hold on a size that counts now; undefined: none, or it is over. */
export function holdOn({ backedOff, nowSeconds }: Holds, size: Size | null): BackedOff | undefined {
  return backedOff.find(
    ({ nodeArray, vmSize, untilSeconds }) =>
      nodeArray === size?.nodeArray && vmSize === size.vmSize && untilSeconds > nowSeconds,
  );
}

/** Why the autoscaler itself asks a size for nothing: the words of all who show it. A budget ends with its day or month. */
export function holdInWords({ untilSeconds, why, budget }: Hold, nowSeconds: number): string {
  return budget === undefined ? `for ${duration(untilSeconds - nowSeconds)}: ${why}` : why;
}

/** The same as a sentence. */
export function holdSentence(hold: Hold & Size, nowSeconds: number): string {
  const { nodeArray, vmSize, budget } = hold;
  const link = budget === undefined ? " " : ": ";
  return `No new nodes are asked of ${nodeArray}/${vmSize}${link}${holdInWords(hold, nowSeconds)}.`;
}
