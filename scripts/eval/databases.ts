import { mkdtemp, rm, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type pg from 'pg'
import { startEmbeddedPostgres, withDatabase } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { pino } from 'pino'
import { allEnrichmentWorkers } from '../../jobs/enrichment/index.ts'
import { workers } from '../../jobs/index.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { collections } from '../../simnode/ledger/world/collections.ts'
import { tokens } from '../../simnode/ledger/world/tokens.ts'
import { readConfig } from '../../src/config.ts'
import { readCoverage } from '../../src/farm/leases/coverage.ts'
import { listen } from '../../src/platform/db/listen.ts'
import { Lifecycle, Shared } from '../../src/platform/service.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { difference } from '../../src/platform/ranges.ts'
import { Terminal } from '../../src/platform/terminal.ts'
import { startFarm, startIngest } from '../../src/services.ts'
import type { WeighedBlock } from '../../src/flow/decoded-block.ts'

interface EvalChain {
  readonly seed: number
  readonly head: number
  readonly lastBlockAt: Date
}

/** Three epochs, and blocks 15 minutes apart, so that it covers several days. */
export const knownChain: EvalChain = { seed: 9, head: 430, lastBlockAt: new Date('2026-01-08T06:00:00Z') }
/** Detects statements that are right by accident. */
export const otherChain: EvalChain = { seed: 12, head: 260, lastBlockAt: new Date('2026-02-03T19:00:00Z') }
const chains = { known: knownChain, other: otherChain } as const

export interface EvalDatabases extends AsyncDisposable {
  readonly indexer: Readonly<Record<'known' | 'other', string>>
  readonly evm: Readonly<Record<'known' | 'other', string>>
}

const migrations = resolve(import.meta.dirname, '../../migrations')

export async function openEvalDatabases(): Promise<EvalDatabases> {
  const folder = await mkdtemp(join(tmpdir(), 'flowfarm-eval-'))
  const server = await startEmbeddedPostgres({
    dataFolder: folder,
    log: () => undefined,
    settings: { fsync: 'off', shared_buffers: '64MB' },
  })
  const close = async (): Promise<void> => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const administer = createPool(server.url, { max: 1, applicationName: 'eval' })
  const create = async (name: string): Promise<string> => {
    await administer.query(`create database ${name}`)
    return withDatabase(server.url, name)
  }
  const makeBoth = async (rows: 'known' | 'other'): Promise<{ indexer: string; evm: string }> => {
    const [indexer, evm] = [await create(`indexer_${rows}`), await create(`evm_${rows}`)]
    await withPool(indexer, async (pool) => {
      await migrate(pool, migrations)
      await fillIndexer({ url: indexer, pool }, chains[rows])
      if (rows === 'other') await perturbIndexer(pool)
    })
    await withPool(evm, (pool) => fillEvmExplorer(pool, rows))
    return { indexer, evm }
  }
  try {
    const known = await makeBoth('known')
    const other = await makeBoth('other')
    return {
      indexer: { known: known.indexer, other: other.indexer },
      evm: { known: known.evm, other: other.evm },
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  } finally {
    await administer.end()
  }
}

async function withPool(url: string, use: (pool: ReturnType<typeof createPool>) => Promise<void>): Promise<void> {
  const pool = createPool(url, { applicationName: 'eval' })
  try {
    await use(pool)
  } finally {
    await pool.end()
  }
}

/** Adds rows that expose incomplete statements. */
export async function perturbIndexer(pool: pg.Pool): Promise<void> {
  for (const change of [...answerChanges, ...nearMissChanges]) await pool.query(change)
}

const firstOfUsers =
  '(select block_height, tx_index from raw.transactions where payer_address is not null order by 1, 2 limit 1)'

/** Related tables change together, so that accepted statements agree. */
const answerChanges: readonly string[] = [
  `delete from app.account_labels where tag = 'burner'`,
  `update app.smart_contracts set is_removed = true where name = 'PebbleCoin'`,
  `update app.smart_contracts set name = 'Alarm' where name = 'Herons'`,
  `update app.ft_transfers set amount = amount + 0.5
   where transfer_type = 'transfer' and amount = (select max(amount) from app.ft_transfers
   where transfer_type = 'transfer' and token like '%.FlowToken') and token like '%.FlowToken'`,
  `update app.ft_transfers set to_address = from_address
   where (block_height, tx_index, event_index, leg) in (
     select block_height, tx_index, event_index, leg from app.ft_transfers where transfer_type = 'transfer'
     and from_address is not null
     order by block_height, tx_index, event_index, leg limit 2)`,
  `update app.ft_holdings set vault_balance = vault_balance + 9000000, vault_rows = greatest(vault_rows, 1)
   where token like '%.FlowToken' and address = (select address from app.ft_holdings
   where token like '%.FlowToken' order by balance desc offset 6 limit 1)`,
  `update raw.transactions set gas_used = 777 where (block_height, tx_index) = ${firstOfUsers}`,
  `update app.tx_metrics set gas_used = 777 where (block_height, tx_index) = ${firstOfUsers}`,
  'update app.staking_nodes set tokens_staked = tokens_staked + 25',
  `delete from app.evm_transactions where (block_height, tx_index, event_index) = (
     select block_height, tx_index, event_index from app.evm_transactions where call_type = 'deploy'
     order by 1, 2, 3 limit 1)`,
  `with gone as (
     delete from app.coa_accounts where (block_height, tx_index, event_index) = (
       select block_height, tx_index, event_index from app.coa_accounts order by 1, 2, 3 limit 1)
       returning block_height)
   update app.hourly_stats h set new_coa_count = h.new_coa_count - 1
   from gone join app.block_stats s using (block_height) where h.day = s.day and h.hour = s.hour`,
  `with ends as (
     select (select script_hash from raw.scripts order by 1 limit 1) as first, (select script_hash
     from raw.scripts order by 1 desc limit 1) as last),
   moved as (update raw.transactions t set script_hash = ends.first from ends where t.script_hash = ends.last)
   delete from raw.scripts using ends where script_hash = ends.last`,
  `update app.ft_tokens set token = replace(token, 'PebbleCoin', 'Drachma')`,
  `update app.ft_transfers set token = replace(token, 'PebbleCoin', 'Drachma') where token like '%.PebbleCoin'`,
]

const flow = `token like '%.FlowToken'`
const coin = `(select token from app.ft_tokens where not ${flow} order by token limit 1)`
const swapOfPair = `event_type = 'Swap' and pair like '%.SwapPair'`

const firstWhere = (table: string, columns: string, condition: string): string =>
  `(${columns}) = (select ${columns} from ${table} where ${condition} order by ${columns} limit 1)`
const event = 'block_height, tx_index, event_index'
const transferLeg = `${event}, leg`

const eventOf = (type: string, after = 0): string =>
  `select c.block_height, c.tx_index, c.first_event_index, e.place::integer, s.type, s.fields
   from raw.event_chunks c cross join lateral unnest(c.shapes) with ordinality as e (shape, place)
   join raw.event_shapes s on s.id = e.shape
   where s.type like '${type}' order by 1, 2, 3, 4 offset ${after} limit 1`

/** Related tables change together. */
const nearMissChanges: readonly string[] = [
  // The largest transfer, and one bridge transfer, are not FLOW.
  `update app.ft_transfers set amount = 90000 where
    ${firstWhere('app.ft_transfers', transferLeg, `transfer_type = 'transfer' and not ${flow}`)}`,
  `update app.ft_transfers set token = ${coin} where
    ${firstWhere('app.ft_transfers', transferLeg, `transfer_type = 'bridge' and length(to_address) = 42`)}`,
  // One account per other token has an empty FLOW holding.
  `with emptied as (
     update app.ft_holdings h set vault_balance = 0, vault_rows = greatest(h.vault_rows, 1)
     from (
       select distinct on (other.token) mine.address, mine.token from app.ft_holdings mine
       join app.ft_holdings other on other.address = mine.address and other.token <> mine.token
       where mine.${flow} and (select count(*) from app.ft_holdings a where a.address = mine.address) = 2
       order by other.token, mine.address) one
     where (h.address, h.token) = (one.address, one.token) returning h.token)
   update app.ft_token_holders t set holder_count = holder_count - (select count(*) from emptied) where t.${flow}`,
  // A burned item, a listing without a sale, another event with a price.
  `with burned as (
     update app.nft_ownership set is_burned = true, owner = null
     where ${firstWhere('app.nft_ownership', 'token, nft_id', 'not is_burned')} returning token)
   update app.nft_collection_stats s set item_count = item_count - 1 from burned where s.token = burned.token`,
  `with sale as (${eventOf('%.NFTStorefrontV2.ListingCompleted')})
   update raw.event_chunks c set payloads = payloads[:place - 1] || (
     select json_agg(case when name = 'purchased' then 'false' else value end order by n)
     from rows from (unnest(sale.fields), json_array_elements(payloads[place])) with ordinality as field (name,
     value, n)) || payloads[place + 1:]
   from sale where (c.block_height, c.tx_index, c.first_event_index) = (sale.block_height, sale.tx_index,
   sale.first_event_index)`,
  `with sale as (${eventOf('%.NFTStorefrontV2.ListingCompleted', 1)}),
   shape as (insert into raw.event_shapes (hash, type, fields) select sha256('ListingMoved'), replace(type,
   'ListingCompleted', 'ListingMoved'), fields from sale returning id)
   update raw.event_chunks c set shapes = shapes[:place - 1] || shape.id || shapes[place + 1:]
   from sale, shape where (c.block_height, c.tx_index, c.first_event_index) = (sale.block_height, sale.tx_index,
   sale.first_event_index)`,
  // A pair without FLOW, and one without swaps.
  `insert into app.defi_pairs (pair, dex, address, asset0, asset1, price, last_height, last_tx_index, last_event_index)
   select replace(pair, 'SwapPair', 'CoinPair'), dex, address,
   ${coin}, 'A.0000000000000001.Other', 2, last_height, last_tx_index, last_event_index
   from app.defi_pairs order by pair limit 1`,
  `insert into app.defi_pair_days (pair, day, swap_count, volume0, volume1) select pair, date '2026-02-01', 1, 4, 8
    from app.defi_pairs where pair like '%.CoinPair'`,
  `insert into app.defi_events (${event}, pair, event_type, maker, asset0, asset1, asset0_in, asset1_out, price, day)
   select last_height, last_tx_index, last_event_index + 1000, pair, 'Swap', '0x00000000000000a1', asset0, asset1, 4,
   8, 2, date '2026-02-01'
   from app.defi_pairs where pair like '%.CoinPair'`,
  `insert into app.defi_events (${event}, pair, event_type, maker, asset0, asset1, asset0_in, asset1_in, lp_amount, day)
   select block_height, tx_index, event_index + 2000, replace(pair, 'SwapPair', 'NewPair'), 'AddLiquidity',
   '0x00000000000000a2', asset0, asset1, 5, 5, 5, day
   from app.defi_events where ${firstWhere('app.defi_events', event, swapOfPair)}`,
  // The hour with the fewest transactions in total has the daily maximum.
  `update app.hourly_stats set tx_count = (select max(tx_count) + 1 from app.hourly_stats)
   where ${firstWhere(
     'app.hourly_stats',
     'day, hour',
     'hour = (select hour from app.hourly_stats group by hour order by sum(tx_count), hour limit 1)',
   )}`,
  // Stake of several delegators; value in failed EVM transactions.
  `insert into app.staking_delegators select (jsonb_populate_record(d, '{"delegator_id": 7}')).*
    from app.staking_delegators d where delegator_id = 1`,
  'update app.staking_delegators set tokens_staked = 100 * delegator_id',
  `insert into app.staking_events select (jsonb_populate_record(e, jsonb_build_object('event_index', event_index +
    1000, 'delegator_id', 7, 'amount', '40.5'))).*
   from app.staking_events e where event_type = 'DelegatorTokensCommitted' order by ${event} limit 1`,
  'update app.evm_tx_hashes set evm_value = evm_value + 3000000000000000000 where evm_status = 0',
]

const pastSpacingMs = 15 * 60_000
const spacingMs = 800

export async function fillIndexer(
  { url, pool }: { readonly url: string; readonly pool: pg.Pool },
  chain: EvalChain,
): Promise<void> {
  const { seed, head, lastBlockAt } = chain
  const node = await startLedgerNode({
    seed,
    head,
    clock: { height: head, time: lastBlockAt, spacingMs, pastSpacingMs },
  })
  const lifecycle = new Lifecycle(pino({ level: 'silent' }))
  try {
    const shared = new Shared<WeighedBlock>()
    shared.isFarmHere = true
    const config = readConfig(
      { ...enrichmentOff, HISTORY_DERIVERS_BATCH_MS: '0', CHAIN_ACCESS_NODE: node.endpoint, START_BLOCK: '0' },
      {},
    )
    const context = {
      config,
      databaseUrl: url,
      pool,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      lifecycle,
      terminal: new Terminal(),
      shared,
    }
    await startIngest(context)
    await startFarm(context)
    await untilDerived(url, pool, head, lifecycle)
  } finally {
    await lifecycle.stop('the database is filled')
    await node.stop()
  }
  if (lifecycle.failure !== undefined) throw lifecycle.failure
  await insertNames(pool)
  await pool.query('analyze')
}

const enrichmentOff = Object.fromEntries(
  allEnrichmentWorkers.map(({ name }) => [`ENABLE_${name.toUpperCase()}`, 'false']),
)

async function untilDerived(url: string, pool: pg.Pool, head: number, lifecycle: Lifecycle): Promise<void> {
  const names = workers.map(({ name }) => name)
  const isDone = async (): Promise<boolean> => {
    const coverage = await readCoverage(pool, names)
    return names.every((name) => difference([{ from: 0, to: head + 1 }], coverage.get(name) ?? []).length === 0)
  }
  const stop = new AbortController()
  const done = Promise.withResolvers<undefined>()
  const look = (): void => void isDone().then((is) => is && done.resolve(undefined), done.reject)
  lifecycle.signal.addEventListener('abort', () =>
    done.reject(lifecycle.failure ?? new Error('The farm stopped before all heights were derived.')),
  )
  const listener = await listen(url, ['flowfarm_farm', 'flowfarm_blocks'], look, {
    signal: stop.signal,
    onReconnect: look,
    onError: look,
  })
  try {
    look()
    await done.promise
  } finally {
    stop.abort()
    await listener.ended
  }
}

async function insertNames(pool: pg.Pool): Promise<void> {
  for (const { name, title, symbol, contract } of tokens) {
    await pool.query(
      `insert into app.ft_token_metadata (token, name, symbol, status, asked_at)
        values ($1, $2, $3, 'answered', now())`,
      [`A.${contract.hex}.${name}`, title, symbol],
    )
  }
  for (const { name, title, contract } of collections) {
    await pool.query(
      `insert into app.nft_collection_metadata (token, name, status, asked_at) values ($1, $2, 'answered', now())`,
      [`A.${contract.hex}.${name}`, title],
    )
  }
}

const evmChanges = [
  'delete from blocks where number % 7 = 0',
  'delete from token_transfers where block_number % 7 = 0',
  'delete from transactions where block_number % 7 = 0 or block_number = 100',
  `update token_transfers set amount = amount * 3, token_type = case when log_index = 1 then 'ERC-1155' else
    token_type end`,
  `update transactions set from_address_hash = '\\x0000000000000000000000020000000000000009'
    where block_number % 3 = 0`,
  'update transactions set status = 0, to_address_hash = null where not block_consensus',
  `update blocks set gas_used = gas_used * 2, timestamp = timestamp + interval '30 hours'`,
  'delete from internal_transactions where block_number % 7 = 0 or block_number = 30',
  'update internal_transactions set value = value * 2, error_id = 3 - error_id where index = 1 and ' +
    'block_number % 2 = 0',
  'update addresses set fetched_coin_balance = 90 * 1000000000000000000::numeric - fetched_coin_balance',
]

export async function fillEvmExplorer(pool: pg.Pool, rows: 'known' | 'other'): Promise<void> {
  for (const file of ['evm-explorer-schema.sql', 'evm-explorer-rows.sql']) {
    await pool.query(await readFile(join(import.meta.dirname, file), 'utf8'))
  }
  if (rows === 'other') for (const change of evmChanges) await pool.query(change)
  await pool.query('analyze')
}
