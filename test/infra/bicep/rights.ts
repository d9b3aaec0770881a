import { type BicepFile, propertyOf, stringOf, stringsOf } from "./bicep-file.ts";
import { roleIds } from "./known.ts";

/** One role assignment of a Bicep file, as people read it. */
export interface Right {
  readonly role: string;
  readonly on: string;
  readonly why: string;
}

/** What a role may be given on, by the type of the resource. */
const nouns: Readonly<Record<string, string>> = {
  "Microsoft.EventGrid/topics": "the Event Grid topic",
  "Microsoft.Insights/components": "Application Insights",
  "Microsoft.KeyVault/vaults": "the key vault",
  "Microsoft.ServiceBus/namespaces/queues": "Service Bus queue",
  "Microsoft.Storage/storageAccounts": "the storage account",
  "Microsoft.Storage/storageAccounts/blobServices/containers": "container",
  "Microsoft.Storage/storageAccounts/queueServices/queues": "queue",
  "Microsoft.Storage/storageAccounts/tableServices/tables": "table",
};

/** Every role assignment of the file, in its order; one that gives several roles is several. Throws when one has no reason. */
export function rightsIn(file: BicepFile): readonly Right[] {
  return file.resources
    .filter(({ type }) => type === "Microsoft.Authorization/roleAssignments")
    .flatMap(({ name, node, body }) => {
      const scope = propertyOf(body, "scope")?.text ?? "";
      const why = whyOf(file, name);
      return rolesOf(file, node.text).map((role) => ({ role, on: subjectOf(file, scope), why }));
    });
}

/** The comment above it. */
function whyOf({ path, root }: BicepFile, name: string): string {
  const why = new RegExp(`^// Why: (.+)\\.\\nresource ${name} `, "m").exec(root.text)?.[1];
  if (why === undefined) throw new Error(`Say why above "${name}" in ${path}: // Why: ….`);
  return why;
}

function rolesOf(file: BicepFile, text: string): readonly string[] {
  const used = /roleDefinitions', (\w+)\)/.exec(text)?.[1] ?? "";
  const list = new RegExp(`for ${used} in (\\w+)`).exec(text)?.[1];
  const variable = (name: string) => file.variables.find((each) => each.name === name)?.node.text ?? "";
  const names =
    list === undefined ? [used] : [...variable(list).matchAll(/\w+(?=[,\]])/g)].map(([name]) => name);
  return names.map((name) => {
    const [id = ""] = stringsOf(file, name);
    const role = roleIds[id];
    if (role === undefined) throw new Error(`Unknown role ${id} in ${file.path}`);
    return role;
  });
}

/** `queue \`job-demand\``; of a list, all its members. */
function subjectOf(file: BicepFile, scope: string): string {
  const resource = file.resources.find(({ name }) => name === scope.replace(/\[index\]$/, ""));
  const noun = nouns[resource?.type ?? ""];
  if (resource === undefined || noun === undefined)
    throw new Error(`Unknown scope "${scope}" in ${file.path}`);
  if (noun.startsWith("the ") || noun === "Application Insights") return noun;
  const list = /for \(?\w+(?:, \w+\))? in (\w+)/.exec(resource.node.text)?.[1];
  const named = propertyOf(resource.body, "name");
  const names = list === undefined ? [nameOf(stringOf(named) ?? named?.text ?? "")] : stringsOf(file, list);
  return `${noun}${names.length > 1 ? "s" : ""} ${names.map((name) => `\`${name}\``).join(", ")}`;
}

/** A parameter `planRequestsQueue` holds `plan-requests`; a name with a parameter in it has `<parameter>` there. */
function nameOf(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1).replace(/\$\{(\w+)\}/, "<$1>");
  return text.replace(/Queue$/, "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
