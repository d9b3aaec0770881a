import { type Globals, Language } from "./language.ts";

/** What the tables of Application Insights have in common, by the names of Log Analytics. */
const common =
  "TimeGenerated: datetime, OperationId: string, OperationName: string, ParentId: string, AppRoleName: string, AppRoleInstance: string, AppVersion: string, Properties: dynamic, ItemCount: int, _ResourceId: string";
/** The same by the names that Application Insights itself has for them. */
const classic =
  "timestamp: datetime, operation_Id: string, operation_Name: string, operation_ParentId: string, cloud_RoleName: string, cloud_RoleInstance: string, application_Version: string, customDimensions: dynamic, itemCount: int, _ResourceId: string";

/**
 * Columns of the tables that queries read. A workspace (alerts) has one set of names, an Application Insights component
 * (workbook) another; `success` is a bool in the first and a string in the second.
 */
const schemas = {
  workspace: {
    AppTraces: `${common}, Message: string, SeverityLevel: int`,
    AppRequests: `${common}, Id: string, Name: string, Success: bool, ResultCode: string, DurationMs: real`,
    AppDependencies: `${common}, Id: string, Name: string, Target: string, Type: string, Success: bool, ResultCode: string, DurationMs: real`,
    AppExceptions: `${common}, ProblemId: string, ExceptionType: string, OuterMessage: string, InnermostMessage: string, Details: dynamic, SeverityLevel: int`,
    AppMetrics: `${common}, Name: string, Sum: real, Min: real, Max: real`,
    StorageBlobLogs:
      "TimeGenerated: datetime, AccountName: string, OperationName: string, StatusText: string, Uri: string, CallerIpAddress: string, RequesterObjectId: string, RequesterUpn: string, ObjectKey: string, ResponseBodySize: long, RequestBodySize: long",
    AzureDiagnostics:
      "TimeGenerated: datetime, ResourceProvider: string, Resource: string, Category: string, OperationName: string, ResultType: string, CallerIPAddress: string, requestUri_s: string",
    // A function of every workspace over its table Operation.
    _LogOperation:
      "TimeGenerated: datetime, Category: string, Operation: string, Level: string, Detail: string, _ResourceId: string",
    Usage: "TimeGenerated: datetime, DataType: string, Quantity: real, IsBillable: bool",
  },
  component: {
    traces: `${classic}, message: string, severityLevel: int`,
    requests: `${classic}, id: string, name: string, success: string, resultCode: string, duration: real`,
    dependencies: `${classic}, id: string, name: string, target: string, type: string, success: string, resultCode: string, duration: real`,
    exceptions: `${classic}, problemId: string, type: string, outerMessage: string, innermostMessage: string, details: dynamic, severityLevel: int`,
    customMetrics: `${classic}, name: string, value: real, valueCount: int, valueSum: real, valueMin: real, valueMax: real`,
  },
} as const;

export type Place = keyof typeof schemas;

const globals = Object.fromEntries(
  Object.entries(schemas).map(([place, tables]) => [place, globalsOf(tables)]),
) as Readonly<Record<Place, Globals>>;

/** What the language service finds wrong with a query over the tables of that place, each with where it is. */
export function problemsOf(query: string, place: Place): readonly string[] {
  const diagnostics = Language.KustoCode.ParseAndAnalyze(query, globals[place]).GetDiagnostics();
  return Array.from({ length: diagnostics.Count }, (_, index) => diagnostics.getItem(index))
    .filter(({ Severity }) => Severity === "Error" || Severity === "Warning")
    .map(({ Message, Start }) => `${Message} At: ${query.slice(Start, Start + 40)}`);
}

function globalsOf(tables: Readonly<Record<string, string>>): Globals {
  const { TableSymbol, DatabaseSymbol } = Language.Symbols;
  const symbols = Object.entries(tables).map(([name, columns]) =>
    TableSymbol.From(`(${columns})`).WithName(name),
  );
  return Language.GlobalState.Default.WithDatabase(new DatabaseSymbol.ctor("logs", symbols));
}
