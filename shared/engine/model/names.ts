import { plainName } from "./dynamic-array.ts";
import type { BucketName } from "./reasons.ts";
import { type EngineSettings, forNodeArray } from "./settings.ts";

/** Names of new nodes: the smallest index that no node has, per name format. Names differ from every reserved one. */
export class NodeNames {
  readonly #taken: Set<string>;
  readonly #series = new Map<string, Series>();

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  reserve(name: string): void {
    this.#taken.add(name);
  }

  next(format: string): { readonly name: string; readonly index: number } {
    const series = this.#seriesOf(format);
    const before = this.#taken.size;
    let index = series.next;
    let name = nameAt(series, index);
    // Looked up by adding it: to ask first would take as long again.
    while (this.#taken.add(name).size === before) name = nameAt(series, ++index);
    series.next = index + 1;
    return { name, index };
  }

  /** Takes back a name that was just given out. */
  release(format: string, index: number): void {
    const series = this.#seriesOf(format);
    this.#taken.delete(nameAt(series, index));
    series.next = Math.min(index, series.next);
  }

  #seriesOf(format: string): Series {
    const known = this.#series.get(format);
    if (known !== undefined) return known;
    const opened = openSeries(format);
    this.#series.set(format, opened);
    return opened;
  }
}

/** The text before and after the index of a format, and the first index that may be free. */
interface Series {
  readonly before: string;
  readonly after: string;
  next: number;
}

/** A format without `%d` gets the index at its end: names have to differ. */
function openSeries(format: string): Series {
  const at = format.indexOf("%d");
  if (at < 0) return { before: format, after: "", next: 1 };
  return { before: format.slice(0, at), after: format.slice(at + 2), next: 1 };
}

function nameAt({ before, after }: Series, index: number): string {
  return `${before}${index}${after}`;
}

/** How new nodes of a bucket are named; those of a dynamic array after it. */
export function nameFormatOf(settings: EngineSettings, { nodeArray, dynamicArray }: BucketName): string {
  return dynamicArray === undefined
    ? (forNodeArray<string | null>(settings.nameFormat, nodeArray) ?? defaultNameFormat(nodeArray))
    : defaultNameFormat(plainName(dynamicArray));
}

/** The default `<nodearray>-<index>` of CycleCloud. */
export function defaultNameFormat(nodeArray: string): string {
  return `${nodeArray}-%d`;
}

/** Sorts `htc-2` before `htc-10`: by what stands before the last `-`, then by the number behind it. */
export function sortByNodeName<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const keyed: { readonly item: T; readonly key: NameKey }[] = [];
  let isSorted = true;
  let last: NameKey | undefined;
  for (const item of items) {
    const key = nameKey(nameOf(item), last);
    isSorted &&= last === undefined || compareKeys(last, key) <= 0;
    keyed.push({ item, key });
    last = key;
  }
  if (isSorted) return items;
  keyed.sort((a, b) => compareKeys(a.key, b.key));
  return keyed.map(({ item }) => item);
}

/** Below zero when a node of the first name sorts before one of the second. */
export function compareNodeNames(a: string, b: string): number {
  return compareKeys(nameKey(a), nameKey(b));
}

interface NameKey {
  readonly name: string;
  readonly stem: string;
  readonly index: number;
}

/** Neighbours mostly have one stem: that of the one before is used again. */
function nameKey(name: string, before?: NameKey): NameKey {
  const dash = name.lastIndexOf("-");
  const index = dash < 0 ? -1 : numberFrom(name, dash + 1);
  if (index < 0) return { name, stem: name, index: 0 };
  const isAsBefore = before?.stem.length === dash && name.startsWith(before.stem);
  return { name, stem: isAsBefore ? before.stem : name.slice(0, dash), index };
}

/** The number that a text consists of from a place on; -1: none. */
function numberFrom(text: string, start: number): number {
  let value = start < text.length ? 0 : -1;
  for (let at = start; at < text.length; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const zero = 48;

function compareKeys(a: NameKey, b: NameKey): number {
  if (a.stem !== b.stem) return a.stem < b.stem ? -1 : 1;
  return a.index - b.index || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

const address = /^[\d.]+$|:/;

/**
 * The form in which host names are compared: without domain, in lower case, because DNS ignores case. An IP address
 * stays whole: its first number names no host.
 */
export function shortHostname(hostname: string): string {
  const lower = hostname.toLowerCase();
  const dot = lower.indexOf(".");
  return dot < 0 || address.test(lower) ? lower : lower.slice(0, dot);
}
