import { expect } from "vitest";
import type { DemandUploads } from "../../../../shared/ports/index.ts";
import type { ContractCases } from "./suite.ts";

/** The store with a limit of 1,000 bytes, and how a sender puts a blob there. */
export interface UploadBench {
  readonly store: DemandUploads;
  put(blob: string, text: string): Promise<void>;
}

export const benchLimitBytes = 1_000;

export const demandUploadCases: ContractCases<UploadBench> = {
  "an upload is read as text, in folders too": async ({ store, put }) => {
    await put("celery/7 ☃.json", '{"jobs":["☃"]}');
    expect(await store.read("celery/7 ☃.json")).toBe('{"jobs":["☃"]}');
  },
  "a blob that is not there gives nothing": async ({ store }) => {
    expect(await store.read("celery/none.json")).toBeUndefined();
  },
  "an upload of the largest size is read, a larger one is refused with a sentence": async ({
    store,
    put,
  }) => {
    await put("full", "x".repeat(benchLimitBytes));
    await put("over", "é".repeat(benchLimitBytes / 2 + 1));
    expect(await store.read("full")).toHaveLength(benchLimitBytes);
    expect(await store.read("over")).toEqual({
      refused:
        'Cannot read upload "over": 1002 bytes, expected at most 1000: send less at once, such as fewer jobs or a snapshot in parts',
    });
  },
  "a name that there cannot be is refused with a sentence, one of the most segments is looked up": async ({
    store,
  }) => {
    const segments = (count: number) => Array(count).fill("a").join("/");
    expect(await store.read(segments(254))).toBeUndefined();
    expect(await store.read(segments(255))).toEqual({
      refused: expect.stringMatching(/^Cannot read upload "a.*": 255 path segments, expected at most 254$/),
    });
    expect(await store.read("x".repeat(1_025))).toEqual({
      refused: expect.stringContaining("1025 characters, expected 1 to 1024"),
    });
  },
};
