import { join } from "node:path";
import { expect } from "vitest";
import { wordsOf } from "../../../clients/cli/reference/command-example.ts";
import { ccscale } from "./in-process.ts";

/** Runs the examples of a page of commands, with these words behind each, and compares what they print with the page. */
export async function expectPrinted(
  page: string,
  lines: readonly string[],
  { at, after }: { readonly at: readonly string[]; readonly after?: () => void },
): Promise<void> {
  const transcripts: string[] = [];
  for (const line of lines) {
    const { code, stdout, stderr } = await ccscale([...wordsOf(line), ...at]);
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
    transcripts.push(`$ ccscale ${line}\n${stdout}`);
    after?.();
  }
  const printed = join(import.meta.dirname, "../../../clients/cli/reference/printed", `${page}.txt`);
  await expect(transcripts.join("\n")).toMatchFileSnapshot(printed);
}
