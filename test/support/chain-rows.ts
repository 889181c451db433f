import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { insertEvents } from './insert-events.ts'

/**
 * A small deterministic chain, written into the raw tables as an ingester does. The block of a
 * height is always the same. Another `fork` has other ids.
 *
 * Each block has a transfer of 10 FLOW, an EVM transaction at even heights, a failed transaction at
 * multiples of 3, and two system transactions. At multiples of 10 the second of those changes node
 * versions.
 */
export interface ChainOptions {
  readonly fork?: string
  /**
   * Height of the first block of the fork, whose parent is on the main chain. Default: the fork has
   * no common blocks.
   */
  readonly forkedAt?: number
}

export interface TransactionRows {
  readonly id: string
  readonly index: number
  readonly collection: number | null
  readonly payer: string | null
  readonly script: string
  readonly isEvm: boolean
  readonly evmHash: string | null
  readonly error: string | null
  readonly arguments: unknown
  readonly events: readonly { readonly type: string; readonly payload: unknown }[]
}

export interface BlockRows {
  readonly height: number
  readonly id: string
  readonly parentId: string
  readonly timestamp: string
  readonly collectionIds: readonly string[]
  readonly transactions: readonly TransactionRows[]
}

export const payer = '0x18eb4ee6b3c026d2'
export const receiver = '0x7c8995e83c4b1843'
const feeReceiver = '0xf919ee77447b7497'
const flowVault = 'A.1654653399040a61.FlowToken.Vault'
export const transferScript = 'import "FungibleToken"\n\ntransaction(amount: UFix64, to: Address) {}\n'
const evmScript = 'import EVM from 0xe467b9dd11fa00df\n\ntransaction {}\n'
const failingScript = 'transaction { prepare(signer: &Account) { panic("no") } }\n'
const systemScript = 'import "FlowEpoch"\n\ntransaction { execute { FlowEpoch.advance() } }\n'
export const systemTransactionIds = [idOf('process'), idOf('system chunk')] as const

export function idOf(...parts: readonly (string | number)[]): string {
  return createHash('sha3-256').update(parts.join('/')).digest('hex')
}

/** The time of a block: one per second since 2025. */
export function timestampAt(height: number): string {
  return new Date(Date.UTC(2025, 0, 1) + height * 1000 + (height % 4) * 250).toISOString()
}

export function chainBlock(height: number, { fork = 'main', forkedAt }: ChainOptions = {}): BlockRows {
  const users = [transfer(height, fork)]
  if (height % 2 === 0) users.push(evmTransaction(height, fork))
  if (height % 3 === 0) users.push(failedTransaction(height, fork))
  const collectionIds = users.slice(0, 2).map((_, i) => idOf('collection', fork, height, i))
  const all = [...users.map((made, i) => ({ ...made, collection: Math.min(i, 1) })), ...systemTransactions(height)]
  return {
    height,
    id: idOf('block', fork, height),
    parentId: idOf('block', height === forkedAt ? 'main' : fork, height - 1),
    timestamp: timestampAt(height),
    collectionIds,
    transactions: all.map((made, index) => ({ ...made, index })),
  }
}

type Made = Omit<TransactionRows, 'index' | 'collection'>

function transfer(height: number, fork: string): Made {
  return {
    id: idOf('transfer', fork, height),
    payer,
    script: transferScript,
    isEvm: false,
    evmHash: null,
    error: null,
    arguments: [
      { type: 'UFix64', value: '10.00000000' },
      { type: 'Address', value: receiver },
    ],
    events: [...deposit('10.00000000', receiver), ...fee('0.00000570')],
  }
}

function evmTransaction(height: number, fork: string): Made {
  const evmHash = idOf('evm', fork, height)
  return {
    id: idOf('evm transaction', fork, height),
    payer,
    script: evmScript,
    isEvm: true,
    evmHash,
    error: null,
    arguments: null,
    events: [
      { type: 'A.e467b9dd11fa00df.EVM.TransactionExecuted', payload: { hash: `0x${evmHash}`, errorCode: '0' } },
      ...fee('0.00000410'),
    ],
  }
}

function failedTransaction(height: number, fork: string): Made {
  return {
    id: idOf('failed', fork, height),
    payer,
    script: failingScript,
    isEvm: false,
    evmHash: null,
    arguments: null,
    error: '[Error Code: 1101] cadence runtime error: panic: no',
    events: fee('0.00000300'),
  }
}

function systemTransactions(height: number): (Made & { collection: null })[] {
  const versions = { versionBoundaries: [], sequence: String(height) }
  const common = {
    payer: null,
    script: systemScript,
    isEvm: false,
    evmHash: null,
    error: null,
    arguments: null,
    collection: null,
  }
  return [
    { ...common, id: systemTransactionIds[0], events: [] },
    {
      ...common,
      id: systemTransactionIds[1],
      events: [
        { type: 'A.e467b9dd11fa00df.EVM.BlockExecuted', payload: { height: String(height), totalGasUsed: '0' } },
        ...(height % 10 === 0
          ? [
              { type: 'A.e467b9dd11fa00df.NodeVersionBeacon.VersionBeacon', payload: versions },
              { type: 'A.0000000000000bad.NodeVersionBeacon.VersionBeacon', payload: versions },
            ]
          : []),
      ],
    },
  ]
}

function deposit(amount: string, to: string): TransactionRows['events'] {
  const moved = '5921'
  const left = { from: payer, fromUUID: '101', withdrawnUUID: moved, balanceAfter: '90.00000000' }
  const arrived = { to, toUUID: '102', depositedUUID: moved, balanceAfter: '35.50000000' }
  return [
    { type: 'A.1654653399040a61.FlowToken.TokensWithdrawn', payload: { amount, from: payer } },
    { type: 'A.f233dcee88fe0abe.FungibleToken.Withdrawn', payload: { type: flowVault, amount, ...left } },
    { type: 'A.1654653399040a61.FlowToken.TokensDeposited', payload: { amount, to } },
    { type: 'A.f233dcee88fe0abe.FungibleToken.Deposited', payload: { type: flowVault, amount, ...arrived } },
  ]
}

function fee(amount: string): TransactionRows['events'] {
  return [
    ...deposit(amount, feeReceiver),
    { type: 'A.f919ee77447b7497.FlowFees.FeesDeducted', payload: { amount, executionEffort: '0.00000014' } },
  ]
}

export interface StoreOptions extends ChainOptions {
  /**
   * The writer. The forward ingester notifies, the history ingester does not. Default
   * main_ingester.
   */
  readonly ingester?: 'main_ingester' | 'history_ingester'
  /** Heights in a partition. Default 1,000. */
  readonly partitionStep?: number
}

/**
 * Stores the blocks `from` to `to`, both inclusive, in one transaction, with coverage, counters and
 * notification. A fork begins at `from` by default.
 */
export async function storeBlocks(
  pool: Pool,
  from: number,
  to: number,
  options: StoreOptions = {},
): Promise<BlockRows[]> {
  const { ingester = 'main_ingester', partitionStep = 1000 } = options
  const blocks = Array.from({ length: to - from + 1 }, (_, i) => chainBlock(from + i, { forkedAt: from, ...options }))
  for (const table of ['raw.blocks', 'raw.transactions', 'raw.event_chunks']) {
    await ensurePartitions(pool, table, partitionStep, { from, to: to + 1 })
  }
  await withTransaction(pool, async (client) => {
    await insertRows(client, blocks)
    const transactions = blocks.flatMap((block) => block.transactions)
    await client.query(
      `
      insert into app.indexing_checkpoints as c (service_name, last_height, covered, block_count, tx_count, event_count)
      values ($1, $2, int8multirange(int8range($3, $4)), $5, $6, $7)
      on conflict (service_name) do update set covered = c.covered + excluded.covered,
        last_height = case when c.service_name = 'main_ingester' then upper(c.covered + excluded.covered) - 1
          else lower(c.covered + excluded.covered) end,
        block_count = c.block_count + excluded.block_count, tx_count = c.tx_count + excluded.tx_count,
        event_count = c.event_count + excluded.event_count, updated_at = now()
    `,
      [
        ingester,
        ingester === 'main_ingester' ? to : from,
        from,
        to + 1,
        blocks.length,
        transactions.length,
        transactions.reduce((sum, { events }) => sum + events.length, 0),
      ],
    )
    await client.query("select pg_notify('flowfarm_blocks', $1)", [`${ingester}:${from}:${to + 1}`])
  })
  return blocks
}

/** Rolls back the blocks from `from` up, in one transaction with a notification. */
export async function rollBack(pool: Pool, from: number): Promise<void> {
  await withTransaction(pool, async (client) => {
    const {
      rows: [gone],
    } = await client.query<{ blocks: string; transactions: string; events: string }>(
      `
      select count(*) as blocks, sum(tx_count) as transactions, sum(event_count) as events
      from raw.blocks where height >= $1
    `,
      [from],
    )
    await client.query('delete from raw.event_chunks where block_height >= $1', [from])
    await client.query('delete from raw.transactions where block_height >= $1', [from])
    await client.query('delete from raw.blocks where height >= $1', [from])
    await client.query('delete from raw.tx_lookup where block_height >= $1', [from])
    await client.query('delete from raw.block_lookup where height >= $1', [from])
    await client.query(
      `
      update app.indexing_checkpoints set covered = covered * int8multirange(int8range(null, $1)), last_height = $1 - 1,
        block_count = block_count - $2, tx_count = tx_count - $3, event_count = event_count - $4
      where service_name = 'main_ingester'
    `,
      [from, gone?.blocks ?? 0, gone?.transactions ?? 0, gone?.events ?? 0],
    )
    await client.query("select pg_notify('flowfarm_rollback', $1)", [String(from)])
  })
}

async function insertRows(client: PoolClient, blocks: readonly BlockRows[]): Promise<void> {
  const hex = (id: string | null): string | null => (id === null ? null : `\\x${id}`)
  const hash = (script: string): string => `\\x${createHash('sha256').update(script).digest('hex')}`
  const transactions = blocks.flatMap((block) => block.transactions.map((made) => ({ height: block.height, ...made })))
  await insert(
    client,
    'raw.blocks',
    blocks.map((block) => ({
      height: block.height,
      id: hex(block.id),
      parent_id: hex(block.parentId),
      timestamp: block.timestamp,
      collection_count: block.collectionIds.length,
      tx_count: block.transactions.length,
      event_count: block.transactions.reduce((sum, { events }) => sum + events.length, 0),
      collection_ids: block.collectionIds.map(hex),
    })),
  )
  await insert(
    client,
    'raw.block_lookup',
    blocks.map(({ height, id }) => ({ height, id: hex(id) })),
  )
  await insert(
    client,
    'raw.transactions',
    transactions.map((made) => ({
      block_height: made.height,
      tx_index: made.index,
      id: hex(made.id),
      collection_index: made.collection,
      status: 'SEALED',
      status_code: made.error === null ? 0 : 1,
      is_evm: made.isEvm,
      payer_address: made.payer,
      proposer_address: made.payer,
      proposer_key_index: made.payer === null ? null : 0,
      proposer_sequence_number: made.payer === null ? null : made.height,
      authorizers: made.payer === null ? [] : [made.payer],
      script_hash: hash(made.script),
      arguments: made.arguments,
      reference_block_id: made.payer === null ? null : hex(idOf('block', 'main', made.height - 10)),
      gas_limit: 9999,
      gas_used: 14,
      event_count: made.events.length,
      error_message: made.error,
    })),
  )
  await insert(
    client,
    'raw.tx_lookup',
    transactions
      .filter(({ payer: who }) => who !== null)
      .map((made) => ({
        id: hex(made.id),
        block_height: made.height,
        tx_index: made.index,
        evm_hash: hex(made.evmHash),
      })),
  )
  const events = transactions.flatMap((made) =>
    made.events.map((event, index) => ({
      block_height: made.height,
      tx_index: made.index,
      event_index: index,
      type: event.type,
      payload: event.payload,
    })),
  )
  await client.query(
    insertEvents(
      'select * from jsonb_to_recordset($1) as e (block_height int8, tx_index int4, event_index int4, type text, payload jsonb)',
    ),
    [JSON.stringify(events)],
  )
  const scripts = [...new Set(transactions.map(({ script }) => script))]
  await insert(
    client,
    'raw.scripts',
    scripts.map((text) => ({ script_hash: hash(text), script_text: text })),
  )
}

async function insert(client: PoolClient, table: string, rows: readonly Record<string, unknown>[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  if (columns.length === 0) return
  await client.query(
    `insert into ${table} (${columns.join(', ')})
     select ${columns.join(', ')} from jsonb_populate_recordset(null::${table}, $1) on conflict do nothing`,
    [JSON.stringify(rows)],
  )
}
