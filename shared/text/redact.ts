import { serviceBusConnection, storageConnection } from "../app/names.ts";
import { isDictionary } from "../json/json.ts";

/** What stands for a secret. */
export const redacted = "***";

/** Names of keys that hold secrets, wherever they are. */
const secretKey =
  /pass(word|wd|phrase)|pwd$|secret|credential|connection_?string|(private|account|access|shared|api|function|master|host|munge|ssh)[_-]?keys?$|(^|[._-])(sas|sig|key|auth|token)$|(access|refresh|bearer|auth|sas)[_-]?token/i;

/** Keys that name the setting that holds a password or an address. People write the secret itself there: nothing but such a name is shown. */
const settingKey = /(?:password|url|key)_?setting$/i;
const settingName =
  /^(?:(?:(?:CYCLECLOUD|AUTOSTOP)_PASSWORD|PSEUDONYM_KEY)(?:_\w{1,200})?|[A-Z][A-Z0-9_]{0,99}_WEBHOOK(?:_[A-Z0-9_]{1,99})?)$/;

/** Members that say what a thing is called, and those beside them that hold its value: a constraint, a setting. */
const namingMembers = ["resource", "property", "name", "key", "setting"];
const valueMembers = new Set([
  "value",
  "values",
  "options",
  "amount",
  "target",
  "current",
  "default",
  "operand",
]);
/** What a constraint was refused for stands beside the constraint. */
const figures = new Set(["asked", "left"]);

/** Whoever knows the address of a webhook may post there. */
const webhookKey = /webhook/i;

/** Names of accounts hold no colon: what has one is a name with its password. */
const userKey = /user_?name$/i;

/** An address without its scheme: what is before the `@` is a login. */
const addressKey = /(?:url|uri|address|endpoint)$/i;

/**
 * Texts that are secrets, or hold one, whatever they are called. The first group is kept. Texts may come from anybody and be
 * of any length, so each pattern begins with a fixed word or where a run of its characters begins: an attempt that fails
 * must not be repeated at every character of the run, and no two runs of the same characters may follow each other.
 */
const secretTexts: readonly RegExp[] = [
  // Connection strings of Azure.
  /((?:AccountKey|AccessKey|Signature|SecretValue|Password|Pwd)\s*=\s*)[^;"'\s]+/gi,
  // A name and its value, as people and programs write them. Counts of such things are no secrets: license_token=3.
  /((?<![A-Za-z])(?:passphrase|passwd|secret|token|sig|sas|api_?key)\s*=\s*["']?)(?!\d{1,9}(?![\w.%+/-]))[^;"'\s&,)]+/gi,
  /((?<=[_-])key\s*=\s*["']?)(?!\d{1,9}(?![\w.%+/-]))[^;"'\s&,)]+/gi,
  // An option of a command line.
  /(--(?:password|passwd|passphrase|secret|token|api-key|account-key|sas-token)\s+)[^-\s]\S*/gi,
  // JSON that is cut off or in error, also within a text of its own; what can be read is looked into by its keys.
  /((?:password|passwd|passphrase|pwd|secret|token|accountkey|accesskey|api_?key|[_"-]sig|[_"-]sas)\\*"\s*:\s*(?:\[\s*)?\\*"?)[^"[\\\s,}\]]+/gi,
  // Queries: a SAS's signature, a function's key.
  /([?&](?:sig|code|key|token|password|access_token)=)[^&\s"']+/gi,
  // A login in an address.
  /(:\/\/)[^/\s:@"']+:[^/\s@"']+(?=@)/g,
  // Addresses of webhooks, whose path is the secret.
  /(hooks\.slack(?:-gov)?\.com\/)[^\s"'\\]+/gi,
  /(webhook\.office\.com\/)[^\s"'\\]+/gi,
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
const mayHoldSecret = /=|"|:\/\/|\s|eyJ|AzFu|-----/;

/**
 * The same value without secrets: what is called like one, and what looks like one, becomes `***`. Numbers and flags stay
 * unless they are called passwords. `secrets` are known to be around: they go wherever they are. What holds
 * none is the same object.
 */
export function redact(value: unknown, secrets: readonly string[] = []): unknown {
  return new Redaction(secrets.filter((secret) => secret !== "")).of(value);
}

/** The same for a value that is called so; an empty name says nothing of it. */
export function redactMember(name: string, value: unknown, secrets: readonly string[] = []): unknown {
  return new Redaction(secrets.filter((secret) => secret !== "")).member(name, value);
}

/** The same for a text; one that is JSON is read as such. */
export function redactText(text: string, secrets: readonly string[] = []): string {
  return redact(text, secrets) as string;
}

/** Paths of values that look like secrets. Everybody who may read the container could read a stored one. */
export function secretsIn(json: unknown, knownSecrets: readonly string[] = []): readonly string[] {
  return differing(json, redact(json, knownSecrets), "");
}

function differing(before: unknown, after: unknown, path: string): readonly string[] {
  if (isSame(before, after)) return [];
  if (isDictionary(before) && isDictionary(after))
    return Object.keys(before).flatMap((key) =>
      differing(before[key], after[key], path === "" ? key : `${path}.${key}`),
    );
  if (Array.isArray(before) && Array.isArray(after))
    return before.flatMap((member, index) => differing(member, after[index], `${path}[${index}]`));
  return [path];
}

/** Paths of values that were redacted before they came here: `***` stands where nobody can know the real value. */
export function redactedIn(json: unknown, path = ""): readonly string[] {
  // No recursion: JSON.parse takes any depth, the stack does not.
  const open: (readonly [path: string, value: unknown])[] = [[path, json]];
  const found: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [where, value] = next;
    if (typeof value === "string" && value.includes(redacted)) found.push(where);
    if (Array.isArray(value))
      for (const [index, member] of value.entries()) open.push([`${where}[${index}]`, member]);
    if (isDictionary(value))
      for (const [key, member] of Object.entries(value))
        open.push([where === "" ? key : `${where}.${key}`, member]);
  }
  return found.sort();
}

/** Compares values from JSON; the order of keys makes no difference. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((member, index) => isSame(member, b[index]));
  if (!isDictionary(a) || !isDictionary(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  );
}

/** Levels of lists and objects that are looked into. */
const deepest = 200;

/** What is known of a key: how it is shown, and whether its values are secrets. */
interface Key {
  readonly shown: string;
  readonly isSecret: (value: unknown) => boolean;
}

class Redaction {
  readonly #secrets: readonly string[];
  /** Large values repeat few keys. */
  readonly #keys = new Map<string, Key>();
  /** Levels of lists and objects, those of JSON in texts included. */
  #depth = 0;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
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

  member(name: string, value: unknown): unknown {
    return this.#key(name).isSecret(value) ? redacted : this.of(value);
  }

  #list(list: readonly unknown[]): readonly unknown[] {
    const safe = list.map((member) => this.of(member));
    return safe.every((member, index) => member === list[index]) ? list : safe;
  }

  #dictionary(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    let isSame = true;
    const named = this.#nameIn(value);
    const asked = isDictionary(value.constraint) ? this.#nameIn(value.constraint) : undefined;
    const safe = Object.entries(value).map(([name, member]) => {
      const { shown } = this.#key(name);
      const owner = valueMembers.has(name) ? named : figures.has(name) ? asked : undefined;
      const kept = owner === undefined ? this.member(name, member) : this.#valueOf(owner, member);
      isSame &&= shown === name && kept === member;
      return [shown, kept] as const;
    });
    return isSame ? value : Object.fromEntries(safe);
  }

  /** What the value in an object is called: `{"resource": "password", "options": […]}`. */
  #nameIn(value: Readonly<Record<string, unknown>>): string | undefined {
    for (const member of namingMembers) {
      const name = value[member];
      if (typeof name === "string" && this.#key(name).isSecret("x")) return name;
    }
    return undefined;
  }

  /** A list stays one: whoever reads a plan back expects it there. */
  #valueOf(name: string, value: unknown): unknown {
    if (!Array.isArray(value)) return this.member(name, value);
    return value.map((member) => this.member(name, member));
  }

  #key(name: string): Key {
    const kept = this.#keys.get(name);
    if (kept !== undefined) return kept;
    const key = { shown: this.#text(name), isSecret: secretsUnder(name) };
    this.#keys.set(name, key);
    return key;
  }

  #text(text: string): string {
    const inner = /^\s*[{[]/.test(text) ? this.#json(text) : undefined;
    if (inner !== undefined) return inner;
    let safe = text;
    for (const secret of this.#secrets) safe = safe.replaceAll(secret, redacted);
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

/** Which values are secrets for what their key is called. */
function secretsUnder(key: string): (value: unknown) => boolean {
  if (settingKey.test(key)) return (value) => !isNothing(value) && !isSettingName(value);
  if (webhookKey.test(key)) return (value) => !isNothing(value);
  if (userKey.test(key)) return (value) => typeof value === "string" && value.includes(":");
  if (addressKey.test(key))
    return (value) => typeof value === "string" && value.includes("@") && !value.includes("://");
  if (!secretKey.test(key)) return () => false;
  const isOfNumbers = /pass|pwd|secret/i.test(key);
  return (value) =>
    typeof value === "number" || typeof value === "boolean" ? isOfNumbers : !isNothing(value);
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === "";
}

function isSettingName(value: unknown): boolean {
  return typeof value === "string" && settingName.test(value);
}

/** Settings whose values are secrets, whatever else they are called after that. */
const secretSetting =
  /^(?:CYCLECLOUD_PASSWORD|AUTOSTOP_PASSWORD|PSEUDONYM_KEY|CCSCALE_KEY|[A-Z][A-Z0-9_]{0,99}_WEBHOOK(?:_|$))/;

/** Secrets that these settings hold: what is shown must hold none of them. */
export function knownSecretsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    secretSetting.test(name) && value ? [value] : [],
  );
  return [...named, ...keysIn(env[storageConnection]), ...keysIn(env[serviceBusConnection])];
}

/** The keys of a connection string. */
export function keysIn(connectionString = ""): readonly string[] {
  const keys = connectionString.matchAll(/(?:AccountKey|SharedAccessKey)=([^;]+)/g);
  return [...keys].flatMap(([, key]) => (key === undefined ? [] : [key]));
}
