import type { KeptOut, SizeAlternative, SizeChoice } from "../../engine/index.ts";
import type { BoughtSize } from "../../ports/index.ts";
import { counted } from "../../text/text.ts";
import { reasonSentence } from "./reason-words.ts";

/** Why new nodes are of their size, in sentences: the price, the reason, the next best, and what kept cheaper ones out. */
export function sizeSentences({ names, ...choice }: SizeChoice): readonly string[] {
  return boughtSentences({ ...choice, count: names.length });
}

/** The same of nodes without names. */
export function boughtSentences(choice: BoughtSize): readonly string[] {
  const { vmSize, nodeArray, pricePerHourUsd, next, keptOut, count } = choice;
  const nodes = counted(count, "nodes");
  const price =
    pricePerHourUsd === null ? "a price that is not known" : `${dollars(pricePerHourUsd)} an hour each`;
  return [
    `${nodes} ${vmSize} of ${nodeArray} at ${price}: ${whyWords(choice)}.`,
    ...(next === null ? [] : [`The next best is ${alternative(next)}.`]),
    ...keptOut.map((kept) => `${cheaperWords(kept)}`),
  ];
}

function whyWords({ why, job }: BoughtSize): string {
  switch (why) {
    case "least-cost":
      return `of all nodes that hold "${job}" and the jobs with it, these cost least together`;
    case "first-choice":
      return `the first size in order of preference that has room for "${job}"`;
    case "target":
      return "a target asks for them";
  }
}

function alternative({ vmSize, nodeArray, nodes, usdPerHour }: SizeAlternative): string {
  return `${nodes} ${vmSize} of ${nodeArray}, which would cost at least ${dollars(usdPerHour)} an hour`;
}

function cheaperWords(kept: KeptOut): string {
  const size = `${kept.vmSize} of ${kept.nodeArray} (${dollars(kept.usdPerHour)} an hour for ${counted(kept.nodes, "nodes")})`;
  switch (kept.by) {
    case "constraint":
    case "limit":
      return `Cheaper, but not possible: ${size}. ${kept.reason === null ? "" : reasonSentence(kept.reason)}`.trim();
    case "priority":
      return `Cheaper, but behind the priority of the array or the options of the job: ${size}.`;
    case "preference":
      return `Cheaper, but later in the order of preference: ${size}. \`"placement": "cost"\` would compare prices.`;
    case "together":
      return `Cheaper for these jobs alone, but not for all new nodes together: ${size}.`;
  }
}

function dollars(usd: number): string {
  return `${usd.toFixed(usd < 10 ? 3 : 2)} USD`;
}
