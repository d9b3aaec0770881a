/** What stands for a secret. */
export const redacted = "***";

/** Names of keys that hold secrets, wherever they are. */
const secretKey =
  /pass(word|wd|phrase)|pwd$|secret|credential|connection_?string|(private|account|access|shared|api|function|master|host|munge|ssh)[_-]?keys?$|(^|[._-])(sas|sig|key|auth|token)$|(access|refresh|bearer|auth|sas)[_-]?token/i;

/** Keys that only sound so: they name a setting, and do not hold its value. */
const harmlessKey = /password_?setting$/i;

/** Texts that are secrets, or hold one, whatever they are called. The first group is kept. */
const secretTexts: readonly RegExp[] = [
  // Connection strings of Azure.
  /((?:AccountKey|SharedAccessKey|SharedAccessSignature|SharedSecretValue|Password|Pwd)\s*=\s*)[^;"'\s]+/gi,
  // Queries: a SAS's signature, a function's key.
  /([?&](?:sig|code|key|token|password|access_token)=)[^&\s"']+/gi,
  // A login in an address.
  /(:\/\/)[^/\s:@"']+:[^/\s@"']+(?=@)/g,
  // What an Authorization header holds.
  /\b((?:Bearer|Basic|SharedAccessSignature)\s+)[\w.~+/=%&-]{8,}/g,
  // A JSON web token.
  /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  // 256 bits and more in base64, such as the key of a storage account.
  /()(?<![\w+/])[A-Za-z0-9+/]{43,}={1,2}(?![\w+/=])/g,
  // The key of a function app.
  /()\b[\w-]{40,}AzFu[\w-]{4,}={0,2}/g,
];

/**
 * The same value without secrets: what is called like one, and what looks like one, becomes `***`. Numbers and flags stay
 * unless they are called passwords. `known` are secrets that are known to be around: they go wherever they are.
 */
export function redact(value: unknown, known: readonly string[] = []): unknown {
  if (typeof value === "string") return redactText(value, known);
  if (Array.isArray(value)) return value.map((member) => redact(member, known));
  if (!isDictionary(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      redactText(key, known),
      isSecret(key, member) ? redacted : redact(member, known),
    ]),
  );
}

/** The same for a text; one that is JSON is read as such. */
export function redactText(text: string, known: readonly string[] = []): string {
  const inner = /^\s*[{[]/.test(text) ? redactedJson(text, known) : undefined;
  if (inner !== undefined) return inner;
  let safe = text;
  for (const secret of known) if (secret !== "") safe = safe.replaceAll(secret, redacted);
  for (const pattern of secretTexts) safe = safe.replaceAll(pattern, `$1${redacted}`);
  return safe;
}

function redactedJson(text: string, known: readonly string[]): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const safe = redact(value, known);
    // As it was written, where nothing had to go.
    return JSON.stringify(safe) === JSON.stringify(value) ? text : JSON.stringify(safe);
  } catch {
    return undefined;
  }
}

function isSecret(key: string, value: unknown): boolean {
  if (value === null || value === undefined || value === "") return false;
  if (!secretKey.test(key) || harmlessKey.test(key)) return false;
  if (typeof value === "number" || typeof value === "boolean") return /pass|pwd|secret/i.test(key);
  return true;
}

function isDictionary(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
