import { execFile } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownFolder } from "../../support/own-folder.ts";

const script = join(import.meta.dirname, "../../../infra/package/deploy.ts");
const container = "/accounts/stpkgabc/blobServices/default/containers/deployments";

/**
 * An Azure of one app: it keeps rights in a file, and takes a package only from an app that may write it. A new right works from the
 * `worksAt`th upload on.
 */
const fakeAz = `#!/usr/bin/env node
const fs = require("node:fs");
const state = JSON.parse(fs.readFileSync(process.env.FAKE_AZ, "utf8"));
const args = process.argv.slice(2);
const of = (name) => args[args.indexOf(name) + 1];
const fail = (message) => { process.stderr.write(message); process.exitCode = 1; };
const command = args.slice(0, args.findIndex((each) => each.startsWith("-"))).join(" ");
const commands = {
  "functionapp show": () => console.log(JSON.stringify({ properties: { functionAppConfig: { deployment: { storage: {
    value: "https://stpkgabc.blob.core.windows.net/deployments",
    authentication: { userAssignedIdentityResourceId: "/identities/id-autoscale" } } } } } })),
  "storage account show": () => console.log("/accounts/" + of("-n")),
  "identity show": () => console.log("principal-of-" + of("--ids")),
  "role assignment create": () => { state.rights.push([of("--assignee-object-id"), of("--role"), of("--scope")].join(" ")); },
  "role assignment delete": () => {
    state.rights = state.rights.filter((right) => right !== [of("--assignee"), of("--role"), of("--scope")].join(" "));
  },
  "functionapp deployment source config-zip": () => {
    state.uploads += 1;
    if (state.broken) return fail("The app is stopped");
    if (state.uploads < state.worksAt || state.rights.length === 0) return fail("BlobUploadFailedException: 403");
    state.package = of("--src");
  },
};
commands[command]();
fs.writeFileSync(process.env.FAKE_AZ, JSON.stringify(state));
`;

const folder = ownFolder(afterEach);

beforeEach(async () => {
  await writeFile(folder("az"), fakeAz);
  await chmod(folder("az"), 0o755);
});

async function deploy(azure: {
  readonly worksAt?: number;
  readonly broken?: true;
  readonly rights?: string[];
}) {
  const file = folder("azure.json");
  await writeFile(file, JSON.stringify({ rights: [], uploads: 0, worksAt: 1, ...azure }));
  const env = { ...process.env, FAKE_AZ: file, PATH: `${folder()}${delimiter}${process.env.PATH}` };
  const options = ["-g", "hpc", "-n", "func", "--zip", "a.zip", "--retry-seconds", "0"];
  const ended = promisify(execFile)(process.execPath, [script, ...options], { env });
  const said = await ended.then(
    ({ stdout }) => stdout,
    (error: Error) => error.message,
  );
  return { said, azure: JSON.parse(await readFile(file, "utf8")) };
}

test("a deployment lets the app write its package, waits until the right works, and takes it away again", async () => {
  const { said, azure } = await deploy({ worksAt: 3 });
  expect(azure).toMatchObject({ package: "a.zip", uploads: 3, rights: [] });
  expect(said).toContain('"func" runs a.zip, and may not write its own package.');
});

test("a deployment that fails leaves the app no right", async () => {
  const { said, azure } = await deploy({ broken: true });
  expect(azure).toMatchObject({ uploads: 1, rights: [] });
  expect(azure.package).toBeUndefined();
  expect(said).toContain("The app is stopped");
});

test("the next deployment takes a right away that one left behind which was cut off", async () => {
  const principal = "principal-of-/identities/id-autoscale";
  const { azure } = await deploy({
    rights: [`${principal} ba92f5b4-2d11-453d-a403-e96b0029c9fe ${container}`],
  });
  expect(azure).toMatchObject({ package: "a.zip", rights: [] });
});
