import { writeFile } from "node:fs/promises";
import { createProgram } from "../program.ts";
import { commandPage } from "./command-page.ts";
import { readPrinted } from "./read-printed.ts";

const { stdin, stdout, stderr } = process;

await writeFile(
  new URL("../../../docs/commands.md", import.meta.url),
  commandPage(await createProgram({ stdin, stdout, stderr }), readPrinted()),
);
