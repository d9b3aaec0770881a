/** An event as CycleCloud documents it, in the schema of Event Grid. */
export function eventOf(
  kind: string,
  fields: {
    readonly id?: string;
    readonly atSeconds: number;
    readonly data?: Readonly<Record<string, unknown>>;
  },
): Record<string, unknown> {
  const { id = "event-1", atSeconds, data } = fields;
  const node = { nodeName: "htc-1", nodeId: "id-htc-1", nodeArray: "htc", vmSku: "Standard_F4s_v2" };
  return {
    id,
    topic: "/subscriptions/s/resourceGroups/g/providers/Microsoft.EventGrid/topics/cyclecloud",
    subject: "/sites/site/clusters/hpc/nodes/htc-1",
    eventType: `Microsoft.CycleCloud.${kind}`,
    eventTime: new Date(atSeconds * 1000).toISOString().replace("Z", "+00:00"),
    dataVersion: "1",
    metadataVersion: "1",
    data: {
      status: "Succeeded",
      reason: "Autoscaled",
      message: "Node htc-1 …",
      clusterName: "hpc",
      ...node,
      subscriptionId: "s",
      region: "westeurope",
      priority: "regular",
      timing: { Create: 120.5, CreateVM: 60, Configure: 60.5 },
      ...data,
    },
  };
}
