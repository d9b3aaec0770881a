/** A page of `ccscale help` that is about no command: a part of the documentation. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly file: string;
  /** The headings of its sections; none: the whole page. */
  readonly headings: readonly string[];
}

const pages: Readonly<Record<string, Omit<Topic, "name">>> = {
  constraints: {
    summary: "what a job may ask of its nodes",
    file: "constraints.md",
    headings: [],
  },
  selection: {
    summary: "how nodes are selected: names, host names, arrays, constraints",
    file: "cli.md",
    headings: ["Select nodes"],
  },
  output: {
    summary: "the language of -o",
    file: "cli.md",
    headings: ["Choose columns"],
  },
  states: {
    summary: "states of nodes and operations, and the terms",
    file: "concepts.md",
    headings: ["The life of a node", "States of an operation", "Glossary"],
  },
  configuration: {
    summary: "the keys of autoscale.json",
    file: "configure.md",
    headings: ["Keys of autoscale.json"],
  },
  "exit-codes": {
    summary: "how commands end",
    file: "cli.md",
    headings: ["Exit codes"],
  },
};

export const topics: readonly Topic[] = Object.entries(pages).map(([name, page]) => ({ name, ...page }));
