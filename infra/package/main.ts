import { resolve } from "node:path";
import { buildPackage } from "./build.ts";

const folder = resolve(import.meta.dirname, "../../.package");
const { path, bytes, sha256, files } = await buildPackage(folder);
process.stdout.write(`${path}\n${files.join(", ")}; ${bytes} bytes; sha256 ${sha256}\n`);
