import { describe, expect, test } from "vitest";
import {
  clusterEventKinds,
  nodeEventKinds,
  parseCycleCloudEvent,
} from "../../../shared/messages/cyclecloud-event.ts";
import { eventOf } from "../../support/event.ts";

const good = eventOf("NodeTerminated", { atSeconds: 1_800_000_000.25, data: { reason: "SpotEvicted" } });
const parsed = {
  eventId: "event-1",
  kind: "NodeTerminated",
  atSeconds: 1_800_000_000.25,
  cluster: "hpc",
  reason: "SpotEvicted",
  nodeId: "id-htc-1",
  nodeName: "htc-1",
  nodeArray: "htc",
  vmSize: "Standard_F4s_v2",
  message: "Node htc-1 …",
};

describe("parseCycleCloudEvent", () => {
  test("reads what it needs, whatever else there is", () => {
    expect(parseCycleCloudEvent({ ...good, more: [1] })).toEqual({ outcome: "event", event: parsed });
  });

  test.each([...nodeEventKinds, ...clusterEventKinds])("knows %s", (kind) => {
    expect(parseCycleCloudEvent(eventOf(kind, { atSeconds: 1 }))).toMatchObject({ event: { kind } });
  });

  test("a cluster event has no node, and may give no reason", () => {
    const event = { ...good, eventType: "Microsoft.CycleCloud.ClusterDeleted", data: { clusterName: "hpc" } };
    const none = { reason: null, nodeId: null, nodeName: null, nodeArray: null, vmSize: null };
    expect(parseCycleCloudEvent(event)).toMatchObject({ event: { kind: "ClusterDeleted", ...none } });
  });

  test("the id may be called eventId, as CycleCloud documents it", () => {
    const { id, ...rest } = good;
    expect(parseCycleCloudEvent({ ...rest, eventId: id })).toEqual({ outcome: "event", event: parsed });
  });

  test.each([
    ["2027-01-15T08:00:00.250Z", 1_800_000_000.25],
    ["2027-01-15T08:00:00.250+00:00", 1_800_000_000.25],
    ["2027-01-15T09:00:00.250+0100", 1_800_000_000.25],
    ["2027-01-15T08:00:00", 1_800_000_000],
  ])("understands the time %s", (eventTime, atSeconds) => {
    expect(parseCycleCloudEvent({ ...good, eventTime })).toMatchObject({ event: { atSeconds } });
  });

  test.each([
    ["Microsoft.CycleCloud.NodeReimaged"],
    ["Microsoft.Storage.BlobCreated"],
    ["microsoft.cyclecloud.nodeterminated"],
  ])("passes %s by, whatever its data is", (eventType) => {
    const outcome = { outcome: "unknown-kind", eventType };
    expect(parseCycleCloudEvent({ ...good, eventType, data: "x" })).toEqual(outcome);
  });

  test.each<[string, object, RegExp]>([
    ["no cluster", { data: { nodeName: "x" } }, /^clusterName/],
    ["data that is none", { data: 7 }, /^message: 7/],
    ["no time", { eventTime: undefined }, /^eventTime/],
    ["a time that is none", { eventTime: "yesterday" }, /^eventTime: "yesterday", expected a time/],
    ["a day that is none", { eventTime: "2027-13-45T99:00:00Z" }, /^eventTime.*expected a time/],
    ["no id", { id: undefined }, /^id: missing/],
    ["an id of a megabyte", { id: "x".repeat(2 ** 20) }, /^id/],
  ])("says what is wrong: %s", (_, fields, says) => {
    const outcome = parseCycleCloudEvent({ ...good, ...fields });
    expect(outcome).toMatchObject({ outcome: "malformed" });
    expect(JSON.stringify(outcome).length).toBeLessThan(2_000);
    expect("problems" in outcome && outcome.problems[0]).toMatch(says);
  });

  test.each([undefined, null, "text", 7, [], [good]])("%j is no event", (body) => {
    expect(parseCycleCloudEvent(body)).toMatchObject({ outcome: "malformed" });
  });
});
