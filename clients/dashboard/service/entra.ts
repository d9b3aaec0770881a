import type { Started } from "./entra-flow.ts";
import { type EntraLogin, session } from "./session.ts";

const keptKey = "autoscale-sign-in";

interface Kept extends Started {
  /** What the viewer was looking at. */
  readonly hash: string;
}

/** Leaves for the sign-in page of the tenant, which comes back to this page. */
export async function signInWithEntra(login: EntraLogin): Promise<void> {
  try {
    const { begin } = await import("./entra-flow.ts");
    const { address, started } = await begin(login, thisPage());
    const kept: Kept = { ...started, hash: location.hash };
    sessionStorage.setItem(keptKey, String(new URLSearchParams({ ...kept })));
    location.assign(address);
  } catch (error) {
    session.end(`Sign-in cannot begin: ${error instanceof Error ? error.message : error}`);
  }
}

/** Whether the address is an answer of the tenant. */
export function isAnswered(): boolean {
  const answer = new URLSearchParams(location.search);
  return answer.has("state") && (answer.has("code") || answer.has("error"));
}

/** Takes the answer of the tenant out of the address, and signs in with it. */
export async function finishWithEntra(login: EntraLogin): Promise<void> {
  const answer = new URLSearchParams(location.search);
  const kept = takeKept();
  history.replaceState(null, "", `${location.pathname}${kept?.hash ?? ""}`);
  if (kept === undefined) return session.end("This sign-in did not begin in this tab: sign in again");
  try {
    const { finish } = await import("./entra-flow.ts");
    session.signIn(await finish(login, thisPage(), answer, kept), false);
  } catch (error) {
    session.end(error instanceof Error ? error.message : String(error));
  }
}

/** As the app registration names it: without what stands behind it. */
function thisPage(): string {
  return `${location.origin}${location.pathname.replace(/\/$/, "")}`;
}

function takeKept(): Kept | undefined {
  const text = sessionStorage.getItem(keptKey);
  sessionStorage.removeItem(keptKey);
  if (text === null) return undefined;
  const read = new URLSearchParams(text);
  const of = (name: keyof Kept) => read.get(name) ?? "";
  return { state: of("state"), nonce: of("nonce"), verifier: of("verifier"), hash: of("hash") };
}
