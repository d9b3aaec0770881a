import { expect, test } from "vitest";
import { otherSetting, withOthers } from "../../../clients/cli/scenario/other-settings.ts";
import { defaultSettings } from "../../../shared/engine/index.ts";

const bounds = { leastSeconds: 60, mostSeconds: 3_600 };

test("--set idle_timeout.htc=auto leaves the other arrays as they were, and a number takes it back", () => {
  const isAuto = withOthers(defaultSettings, otherSetting("idle_timeout.htc=auto"));
  expect(isAuto.idleTimeoutSeconds).toEqual({
    default: 300,
    byNodeArray: { htc: 300 },
    auto: { default: null, byNodeArray: { htc: bounds } },
  });
  expect(withOthers(isAuto, otherSetting("idle_timeout.htc=90")).idleTimeoutSeconds).toEqual({
    default: 300,
    byNodeArray: { htc: 90 },
    auto: { default: null, byNodeArray: { htc: null } },
  });
});
