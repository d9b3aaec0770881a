import { join } from "node:path";
import { globSync } from "tinyglobby";
import { expect, test } from "vitest";
import { type NamedTest, testsIn } from "./test-names.ts";

const root = join(import.meta.dirname, "../..");
const folder = "test/docs-of-the-field";

/** Which file holds which document to its word; files of examples are beside their document. */
const documents = [
  { title: "cyclecloud-scalelib: node properties", files: [`${folder}/node-properties.test.ts`] },
  { title: "cyclecloud-scalelib: constraints", files: [`${folder}/constraints-page.test.ts`] },
  { title: "cyclecloud-scalelib: default resources", files: [`${folder}/default-resources-page.test.ts`] },
  {
    title: "cyclecloud-scalelib: the Celery example",
    files: [`${folder}/celery-page.test.ts`, "test/clients/celery/examples.test.ts"],
  },
  {
    title: "CycleCloud: the auto-scale API",
    files: [`${folder}/auto-scale-api.test.ts`, "test/shared/cycle/demand/targets.test.ts"],
  },
] as const;

const head = `# What the field's documents say, and where it is tested

Five documents describe what users of CycleCloud's autoscaling rely on. Each sentence of them that says how something behaves has a test; these are the tests' names,
which say it in our words. [Differences](migrate-from-scalelib.md#planning) that are made on purpose are listed apart.

The page is made from the tests: \`npx vitest run test/docs/documentation-coverage.test.ts -u\`.
`;

function section({ title, files }: (typeof documents)[number]): string {
  const lists = files.flatMap((file) => [
    `Tested by \`${file}\`:`,
    "",
    ...testsIn(join(root, file)).map((named) => `- ${sentenceOf(named, title)}`),
    "",
  ]);
  return [`## ${title}`, "", ...lists].join("\n");
}

function sentenceOf({ group, name }: NamedTest, title: string): string {
  // The part of the document; a group that names the document alone adds nothing.
  const part = /[:,] ([^:]*)$/.exec(group ?? "")?.[1];
  const words = part === undefined || title.endsWith(part) ? name : `${part}: ${name}`;
  return words.replaceAll(/[<>]/g, "\\$&");
}

test("the page names every test of the five documents", async () => {
  const page = [head, ...documents.map(section)].join("\n");
  await expect(page).toMatchFileSnapshot(join(root, "docs/documentation-coverage.md"));
});

test("every test file of documents has its place on the page", () => {
  const placed: readonly string[] = documents.flatMap(({ files }) => [...files]);
  const there = globSync(`${folder}/*.test.ts`, { cwd: root });
  expect(there.filter((file) => !placed.includes(file))).toEqual([]);
});

test.each(documents)("$title has sentences", ({ files }) => {
  expect(testsIn(join(root, files[0])).length).toBeGreaterThan(8);
});
