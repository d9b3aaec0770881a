/**
 * What a caller has to be for a call. A reader is told things; an operator changes them, may read, and is told what others
 * sent as they sent it; a node asks about itself.
 */
export type Role = "reader" | "operator" | "node";

/**
 * App roles of the API's registration in Microsoft Entra ID, by what a caller has to be: any one of these is enough, the
 * first is the least. Nodes have none: they show a key, or the login of their cluster.
 */
export const appRoles = {
  reader: ["Autoscale.Read", "Autoscale.Operate"],
  operator: ["Autoscale.Operate"],
} as const satisfies Partial<Record<Role, readonly string[]>>;
