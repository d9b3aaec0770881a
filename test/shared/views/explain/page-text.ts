import { Readable, Writable } from "node:stream";
import { type Page, pageOn } from "../../../../clients/cli/output/report.ts";

/** What a page prints for people. */
export function pageText(print: (page: Page) => void): string {
  let text = "";
  const stdout = new Writable({
    write: (chunk: Buffer, _, done) => {
      text += chunk.toString("utf8");
      done();
    },
  });
  print(pageOn({ stdin: Readable.from([]), stdout, stderr: stdout }));
  return text;
}
