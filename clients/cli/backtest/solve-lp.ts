/** Solves a linear program (LP file format) by HiGHS, an optional package: throws without it. Undefined: no optimum. */
export async function solveLp(text: string): Promise<number | undefined> {
  const { default: highsModule } = await import("highs");
  // CommonJS: what its types call the default export is the module itself.
  const load = highsModule as unknown as typeof highsModule.default;
  const highs = await load();
  const { Status, ObjectiveValue } = highs.solve(text, { solver: "ipm", output_flag: false });
  return Status === "Optimal" ? ObjectiveValue : undefined;
}

/** Why there is no solver; undefined: there is one. */
export async function noSolver(): Promise<string | undefined> {
  try {
    await import("highs");
    return undefined;
  } catch {
    return "the package highs is not installed (npm install highs).";
  }
}
