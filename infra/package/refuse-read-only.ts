import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Makes the folder where it is missing and writes a file to it. Throws an Error that says what is needed when it cannot. */
export async function refuseReadOnly(folder: string): Promise<void> {
  const probe = join(folder, `.can-write-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(probe, "");
    await rm(probe);
  } catch (error) {
    const why = error instanceof Error && "code" in error ? error.code : error;
    throw new Error(
      `Cannot write to "${folder}": ${why}, expected a folder that you may write to.\n` +
        "Run this in a copy of the project of your own (git clone).",
    );
  }
}
