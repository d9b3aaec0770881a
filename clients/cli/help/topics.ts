import { readFileSync } from "node:fs";

/** A page of `ccscale help` that is about no command: a part of the documentation. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  /** In docs. */
  readonly file: string;
  /** The headings of its sections; none: the whole page. */
  readonly headings: readonly string[];
}

export const topics: readonly Topic[] = [
  {
    name: "constraints",
    summary: "what a job may ask of its nodes",
    file: "constraints.md",
    headings: [],
  },
  {
    name: "selection",
    summary: "how nodes are selected: names, host names, arrays, constraints",
    file: "cli.md",
    headings: ["Select nodes"],
  },
  {
    name: "output",
    summary: "the language of -o",
    file: "cli.md",
    headings: ["Choose columns"],
  },
  {
    name: "states",
    summary: "states of nodes and operations, and the terms",
    file: "concepts.md",
    headings: ["The life of a node", "States of an operation", "Glossary"],
  },
  {
    name: "configuration",
    summary: "the keys of autoscale.json",
    file: "configure.md",
    headings: ["Keys of autoscale.json"],
  },
  {
    name: "exit-codes",
    summary: "how commands end",
    file: "cli.md",
    headings: ["Exit codes"],
  },
];

/**
 * The Markdown of a topic. The sources have it in docs; the build puts the pages beside itself. Throws an Error for a heading
 * that its page does not have.
 */
export function textOf({ file, headings }: Topic): string {
  const page = readPage(file);
  if (headings.length === 0) return page;
  const sections = page.split(/^(?=## )/m);
  return headings
    .map((heading) => {
      const found = sections.find((section) => section.startsWith(`## ${heading}\n`));
      if (found === undefined) throw new Error(`Cannot find "## ${heading}" in docs/${file}`);
      return found;
    })
    .join("\n");
}

function readPage(file: string): string {
  const places = [
    new URL(`pages/${file}`, import.meta.url),
    new URL(`../../../docs/${file}`, import.meta.url),
  ];
  for (const place of places) {
    try {
      return readFileSync(place, "utf8");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  throw new Error(`Cannot find docs/${file} beside this program`);
}
