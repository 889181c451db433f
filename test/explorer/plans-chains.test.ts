import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { listDefiAssets, listDefiEvents, listDefiPairs } from '../../src/explorer/defi/queries.ts'
import {
  describeEvmAddresses,
  readEvmAddressSpan,
  findEvmTransaction,
  listEvmTransactions,
} from '../../src/explorer/evm/queries.ts'
import { readGasOfDays, readGasOfTransactions } from '../../src/explorer/evm/gas.ts'
import {
  listEvmTokenTransfers,
  listEvmHolders,
  listEvmHoldings,
  listEvmInstances,
  listEvmItems,
  listEvmTokens,
  searchEvmTokens,
} from '../../src/explorer/evm/token-queries.ts'
import { listScheduledHandlers, listScheduledTransactions } from '../../src/explorer/scheduled/queries.ts'
import {
  listStakingEvents,
  listStakingEventsOfAccount,
  listDelegators,
  listEpochNodes,
} from '../../src/explorer/staking/queries.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'
import type { QueryPlans } from '../support/query-plans.ts'
import { insertEvents } from '../support/insert-events.ts'

/** Sender of every EVM transaction; maker of every swap. */
const busy = 'b0'.repeat(20)
const counterpart = 'c0'.repeat(20)
/** Five transactions, long ago. */
const quiet = 'd0'.repeat(20)
const coin = '20'.repeat(20)
const badge = '72'.repeat(20)
const node = 'a1'.repeat(32)
const account = '0x00000000000000a1'
const pair = 'A.0000000000000001.SwapPair'
const flow = 'A.0000000000000002.FlowToken'

const spacing = 20
const rows = 12_000
const highest = rows * spacing
const bounds = { min: 0, max: highest }
const partitioned = [
  'raw.blocks',
  'raw.transactions',
  'raw.event_chunks',
  'app.evm_tx_hashes',
  'app.evm_transactions',
  'app.evm_token_transfers',
  'app.defi_events',
  'app.ft_vault_balances',
]

const steps = `generate_series(0, ${highest}::bigint, ${spacing}) as h`
const history = `
  insert into raw.blocks
  select h, decode(lpad(to_hex(h), 64, '0'), 'hex'), '', to_timestamp(h), 0, 1, 1, '{}' from ${steps};
  insert into raw.transactions
    (block_height, tx_index, gas_limit, event_count, is_evm, id, status, authorizers, script_hash)
  select h, 0, 9999, 1, true, decode('1' || lpad(to_hex(h), 63, '0'), 'hex'), 'SEALED', '{}', '' from ${steps};
  ${insertEvents(`select h, 0, 0, 'A.1.EVM.TransactionExecuted', '{"payload": "0x", "logs": "0xc0"}' from ${steps}`)};
  insert into app.evm_tx_hashes
  select h, 0, 0, '1' || lpad(to_hex(h), 63, '0'), 'e' || lpad(to_hex(h), 63, '0'), '${busy}',
    case when h < 100 then '${quiet}' else '${counterpart}' end, 1, 21000, case when h % 40000 = 0 then 0 else 1 end from ${steps};
  insert into app.evm_transactions
    (block_height, tx_index, event_index, evm_block_height, evm_tx_index, error_code, tx_type, method_id)
  select h, 0, 0, h, 0, 0, case when h % 60000 = 0 then 4 else 2 end,
    case when h % 30000 = 0 then 'aaaaaaaa' when h % 40 = 0 then 'bbbbbbbb' else 'cccccccc' end from ${steps};
  insert into app.evm_token_transfers
  select h, 0, 0, 0, 0, 20, '${coin}', '${busy}', case when h < 100 then '${quiet}' else '${counterpart}' end, null, 1 from ${steps};
  insert into app.evm_token_transfers
  select h, 0, 0, 1, 0, 721, '${badge}', null, '3' || lpad(to_hex(h), 39, '0'), h, 1 from ${steps};
  insert into app.evm_token_holdings select '3' || lpad(to_hex(h), 39, '0'), '${badge}', 721, 1 from ${steps};
  insert into app.evm_token_holdings select '${busy}', '5' || lpad(to_hex(h), 39, '0'), 20, 1 from ${steps};
  insert into app.evm_token_items select '${badge}', 721, h, '${busy}', 1 from ${steps};
  insert into app.evm_tokens select '5' || lpad(to_hex(h), 39, '0'), (array[20, 20, 20, 721])[h / 20 % 4 + 1], h, 1, 3, 0 from ${steps};
  insert into app.evm_tokens select '7' || lpad(to_hex(h), 39, '0'), 1155, h, 1, 1, 0 from generate_series(0, 500, 100) as h;
  insert into app.daily_analytics select '2000-01-01'::date + i, 1, 1, 0, 21000, 0, 0, 0, 0 from generate_series(1, 9000) i;
  insert into app.evm_token_metadata (token, name, symbol, status)
  select token, 'Coin ' || first_height, case when first_height = 4000 then 'RARE' else 'USD' end, 'answered'
  from app.evm_tokens where standard <> 1155;
  insert into app.evm_item_metadata (token, standard, token_id, token_uri)
  select token, standard, token_id, 'ipfs://x' from app.evm_token_items;
  insert into app.account_labels (address, tag, label, category)
  select '0x' || lpad(to_hex(i), 16, '0'), 'service', 'Service', 'service' from generate_series(1, 30) i;
  insert into app.staking_events
    (block_height, tx_index, event_index, event_type, node_id, delegator_id, from_bucket, to_bucket, amount, account)
  select h, 0, i, case when i = 0 then 'RewardsPaid' when i < 3 then 'DelegatorRewardsPaid' else 'DelegatorTokensCommitted' end,
    '${node}', i, null, 'rewarded', 1, null from ${steps}, generate_series(0, 3) i;
  insert into app.staking_events (block_height, tx_index, event_index, event_type, node_id, delegator_id, account)
  select 0, 0, 10 + i, 'NewDelegatorCreated', '${node}', i, '${account}' from generate_series(1, 3) i;
  insert into app.staking_delegators
  select case when i % 2 = 0 then '${node}' else lpad(to_hex(i), 64, '0') end, i, 0, i / 100, 0, 0, 0, 0, 1, 0, null, 1, true
  from generate_series(1, ${rows}) i;
  insert into app.epoch_nodes
  select e * 10, 0, 1, lpad(to_hex(n), 64, '0'), e, 1, 'a.org:1', 100, 0, n / 10, 0, 0, 0, 0, 0
  from generate_series(0, 30) e, generate_series(1, 500) n;
  insert into app.defi_events
  select h, 0, 0, case when h < 100 then 'A.0000000000000009.SwapPair' else '${pair}' end,
    case when h % 40000 = 0 then 'AddLiquidity' else 'Swap' end, null, '${flow}', 'A.3.Usd', 1, null, null, 2, null, 2,
    '2026-01-01' from ${steps};
  insert into app.defi_pairs
  select 'A.' || lpad(to_hex(i), 16, '0') || '.SwapPair', 'incrementfi', '0x0000000000000001', '${flow}', 'A.' || i || '.Token', null,
    null, null, null, 1, i * ${spacing}, 0, 0
  from generate_series(1, 5000) i;
  insert into app.scheduled_transactions
  select i, case when i % 4000 = 0 then 'failed' else 'executed' end, 1, to_timestamp(i), 500, 1, null, null, '${account}',
    'A.1.Alarm.Job', i % 3, null, i * ${spacing}, 0, i * ${spacing}, 0
  from generate_series(1, ${rows}) i`

type Case = readonly [name: string, maxRows: number, query: (database: DatabasePool) => Promise<unknown>]

const middle = { height: highest / 2, txIndex: 0, eventIndex: 0 }
const last = { height: 120, txIndex: 0, eventIndex: 0 }
const inLogs = { logIndex: 0, batchIndex: 0 }
const none = undefined

/** Rows of one height for the statements above. */
function address(first: string, height: number): string {
  return first + height.toString(16).padStart(39, '0')
}

const cases: readonly Case[] = [
  ['EVM transactions', 160, (pool) => listEvmTransactions(pool, bounds, {}, none, 21)],
  ['EVM transactions in the middle', 160, (pool) => listEvmTransactions(pool, bounds, {}, middle, 21)],
  ['EVM transactions of a busy address', 200, (pool) => listEvmTransactions(pool, bounds, { address: busy }, none, 21)],
  [
    'EVM transactions of a busy address in the middle',
    200,
    (pool) => listEvmTransactions(pool, bounds, { address: busy }, middle, 21),
  ],
  [
    'the last EVM transactions of a busy address',
    200,
    (pool) => listEvmTransactions(pool, bounds, { address: busy }, last, 21),
  ],
  [
    'EVM transactions received by a busy address, which sends all of them',
    80,
    (pool) => listEvmTransactions(pool, bounds, { address: busy, direction: 'received' }, none, 21),
  ],
  [
    'token transfers sent by a quiet address',
    80,
    (pool) => listEvmTokenTransfers(pool, bounds, { address: quiet, direction: 'sent' }, none, 21),
  ],
  ['failed EVM transactions', 60, (pool) => listEvmTransactions(pool, bounds, { status: 'error' }, none, 21)],
  ['EVM transactions of a rare type', 60, (pool) => listEvmTransactions(pool, bounds, { type: 4 }, none, 21)],
  [
    'EVM transactions of a frequent type in the middle',
    170,
    (pool) => listEvmTransactions(pool, bounds, { type: 2 }, middle, 21),
  ],
  [
    'EVM transactions with a rare method',
    90,
    (pool) => listEvmTransactions(pool, bounds, { methods: ['aaaaaaaa'] }, none, 21),
  ],
  [
    'EVM transactions with frequent methods in the middle',
    240,
    (pool) => listEvmTransactions(pool, bounds, { methods: ['bbbbbbbb', 'cccccccc'] }, middle, 21),
  ],
  [
    'EVM transactions of a quiet address',
    80,
    (pool) => listEvmTransactions(pool, bounds, { address: quiet }, none, 21),
  ],
  [
    'an EVM transaction by its hash',
    2,
    (pool) => findEvmTransaction(pool, `e${(1000).toString(16).padStart(63, '0')}`),
  ],
  [
    'token transfers of a busy address',
    150,
    (pool) => listEvmTokenTransfers(pool, bounds, { address: busy }, { ...middle, ...inLogs }, 21),
  ],
  [
    'token transfers of a quiet address',
    80,
    (pool) => listEvmTokenTransfers(pool, bounds, { address: quiet }, none, 21),
  ],
  [
    'transfers of a token',
    130,
    (pool) => listEvmTokenTransfers(pool, bounds, { token: coin, standard: 20 }, { ...middle, ...inLogs }, 21),
  ],
  ['EVM tokens', 100, (pool) => listEvmTokens(pool, [20, 721, 1155], none, 21)],
  [
    'EVM tokens in the middle of those with as many holders',
    100,
    (pool) =>
      listEvmTokens(pool, [20, 721, 1155], { holderCount: 3, token: address('5', highest / 2), standard: 20 }, 21),
  ],
  ['EVM tokens of a rare standard', 30, (pool) => listEvmTokens(pool, [1155], none, 21)],
  [
    'holders in the middle of those who have as much',
    30,
    (pool) => listEvmHolders(pool, badge, 721, { balance: '1', address: address('3', highest / 2) }, 21),
  ],
  [
    'holdings of an address in the middle',
    60,
    (pool) => listEvmHoldings(pool, busy, [20], { token: address('5', highest / 2), standard: 20 }, 21),
  ],
  [
    'items of an address in the middle',
    60,
    (pool) => listEvmItems(pool, busy, { token: badge, standard: 721, tokenId: String(highest / 2) }, 21),
  ],
  ['items of a token in the middle', 90, (pool) => listEvmInstances(pool, badge, 721, String(highest / 2), 21)],
  ['EVM tokens with a frequent word', 2200, (pool) => searchEvmTokens(pool, 'usd', 21)],
  ['EVM tokens with a rare word', 10, (pool) => searchEvmTokens(pool, 'rare coin', 21)],
  ['what is known of addresses', 70, (pool) => describeEvmAddresses(pool, [busy, counterpart, quiet, coin])],
  [
    'what is known of many addresses',
    100,
    (pool) =>
      describeEvmAddresses(
        pool,
        Array.from({ length: 40 }, (_, i) => address('3', i * spacing)),
      ),
  ],
  ['what is known of an address that is nowhere', 40, (pool) => describeEvmAddresses(pool, ['e'.repeat(40)])],
  ['when an address was seen', 20, (pool) => readEvmAddressSpan(pool, busy)],
  ['gas of the latest transactions', 130, (pool) => readGasOfTransactions(pool, bounds, 21)],
  ['gas of the latest days', 25, (pool) => readGasOfDays(pool, 21)],
  ['rewards in the middle', 80, (pool) => listStakingEvents(pool, { kind: 'rewards' }, middle, 21)],
  ['events of a node in the middle', 80, (pool) => listStakingEvents(pool, { nodeId: node }, middle, 21)],
  [
    'rewards of a node in the middle',
    90,
    (pool) => listStakingEvents(pool, { kind: 'rewards', nodeId: node }, middle, 21),
  ],
  ['events of an account in the middle', 160, (pool) => listStakingEventsOfAccount(pool, account, middle, 21)],
  [
    'delegators in the middle of those who have as much',
    30,
    (pool) => listDelegators(pool, none, { staked: '50', nodeId: node, delegatorId: 5050 }, 21),
  ],
  [
    'delegators of a node in the middle',
    60,
    (pool) => listDelegators(pool, node, { staked: '50', nodeId: node, delegatorId: 5050 }, 21),
  ],
  ['nodes of an epoch', 60, (pool) => listEpochNodes(pool, 20, { height: 200, index: 0, event: 1 }, none, none, 21)],
  ['swaps', 80, (pool) => listDefiEvents(pool, bounds, { type: 'Swap' }, middle, 21)],
  ['events of a busy pair', 80, (pool) => listDefiEvents(pool, bounds, { pair }, middle, 21)],
  [
    'swaps of a quiet pair',
    30,
    (pool) => listDefiEvents(pool, bounds, { pair: 'A.0000000000000009.SwapPair', type: 'Swap' }, none, 21),
  ],
  ['what is rare', 30, (pool) => listDefiEvents(pool, bounds, { type: 'AddLiquidity' }, none, 21)],
  ['what is rare of a pair', 30, (pool) => listDefiEvents(pool, bounds, { pair, type: 'AddLiquidity' }, none, 21)],
  ['pairs', 120, (pool) => listDefiPairs(pool, {}, { ...middle, height: 50_000, pair }, 21)],
  ['pairs of an exchange', 120, (pool) => listDefiPairs(pool, { dex: 'incrementfi' }, none, 21)],
  [
    'pairs of a token that all have',
    120,
    (pool) => listDefiPairs(pool, { asset: flow }, { ...middle, height: 50_000, pair }, 21),
  ],
  ['scheduled transactions in the middle', 30, (pool) => listScheduledTransactions(pool, {}, 6000, 21)],
  [
    'scheduled transactions of an account in the middle',
    30,
    (pool) => listScheduledTransactions(pool, { owner: account }, 6000, 21),
  ],
  [
    'the few of an account that failed',
    10,
    (pool) => listScheduledTransactions(pool, { owner: account, status: 'failed' }, none, 21),
  ],
  [
    'the few of a handler that failed',
    10,
    (pool) => listScheduledTransactions(pool, { handler: '1', status: 'failed' }, none, 21),
  ],
  ['handlers', 20, (pool) => listScheduledHandlers(pool, none, 21)],
]

describe('query plans of EVM, staking, DeFi and scheduled transactions', () => {
  let database: TestDatabase
  let plans: QueryPlans

  before(async () => {
    database = await createTestDatabase()
    for (const table of partitioned) await ensurePartitions(database.pool, table, 50_000, { from: 0, to: highest + 1 })
    await database.pool.query(history)
    await database.pool.query('analyze')
    plans = await queryPlans(database)
  })

  after(async () => {
    await plans.end()
    await database.drop()
  })

  for (const [name, max, query] of cases) {
    it(`read ${name}: few rows, without large sorts`, async () => {
      const { rowsTouched, rowsSorted, nodes } = await plans.of(query)
      const read = nodes
        .filter((one) => one['Relation Name'] !== undefined)
        .map(
          (one) =>
            `${one['Node Type']} ${one['Index Name'] ?? one['Relation Name']}: ${one['Actual Rows']} × ${one['Actual Loops']}`,
        )
      expect(rowsTouched, read.join('\n')).to.be.at.most(max)
      expect(Math.max(0, ...rowsSorted)).to.be.at.most(70)
    })
  }

  it('stops filtering EVM transactions at 2,000 and names the place', async () => {
    const found: number[] = []
    let pages = 0
    let key: { height: number; txIndex: number; eventIndex: number } | undefined
    await plans.of(async (pool) => {
      do {
        const selection = { address: busy, methods: ['aaaaaaaa'] }
        const { rows: listed, stoppedAt } = await listEvmTransactions(pool, bounds, selection, key, 21)
        found.push(...listed.map(({ block_height: height }) => height))
        key = stoppedAt && { height: stoppedAt.block_height, txIndex: 0, eventIndex: 0 }
        pages++
      } while (key !== undefined)
    })
    expect(found).to.deep.equal([240_000, 210_000, 180_000, 150_000, 120_000, 90_000, 60_000, 30_000, 0])
    expect(pages).to.equal(Math.ceil((rows + 1) / 2000))
  })

  it('reads tokens of pairs from indexes', async () => {
    const { rowsTouched, nodes } = await plans.of((pool) => listDefiAssets(pool, flow, 21))
    const ofPairs = nodes.filter((one) => one['Relation Name'] === 'defi_pairs').map((one) => one['Node Type'])
    expect(new Set(ofPairs)).to.deep.equal(new Set(['Index Only Scan']))
    expect(rowsTouched).to.be.at.most(100)
  })
})
