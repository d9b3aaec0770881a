import { dirname, join } from "node:path";
import { at, type BicepFile, propertiesOf, propertyOf, stringOf, walk } from "./bicep-file.ts";
import { apiVersions, forbiddenSettings, forbiddenSiteConfig, roleIds } from "./known.ts";

/** Finds what is wrong in one file, one sentence each with its place. `others` are all files by path. */
export type Rule = (file: BicepFile, others: ReadonlyMap<string, BicepFile>) => readonly string[];

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const secretCalls = /^(listKeys|listSecrets|listAccountSas|listServiceSas|getSecret)$/;
const secretMembers = /^(ConnectionString|InstrumentationKey|.*[kK]ey[12]?|primaryConnectionString)$/;

const audited = ["Microsoft.KeyVault/vaults", "Microsoft.Storage/storageAccounts"];

/** Every rule by what it says. */
export const rules: Readonly<Record<string, Rule>> = {
  "the syntax is right": (file) =>
    walk(file.root)
      .filter((node) => node.isError || node.isMissing)
      .map((node) => `${at(file, node)}: cannot be read: ${node.text.slice(0, 60)}`),

  "the language is the plain subset that every tool reads": (file) => {
    const odd = walk(file.root).filter(
      (node) =>
        /lambda|type_declaration|user_defined_function|spread|nullable|import_|assert/.test(node.type) ||
        [".?", "??", "[?"].includes(node.text),
    );
    const remote = file.modules.filter(({ path }) => /^(br|ts)[/:]/.test(path));
    return [
      ...odd.map((node) => `${at(file, node)}: "${node.type}", expected plain resources and expressions`),
      ...remote.map(
        ({ node, path }) => `${at(file, node)}: module "${path}", expected a file of this folder`,
      ),
    ];
  },

  "API versions are known": (file) =>
    file.resources
      .filter(({ type, version }) => apiVersions[type]?.includes(version) !== true)
      .map(({ type, version, node }) => {
        const known = apiVersions[type]?.join(", ") ?? "a type in known.ts";
        return `${at(file, node)}: ${type}@${version}, expected ${known}`;
      }),

  "role ids are those of built-in roles": (file) =>
    walk(file.root)
      .filter((node) => guid.test(stringOf(node) ?? "") && roleIds[stringOf(node) ?? ""] === undefined)
      .map((node) => `${at(file, node)}: ${node.text}, expected a role of known.ts`),

  "role assignments say what kind of principal gets them": (file) =>
    file.resources
      .filter(({ type }) => type === "Microsoft.Authorization/roleAssignments")
      .filter(({ body }) => propertyOf(propertyOf(body, "properties"), "principalType") === undefined)
      .map(
        ({ node, name }) =>
          `${at(file, node)}: "${name}" has no principalType: a fresh identity is not found`,
      ),

  "nothing is set that Flex Consumption forbids": (file) => {
    const objects = walk(file.root).filter(({ type }) => type === "object");
    const configs = objects.flatMap((object) => propertyOf(object, "siteConfig") ?? []);
    const keys = configs
      .flatMap((config) => propertiesOf(config))
      .filter(({ key }) => forbiddenSiteConfig.includes(key));
    const settings = walk(file.root).filter((node) => forbiddenSettings.includes(stringOf(node) ?? ""));
    return [
      ...keys.map(({ key, value }) => `${at(file, value)}: siteConfig.${key} is refused`),
      ...settings.map((node) => `${at(file, node)}: setting ${node.text} is ignored or contradicts the plan`),
    ];
  },

  "no output holds a secret": (file) => {
    const secure = file.parameters
      .filter(({ decorators }) => decorators.has("secure"))
      .map(({ name }) => name);
    return file.outputs.flatMap(({ name, node }) =>
      walk(node)
        .filter(
          ({ type, text }) =>
            (type === "identifier" && (secure.includes(text) || secretCalls.test(text))) ||
            (type === "property_identifier" && (secretMembers.test(text) || secretCalls.test(text))),
        )
        .map((part) => `${at(file, part)}: output "${name}" uses ${part.text}`),
    );
  },

  "passwords are secure parameters without a value": (file) =>
    file.parameters
      .filter(({ name }) => /password$/i.test(name))
      .filter(({ decorators, node }) => {
        const value = stringOf(node.namedChildren[2]);
        return !decorators.has("secure") || (value !== undefined && value !== "");
      })
      .map(({ name, node }) => `${at(file, node)}: "${name}", expected @secure() and no default`),

  "every parameter is described": (file) =>
    file.parameters
      .filter(({ decorators }) => (decorators.get("description") ?? "").length < 5)
      .map(({ name, node }) => `${at(file, node)}: parameter "${name}" has no description`),

  "every parameter and variable is used": (file) => {
    const used = walk(file.root)
      .filter(({ type, parent }) => type === "identifier" && !isDeclaration(parent?.type))
      .map(({ text }) => text);
    return [...file.parameters, ...file.variables]
      .filter(({ name }) => !used.includes(name))
      .map(({ name, node }) => `${at(file, node)}: "${name}" is never used`);
  },

  "modules exist and get every parameter, and no other": (file, others) =>
    file.modules.flatMap(({ name, path, passed, node }) => {
      const target = others.get(join(dirname(file.path), path));
      if (target === undefined) return [`${at(file, node)}: no module "${path}"`];
      const wanted = target.parameters.map((parameter) => parameter.name);
      const place = `${at(file, node)}: module "${name}"`;
      return [
        ...wanted.filter((each) => !passed.includes(each)).map((each) => `${place} does not get "${each}"`),
        ...passed.filter((each) => !wanted.includes(each)).map((each) => `${place} knows no "${each}"`),
      ];
    }),

  "deployments of modules have names of their own": (file) =>
    file.modules
      .filter(({ body }) => !/\$\{run\}/.test(propertyOf(body, "name")?.text ?? ""))
      .map(
        ({ name, node }) =>
          `${at(file, node)}: module "${name}", expected \${run} in its name: two deployments at once collide`,
      ),

  "nothing is denied to the tag VirtualNetwork": (file) =>
    walk(file.root)
      .filter(({ type }) => type === "object")
      .filter((rule) => stringOf(propertyOf(rule, "access")) === "Deny")
      .filter((rule) => stringOf(propertyOf(rule, "destinationAddressPrefix")) === "VirtualNetwork")
      .map((rule) => `${at(file, rule)}: a default route to a firewall makes all addresses part of the tag`),

  "what is deployed among resources of others has a name of its own": (file, others) =>
    file.modules
      .filter(({ body }) => propertyOf(body, "scope") !== undefined)
      .flatMap(({ path }) => others.get(join(dirname(file.path), path))?.resources ?? [])
      .filter(({ isExisting }) => !isExisting)
      .filter(({ body }) => !/(uniqueString|guid)\(/.test(propertyOf(body, "name")?.text ?? ""))
      .map(({ name }) => `${file.path}: "${name}", expected uniqueString() or guid() in its name`),

  "vaults and storage accounts keep a log of who changed what": (file) =>
    file.resources
      .filter(({ type, isExisting }) => !isExisting && audited.includes(type))
      .filter(() => !file.resources.some(({ type }) => type === "Microsoft.Insights/diagnosticSettings"))
      .map(({ name, node }) => `${at(file, node)}: "${name}" has no diagnosticSettings`),

  "what is taken from a module is one of its outputs": (file, others) =>
    file.modules.flatMap(({ name, path }) => {
      const outputs = others.get(join(dirname(file.path), path))?.outputs.map((output) => output.name) ?? [];
      const taken = file.root.text.matchAll(new RegExp(`\\b${name}\\.outputs\\.(\\w+)`, "g"));
      return [...taken]
        .filter(([, output = ""]) => !outputs.includes(output))
        .map(([text]) => `${file.path}: ${text}, expected one of ${outputs.join(", ")}`);
    }),
};

function isDeclaration(type: string | undefined): boolean {
  return /^(parameter|variable)_declaration$/.test(type ?? "");
}
