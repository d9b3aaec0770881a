/**
 * What Azure takes, in the units in which Azure counts. Emulators enforce few of these, so the stores and queues check them before
 * they call. Sources, all on learn.microsoft.com:
 * - tables: "Understanding the Table service data model", "Performing entity group transactions"
 * - blobs: "Naming and referencing containers, blobs, and metadata", "Setting and retrieving properties and metadata"
 * - Storage queues: "Scalability and performance targets for Queue Storage", "Naming queues and metadata"
 * - Service Bus: "Service Bus quotas" (Standard tier)
 */
export const azureLimits = {
  table: {
    /** A string property holds 64 KiB of UTF-16. */
    stringCharacters: 32 * 1024,
    /** Of an entity, keys and names of properties included. */
    entityBytes: 1024 * 1024,
    /** Three of them are PartitionKey, RowKey and Timestamp. */
    properties: 255,
    propertyNameCharacters: 255,
    /** Of each key, as UTF-16. */
    keyBytes: 1024,
    batchEntities: 100,
    /** The body of a transaction. */
    batchBytes: 4 * 1024 * 1024,
  },
  blob: {
    nameCharacters: 1024,
    /** Between slashes. */
    nameSegments: 254,
    /** Names and values together. */
    metadataBytes: 8 * 1024,
  },
  /** A message as it is sent: base64 makes four bytes of three. */
  storageQueue: { messageBytes: 64 * 1024 },
  serviceBus: {
    /** A message with its header. */
    messageBytes: 256 * 1024,
    /** System and application properties together. */
    headerBytes: 64 * 1024,
    /** Of a message id and of a session id. */
    idCharacters: 128,
  },
} as const;

type Property = string | number | boolean;

/** Why Azure refuses an entity of a table; undefined: it does not. */
export function entityProblem(
  entity: Readonly<Record<string, Property>> & { readonly partitionKey: string; readonly rowKey: string },
): string | undefined {
  const { table } = azureLimits;
  const { partitionKey, rowKey, ...properties } = entity;
  for (const [name, key] of Object.entries({ partitionKey, rowKey })) {
    if (key.length * 2 > table.keyBytes)
      return `${name} of ${key.length} characters, expected at most ${table.keyBytes / 2}`;
    if (forbiddenInKeys.test(key))
      return `${name} ${JSON.stringify(key)}, expected no / \\ # ? or control character`;
  }
  const all = Object.entries(properties);
  if (all.length + 3 > table.properties)
    return `${all.length} properties, expected at most ${table.properties - 3}`;
  for (const [name, value] of all) {
    if (name.length > table.propertyNameCharacters) return `a property name of ${name.length} characters`;
    if (typeof value !== "string") continue;
    if (value.length > table.stringCharacters)
      return `property "${name}" of ${value.length} characters, expected at most ${table.stringCharacters}`;
    if (!value.isWellFormed()) return `property "${name}" with half a surrogate pair`;
  }
  const bytes = entityBytes(entity);
  return bytes <= table.entityBytes ? undefined : `${bytes} bytes, expected at most ${table.entityBytes}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what keys must not have
const forbiddenInKeys = /[/\\#?\u0000-\u001f\u007f-\u009f]/;

/** As Azure counts: 4 bytes, both keys, and for each property 8, its name and its value. */
function entityBytes(entity: Readonly<Record<string, Property>>): number {
  const { partitionKey, rowKey, ...properties } = entity;
  const keys = 2 * (`${partitionKey}`.length + `${rowKey}`.length);
  return Object.entries(properties).reduce(
    (total, [name, value]) => total + 8 + 2 * name.length + valueBytes(value),
    4 + keys,
  );
}

function valueBytes(value: Property): number {
  switch (typeof value) {
    case "string":
      return 4 + 2 * value.length;
    case "number":
      return 8;
    case "boolean":
      return 1;
  }
}

/** Why Azure refuses a blob's name; undefined: it does not. */
export function blobNameProblem(name: string): string | undefined {
  const { nameCharacters, nameSegments } = azureLimits.blob;
  if (name.length === 0 || name.length > nameCharacters)
    return `${name.length} characters, expected 1 to ${nameCharacters}`;
  const segments = name.split("/").length;
  if (segments > nameSegments) return `${segments} path segments, expected at most ${nameSegments}`;
  return name.isWellFormed() ? undefined : "half a surrogate pair";
}

/** Why Azure refuses a blob's metadata, which travels in headers; undefined: it does not. */
export function metadataProblem(metadata: Readonly<Record<string, string>>): string | undefined {
  const { metadataBytes } = azureLimits.blob;
  const all = Object.entries(metadata);
  for (const [name, value] of all) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `metadata name ${JSON.stringify(name)}`;
    if (!/^[ -~]*$/.test(value)) return `metadata "${name}" with a character that no header holds`;
  }
  const bytes = all.reduce((total, [name, value]) => total + name.length + value.length, 0);
  return bytes <= metadataBytes ? undefined : `${bytes} bytes of metadata, expected at most ${metadataBytes}`;
}
