/**
 * Vectors of plan.jsonl whose recorded outcome rests on something that the engine does differently on purpose. The numbers
 * are those of the list in docs/migrate-from-scalelib.md. With `compatibility: "scalelib"` all of them agree.
 */
export const knownDifferences: readonly { readonly number: number; readonly reason: string; readonly names: readonly string[] }[] = [
  {
    number: 10,
    reason: "an exclusive job gets a node per iteration; scalelib packs several iterations on one",
    names: [
  "seed-1008", "seed-1028", "seed-1060", "seed-1064", "seed-1072", "seed-1087", "seed-1092",
  "seed-1110", "seed-1127", "seed-1138", "seed-1139", "seed-1159", "seed-1172", "seed-1214",
  "seed-1229", "seed-1243", "seed-1256", "seed-1261", "seed-1262", "seed-1263", "seed-1288",
  "seed-1295", "seed-1297", "seed-1331", "seed-1339",
    ],
  },
  {
    number: 11,
    reason: "nodes of invalid buckets still run jobs; scalelib does not see them",
    names: [
  "seed-1001", "seed-1085", "seed-1094", "seed-1119", "seed-1123", "seed-1135", "seed-1140",
  "seed-1149", "seed-1166", "seed-1217", "seed-1219", "seed-1242", "seed-1254", "seed-1255",
  "seed-1293", "seed-1306", "seed-1311", "seed-1343", "seed-1345", "seed-1347",
    ],
  },
  {
    number: 12,
    reason: "part-used nodes take jobs as long as they have room; scalelib passes a bucket over that has no untouched or new node",
    names: [
  "seed-1007", "seed-1016", "seed-1021", "seed-1026", "seed-1031", "seed-1033", "seed-1034",
  "seed-1043", "seed-1044", "seed-1057", "seed-1059", "seed-1082", "seed-1091", "seed-1096",
  "seed-1103", "seed-1105", "seed-1114", "seed-1152", "seed-1163", "seed-1178", "seed-1183",
  "seed-1241", "seed-1245", "seed-1251", "seed-1253", "seed-1274", "seed-1299", "seed-1300",
  "seed-1315", "seed-1321", "seed-1328", "seed-1351",
    ],
  },
  {
    number: 16,
    reason: "the cluster's most nodes hold for all its arrays together; scalelib reads the figure and does not use it",
    names: [
  "seed-1000", "seed-1002", "seed-1013", "seed-1029", "seed-1048", "seed-1049", "seed-1065",
  "seed-1066", "seed-1126", "seed-1130", "seed-1148", "seed-1157", "seed-1182", "seed-1190",
  "seed-1196", "seed-1200", "seed-1228", "seed-1238", "seed-1291", "seed-1296", "seed-1317",
  "seed-1319", "seed-1329",
    ],
  },
  {
    number: 17,
    reason: "a failed node takes no jobs: they get another node at once; scalelib leaves them on it",
    names: [
  "seed-1023", "seed-1036", "seed-1051", "seed-1052", "seed-1104", "seed-1124", "seed-1128",
  "seed-1156", "seed-1194", "seed-1201", "seed-1260", "seed-1298", "seed-1312",
    ],
  },
];

/** Vectors that differ in either mode: following them would break a rule of every plan. */
export const brokenVectors: readonly { readonly number: number; readonly reason: string; readonly names: readonly string[] }[] = [
  {
    number: 13,
    reason: "a limit that is used beyond its maximum counts as full; scalelib subtracts what is missing from other nodes",
    names: ["seed-1142", "seed-1275", "seed-1292", "seed-1346"],
  },
  {
    number: 14,
    reason: "an attempt that falls short leaves nothing behind; scalelib leaves the failed job on the nodes it tried first",
    names: ["seed-1248", "seed-1264", "seed-1266"],
  },
];
