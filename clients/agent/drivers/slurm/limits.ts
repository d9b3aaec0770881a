import type { Draw } from "../shared-pools.ts";

/** A limit and what is used of it; `most` is undefined where there is none. */
interface Count {
  readonly most: number | undefined;
  readonly used: number;
}

/** By the name of the resource: `cpu`, `mem` (MiB), `node`, `gres/gpu`, … */
type Counts = ReadonlyMap<string, Count>;
type Amounts = ReadonlyMap<string, number>;

/** What associations and QOS have alike. */
interface Limited {
  readonly name: string;
  readonly groupJobs: Count;
  readonly group: Counts;
  /** Resources times minutes, of all jobs that ever ran, and of those that run, for the rest of their time. */
  readonly groupMinutes: Counts;
  readonly groupRunMinutes: Counts;
  readonly groupWall: Count;
  readonly mostOfJob: Amounts;
  readonly mostOfNode: Amounts;
  readonly mostMinutesOfJob: Amounts;
  readonly leastOfJob: Amounts;
  readonly wallMinutes: number | undefined;
}

interface Association extends Limited {
  readonly parentId: number | undefined;
  readonly jobs: Count;
}

interface Share {
  readonly jobs: Count;
  readonly amounts: Counts;
}

interface Qos extends Limited {
  readonly ofUsers: ReadonlyMap<string, Share>;
  readonly ofAccounts: ReadonlyMap<string, Share>;
}

/** Limits of accounting, as the controller has them: also while slurmdbd is away. */
export interface Limits {
  readonly associations: ReadonlyMap<number, Association>;
  readonly qos: ReadonlyMap<string, Qos>;
}

/** Whether `scontrol show config` says that limits hold jobs back. */
export function areLimitsEnforced(config: string): boolean {
  const enforced = /^AccountingStorageEnforce[ \t]*=[ \t]*([^\s]*)/m.exec(config)?.[1] ?? "";
  return enforced.split(",").some((word) => word === "limits" || word === "safe");
}

/**
 * `scontrol show assoc_mgr --oneliner`; undefined when it is not all there. Where limits are enforced, the root account is always
 * there: "No associations currently cached in Slurm." is not "no limits". There may be no QOS.
 */
export function readLimits(text: string): Limits | undefined {
  const parts = [/\nAssociation Records/, /\n(?:QOS Records|No QOS currently cached)/] as const;
  if (!text.endsWith("\n") || parts.some((part) => text.search(part) < 0)) return undefined;
  const lines = text.split("\n");
  const rows = lines.flatMap((line) => associationOf(line) ?? []);
  const accounts = new Map(
    rows.flatMap(({ id, account, user }) => (user === "" ? [[account, id] as const] : [])),
  );
  return {
    associations: new Map(
      rows.map(({ id, account, user, parent, limited, jobs }) => [
        id,
        { ...limited, jobs, parentId: user === "" ? parent : accounts.get(account) },
      ]),
    ),
    qos: new Map(lines.flatMap(qosOf)),
  };
}

function associationOf(line: string) {
  if (!line.startsWith("ClusterName=")) return undefined;
  const fields = fieldsOf(line);
  const account = fields.get("Account") ?? "";
  const user = (fields.get("UserName") ?? "").replace(/\(\d+\)$/, "");
  const parent = /\((\d+)\)$/.exec(fields.get("ParentAccount") ?? "")?.[1];
  return {
    id: Number(fields.get("ID")),
    account,
    user,
    parent: parent === undefined ? undefined : Number(parent),
    jobs: countOf(fields.get("MaxJobs")),
    limited: limitedOf(user === "" ? `account ${account}` : `user ${user} in account ${account}`, fields),
  };
}

function qosOf(line: string): readonly (readonly [string, Qos])[] {
  const name = /^QOS=(.*?)\(\d+\) /.exec(line)?.[1];
  if (name === undefined) return [];
  const [own = "", shares = ""] = line.split(" Account Limits=");
  const [ofAccounts = "", ofUsers = ""] = shares.split(" User Limits=");
  const limited = limitedOf(`QOS ${name}`, fieldsOf(own));
  return [[name, { ...limited, ofAccounts: sharesOf(ofAccounts, "PA"), ofUsers: sharesOf(ofUsers, "PU") }]];
}

/** ` proj={MaxJobsPA=9(2) … MaxTRESPA=cpu=40(4),…} other={…}` */
function sharesOf(text: string, of: "PA" | "PU"): ReadonlyMap<string, Share> {
  return new Map(
    [...text.matchAll(/(?<![^\s={}])([^\s={}]+)=\{([^{}]*)\}/g)].map(([, owner = "", inner = ""]) => {
      const fields = fieldsOf(inner);
      return [
        owner,
        { jobs: countOf(fields.get(`MaxJobs${of}`)), amounts: countsOf(fields.get(`MaxTRES${of}`)) },
      ] as const;
    }),
  );
}

function limitedOf(name: string, fields: ReadonlyMap<string, string>): Limited {
  const wall = fields.get("MaxWallPJ") ?? "";
  return {
    name,
    groupJobs: countOf(fields.get("GrpJobs")),
    group: countsOf(fields.get("GrpTRES")),
    groupMinutes: countsOf(fields.get("GrpTRESMins")),
    groupRunMinutes: countsOf(fields.get("GrpTRESRunMins")),
    groupWall: countOf(fields.get("GrpWall")),
    mostOfJob: amountsOf(fields.get("MaxTRESPJ")),
    mostOfNode: amountsOf(fields.get("MaxTRESPN")),
    mostMinutesOfJob: amountsOf(fields.get("MaxTRESMinsPJ")),
    leastOfJob: amountsOf(fields.get("MinTRESPJ")),
    wallMinutes: /^\d+$/.test(wall) ? Number(wall) : undefined,
  };
}

function fieldsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(" ").flatMap((pair) => {
      const at = pair.indexOf("=");
      return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const];
    }),
  );
}

/** `7(2)`: seven, of which two are used; `N(2)`: no limit. */
function countOf(text = ""): Count {
  const match = /^(N|\d{1,18}(?:\.\d+)?)\((\d{1,18}(?:\.\d+)?)\)$/.exec(text);
  return {
    most: match === null || match[1] === "N" ? undefined : Number(match[1]),
    used: Number(match?.[2] ?? 0),
  };
}

function countsOf(text = ""): Counts {
  return new Map(pairsOf(text).map(([name, value]) => [name, countOf(value)]));
}

function amountsOf(text = ""): Amounts {
  return new Map(
    pairsOf(text).flatMap(([name, value]) =>
      /^\d{1,18}$/.test(value) ? [[name, Number(value)] as const] : [],
    ),
  );
}

function pairsOf(text: string): readonly (readonly [string, string])[] {
  return text.split(",").flatMap((item) => {
    const at = item.lastIndexOf("=");
    return at < 0 ? [] : [[item.slice(0, at), item.slice(at + 1)] as const];
  });
}

/** What a job takes, and who it is of. */
export interface Taker {
  readonly user: string;
  readonly userId: string;
  readonly account: string;
  readonly associationId: number | undefined;
  /** The QOS that limit it: the one of its partition first, then its own. */
  readonly qos: readonly string[];
  readonly nodeCount: number;
  /** Undefined: it has no time limit. Slurm gives it the longest that it may have, and counts a year. */
  readonly minutes: number | undefined;
  readonly amounts: Amounts;
}

const minutesOfYear = 525_600;

/** A limit that would hold a job back, with the name that people see. */
interface Bound {
  readonly name: string;
  readonly requested: number;
  readonly count: Count;
}

type Named = readonly [name: string, count: Count | undefined];

/**
 * What a job that waits would take of the limits that hold it back, before Slurm has looked at it. Undefined: it is over a
 * limit by itself, or a limit of what was ever used is reached: then no node helps.
 *
 * As in Slurm, the first QOS that sets a limit decides it. Where none does, those of the association and of all accounts
 * above it hold; limits of one job are inherited, so only the association's own is asked.
 */
export function drawsOf(taker: Taker, limits: Limits): readonly Draw[] | undefined {
  const qos = taker.qos.flatMap((name) => limits.qos.get(name) ?? []);
  const chain = chainOf(taker.associationId, limits);
  if (isOverAlone(taker, [...qos, ...chain.slice(0, 1)])) return undefined;
  const bounds = [...boundsOfJobs(taker, qos, chain)];
  for (const [resource, amount] of taker.amounts)
    bounds.push(...boundsOfAmount(taker, resource, amount, qos, chain));
  const spent = [
    ...deciding(qos, chain, ({ groupWall }) => groupWall),
    ...[...taker.amounts.keys()].flatMap((resource) =>
      deciding(qos, chain, ({ groupMinutes }) => groupMinutes.get(resource)),
    ),
  ];
  if (spent.some(([, count]) => isReached(count))) return undefined;
  if (bounds.some(({ requested, count }) => requested > (count.most ?? requested))) return undefined;
  return bounds.map(({ name, requested, count: { most = 0, used } }) => ({
    name,
    requested,
    total: most,
    free: Math.max(0, most - used),
  }));
}

/** The association and the accounts above it. */
function chainOf(id: number | undefined, { associations }: Limits): readonly Association[] {
  const chain: Association[] = [];
  for (let next = id; next !== undefined; ) {
    const association = associations.get(next);
    if (association === undefined || chain.includes(association)) break;
    chain.push(association);
    next = association.parentId;
  }
  return chain;
}

/** The limit of the first QOS that has one, else those of the whole chain. */
function deciding(
  qos: readonly Qos[],
  chain: readonly Association[],
  of: (each: Limited) => Count | undefined,
): readonly Named[] {
  const withLimit = (each: Limited): readonly Named[] => {
    const count = of(each);
    return count?.most === undefined ? [] : [[each.name, count]];
  };
  const first = qos.flatMap(withLimit)[0];
  return first === undefined ? chain.flatMap(withLimit) : [first];
}

function isReached(count: Count | undefined): boolean {
  return count?.most !== undefined && count.used >= count.most;
}

/** Over what one job may have: Slurm takes the first that is set. */
function isOverAlone({ minutes, amounts, nodeCount }: Taker, limited: readonly Limited[]): boolean {
  const first = (of: (each: Limited) => number | undefined) =>
    limited.map(of).find((value) => value !== undefined);
  const isOver = (amount: number | undefined, most: number | undefined) =>
    amount !== undefined && most !== undefined && amount > most;
  if (
    isOver(
      minutes,
      first(({ wallMinutes }) => wallMinutes),
    )
  )
    return true;
  // A job that shares its nodes takes a part of one from a pool; as a job it still has whole nodes.
  const ofJob = (resource: string, amount: number) =>
    resource === "node" ? Math.max(1, Math.ceil(amount)) : amount;
  const wanted = limited.flatMap(({ leastOfJob }) => [...leastOfJob.keys()]);
  const all = new Map([...wanted.map((resource) => [resource, 0] as const), ...amounts]);
  return [...all].some(
    ([resource, amount]) =>
      isOver(
        ofJob(resource, amount),
        first(({ mostOfJob }) => mostOfJob.get(resource)),
      ) ||
      isOver(
        amount / nodeCount,
        first(({ mostOfNode }) => mostOfNode.get(resource)),
      ) ||
      isOver(
        minutes === undefined ? undefined : amount * minutes,
        first(({ mostMinutesOfJob }) => mostMinutesOfJob.get(resource)),
      ) ||
      ofJob(resource, amount) < (first(({ leastOfJob }) => leastOfJob.get(resource)) ?? 0),
  );
}

function boundsOfJobs(taker: Taker, qos: readonly Qos[], chain: readonly Association[]): readonly Bound[] {
  const users = firstShare(qos, (each) => userShare(each, taker)?.jobs);
  const accounts = firstShare(qos, (each) => shareIn(each.ofAccounts, taker.account)?.jobs);
  const own = chain
    .slice(0, 1)
    .flatMap(({ name, jobs }) => (jobs.most === undefined ? [] : [{ name, jobs }]));
  const isOfQos = users.length + accounts.length > 0;
  return [
    ...deciding(qos, chain, ({ groupJobs }) => groupJobs).map(([name, count]) => ({
      name: `${name}: jobs`,
      count,
    })),
    ...users.map(([name, count]) => ({ name: `${name}: jobs of user ${taker.user}`, count })),
    ...accounts.map(([name, count]) => ({ name: `${name}: jobs of account ${taker.account}`, count })),
    ...(isOfQos ? [] : own.map(({ name, jobs }) => ({ name: `${name}: jobs at a time`, count: jobs }))),
  ].flatMap(({ name, count }) => (count === undefined ? [] : [{ name, count, requested: 1 }]));
}

function boundsOfAmount(
  taker: Taker,
  resource: string,
  amount: number,
  qos: readonly Qos[],
  chain: readonly Association[],
): readonly Bound[] {
  const users = firstShare(qos, (each) => userShare(each, taker)?.amounts.get(resource));
  const accounts = firstShare(qos, (each) => shareIn(each.ofAccounts, taker.account)?.amounts.get(resource));
  const group = deciding(qos, chain, (each) => each.group.get(resource));
  const minutes = deciding(qos, chain, (each) => each.groupRunMinutes.get(resource));
  return [
    ...group.map(([name, count]) => ({ name: `${name}: ${resource}`, count, requested: amount })),
    ...users.map(([name, count]) => ({
      name: `${name}: ${resource} of user ${taker.user}`,
      count,
      requested: amount,
    })),
    ...accounts.map(([name, count]) => ({
      name: `${name}: ${resource} of account ${taker.account}`,
      count,
      requested: amount,
    })),
    ...minutes.map(([name, count]) => ({
      name: `${name}: minutes of ${resource}`,
      count,
      requested: amount * (taker.minutes ?? minutesOfYear),
    })),
  ].flatMap(({ name, count, requested }) => (count === undefined ? [] : [{ name, count, requested }]));
}

/** Of the first QOS that sets it. */
function firstShare(qos: readonly Qos[], of: (each: Qos) => Count | undefined): readonly Named[] {
  return qos
    .flatMap((each): readonly Named[] => {
      const count = of(each);
      return count?.most === undefined ? [] : [[each.name, count]];
    })
    .slice(0, 1);
}

function userShare({ ofUsers }: Qos, { userId, user }: Taker): Share | undefined {
  return ofUsers.get(userId) ?? shareIn(ofUsers, user);
}

/** Slurm lists those that have jobs; the limit of one who has none yet is that of any other. */
function shareIn(shares: ReadonlyMap<string, Share>, owner: string): Share | undefined {
  const known = shares.get(owner);
  const any = shares.values().next().value;
  if (known !== undefined || any === undefined) return known;
  const unused = (count: Count): Count => ({ most: count.most, used: 0 });
  return {
    jobs: unused(any.jobs),
    amounts: new Map([...any.amounts].map(([name, count]) => [name, unused(count)])),
  };
}
