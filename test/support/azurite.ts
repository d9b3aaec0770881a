import { mkdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import { connectionStringOf, urisOf } from "../../infra/local/environment/azurite.ts";

/** An empty storage account. */
export interface Account {
  readonly connectionString: string;
}

/**
 * Takes an account that nobody has used yet on the Azurite that all live test files share. Call it in `beforeAll`;
 * nothing needs to be stopped.
 */
export async function emptyAccount(): Promise<Account> {
  const { ports, accounts, claims, patienceMs } = inject("azurite");
  const giveUpAt = Date.now() + patienceMs;
  while (!(await isListening(ports.table))) {
    if (Date.now() > giveUpAt) throw new Error("Azurite does not come up");
    await sleep(100);
  }
  for (const account of accounts)
    if (await claim(join(claims, account)))
      return { connectionString: connectionStringOf(account, urisOf(account, ports)) };
  throw new Error(
    `Cannot give a storage account: all ${accounts.length} are used, expected more in one-azurite.ts`,
  );
}

/** Whether this is the first to make the folder: test files run in processes of their own. */
const claim = (folder: string): Promise<boolean> =>
  mkdir(folder).then(
    () => true,
    () => false,
  );

function isListening(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => done(true)).once("error", () => done(false));
    socket.once("connect", () => socket.destroy());
  });
}
