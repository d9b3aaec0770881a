import { spawnSync } from "node:child_process";

/** Arguments of `setpriv`: who kills the tests leaves nothing behind. */
export const diesWithUs = ["--pdeathsig", "KILL", "--"] as const;

/** What the live test lacks on this machine; undefined when all is there. */
export function missingForCelery(): string | undefined {
  const runs = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
  if (!runs("redis-server", "--version"))
    return "redis-server is not installed (apt-get install redis-server)";
  if (!runs("/usr/bin/python3", "-c", "import celery, redis"))
    return "Celery is not installed (apt-get install python3-celery python3-redis)";
  if (!runs("setpriv", ...diesWithUs, "true")) return "setpriv is not installed (apt-get install util-linux)";
  return undefined;
}
