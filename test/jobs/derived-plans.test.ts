import { expect } from 'chai'
import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import { findFoldDebts, foldRange } from '../../src/farm/commit/folds.ts'
import type { RunFolds } from '../../src/farm/commit/folds.ts'
import { runBatch } from '../../src/platform/db/statement-batch.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { explain, flattenPlan, largeTables, pagesOf, fullScans, recordStatements } from '../support/explain.ts'
import type { Statement } from '../support/explain.ts'
import {
  evmBusy,
  evmItems,
  evmRegular,
  feeReceiver,
  vaultOwner,
  regular,
  skewedCollection,
  skewedEvmToken,
  skewedToken,
  writeSkewedHistory,
} from '../support/skewed/skewed-history.ts'

const rows = 20_000
const spacing = 150
const newest = (rows - 1) * spacing

describe('derived tables of accounts in every block', () => {
  let database: TestDatabase
  let client: pg.PoolClient
  /** Tables and partitions that must not be scanned as a whole. */
  let large: ReadonlySet<string>

  before(async () => {
    database = await createTestDatabase()
    await writeSkewedHistory(database.pool, { rows, spacing, vaults: 8000, holders: rows })
    await database.pool.query(`
      insert into app.ft_transfers
      select h, 0, i, 0, '${skewedToken}', '${regular}', '${vaultOwner}', 1, case when i = 0 then 'transfer' else 'fee' end
      from generate_series(0, ${newest}, ${spacing}) h, generate_series(0, 1) i;
      insert into app.nft_transfers
      select h, 0, 0, 0, '${skewedToken}', h / ${spacing} % 5, h, '${regular}', '${vaultOwner}', 'transfer'
      from generate_series(0, ${newest}, ${spacing}) h;
      insert into app.ft_tokens select 'A.' || i, i * 100 from generate_series(1, 2000) i;
      insert into app.ft_token_totals select 'A.' || i, i, 0, 0 from generate_series(1, 2000) i;
      insert into app.nft_collections select 'A.' || i, i * 100 from generate_series(1, 2000) i;
      insert into app.nft_collection_totals select 'A.' || i, i, 0, 0 from generate_series(1, 2000) i;
      insert into app.tx_contracts select '${skewedToken}', h, '{0}' from generate_series(0, ${newest}, ${spacing}) h;
      insert into app.tx_tags select 'FT_TRANSFER', h, '{0}' from generate_series(0, ${newest}, ${spacing}) h;
      insert into app.scheduled_transaction_changes
      select h, i, 0, h / ${spacing}, (array['scheduled', 'pending', 'executed'])[i + 1], 1, to_timestamp(h), 500, 1,
        null, null, '${regular}', 'A.1.Alarm.Job', 1, null
      from generate_series(0, ${newest}, ${spacing}) h, generate_series(0, 2) i;
      insert into app.scheduled_transactions
      select i, 'executed', 1, to_timestamp(i), 500, 1, null, null, '${regular}', 'A.1.Alarm.Job', 1, null, i, 0, i, 2
      from generate_series(0, ${rows - 1}) i;
      insert into app.block_stats
      select h, 0, date '2024-01-01' + h / 100000, 4, 2, 0, 0, 90, 1, 0, 0, 0, 0, 0, 1, 0,
        array(select '0x' || lpad(to_hex((h * 7 + i * 104729) % 5000), 16, '0') from generate_series(1, 10) i)
      from generate_series(0, ${newest}, ${spacing}) h;
      insert into app.daily_active_accounts
      select day, account, count(*) from app.block_stats, unnest(accounts) as account group by day, account;
      insert into app.block_analytics
      select block_height, 0, day, 1, 0, 1, 0, 0, 1, 0, accounts, accounts[1:2], accounts, array_fill(1, '{10}'), accounts[1:2],
        '{1,1}', '{1,1}', accounts[1:2], '{1,1}'
      from app.block_stats;
      insert into app.daily_actors select day, kind, address, block_count
      from app.daily_active_accounts, unnest(array['evm', 'trader']) as kind;
      insert into app.hourly_activity
      select kind, date '2024-01-01' + d, h, 'A.' || n, 1, 1
      from unnest(array['contract', 'token', 'collection']) as kind, generate_series(0, 30) d, generate_series(0, 23) h,
        generate_series(1, 20) n;
      insert into app.hourly_stats
      select date '2020-01-01' + d, h, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
      from generate_series(0, 999) d, generate_series(0, 23) h;
      insert into app.big_transfers
      select h, 0, 0, 0, date '2024-01-01' + h / 100000, 'A.' || h / ${spacing} % 3, h
      from generate_series(0, ${newest}, ${spacing}) h;
      analyze`)
    large = await largeTables(database.pool)
    client = await database.pool.connect()
    await client.query('begin')
  })

  after(async () => {
    await client.query('rollback')
    client.release()
    await database.drop()
  })

  /** The statements and values of all folds when the newest block is folded again. */
  async function statementsOfFolds(): Promise<Statement[]> {
    const { client: recording, statements } = recordStatements(client)
    const run: RunFolds = (batch) => runBatch(recording, batch)
    const range = { from: newest - spacing, to: newest + 1 }
    for (const worker of workers) {
      await foldRange(run, [worker], range, await findFoldDebts(run, [worker], range))
    }
    return statements
  }

  it('are folded without reading unchanged rows', async () => {
    const statements = await statementsOfFolds()
    expect(statements.length).to.be.greaterThan(2 * workers.flatMap(({ folds }) => folds).length)
    for (const statement of statements) {
      const place = statement.text.trim().slice(0, 200)
      expect(
        fullScans(await explain(client, statement, 'generic_plan'), large),
        `${place}, planned for any values`,
      ).to.deep.equal([])
      await client.query('savepoint folded')
      const plan = await explain(client, statement, 'analyze, buffers')
      await client.query('rollback to folded')
      expect(fullScans(plan, large), place).to.deep.equal([])
      expect(pagesOf(plan), place).to.be.lessThan(400)
    }
  })

  const [below, noFee] = [
    `(block_height, tx_index, event_index, leg) < (${newest / 2}, 0, 0, 0)`,
    "transfer_type <> 'fee'",
  ]
  const byPosition = 'block_height desc, tx_index desc, event_index desc, leg desc'
  const from = `from_address = '${regular}' and ${below}`
  const to = `to_address = '${vaultOwner}' and ${below}`
  const ofToken = `token = '${skewedToken}' and ${below}`
  const belowEvent = `(block_height, tx_index, event_index) < (${newest / 2}, 0, 0)`
  const byEvent = 'block_height desc, tx_index desc, event_index desc'
  const belowLog = `(block_height, tx_index, event_index, log_index, batch_index) < (${newest / 2}, 0, 0, 0, 0)`
  const byLog = `${byEvent}, log_index desc, batch_index desc`
  const lists: ReadonlyArray<readonly [what: string, table: string, where: string, order: string]> = [
    ['transfers from an account', 'app.ft_transfers', `${from} and ${noFee}`, byPosition],
    ['transfers to an account', 'app.ft_transfers', `${to} and ${noFee}`, byPosition],
    ['transfers of a token', 'app.ft_transfers', `${ofToken} and ${noFee}`, byPosition],
    ['all transfers', 'app.ft_transfers', below, byPosition],
    ['transfers of a transaction', 'app.ft_transfers', `block_height = ${newest} and tx_index = 0`, 'event_index, leg'],
    ['items from an account', 'app.nft_transfers', from, byPosition],
    ['items to an account', 'app.nft_transfers', to, byPosition],
    ['items of a collection', 'app.nft_transfers', ofToken, byPosition],
    ['the way of an item', 'app.nft_transfers', `${ofToken} and nft_id = 3`, byPosition],
    ['uses of a contract', 'app.tx_contracts', `contract = '${skewedToken}'`, 'block_height desc'],
    ['uses of a tag', 'app.tx_tags', `tag = 'FT_TRANSFER' and block_height < ${newest / 2}`, 'block_height desc'],
    ['scheduled transactions', 'app.scheduled_transactions', 'scheduled_id < 9999', 'scheduled_id desc'],
    [
      'scheduled transactions of an account',
      'app.scheduled_transactions',
      `handler_owner = '${regular}' and scheduled_id < 9999`,
      'scheduled_id desc',
    ],
    [
      'scheduled transactions of a handler',
      'app.scheduled_transactions',
      'handler_uuid = 1 and scheduled_id < 9999',
      'scheduled_id desc',
    ],
    [
      'scheduled transactions of a status',
      'app.scheduled_transactions',
      `status = 'executed' and scheduled_id < 9999`,
      'scheduled_id desc',
    ],
    [
      'scheduled transactions by time',
      'app.scheduled_transactions',
      'due_at > to_timestamp(9999)',
      'due_at, scheduled_id',
    ],
    ['accounts by activity', 'app.accounts', 'last_seen_height <= 999999', 'last_seen_height desc, address'],
    ['accounts by age', 'app.accounts', 'first_seen_height <= 999999', 'first_seen_height desc, address'],
    ['accounts by transactions', 'app.address_stats', 'tx_count <= 999999', 'tx_count desc, address'],
    [
      'transactions of an account',
      'app.address_transactions',
      `address = '${regular}' and (block_height, tx_index) < (${newest / 2}, 0) and (is_payer or is_proposer or is_authorizer)`,
      'block_height desc, tx_index desc',
    ],
    ['keys of an account', 'app.account_keys', `address = '${regular}' and key_index > 5`, 'key_index'],
    ['accounts of a key', 'app.account_keys', 'public_key = int8send(0)', 'is_revoked, address, key_index'],
    ['accounts of an EVM account', 'app.coa_accounts', `coa_address = '0x${'0'.repeat(40)}'`, 'block_height desc'],
    ['EVM accounts of an account', 'app.coa_accounts', `flow_address = '${regular}'`, 'block_height, tx_index'],
    [
      'contracts by age',
      'app.smart_contracts',
      'created_height <= 999999',
      'created_height desc, created_tx_index desc',
    ],
    [
      'contracts by change',
      'app.smart_contracts',
      'updated_height <= 999999',
      'updated_height desc, updated_tx_index desc',
    ],
    ['contracts of a name', 'app.smart_contracts', "name >= 'C5' and name < 'C6'", 'name, address'],
    ['contracts of an account', 'app.contracts', `address = '${regular}' and name > 'C'`, 'address, name'],
    [
      'versions of a contract',
      'app.contract_versions',
      `address = '${regular}' and name = 'Busy'`,
      'block_height desc, tx_index desc, event_index desc',
    ],
    ['EVM transactions', 'app.evm_tx_hashes', belowEvent, byEvent],
    ['EVM transactions from an address', 'app.evm_tx_hashes', `evm_from = '${evmRegular}' and ${belowEvent}`, byEvent],
    ['EVM transactions to an address', 'app.evm_tx_hashes', `evm_to = '${evmBusy}' and ${belowEvent}`, byEvent],
    [
      'EVM token transfers from an address',
      'app.evm_token_transfers',
      `from_address = '${evmRegular}' and ${belowLog}`,
      byLog,
    ],
    [
      'EVM token transfers to an address',
      'app.evm_token_transfers',
      `to_address = '${evmBusy}' and ${belowLog}`,
      byLog,
    ],
    [
      'transfers of an EVM token',
      'app.evm_token_transfers',
      `token = '${skewedEvmToken}' and standard = 20 and ${belowLog}`,
      byLog,
    ],
    [
      'EVM tokens by holders',
      'app.evm_tokens',
      'standard = 20 and holder_count <= 999999',
      'holder_count desc, token desc',
    ],
    ['EVM tokens of an address', 'app.evm_token_holdings', `address = '${evmBusy}' and token > '5'`, 'token, standard'],
    [
      'holders of an EVM token',
      'app.evm_token_holdings',
      `token = '${evmItems}' and standard = 721 and balance > 0`,
      'balance desc, address desc',
    ],
    [
      'items of an EVM token',
      'app.evm_token_items',
      `token = '${evmItems}' and standard = 721 and token_id > 5000`,
      'token_id, address',
    ],
    [
      'items of an address',
      'app.evm_token_items',
      `address = '${evmBusy}' and token = '${evmItems}' and standard = 721 and token_id > 1005000`,
      'token_id',
    ],
    ['items of a collection by id', 'app.nft_ownership', `token = '${skewedCollection}' and nft_id > 2500`, 'nft_id'],
    [
      'items of an account in a collection',
      'app.nft_ownership',
      `owner = '${vaultOwner}' and token = '${skewedCollection}' and nft_id > 2500`,
      'nft_id',
    ],
    [
      'items of an account',
      'app.nft_ownership',
      `owner = '${vaultOwner}' and (token, nft_id) > ('A.0', 0)`,
      'token, nft_id',
    ],
    ['collections of an account', 'app.nft_holdings', `address = '${vaultOwner}' and token > 'A.1'`, 'token'],
    [
      'holders of a collection',
      'app.nft_holdings',
      `token = '${skewedCollection}' and item_count < 5`,
      'item_count desc, address',
    ],
    ['collections by holders', 'app.nft_collection_stats', 'holder_count <= 999999', 'holder_count desc, token'],
    [
      'days of a balance',
      'app.daily_balance_changes',
      `address = '${regular}' and token = '${skewedToken}' and day > '2024-09-30'`,
      'day desc',
    ],
    ['the newest tokens', 'app.ft_tokens', 'first_height <= 150000', 'first_height desc, token'],
    ['the busiest tokens', 'app.ft_token_totals', 'transfer_count <= 1500', 'transfer_count desc, token'],
    ['the newest collections', 'app.nft_collections', 'first_height <= 150000', 'first_height desc, token'],
    ['the busiest collections', 'app.nft_collection_totals', 'transfer_count <= 1500', 'transfer_count desc, token'],
    ['big transfers', 'app.big_transfers', below, byPosition],
    ['the largest of a token on a day', 'app.big_transfers', "token = 'A.1' and day = '2024-01-09'", 'amount desc'],
    ['hours', 'app.hourly_stats', "day >= '2020-12-30' and day < '2021-02-01'", 'day, hour'],
    ['holders of a token', 'app.ft_holdings', `token = '${skewedToken}' and balance > 0`, 'balance desc, address'],
    ['tokens of an account', 'app.ft_holdings', `address = '${feeReceiver}'`, 'token'],
  ]

  for (const [what, table, where, order] of lists) {
    it(`list ${what} in order, without sorting`, async () => {
      const text = `select * from ${table} where ${where} order by ${order} limit 20`
      const plan = await explain(client, { text, values: [] }, 'analyze, buffers')
      expect(fullScans(plan, large)).to.deep.equal([])
      expect(flattenPlan(plan).map((node) => node['Node Type'])).to.not.include('Sort')
      expect(pagesOf(plan)).to.be.lessThan(60)
    })
  }

  it('find an EVM transaction by its hash', async () => {
    const text = `select * from app.evm_tx_hashes where evm_hash = lpad(to_hex(${newest}::bigint), 64, 'e')`
    const plan = await explain(client, { text, values: [] }, 'analyze, buffers')
    expect(fullScans(plan, large)).to.deep.equal([])
    expect(pagesOf(plan)).to.be.lessThan(10)
  })
})
