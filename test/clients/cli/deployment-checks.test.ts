import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  checkDeployment,
  type Endpoint,
  endpointsOf,
  missingOutputs,
  type Network,
} from "../../../clients/cli/doctor/deployment-checks.ts";

const textOf = (path: string) => readFileSync(join(import.meta.dirname, "../../..", path), "utf8");
const main = textOf("infra/main.bicep");

const outputs = {
  AUTOSCALE_FUNCTIONS_URL: "https://func.azurewebsites.net",
  AutoscaleStorage__blobServiceUri: "https://st.blob.core.windows.net/",
  AutoscaleStorage__queueServiceUri: "https://st.queue.core.windows.net/",
  AutoscaleStorage__tableServiceUri: "https://st.table.core.windows.net/",
  AUTOSCALE_PACKAGES_URL: "https://stpkg.blob.core.windows.net/",
  ServiceBusConnection__fullyQualifiedNamespace: "sb.servicebus.windows.net",
};
const endpoints = endpointsOf(outputs, [
  "https://cyclecloud.hpc.internal:9443",
  "https://cyclecloud.hpc.internal:9443",
]);

/** A network in which all names are private, but for what is said. */
function networkOf(
  addresses: Readonly<Record<string, string | undefined>> = {},
  closed: Readonly<Record<string, string>> = {},
): Network {
  return {
    resolve: async (host) => {
      const address = host in addresses ? addresses[host] : "10.1.0.4";
      if (address === undefined) throw new Error(`ENOTFOUND ${host}`);
      return [address];
    },
    connect: async (host) => {
      if (closed[host] !== undefined) throw new Error(closed[host]);
    },
  };
}

async function failures(network: Network): Promise<readonly string[]> {
  const checked = await checkDeployment(endpoints, network);
  return checked.flatMap(({ state, text, next }) => (state === "failed" ? [`${text} ${next}`] : []));
}

describe("doctor --deployment", () => {
  test("asks for what the outputs name and each CycleCloud server once, at the ports that the app uses", () => {
    expect(endpoints.map(({ host, port }) => `${host}:${port}`)).toEqual([
      "func.azurewebsites.net:443",
      "st.blob.core.windows.net:443",
      "st.queue.core.windows.net:443",
      "st.table.core.windows.net:443",
      "stpkg.blob.core.windows.net:443",
      "sb.servicebus.windows.net:5671",
      "cyclecloud.hpc.internal:9443",
      "login.microsoftonline.com:443",
    ]);
    expect(endpointsOf({}, []).map(({ host }) => host)).toEqual(["login.microsoftonline.com"]);
    expect(missingOutputs({})).toMatchObject([
      { state: "notice", text: expect.stringContaining("queueServiceUri") },
    ]);
    expect(missingOutputs(outputs)).toEqual([]);
  });

  test("where all is reached nothing is to do", async () => {
    expect(await failures(networkOf())).toEqual([]);
  });

  test.each<readonly [string, Network, RegExp]>([
    [
      "a name that nobody knows",
      networkOf({ "cyclecloud.hpc.internal": undefined }),
      /^No name server here knows "cyclecloud\.hpc\.internal" of the CycleCloud server\. Set `privateDnsZoneIds` .*`dnsServers`/,
    ],
    [
      "one private endpoint whose zone is not linked",
      networkOf({ "st.table.core.windows.net": "20.60.1.1" }),
      /public address 20\.60\.1\.1 here, .* Link the zone "privatelink\.table\.core\.windows\.net"/,
    ],
    [
      "a private server that does not answer",
      networkOf({}, { "cyclecloud.hpc.internal": "no answer within 5 s" }),
      /"cyclecloud\.hpc\.internal" \(10\.1\.0\.4\), port 9443: no answer within 5 s\. .*security group/,
    ],
    [
      "a firewall that lets a public address not pass",
      networkOf(
        { "login.microsoftonline.com": "20.190.1.1" },
        { "login.microsoftonline.com": "ECONNREFUSED" },
      ),
      /port 443: ECONNREFUSED\. Let the firewall behind `routeTableId`/,
    ],
  ])("%s is named, with the setting", async (_, network, sentence) => {
    const failed = await failures(network);
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatch(sentence);
    const named = [...(failed[0] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name);
    for (const name of named) expect(main).toMatch(new RegExp(`^param ${name} `, "m"));
  });

  test("the zones that it names are those that a deployment makes", () => {
    const made = [...textOf("infra/modules/private-endpoints.bicep").matchAll(/^ +'(privatelink[^']*)'$/gm)];
    const zones = made.map(([, zone = ""]) => zone.replace(/\$\{.*\}/, "core.windows.net"));
    expect([...new Set(endpoints.flatMap(({ zone }) => zone ?? []))]).toEqual(zones);
  });

  test("public endpoints are no mistake where none is private", async () => {
    const all = Object.fromEntries(endpoints.map(({ host }) => [host, "20.60.1.1"]));
    expect(await failures(networkOf(all))).toEqual([]);
  });

  test("really connects from this machine", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const here: Endpoint = { what: "a server", host: "127.0.0.1", port, zone: null };
    expect(await checkDeployment([here])).toMatchObject([{ state: "ok" }]);
    await new Promise((resolve) => server.close(resolve));
    expect(await checkDeployment([here])).toMatchObject([
      { state: "failed", text: expect.stringMatching(/ECONNREFUSED/) },
    ]);
  });
});
