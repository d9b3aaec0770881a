import { fromMarkdown } from "mdast-util-from-markdown";
import { toString as textOf } from "mdast-util-to-string";
import { visit } from "unist-util-visit";

/** One example of a page: what is asked, and the block that shows the answer. */
export interface Example {
  /** The heading above it, and its place below that. */
  readonly name: string;
  /** Keys of `autoscale.json` that the example adds to those of its cluster. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly jobs: readonly unknown[];
  /** As the page shows it. */
  readonly answer: string;
  /** Where the answer's text lies in the page. */
  readonly answerAt: { readonly start: number; readonly end: number };
}

/**
 * The examples of a page: a fenced block `json job` (one job or a list), perhaps after a block `json config`, and then a
 * block `text answer`. Throws for a block that has no partner, so that no example goes unchecked.
 */
export function examplesOf(page: string): readonly Example[] {
  const examples: Example[] = [];
  let heading = "";
  let count = 0;
  let config: Readonly<Record<string, unknown>> = {};
  let jobs: readonly unknown[] | undefined;
  visit(fromMarkdown(page), (node) => {
    if (node.type === "heading") {
      heading = textOf(node);
      count = 0;
    }
    if (node.type !== "code") return;
    switch (`${node.lang} ${node.meta}`) {
      case "json config":
        config = JSON.parse(node.value);
        break;
      case "json job": {
        if (jobs !== undefined) throw new Error(`Below "${heading}": a job without an answer`);
        const parsed: unknown = JSON.parse(node.value);
        jobs = Array.isArray(parsed) ? parsed : [parsed];
        break;
      }
      case "text answer": {
        const start = node.position?.start.offset;
        const end = node.position?.end.offset;
        if (jobs === undefined || start === undefined || end === undefined)
          throw new Error(`Below "${heading}": an answer without a job`);
        count += 1;
        const name = `${heading} (${count})`;
        examples.push({ name, config, jobs, answer: node.value, answerAt: { start, end } });
        jobs = undefined;
        config = {};
        break;
      }
    }
  });
  if (jobs !== undefined) throw new Error(`Below "${heading}": a job without an answer`);
  return examples;
}

/** The page with other answers in the place of those that it has. */
export function withAnswers(page: string, examples: readonly Example[], answers: readonly string[]): string {
  return examples
    .map((example, index) => ({ ...example.answerAt, text: answers[index] ?? "" }))
    .toReversed()
    .reduce(
      (text, { start, end, text: answer }) =>
        `${text.slice(0, start)}\`\`\`text answer\n${answer}\n\`\`\`${text.slice(end)}`,
      page,
    );
}
