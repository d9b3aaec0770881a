/**
 * Imports what needs a package that is installed only by those who use it. Throws an Error with the command that installs it.
 */
export async function importPeer<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const missing = missingPackage(error);
    if (missing === undefined) throw error;
    throw new Error(
      `Cannot find package "${missing}": it is optional, install it with "npm install ${missing}"`,
      {
        cause: error,
      },
    );
  }
}

function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND")
    return undefined;
  return /Cannot find package '([^']+)'/.exec(error.message)?.[1];
}
