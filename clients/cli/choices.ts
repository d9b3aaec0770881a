import { type Command, InvalidArgumentError } from "commander";
import { nearest } from "../../shared/engine/index.ts";

/** `Did you mean "waiting"? ` for an unknown word; "" when no known word is near. */
export function suggestion(word: string, words: readonly string[]): string {
  const lower = word.toLowerCase();
  const names = new Map(words.map((each) => [each.toLowerCase(), each]));
  const containing = words.filter((each) => word !== "" && each.toLowerCase().includes(lower));
  const near = containing.length === 1 ? containing[0]?.toLowerCase() : nearest(lower, [...names.keys()]);
  const meant = names.get(near ?? "");
  return meant === undefined ? "" : `Did you mean "${meant}"? `;
}

/** Reads words of a fixed list, separated by commas; a word that is not in it is refused here, without asking the service. */
export function wordsOf(noun: string, words: readonly string[]): (text: string) => string {
  return (text) => {
    for (const word of text.split(",").map((each) => each.trim()))
      if (!words.includes(word))
        throw new InvalidArgumentError(
          `"${word}" is no ${noun}. ${suggestion(word, words)}Expected of ${words.join(", ")}.`,
        );
    return text;
  };
}

/** Lets refusals of options and arguments with fixed choices name the choice that was probably meant. */
export function suggestChoices({ options, registeredArguments }: Command): void {
  for (const each of [...options, ...registeredArguments]) {
    const { argChoices, parseArg } = each;
    if (argChoices === undefined || parseArg === undefined) continue;
    each.argParser((value: string, previous: unknown) => {
      if (argChoices.includes(value)) return parseArg(value, previous);
      throw new InvalidArgumentError(
        `${suggestion(value, argChoices)}Allowed choices are ${argChoices.join(", ")}.`,
      );
    });
  }
}
