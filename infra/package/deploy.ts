import { execFile } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { Command } from "commander";

/** Storage Blob Data Contributor. */
const writer = "ba92f5b4-2d11-453d-a403-e96b0029c9fe";
/** A new right takes up to ten minutes to work. */
const longestMinutes = 12;
/** The deployment service may not write yet. */
const refused = /BlobUploadFailed|AuthorizationPermissionMismatch|AuthorizationFailure|\b403\b/;

interface Options {
  readonly group: string;
  readonly app: string;
  readonly zip: string;
  readonly retrySeconds: number;
}

await new Command("deploy")
  .description(
    "Deploys the package. Azure writes it as the app, which has the right to do so for as long as this takes.",
  )
  .requiredOption("-g, --group <name>", "resource group of the deployment")
  .requiredOption("-n, --app <name>", "name of the function app")
  .option("--zip <file>", "the package", ".package/autoscaler.zip")
  .option("--retry-seconds <n>", "how long to wait until the right works", Number, 20)
  .action(deploy)
  .parseAsync();

async function deploy({ group, app, zip, retrySeconds }: Options): Promise<void> {
  const site = JSON.parse(await az(["functionapp", "show", "-g", group, "-n", app, "-o", "json"]));
  const { storage } = (site.functionAppConfig ?? site.properties.functionAppConfig).deployment;
  const { hostname, pathname } = new URL(storage.value);
  const [account = ""] = hostname.split(".");
  const accountId = (
    await az(["storage", "account", "show", "-g", group, "-n", account, "--query", "id", "-o", "tsv"])
  ).trim();
  const scope = `${accountId}/blobServices/default/containers${pathname}`;
  const identity: string = storage.authentication.userAssignedIdentityResourceId;
  const principal = (
    await az(["identity", "show", "--ids", identity, "--query", "principalId", "-o", "tsv"])
  ).trim();
  const right = ["--role", writer, "--scope", scope];
  const giving = ["--assignee-object-id", principal, "--assignee-principal-type", "ServicePrincipal"];
  // Ctrl-C ends the az that runs, and what was given is taken away.
  process.once("SIGINT", () => undefined);
  try {
    await az(["role", "assignment", "create", ...giving, ...right, "-o", "none"]);
    await upload(["functionapp", "deployment", "source", "config-zip", "-g", group, "-n", app, "--src", zip]);
  } finally {
    // Also after a deployment that failed, and of one that was cut off before.
    await az(["role", "assignment", "delete", "--assignee", principal, ...right]);
  }
  console.log(`"${app}" runs ${zip}, and may not write its own package.`);

  async function upload(command: readonly string[]): Promise<void> {
    const startedAt = performance.now();
    for (;;)
      try {
        await az(command);
        return;
      } catch (error) {
        const minutes = (performance.now() - startedAt) / 60_000;
        if (minutes > longestMinutes || !(error instanceof Error && refused.test(error.message))) throw error;
        console.log("The app may not write its package yet: a new right can take ten minutes to work.");
        await wait(retrySeconds * 1_000);
      }
  }
}

/** What `az` prints. Throws with what it says of a failure. */
async function az(parameters: readonly string[]): Promise<string> {
  // On Windows az is a script of the shell.
  const { stdout } = await promisify(execFile)("az", [...parameters], {
    shell: process.platform === "win32",
  });
  return stdout;
}
