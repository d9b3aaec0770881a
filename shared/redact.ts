import { isDictionary } from "./dictionary.ts";

/** What stands for a secret. */
export const redacted = "***";

/** Names of keys that hold secrets, wherever they are. */
const secretKey =
  /pass(word|wd|phrase)|pwd$|secret|credential|connection_?string|(private|account|access|shared|api|function|master|host|munge|ssh)[_-]?keys?$|(^|[._-])(sas|sig|key|auth|token)$|(access|refresh|bearer|auth|sas)[_-]?token/i;

/** Keys that only sound so: they name a setting, and do not hold its value. */
const harmlessKey = /password_?setting$/i;

/**
 * Texts that are secrets, or hold one, whatever they are called. The first group is kept. Texts may come from anybody and be
 * of any length, so each pattern begins with a fixed word or where a run of its characters begins: an attempt that fails
 * must not be repeated at every character of the run.
 */
const secretTexts: readonly RegExp[] = [
  // Connection strings of Azure.
  /((?:AccountKey|AccessKey|Signature|SecretValue|Password|Pwd)\s*=\s*)[^;"'\s]+/gi,
  // Queries: a SAS's signature, a function's key.
  /([?&](?:sig|code|key|token|password|access_token)=)[^&\s"']+/gi,
  // A login in an address.
  /(:\/\/)[^/\s:@"']+:[^/\s@"']+(?=@)/g,
  // What an Authorization header holds.
  /((?:Bearer|Basic|SharedAccessSignature)\s+)[\w.~+/=%&-]{8,}/g,
  // 256 bits and more in base64, such as the key of a storage account; not the end of a certificate, which everybody may see.
  /()(?<![\w+/])[A-Za-z0-9+/]{43,}={1,2}(?![\w+/=])(?!(?:\s|\\n)*-----END CERTIFICATE)/g,
];

/** Tokens and keys of function apps are parts of such. It never fails at the end of a run, so each is read once. */
const words = /[\w.-]+/g;

/** To its end, or to that of the text. */
const privateKeyStart = /-----BEGIN [A-Z ]*PRIVATE KEY-----/g;
const privateKeyEnd = "PRIVATE KEY-----";

/** Without any of these, none of the patterns can match: most texts are looked at once. */
const mayHoldSecret = /=|:\/\/|\s|eyJ|AzFu|-----/;

/**
 * The same value without secrets: what is called like one, and what looks like one, becomes `***`. Numbers and flags stay
 * unless they are called passwords. `known` are secrets that are known to be around: they go wherever they are. What holds
 * none is the same object.
 */
export function redact(value: unknown, known: readonly string[] = []): unknown {
  return new Redaction(known.filter((secret) => secret !== "")).of(value);
}

/** The same for a text; one that is JSON is read as such. */
export function redactText(text: string, known: readonly string[] = []): string {
  return redact(text, known) as string;
}

/** Levels of lists and objects that are looked into. */
const deepest = 200;

/** What is known of a key: how it is shown, and whether its values are secrets. */
interface Key {
  readonly shown: string;
  readonly holdsSecrets: boolean;
}

class Redaction {
  readonly #known: readonly string[];
  /** Large values repeat few keys. */
  readonly #keys = new Map<string, Key>();
  /** Levels of lists and objects, those of JSON in texts included. */
  #depth = 0;

  constructor(known: readonly string[]) {
    this.#known = known;
  }

  of(value: unknown): unknown {
    if (typeof value === "string") return this.#text(value);
    if (typeof value !== "object" || value === null) return value;
    // JSON.parse takes any depth, the stack does not. What cannot be looked into is not shown.
    if (this.#depth === deepest) return redacted;
    this.#depth += 1;
    const safe = Array.isArray(value)
      ? this.#list(value)
      : isDictionary(value)
        ? this.#dictionary(value)
        : value;
    this.#depth -= 1;
    return safe;
  }

  #list(list: readonly unknown[]): readonly unknown[] {
    const safe = list.map((member) => this.of(member));
    return safe.every((member, index) => member === list[index]) ? list : safe;
  }

  #dictionary(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    let isSame = true;
    const safe = Object.entries(value).map(([name, member]) => {
      const { shown, holdsSecrets } = this.#key(name);
      const kept = holdsSecrets && isSecret(name, member) ? redacted : this.of(member);
      isSame &&= shown === name && kept === member;
      return [shown, kept] as const;
    });
    return isSame ? value : Object.fromEntries(safe);
  }

  #key(name: string): Key {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const key = { shown: this.#text(name), holdsSecrets: secretKey.test(name) && !harmlessKey.test(name) };
    this.#keys.set(name, key);
    return key;
  }

  #text(text: string): string {
    const inner = /^\s*[{[]/.test(text) ? this.#json(text) : undefined;
    if (inner !== undefined) return inner;
    let safe = text;
    for (const secret of this.#known) safe = safe.replaceAll(secret, redacted);
    if (!mayHoldSecret.test(safe)) return safe;
    for (const pattern of secretTexts) safe = safe.replaceAll(pattern, `$1${redacted}`);
    safe = withoutPrivateKeys(safe);
    return safe.includes("eyJ") || safe.includes("AzFu") ? safe.replaceAll(words, withoutTokens) : safe;
  }

  #json(text: string): string | undefined {
    try {
      const value: unknown = JSON.parse(text);
      const safe = this.of(value);
      // As it was written, where nothing had to go.
      return safe === value ? text : JSON.stringify(safe);
    } catch {
      return undefined;
    }
  }
}

function withoutPrivateKeys(text: string): string {
  const safe: string[] = [];
  let from = 0;
  for (const { 0: start, index } of text.matchAll(privateKeyStart)) {
    // Within the one before.
    if (index < from) continue;
    safe.push(text.slice(from, index), redacted);
    const end = text.indexOf(privateKeyEnd, index + start.length);
    from = end < 0 ? text.length : end + privateKeyEnd.length;
  }
  return from === 0 ? text : `${safe.join("")}${text.slice(from)}`;
}

/** A JSON web token (three parts, the first begins with `{"` in base64) and the key of a function app become `***`. */
function withoutTokens(word: string): string {
  if (!word.includes("eyJ") && !word.includes("AzFu")) return word;
  const parts = word.split(".").map((part) => (isFunctionKey(part) ? redacted : part));
  const safe: string[] = [];
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? "";
    const token = part.indexOf("eyJ");
    const isToken = token >= 0 && part.length >= token + 11 && (parts[index + 1] ?? "").length >= 8;
    if (isToken && index + 2 < parts.length) {
      safe.push(`${part.slice(0, token)}${redacted}`);
      index += 2;
    } else {
      safe.push(part);
    }
  }
  return safe.join(".");
}

function isFunctionKey(part: string): boolean {
  return part.lastIndexOf("AzFu", part.length - 8) >= 40;
}

/** Of a key that is called like a secret. */
function isSecret(key: string, value: unknown): boolean {
  if (value === null || value === undefined || value === "") return false;
  if (typeof value === "number" || typeof value === "boolean") return /pass|pwd|secret/i.test(key);
  return true;
}
