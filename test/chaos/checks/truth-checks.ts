import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type pg from 'pg'
import {
  compareContracts,
  compareEvmTokens,
  compareHoldings,
  compareItems,
  compareKeys,
  compareScheduled,
  compareStaking,
  compareVaults,
} from '../../support/ledger-truth.ts'
import type { Findings } from '../report/findings.ts'
import type { DrivenChain } from '../world/driven-chain.ts'
import type { ClientChain } from '../../support/client-chain.ts'
import type { DerivedComparison } from '../../../src/farm/rebuild/compare-derived.ts'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { folderWorker } from '../../support/worker-folder.ts'
import { repositoryRoot } from '../../support/repository.ts'

const domains = {
  'vault balances': compareVaults,
  'account holdings': compareHoldings,
  'item owners': compareItems,
  'account keys': compareKeys,
  contracts: compareContracts,
  staking: compareStaking,
  'scheduled transactions': compareScheduled,
  'EVM tokens': compareEvmTokens,
}

/**
 * Compares stored and derived data with the ledger of the chain. @returns a summary of the
 * comparison
 */
export async function checkTruth(pool: pg.Pool, chain: DrivenChain, findings: Findings): Promise<string[]> {
  const words = [await checkRaw(pool, chain, findings)]
  const ledger = chain.ledger()
  for (const [name, compare] of Object.entries(domains)) {
    const { expected, found } = await compare(pool, ledger, chain.head)
    const [should, is] = [new Set(expected), new Set(found)]
    const missing = expected.filter((line) => !is.has(line))
    const wrong = found.filter((line) => !should.has(line))
    if (expected.length === 0) findings.add('truth', `${name}: there was nothing to compare`)
    if (missing.length + wrong.length > 0 || expected.length !== found.length) {
      findings.add(
        'truth',
        `${name}: ${missing.length} of ${expected.length} lines are missing and ${wrong.length} are wrong; first ${missing[0] ?? '-'} and ${wrong[0] ?? '-'}`,
      )
    }
    words.push(`${name} (${expected.length})`)
  }
  const { rows } = await pool.query(
    'select worker_name, block_height, code, event_type, message from raw.indexing_errors where resolved_at is null limit 3',
  )
  if (rows.length > 0) findings.add('truth', `undecodable inputs: ${JSON.stringify(rows)}`)
  return words
}

/** All blocks by id, with their transaction and event counts. */
async function checkRaw(pool: pg.Pool, chain: DrivenChain, findings: Findings): Promise<string> {
  const ledger = chain.ledger()
  const { rows } = await pool.query<{ height: number; id: string; transactions: number; events: number }>(`
    select b.height::int4 as height, encode(b.id, 'hex') as id,
      (select count(*)::int from raw.transactions t where t.block_height = b.height) as transactions,
      (select count(*)::int from raw.events e where e.block_height = b.height) as events
    from raw.blocks b order by b.height`)
  const wrong: string[] = []
  for (let height = 0; height <= chain.head; height++) {
    const row = rows[height]
    const { userTransactions, systemTransactions } = ledger.draft(height)
    const all = [...userTransactions, ...systemTransactions]
    const expected = {
      height,
      id: chain.blockId(height),
      transactions: all.length,
      events: all.reduce((sum, { events }) => sum + events.length, 0),
    }
    if (JSON.stringify(row) !== JSON.stringify(expected))
      wrong.push(`${JSON.stringify(expected)} is ${JSON.stringify(row)}`)
  }
  if (rows.length !== chain.head + 1)
    findings.add('truth', `${rows.length} blocks are stored; the chain has ${chain.head + 1}`)
  if (wrong.length > 0) findings.add('truth', `${wrong.length} blocks differ from the chain; first ${wrong[0]}`)
  return `blocks with their transactions and events (${rows.length})`
}

/** Compares the data of a feed client with the stored data. @returns a summary of the comparison */
export async function checkFeed(pool: pg.Pool, seen: ClientChain, findings: Findings): Promise<string> {
  const first = Math.min(...seen.blocks.keys())
  if (seen.blocks.size === 0) {
    findings.add('feed', 'the feed sent nothing')
    return 'nothing'
  }
  const { rows } = await pool.query<{ height: number; id: string; transactions: string[] }>(
    `
    select height::int4 as height, encode(id, 'hex') as id,
      array(select encode(t.id, 'hex') from raw.transactions t where t.block_height = height order by tx_index) as transactions
    from raw.blocks where height >= $1 order by height`,
    [first],
  )
  const wrong = rows.filter(
    ({ height, id, transactions }) =>
      seen.blocks.get(height) !== id || (seen.transactions.get(height) ?? []).join() !== transactions.join(),
  )
  if (wrong.length > 0) {
    const [one] = wrong
    const has =
      one === undefined
        ? ''
        : `${seen.blocks.get(one.height)} with ${seen.transactions.get(one.height)?.length ?? 0} transactions`
    findings.add(
      'feed',
      `${wrong.length} blocks differ from the feed; first ${one?.height} ${one?.id} with ${one?.transactions.length}; the feed sent ${has}`,
    )
  }
  if (seen.blocks.size > rows.length)
    findings.add('feed', `${seen.blocks.size - rows.length} blocks of the feed do not exist`)
  return `${rows.length} blocks from ${first} on`
}

/** Whether a feed client has received all of the highest block. */
export async function hasReceivedAll(pool: pg.Pool, seen: ClientChain): Promise<boolean> {
  const {
    rows: [block],
  } = await pool.query<{ height: number; id: string; count: number }>(
    "select height::int4 as height, encode(id, 'hex') as id, tx_count as count from raw.blocks order by height desc limit 1",
  )
  return (
    block !== undefined &&
    seen.blocks.get(block.height) === block.id &&
    (seen.transactions.get(block.height)?.length ?? 0) === block.count
  )
}

/**
 * `npm run verify -- --rebuild`: derives everything again and compares. @returns a summary of the
 * comparison
 */
export async function checkRebuild(
  databaseUrl: string,
  workersFolder: string,
  head: number,
  findings: Findings,
): Promise<string> {
  const child = spawn(process.execPath, ['scripts/farm.ts', 'verify', '--rebuild', '--json'], {
    cwd: repositoryRoot,
    env: { ...bareEnvironment(), DB_URL: databaseUrl, WORKERS_DIR: workersFolder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  if (child.exitCode !== 0 && !output.includes('"tables"')) {
    findings.add('rebuild', `npm run verify ended with ${child.exitCode}: ${(errors || output).slice(-2000)}`)
    return 'nothing'
  }
  const { isEqual, heights, tables } = JSON.parse(output) as DerivedComparison
  for (const { table, differences, first } of tables.filter((one) => one.differences > 0)) {
    findings.add(
      'rebuild',
      `${table}: ${differences} rows differ from a second derivation; first ${JSON.stringify(first[0])}`,
    )
  }
  const isWhole = heights.length === 1 && heights[0]?.from === 0 && heights[0].to === head + 1
  if (!isWhole) findings.add('rebuild', `only the heights ${JSON.stringify(heights)} could be compared`)
  if (!tables.some(({ table, kept }) => table === `${folderWorker.name}.moves` && kept > 0))
    findings.add('rebuild', 'the own worker has no rows')
  if (!isEqual && tables.every(({ differences }) => differences === 0))
    findings.add('rebuild', 'the comparison found differences')
  return `${tables.length} tables, ${tables.reduce((sum, { kept }) => sum + kept, 0)} rows`
}
