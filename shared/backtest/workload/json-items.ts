/** Longest item: a job's record is never larger. */
const mostCharacters = 10_000_000;

/** Where the next character is: before the list, in its first item or in another one, behind its end. */
type Place = "before" | "first" | "item" | "end";

/**
 * The items of a JSON list whose text comes in parts, cut anywhere. Each item is parsed by itself, as soon as it is whole: the list
 * is never in memory as a whole. Throws SyntaxError, which says at which item.
 */
export class JsonItems {
  #place: Place = "before";
  /** What there is of the item so far, and what in it is open. */
  #text = "";
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #count = 0;
  readonly #parse: (text: string) => unknown;

  /** `parse` makes a value of the text of an item, and throws for what is not JSON. */
  constructor(parse: (text: string) => unknown) {
    this.#parse = parse;
  }

  /** The items that end in this part. */
  add(part: string): readonly unknown[] {
    const items: unknown[] = [];
    let start = 0;
    for (let at = 0; at < part.length; at += 1) {
      const character = part[at] ?? "";
      if (this.#place === "before" || this.#place === "end") {
        this.#between(character);
        start = at + 1;
      } else if (this.#ends(character)) {
        this.#text += part.slice(start, at);
        start = at + 1;
        items.push(...this.#item(character === "]"));
      }
    }
    if (this.#place !== "before" && this.#place !== "end") this.#text += part.slice(start);
    if (this.#text.length > mostCharacters)
      throw this.#problem(`more than ${mostCharacters} characters in one item`);
    return items;
  }

  /** After the last part. */
  end(): void {
    if (this.#place !== "end") throw this.#problem("the list does not end");
  }

  #between(character: string): void {
    if (isSpace(character)) return;
    if (this.#place === "end") throw new SyntaxError("there is more behind the end of the list");
    if (character !== "[") throw new SyntaxError("it is no list");
    this.#place = "first";
  }

  /** Whether a character of an item is the first behind it. */
  #ends(character: string): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString) {
      if (character === "\\") this.#isEscaped = true;
      else if (character === '"') this.#isInString = false;
    } else if (this.#depth <= 0 && (character === "," || character === "]")) return true;
    else if (character === '"') this.#isInString = true;
    else if (character === "{" || character === "[") this.#depth += 1;
    else if (character === "}" || character === "]") this.#depth -= 1;
    return false;
  }

  #item(isLast: boolean): readonly unknown[] {
    const text = this.#text;
    const isEmptyList = isLast && this.#place === "first" && [...text].every(isSpace);
    const items = isEmptyList ? [] : [this.#parsed(text)];
    this.#text = "";
    this.#depth = 0;
    this.#place = isLast ? "end" : "item";
    this.#count += items.length;
    return items;
  }

  #parsed(text: string): unknown {
    try {
      return this.#parse(text);
    } catch {
      throw this.#problem("it is not JSON");
    }
  }

  #problem(what: string): SyntaxError {
    return new SyntaxError(`${what}, at item [${this.#count}]`);
  }
}

function isSpace(character: string): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}
