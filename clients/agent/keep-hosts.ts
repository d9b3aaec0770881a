import { cutName } from "../../shared/messages/job-name.ts";
import type { Job } from "./drivers/driver.ts";

const mostHostsPerJob = 10_000;
/** As a message takes them. */
const longestHostname = 255;

/** Jobs with no wish but for the hosts that they run on. What cannot be the name of a host keeps none. */
export function jobsThatKeep(name: string, hostnames: readonly string[]): readonly Job[] {
  const hosts = hostnames.filter((host) => host !== "" && host.length <= longestHostname);
  return chunked(hosts, mostHostsPerJob).map((executingHostnames) => ({
    name: cutName(name),
    constraints: {},
    iterations: executingHostnames.length,
    executingHostnames,
  }));
}

export function chunked<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
