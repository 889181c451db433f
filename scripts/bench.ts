import { command, runCommandGroup } from './cli/command.ts'
import type { AnyCommand } from './cli/command.ts'
import { flag, text, wholeNumber } from './cli/options.ts'

const quick = flag('A short run with less data.')
const sourceOptions = {
  node: text('<host:port>', 'An access node without TLS. Default: the simulated chain.'),
  from: wholeNumber('<height>', 'First height (with --node).'),
}
const number = (description: string, min = 1): ReturnType<typeof wholeNumber> =>
  wholeNumber('<number>', description, { min })
const shared = [
  'Creates temporary databases, nodes and clients.',
  'Compare two versions in alternation: other load on the machine changes rates more than CPU time and ratios.',
] as const

const programs: Readonly<Record<string, AnyCommand>> = {
  'ingest-and-derive': command({
    name: 'bench -- ingest-and-derive',
    summary:
      'Blocks stored a second, raw and with all workers, with CPU time, memory, WAL and size, compared with a ' +
      'bare COPY of the same rows.',
    options: {
      quick,
      ...sourceOptions,
      blocks: number('Blocks of a run. Default 5,000; quick 600.'),
      runs: number('Runs of each; the figures are medians. Default 3; quick 1.'),
      folder: text(
        '<folder>',
        'Instead, continue the database there up to --blocks (default 1,000,000) of the simulated chain, and ' +
          'measure cost, tables and API at 10,000, 100,000, 1,000,000 and --blocks.',
      ),
      minutes: number('Stop after this time (with --folder), as SIGTERM does.'),
    },
    notes: ['About four minutes; quick 30 s. A million blocks take hours and some 20 GiB.', ...shared],
    examples: [
      ['', 'On the simulated chain.'],
      ['--folder growth --minutes 60', 'An hour of a million blocks. Repeat it to continue.'],
      ['--node 127.0.0.1:9000 --from 0 --blocks 4000', 'On the blocks of an access node.'],
    ],
    usesDatabase: false,
    run: async ({ options: { quick: isQuick, node, from, folder, minutes, ...given } }) => {
      if (folder !== undefined) {
        return (await import('./bench/growth.ts')).growth({ folder, minutes, blocks: given.blocks ?? 1_000_000 })
      }
      const { blocks = isQuick ? 600 : 5000, runs = isQuick ? 1 : 3 } = given
      return (await import('./bench/ingest-and-derive.ts')).ingestAndDerive({ node, from, blocks, runs })
    },
  }),
  farm: command({
    name: 'bench -- farm',
    summary:
      'Throughput of one, two and four farm processes on the same blocks and NFTs, delay of derived rows at the ' +
      'head, takeover after a kill, and the backfill of an own worker.',
    options: {
      quick,
      ...sourceOptions,
      blocks: number('Stored blocks; 0 skips this part. Default 3,000; quick 400.', 0),
      runs: number('Runs of each number of processes. Default 2; quick 1.'),
      'head-blocks': number('Blocks at the head; 0 skips this part. Default 60; quick 10.', 0),
      kills: number('Processes killed by SIGKILL; 0 skips this part. Default 3; quick 1.', 0),
      items: number('NFTs to query; 0 skips this part. Default 5,000; quick 1,000.', 0),
      'own-blocks': number('Blocks of the own worker; 0 skips this part. Default 1,000,000; quick 50,000.', 0),
      redis: flag('Queues in Redis, if redis-server is available.'),
    },
    notes: ['About seven minutes; quick one.', ...shared],
    examples: [
      ['', 'Queues in PostgreSQL.'],
      ['--head-blocks 0 --kills 0 --items 0 --own-blocks 0 --redis', 'Only the scaling of derivation, with Redis.'],
    ],
    usesDatabase: false,
    run: async ({ options: { quick: isQuick, node, from, redis, ...given } }) =>
      (await import('./bench/farm.ts')).benchFarm({
        node,
        from,
        redis,
        blocks: given.blocks ?? (isQuick ? 400 : 3000),
        runs: given.runs ?? (isQuick ? 1 : 2),
        headBlocks: given['head-blocks'] ?? (isQuick ? 10 : 60),
        kills: given.kills ?? (isQuick ? 1 : 3),
        items: given.items ?? (isQuick ? 1000 : 5000),
        ownBlocks: given['own-blocks'] ?? (isQuick ? 50_000 : 1_000_000),
      }),
  }),
  api: command({
    name: 'bench -- api',
    summary:
      'Requests a second to common lists and objects of the explorer API, cached and not, compared with bare ' +
      'statements for the same rows, and p99 beside slow statements of the query service.',
    options: {
      quick,
      ...sourceOptions,
      blocks: number('Blocks in the database. Default 2,000; quick 400.'),
      seconds: number('Seconds of each case. Default 5; quick 1.'),
      connections: number('Connections of the clients. Default 16.'),
      only: text('<words>', 'Only cases whose name contains this.'),
      profile: text('<folder>', 'Write CPU profiles of the API there.'),
    },
    notes: ['About four minutes; quick two.', ...shared],
    examples: [
      ['', 'All cases.'],
      ['--only transaction --profile profiles', 'Some cases, with CPU profiles.'],
    ],
    usesDatabase: false,
    run: async ({ options: { quick: isQuick, blocks, seconds, connections = 16, only = '', ...rest } }) =>
      (await import('./bench/api.ts')).benchApi({
        ...rest,
        only,
        connections,
        blocks: blocks ?? (isQuick ? 400 : 2000),
        seconds: seconds ?? (isQuick ? 1 : 5),
      }),
  }),
  'feed-and-webhooks': command({
    name: 'bench -- feed-and-webhooks',
    summary:
      'Feed messages a second to thousands of clients, and webhook deliveries a second and their delay, compared ' +
      'with bare writes and requests.',
    options: {
      quick,
      clients: number('Clients of the feed. Default 10,000; quick 1,000.'),
      deliveries: number('Deliveries of the backlog. Default 10,000; quick 2,000.'),
      seconds: number('Seconds of each case. Default 5; quick 1.'),
    },
    notes: ['About two minutes; quick 30 s. 10,000 clients need `ulimit -n 20100`.', ...shared],
    examples: [['--clients 2000', 'Fewer clients.']],
    usesDatabase: false,
    run: async ({ options: { quick: isQuick, clients, deliveries, seconds } }) =>
      (await import('./bench/feed-and-webhooks.ts')).feedAndWebhooks({
        clients: clients ?? (isQuick ? 1000 : 10_000),
        deliveries: deliveries ?? (isQuick ? 2000 : 10_000),
        seconds: seconds ?? (isQuick ? 1 : 5),
      }),
  }),
  wallet: command({
    name: 'bench -- wallet',
    summary: 'Passkey sign-ins a second, their CPU time, and their effect on the latency of the explorer.',
    options: {
      quick,
      'sign-ins': number('Sign-ins. Default 5,000; quick 500.'),
      'at-once': number('Sign-ins in progress at a time. Default 32.'),
      profile: text('<folder>', 'Write a CPU profile of the wallet there.'),
    },
    notes: ['About three minutes; quick 40 s.', ...shared],
    examples: [['--sign-ins 1000', 'Fewer.']],
    usesDatabase: false,
    run: async ({ options: { quick: isQuick, 'at-once': atOnce = 32, profile, ...given } }) =>
      (await import('./bench/wallet.ts')).benchWallet({
        signIns: given['sign-ins'] ?? (isQuick ? 500 : 5000),
        atOnce,
        profile,
      }),
  }),
}

await runCommandGroup({
  name: 'bench',
  summary: 'Measures flowfarm on this machine and prints each figure beside its limit or target.',
  commands: programs,
  all: command({
    name: 'bench',
    summary: 'all five programs, about 15 minutes; with --quick about three.',
    options: { quick },
    examples: [],
    run: async ({ options }) => {
      for (const one of Object.values(programs)) await one.start(options.quick ? ['--quick'] : [])
      return 0
    },
  }),
})
