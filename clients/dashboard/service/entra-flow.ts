import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from "oauth4webapi";
import type { appRoles } from "../../../shared/api/index.ts";
import type { Credentials, EntraLogin } from "./session.ts";

// Loaded only where callers sign in with Entra. It imports nothing of the page but types, so that both stay whole files.

/** What has to outlive the way to the sign-in page and back. It opens nothing by itself. */
export interface Started {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type Token = Extract<Credentials, { readonly kind: "token" }>;

const operatorRole: (typeof appRoles.operator)[number] = "Autoscale.Operate";
/** A token is renewed so long before it ends: longer than a call takes. */
const renewBeforeMs = 5 * 60_000;
const shortestMs = 60_000;

/** Where the viewer signs in, and what to keep until then. */
export async function begin(
  login: EntraLogin,
  redirectUri: string,
): Promise<{ readonly address: string; readonly started: Started }> {
  const verifier = generateRandomCodeVerifier();
  const started = { verifier, state: generateRandomState(), nonce: generateRandomNonce() };
  const address = new URL(serverOf(login).authorization_endpoint);
  address.search = new URLSearchParams({
    client_id: login.clientId,
    response_type: "code",
    response_mode: "query",
    redirect_uri: redirectUri,
    scope: `openid profile offline_access api://${login.clientId}/user_impersonation`,
    state: started.state,
    nonce: started.nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  }).toString();
  return { address: address.href, started };
}

/** Trades the code of the answer for a token. Throws an Error that says why it cannot. */
export async function finish(
  login: EntraLogin,
  redirectUri: string,
  answer: URLSearchParams,
  { state, nonce, verifier }: Started,
): Promise<Token> {
  const [server, client, options] = [serverOf(login), clientOf(login), optionsOf(login)];
  try {
    const checked = validateAuthResponse(server, client, answer, state);
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      None(),
      checked,
      redirectUri,
      verifier,
      options,
    );
    const tokens = await processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    return tokenOf(login, tokens, undefined);
  } catch (error) {
    throw inWords(error);
  }
}

async function renewed(login: EntraLogin, before: Token, refreshToken: string): Promise<Token> {
  const [server, client, options] = [serverOf(login), clientOf(login), optionsOf(login)];
  const response = await refreshTokenGrantRequest(server, client, None(), refreshToken, options);
  const tokens = await processRefreshTokenResponse(server, client, response);
  return tokenOf(login, { ...tokens, refresh_token: tokens.refresh_token ?? refreshToken }, before, tokens);
}

/** Roles are read of the id token: an access token is for the service alone, which checks it. */
function tokenOf(
  login: EntraLogin,
  tokens: TokenEndpointResponse,
  before: Token | undefined,
  validated = tokens,
): Token {
  const { access_token: token, expires_in: seconds = 0, refresh_token: refreshToken } = tokens;
  const claims = getValidatedIdTokenClaims(validated);
  const name = claims?.preferred_username;
  const roles = claims?.roles;
  const now = Date.now();
  const made: Token = {
    kind: "token",
    token,
    name: typeof name === "string" ? name : (before?.name ?? "dashboard"),
    mayOperate:
      claims === undefined
        ? before?.mayOperate === true
        : Array.isArray(roles) && roles.includes(operatorRole),
    endsAtMs: now + seconds * 1_000,
    renewAtMs: now + Math.max(shortestMs, seconds * 1_000 - renewBeforeMs),
    renew:
      refreshToken === undefined
        ? undefined
        : () =>
            renewed(login, made, refreshToken).catch((error: unknown) => {
              throw inWords(error);
            }),
  };
  return made;
}

function serverOf({ authority, tenantId }: EntraLogin) {
  const tenant = `${authority}/${tenantId}`;
  return {
    issuer: `${tenant}/v2.0`,
    authorization_endpoint: `${tenant}/oauth2/v2.0/authorize`,
    token_endpoint: `${tenant}/oauth2/v2.0/token`,
  };
}

const clientOf = ({ clientId }: EntraLogin) => ({ client_id: clientId });

/** The service takes an authority without TLS on its own machine only: a stand-in. */
const optionsOf = ({ authority }: EntraLogin) => ({
  [allowInsecureRequests]: authority.startsWith("http:"),
});

/** `isFinal`: asking again does not help. */
class SignInError extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.name = "SignInError";
    this.isFinal = isFinal;
  }
}

function inWords(error: unknown): SignInError {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return new SignInError(`Microsoft Entra ID: ${error.error_description ?? error.error}`, true);
  // The browser's word for a host that does not answer.
  if (error instanceof TypeError) return new SignInError("Microsoft Entra ID does not answer", false);
  const why = error instanceof Error ? error.message : String(error);
  return new SignInError(`The answer of Microsoft Entra ID cannot be used: ${why}`, true);
}
