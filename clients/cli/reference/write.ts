import { writeFile } from "node:fs/promises";
import { createProgram } from "../program.ts";
import { commandPage, readPrinted } from "./command-page.ts";

const { stdin, stdout, stderr } = process;

await writeFile(
  new URL("../../../docs/commands.md", import.meta.url),
  commandPage(await createProgram({ stdin, stdout, stderr }), readPrinted()),
);
