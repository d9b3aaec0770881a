import { z } from "zod";
import { maybeFlag, maybeNumber, maybeText, record, text } from "./wire-value.ts";

/** One node. Records are free-form with TitleCase attributes; these are the ones that mean something here. */
export const nodeSchema = z.object({
  Name: text,
  NodeId: text,
  /** The node array that it was made from; a head node names itself. */
  Template: text,
  MachineType: text,
  Hostname: maybeText,
  PrivateIp: maybeText,
  InstanceId: maybeText,
  Region: maybeText,
  Status: maybeText,
  /** Free text for people: a record is not left out for it. */
  StatusMessage: maybeText.catch(null),
  /** Can be missing; then no action on the node is allowed. */
  TargetState: maybeText,
  PlacementGroupId: maybeText,
  Interruptible: maybeFlag,
  KeepAlive: maybeFlag,
  Configuration: record,
});

/** `GET /clusters/{c}/nodes?request_id=`: of each node, enough to recognise it in a later status. */
export const requestedNodesSchema = z.object({
  nodes: z.array(
    nodeSchema.pick({
      Name: true,
      NodeId: true,
      Template: true,
      MachineType: true,
      PlacementGroupId: true,
      Configuration: true,
    }),
  ),
});

/** The attributes of a node array, in the same spelling as a node's. */
export const nodeArrayRecordSchema = z.object({
  Region: text,
  /** Name of a cloud provider account of the server. */
  Credentials: maybeText.catch(null),
  Interruptible: maybeFlag,
  EphemeralOSDisk: maybeFlag.catch(null),
  /** Larger first; null when the template does not set it. */
  Priority: maybeNumber,
  PlacementGroupId: maybeText,
  /** GB; set by hand in a template, it replaces what the VM size has. */
  Memory: maybeNumber,
  Configuration: record,
  Azure: z
    .object({ MaxScalesetSize: maybeNumber })
    .nullish()
    .transform((azure) => azure ?? { MaxScalesetSize: null }),
});
