import { Command, Option } from "commander";
import { apiVersion } from "../../../shared/api/index.ts";
import { CommandFailure } from "../exit-code.ts";
import { prettyJson } from "../output/print.ts";
import { pageOn } from "../output/report.ts";
import { hasAddress, reachAnywhere } from "../service/reach.ts";
import { type ServiceFlags, serviceOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";
import { version } from "../version.ts";

interface Flags extends ServiceFlags {
  readonly format: "table" | "json";
}

export function versionCommand(terminal: Terminal): Command {
  const command = new Command("version")
    .description(
      "Prints the release of this program and, where an address is given, that of the service. Different releases are named.",
    )
    .addOption(new Option("--format <format>", "how to print").choices(["table", "json"]).default("table"))
    .action((flags: Flags) => showVersions(terminal, flags));
  return serviceOptions(command);
}

async function showVersions(terminal: Terminal, flags: Flags): Promise<void> {
  const own = { ccscale: version, node: process.versions.node, api: apiVersion };
  // Printed first: the service may be out of reach, or so old that its answer cannot be read.
  const page = pageOn(terminal);
  if (flags.format === "table") page.line(`ccscale ${own.ccscale}, version ${own.api} of the API`);
  const service = await serviceRelease(flags);
  if (flags.format === "json") {
    terminal.stdout.write(prettyJson({ ...own, service }));
  } else if (service === null) {
    page.line("service: not asked, since no address is given (--url, CCSCALE_URL or --local)");
  } else {
    page.line(`service ${service}`);
  }
  if (service !== null && service !== version)
    throw new CommandFailure(
      `ccscale (${version}) and the service (${service}) are different releases`,
      "Upgrade the older one.",
    );
}

/** Null: no address of a service is known. */
async function serviceRelease(flags: Flags): Promise<string | null> {
  if (!hasAddress(flags, process.env)) return null;
  return (await (await reachAnywhere(flags)).ask("clusters")).release;
}
