/** What one figure of `npm run bench` is. Its value, and that of its limit, are in the history under its id. */
export interface FigureKind {
  readonly label: string
  readonly unit: string
  /** Which way is better. */
  readonly better: 'more' | 'less'
  /** What the same machine does at best, measured in the same run and in the same unit. */
  readonly limit?: string
  readonly target?: number
}

export interface FigurePart {
  readonly title: string
  /** What is measured, and how. */
  readonly text: string
  readonly figures: Readonly<Record<string, FigureKind>>
}

const pace = (label: string, unit: string, limit?: string, target?: number): FigureKind => ({
  label,
  unit,
  better: 'more',
  ...(limit === undefined ? {} : { limit }),
  ...(target === undefined ? {} : { target }),
})
const cost = (label: string, unit: string, limit?: string, target?: number): FigureKind => ({
  ...pace(label, unit, limit, target),
  better: 'less',
})

const apiCases: Readonly<Record<string, readonly [label: string, target: number]>> = {
  'block-list': ['block list', 6000],
  'block-by-height': ['block by height', 6000],
  'transaction-list': ['transaction list', 3000],
  'transaction-by-id': ['transaction by id', 3000],
  'accounts-transactions': ["account's transactions", 3000],
  'transfer-feed': ['transfer feed', 3000],
  'accounts-transfers': ["account's transfers", 3000],
}

const select = 'bare SELECT of such rows'

/**
 * The parts of the bench in the order in which they run, with what they measure. An id stands for one meaning for ever: what is
 * measured in another way gets another id, so that the lines of the history stay true.
 */
export const figureParts = {
  decode: {
    title: 'Decoding',
    text: 'Payloads of events of the simulated chain, one thread, processor time. The limit is what V8 itself needs to read JSON: of CCF that which comes out, of JSON-CDC the payload.',
    figures: {
      'decode.ccf': cost('CCF to JSON', 'µs an event', 'JSON.parse of the result'),
      'decode.json-cdc': cost('JSON-CDC to JSON', 'µs an event', 'JSON.parse of the payload'),
    },
  },
  fetch: {
    title: 'Fetching',
    text:
      'Blocks that the simulated node has ready, fetched, checked and read as ingest does it, 16 at a time. The limit are the same three calls by `@grpc/grpc-js`, of ' +
      'whose answers nothing is read; above 100 % is what our own HTTP/2 client saves. Then blocks that nobody has asked the node for: it makes each of them first, in a process with one of the same ' +
      'cores; there the limit is the pace of those that it has ready.',
    figures: {
      'fetch.pace': pace('blocks fetched', 'blocks/s', 'bare gRPC', 2000),
      'fetch.cpu': cost('processor time', 'ms a block', 'bare gRPC'),
      'fetch.made': pace('blocks that the node makes first', 'blocks/s', 'blocks that it has ready', 2000),
      'fetch.made-node': cost('the same, processor time of the simulated node', 'ms a block'),
    },
  },
  ingest: {
    title: 'Ingest',
    text:
      'Raw ingest alone, backwards, from the simulated node into an empty database. The limit is a bare COPY of the very rows into tables with the same indexes, without a node and ' +
      'without decoding; the simulated node has one of the same cores.',
    figures: {
      'ingest.pace': pace('blocks stored', 'blocks/s', 'bare COPY'),
      'ingest.node': cost('processor time of the ingester', 'ms a block'),
      'ingest.postgres': cost('processor time of PostgreSQL', 'ms a block', 'bare COPY'),
      'ingest.memory': cost('peak memory of the ingester', 'MiB'),
    },
  },
  derive: {
    title: 'Deriving',
    text:
      'First the thread that derives, alone: all workers over blocks in memory, where the limit is to decode the events that they ask for. Then the whole program with default settings, ' +
      'ingest and all workers, from an empty database until everything is covered; there the limit is a bare COPY of all rows, raw and derived, into tables with the same indexes.',
    figures: {
      'derive.thread': cost('all workers, in memory', 'µs a block', 'decoding alone'),
      'derive.pace': pace('ingest and all workers', 'blocks/s', 'bare COPY', 400),
      'derive.node': cost('processor time of the program', 'ms a block', undefined, 2.2),
      'derive.postgres': cost('processor time of PostgreSQL', 'ms a block', 'bare COPY', 2.5),
      'derive.memory': cost('peak memory of the program', 'MiB'),
    },
  },
  size: {
    title: 'Size',
    text: "What a block takes in the database of the whole program, with all indexes. The limit is the size of the node's answers, which hold everything once.",
    figures: {
      'size.raw': cost('raw tables', 'KB a block', 'answers of the node'),
      'size.all': cost('raw and derived tables', 'KB a block', 'answers of the node'),
      'size.wal': cost('WAL', 'KB a block', 'answers of the node'),
    },
  },
  farm: {
    title: 'The farm',
    text:
      'Ranges without a row, from being owed to being covered, against jobs of BullMQ that do nothing, both in PostgreSQL; and a head block from the commit of its raw rows to the ' +
      'commit of its last derived ones, against one small commit that a listener hears of.',
    figures: {
      'farm.ranges': pace('one range in a job', 'ranges/s', 'bare BullMQ'),
      'farm.packed': pace('as many ranges in a job as fit', 'ranges/s', 'bare BullMQ', 5000),
      'farm.head': cost('head block to derived rows, median', 'ms', 'one commit, heard of', 150),
      'farm.head-p95': cost('head block to derived rows, p95', 'ms', 'one commit, heard of', 400),
    },
  },
  api: {
    title: 'The API',
    text:
      'The API as in production, 16 connections, thousands of different pages and no answer kept: what a page costs that nobody asked for before; then the same as it is, where answers are ' +
      'kept until the next commit. The limit are statements for the same rows of one table by nothing but `pg`, over as many connections of one pool.',
    figures: {
      ...Object.fromEntries(
        Object.entries(apiCases).map(([id, [label]]) => [`api.${id}`, pace(label, 'requests/s', select)]),
      ),
      ...Object.fromEntries(
        Object.entries(apiCases).map(([id, [label, target]]) => [
          `api.kept.${id}`,
          pace(`${label}, answers kept`, 'requests/s', select, target),
        ]),
      ),
    },
  },
  feed: {
    title: 'The live feed',
    text:
      'Blocks of 120 made-up transactions, told over real sockets to 10,000 clients on the same machine, each with a filter of its own where it has one. What is to be reached is that a filtered feed ' +
      'keeps up with 150,000 messages a second: 165,000 come, as time passes, whether the last were told or not, and what is told late is told together. The other lines say what it costs when each ' +
      'block is told before the next one comes, as fast as that goes: then each client gets its part of each block in one write, and the limit is a bare write of as many bytes to as many sockets. ' +
      'One process cannot write more often than that, so that 1.2 messages a write are fewer messages a second than 12.',
    figures: {
      'feed.everything': pace('everything', 'messages/s', 'bare write'),
      'feed.everything-write': cost('everything, processor time', 'µs a write', 'bare write'),
      'feed.tenth': pace('1.2 messages of a block', 'messages/s', 'bare write'),
      'feed.tenth-write': cost('1.2 messages of a block, processor time', 'µs a write', 'bare write'),
      'feed.offered': pace('1.2 messages of a block, 165,000 messages/s come', 'messages/s', undefined, 150_000),
      'feed.offered-longest': cost('the same, block to last client, the slowest', 'ms'),
      'feed.hundredth': pace('12 messages of a block', 'messages/s', 'bare write', 150_000),
      'feed.hundredth-write': cost('12 messages of a block, processor time', 'µs a write', 'bare write'),
    },
  },
  webhooks: {
    title: 'Webhooks',
    text: 'One process that makes, signs and sends deliveries of made-up blocks, and receivers that answer at once. The limit are bare HTTP requests to the same receivers over connections that stay.',
    figures: {
      'webhooks.backlog': pace('a backlog, 100 subscriptions', 'deliveries/s', 'bare POST', 1000),
      'webhooks.latency': cost('commit to receiver, median at 250/s', 'ms', 'bare POST', 300),
      'webhooks.latency-p99': cost('commit to receiver, 99 % at 250/s', 'ms', 'bare POST'),
    },
  },
  wallet: {
    title: 'The wallet',
    text:
      'Sign-ins by passkey on one process of the program: `login/start`, `login/finish` and the trade for a session, by 32 people at a time in another process, over connections that stay. ' +
      'Five hundred a second need no more than 2 ms of its processor each. The check of what a passkey signed is measured by itself; its limit is the signature alone, by OpenSSL.',
    figures: {
      'wallet.verification': cost('check of an assertion, median', 'ms', 'bare ECDSA', 5),
      'wallet.verification-p99': cost('the same, 99 %', 'ms', 'bare ECDSA', 5),
      'wallet.sign-ins': pace('sign-ins by passkey', 'sign-ins/s', 'bare commits of a row', 500),
      'wallet.cpu': cost('processor time of the wallet', 'ms a sign-in', undefined, 2),
      'wallet.cpu-database': cost('processor time of PostgreSQL', 'ms a sign-in'),
      'wallet.sign-in-time': cost('from the first request to the session, median', 'ms'),
    },
  },
  recovery: {
    title: 'Recovery',
    text:
      '`kill -9` of a process in the midst of work. Others may take its ranges once its leases have run out, which is the limit; a program that is started again has its first commit, where the ' +
      'limit is to load the program and do nothing.',
    figures: {
      'recovery.takeover': cost('until its ranges are free for others, the slowest kill', 's', 'end of its leases', 8),
      'recovery.done': cost('until others have done them, behind what was queued', 's', 'end of its leases'),
      'recovery.restart': cost('started again, until the first derived commit', 's', 'load the program', 8),
    },
  },
} as const satisfies Record<string, FigurePart>

export type PartName = keyof typeof figureParts

export const partNames = Object.keys(figureParts) as readonly PartName[]

/** Every figure by its id. */
export const figureKinds: ReadonlyMap<string, FigureKind> = new Map(
  Object.values(figureParts).flatMap(({ figures }): [string, FigureKind][] => Object.entries(figures)),
)

/** The id of a case of the API's bench, by its name there. */
export function apiCaseId(name: string): string {
  return name.replaceAll("'", '').replaceAll(' ', '-')
}
