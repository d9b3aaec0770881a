import {
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineFromOptions,
  createPipelineRequest,
  type Pipeline,
} from "@azure/core-rest-pipeline";
import { ConfigurationError } from "../errors/errors.ts";
import { isHttpToLoopback } from "../machine/loopback.ts";
import type { CycleCloudConnection } from "../ports/index.ts";
import { withoutSlashesAtEnd } from "../text/text.ts";
import {
  type HttpAnswer,
  type HttpCall,
  largestAnswerBytes,
  readAnswers,
  refuseLongPauses,
  toUpstreamError,
  understand,
} from "./http-answer.ts";
import type { LoginGate } from "./login-gate.ts";
import { PinnedAgent } from "./pinned-agent.ts";

interface RetryOptions {
  readonly maxRetries?: number;
  /** Before the first retry; it doubles with each. */
  readonly retryDelayInMs?: number;
  /** The longest pause before a retry, also when the server asks for a longer one. */
  readonly maxRetryDelayInMs?: number;
}

export interface HttpOptions {
  readonly connection: CycleCloudConnection;
  readonly password: string;
  /** `<product>:<version>`, as CycleCloud's own clients name themselves. */
  readonly userAgent?: string;
  /** For a whole call: retries, their pauses and the body included. Default 60,000. */
  readonly requestTimeoutMs?: number;
  /** Default: 3 retries after about 1, 2 and 4 s, no pause above 10 s. */
  readonly retryOptions?: RetryOptions;
  /** The most bytes of one answer's body. Default 64 MiB. */
  readonly mostAnswerBytes?: number;
  /** Shared by all clients of a process. Absent: every call goes at once. */
  readonly logins?: LoginGate;
}

const defaultUserAgent = "cyclecloud-autoscale:0.1.0";
const defaultTimeoutMs = 60_000;
const retryDefaults = { maxRetries: 3, retryDelayInMs: 1000, maxRetryDelayInMs: 10_000 };

/** The default of `password_setting`. */
const usualSetting = "CYCLECLOUD_PASSWORD";

/**
 * Calls to one CycleCloud server. Refused and reset connections, 408, 429 and 5xx are tried again; that is safe for
 * POSTs too, because each carries a request id. A 401 never is: five failed logins in a minute lock the account.
 */
export function createHttp(options: HttpOptions): (call: HttpCall) => Promise<HttpAnswer> {
  const { connection, password } = options;
  if (password === "")
    throw new ConfigurationError(`the CycleCloud server "${connection.url}"`, [
      `no password for user "${connection.username}", ${wantedSetting(connection.passwordSetting)} (a Key Vault reference that could not be read counts as none)`,
    ]);
  const base = withoutSlashesAtEnd(connection.url);
  const allowInsecureConnection = isHttpToLoopback(new URL(base));
  if (base.startsWith("http:") && !allowInsecureConnection)
    throw new ConfigurationError("the CycleCloud server", [`url: "${base}", expected https`]);
  const client = createDefaultHttpClient();
  const pipeline = createPipeline(options);
  const credentials = Buffer.from(`${connection.username}:${password}`).toString("base64");
  const redact = (text: string) => text.replaceAll(password, "***").replaceAll(credentials, "***");
  const headers = {
    Accept: "application/json",
    Authorization: `Basic ${credentials}`,
    "X-Cycle-Client-Version": options.userAgent ?? defaultUserAgent,
  };

  const send = async (call: HttpCall): Promise<HttpAnswer> => {
    const request = createPipelineRequest({
      url: `${base}${call.path}`,
      method: call.method,
      headers: createHttpHeaders({
        ...headers,
        ...(call.body === undefined ? {} : { "Content-Type": "application/json" }),
      }),
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      // The pipeline's own time-out ends with the headers; a body that stalls would hang for ever.
      abortSignal: AbortSignal.timeout(options.requestTimeoutMs ?? defaultTimeoutMs),
      allowInsecureConnection,
      ...(isUnverified(connection) && { requestOverrides: { rejectUnauthorized: false } }),
    });
    try {
      return understand(await pipeline.sendRequest(client, request), { call, redact });
    } catch (error) {
      throw toUpstreamError(error, { call, redact });
    }
  };
  const { logins } = options;
  if (logins === undefined) return send;
  const login = `${credentials}@${base}`;
  return (call) => logins.pass(login, () => send(call));
}

/** A name that is none of ours is not quoted: people write the password itself in its place. */
function wantedSetting(name: string): string {
  return name === usualSetting
    ? `expected it in setting "${usualSetting}"`
    : "expected it in the setting that password_setting names";
}

function createPipeline({
  connection,
  userAgent,
  retryOptions,
  mostAnswerBytes = largestAnswerBytes,
}: HttpOptions): Pipeline {
  const retries = { ...retryDefaults, ...retryOptions };
  const { certificateAuthority: ca, certificateFingerprint: pin } = connection;
  const pipeline = createPipelineFromOptions({
    retryOptions: retries,
    // A redirect leads to a login page or another server; neither speaks this API.
    redirectOptions: { maxRetries: 0 },
    userAgentOptions: { userAgentPrefix: (userAgent ?? defaultUserAgent).replace(":", "/") },
    ...(pin !== undefined && isHttps(connection) && { agent: new PinnedAgent(pin) }),
    ...(ca === undefined || pin !== undefined ? {} : { tlsOptions: { ca } }),
  });
  pipeline.addPolicy(refuseLongPauses(retries.maxRetryDelayInMs), { phase: "Sign" });
  // Inside the other policy, whose error quotes the answer.
  pipeline.addPolicy(readAnswers(mostAnswerBytes), { phase: "Sign", afterPolicies: ["refuseLongPauses"] });
  return pipeline;
}

function isHttps({ url }: CycleCloudConnection): boolean {
  return url.startsWith("https:");
}

/** The server cannot be identified: there is neither a chain of certificates nor a pinned one. */
function isUnverified({ verifyCertificates, certificateFingerprint }: CycleCloudConnection): boolean {
  return !verifyCertificates && certificateFingerprint === undefined;
}
