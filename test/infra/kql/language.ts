import { createRequire } from "node:module";

/** As much of the language service as is used here. It has no modules: it hangs itself on the global object. */
interface LanguageService {
  readonly Syntax: { readonly SyntaxKind: object };
  readonly Symbols: {
    readonly TableSymbol: { From(columns: string): { WithName(name: string): unknown } };
    readonly DatabaseSymbol: { readonly ctor: new (name: string, tables: readonly unknown[]) => unknown };
  };
  readonly GlobalState: { readonly Default: { WithDatabase(database: unknown): Globals } };
  readonly KustoCode: {
    ParseAndAnalyze(text: string, globals: Globals): { GetDiagnostics(): Diagnostics };
    Parse(text: string): { readonly Syntax: SyntaxNode };
  };
}
export type Globals = object;
interface Diagnostics {
  readonly Count: number;
  getItem(index: number): { readonly Severity: string; readonly Message: string; readonly Start: number };
}

interface SyntaxNode {
  readonly Kind: number;
  readonly NameInParent?: string;
  readonly ChildCount: number;
  GetChild(index: number): SyntaxNode | null;
  toString(): string;
}

/** A node of the syntax tree. */
export interface Syntax {
  /** Such as `FilterOperator`. */
  readonly kind: string;
  readonly text: string;
  /** Nodes below that have a name there, such as `Condition`. */
  readonly parts: ReadonlyMap<string, Syntax>;
  /** All nodes below; elements of a list without their commas. */
  readonly items: readonly Syntax[];
}

const require = createRequire(import.meta.url);
require("@kusto/language-service-next/bridge.min.js");
require("@kusto/language-service-next/Kusto.Language.Bridge.min.js");
const { Kusto, System } = globalThis as unknown as {
  readonly Kusto: { readonly Language: LanguageService };
  readonly System: { readonly Enum: { toString(type: object, value: number): string } };
};
export const { Language } = Kusto;

/** The syntax tree of a query. */
export function parse(query: string): Syntax {
  return toSyntax(Language.KustoCode.Parse(query).Syntax);
}

function toSyntax(node: SyntaxNode): Syntax {
  const below = Array.from({ length: node.ChildCount }, (_, index) => node.GetChild(index)).flatMap((each) =>
    each === null ? [] : [{ part: each.NameInParent, syntax: toSyntax(each) }],
  );
  const named = below.flatMap(({ part, syntax }) => (part === undefined ? [] : [[part, syntax] as const]));
  return {
    kind: System.Enum.toString(Language.Syntax.SyntaxKind, node.Kind),
    text: node.toString().trim(),
    // Of two with one name the first counts.
    parts: new Map(named.reverse()),
    items: below.map(({ syntax }) =>
      syntax.kind === "SeparatedElement" ? (syntax.items[0] ?? syntax) : syntax,
    ),
  };
}
