import { SaxesParser } from "saxes";

/** An element of what `qstat -xml` printed. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its own text, without that of elements inside. */
  readonly text: string;
  readonly elements: readonly Element[];
}

interface Open extends Element {
  text: string;
  elements: Element[];
}

/** Of most elements: a large cell has half a million. */
const none: Element[] = [];

/** Grid Engine nests a dozen. */
const deepest = 50;

/**
 * The root element; undefined when the text is no whole XML document, as when it was cut short. No entity but the five of XML
 * itself and characters by number is known, and nothing is fetched. `take` gets each element that is complete, with the one around
 * it; what it returns true for is not kept, so that a long list needs no tree.
 */
export function parseXml(
  text: string,
  take: (element: Element, around: Element) => boolean = () => false,
): Element | undefined {
  // Lines and columns are counted for error messages only.
  const parser = new SaxesParser({ position: false, xmlns: false });
  const open: Open[] = [];
  let root: Element | undefined;
  let isBroken = false;
  parser.on("error", () => {
    isBroken = true;
  });
  // A definition of entities or elements is nothing that qstat prints.
  parser.on("doctype", () => {
    isBroken = true;
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (open.length >= deepest) isBroken = true;
    if (isBroken) return;
    const element: Open = { name, attributes, text: "", elements: none };
    root ??= element;
    open.push(element);
  });
  parser.on("closetag", () => {
    const [element, around] = [open.pop(), open.at(-1)];
    if (isBroken || element === undefined || around === undefined || take(element, around)) return;
    if (around.elements === none) around.elements = [element];
    else around.elements.push(element);
  });
  parser.on("text", (part) => {
    const inner = open.at(-1);
    if (inner !== undefined) inner.text += part;
  });
  try {
    parser.write(readable(text)).close();
  } catch {
    return undefined;
  }
  return isBroken ? undefined : root;
}

/** A job may be named with characters that XML does not allow; Grid Engine prints them as they are. */
function readable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

export function childrenOf(element: Element | undefined, name: string): readonly Element[] {
  return element?.elements.filter((each) => each.name === name) ?? [];
}

/** The text of the first element of a name. */
export function textOf(element: Element | undefined, name: string): string | undefined {
  return element?.elements.find((each) => each.name === name)?.text;
}
