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

const domains = {
  'what is in vaults': compareVaults,
  'holdings of accounts': compareHoldings,
  'owners of items': compareItems,
  'keys of accounts': compareKeys,
  contracts: compareContracts,
  staking: compareStaking,
  'scheduled transactions': compareScheduled,
  'EVM tokens': compareEvmTokens,
}

/**
 * Compares what is stored and derived with the ledger that the chain is made of. @returns what was compared, in words
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
  if (rows.length > 0) findings.add('truth', `inputs could not be used: ${JSON.stringify(rows)}`)
  return words
}

/** Every block by its id, and how many transactions and events it has. */
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
    findings.add('truth', `${rows.length} blocks are stored, and the chain has ${chain.head + 1}`)
  if (wrong.length > 0) findings.add('truth', `${wrong.length} blocks are not as the chain has them; first ${wrong[0]}`)
  return `blocks with their transactions and events (${rows.length})`
}
