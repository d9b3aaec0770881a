import { join } from "node:path";
import { type Compatibility, compatibilityOfRecords } from "../compatibility.ts";
import type { Reading } from "./rules.ts";

/** Recorded cases that come in a stream include files from beside where the command was started. */
export function fromStandardInput(compatibility: Compatibility = compatibilityOfRecords): Reading {
  return { path: join(process.cwd(), "standard-input"), compatibility };
}
