import { chunksOf } from "../../shared/batches.ts";
import { cutName } from "../../shared/messages/index.ts";
import type { Job } from "./drivers/driver.ts";

const mostHostsPerJob = 10_000;
/** As a message takes them. */
const longestHostname = 255;

/** Jobs with no wish but for the hosts that they run on. What cannot be the name of a host keeps none. */
export function jobsThatKeep(name: string, hostnames: readonly string[]): readonly Job[] {
  const hosts = hostnames.filter((host) => host !== "" && host.length <= longestHostname);
  return chunksOf(hosts, mostHostsPerJob).map((executingHostnames) => ({
    name: cutName(name),
    constraints: {},
    iterations: executingHostnames.length,
    executingHostnames,
  }));
}
