import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { machinesAreMissing, Network } from "./network.ts";

const describeHere = machinesAreMissing === undefined ? describe : describe.skip;
const reason = machinesAreMissing === undefined ? "" : ` (skipped: ${machinesAreMissing})`;

const resolve = "import socket, sys; print(socket.gethostbyname(sys.argv[1]))";

describeHere(`machines on one machine${reason}`, { timeout: 300_000 }, () => {
  test("a host has its own name and address, is known while it is on, and everything ends with it", async () => {
    const network = await Network.start("head");
    try {
      const ask = (name: string) => network.run("head", "python3", ["-c", resolve, name]);
      await expect(ask("ip-0A000005")).rejects.toThrow();
      await network.switchOn("ip-0A000005", "10.0.0.5", ["htc-1"]);
      expect(await network.run("ip-0A000005", "hostname", [])).toBe("ip-0A000005\n");
      expect(await ask("htc-1")).toBe("10.0.0.5\n");
      const daemon = network.start("ip-0A000005", "sleep", ["1000"]);
      const ended = new Promise((resolve) => daemon.on("exit", () => resolve("ended")));
      network.switchOff("ip-0A000005");
      // By the signal, or before it has begun.
      expect(await ended).toBe("ended");
      await expect(ask("ip-0A000005")).rejects.toThrow();
    } finally {
      await network.stop();
    }
  });

  test("two networks with the same names and addresses do not see each other, and leave nothing", async () => {
    const networks = [await Network.start("head"), await Network.start("head")];
    try {
      for (const network of networks) await network.switchOn("host", "10.0.0.5");
      const [first, second] = networks;
      second?.switchOff("host");
      expect(await first?.run("head", "python3", ["-c", resolve, "host"])).toBe("10.0.0.5\n");
      await expect(second?.run("head", "python3", ["-c", resolve, "host"])).rejects.toThrow();
    } finally {
      for (const network of networks) await network.stop();
    }
    expect(networks.filter(({ folder }) => existsSync(folder))).toEqual([]);
    expect(readdirSync("/run/netns").filter((name) => name.startsWith(`machines-${process.pid}-`))).toEqual(
      [],
    );
  });
});
