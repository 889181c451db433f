import type pg from 'pg'
import type { HeightRange } from '../../src/platform/ranges.ts'
import { request } from './api.ts'
import { startFlowfarm } from './bench-programs.ts'
import type { BenchDatabase } from './bench-programs.ts'
import { readCallCost, resetStatements } from './growth-tables.ts'
import type { Figures } from './growth-tables.ts'
import { numberText, print } from './sheet.ts'

/** One client and no response cache. */
export async function apiFigures({ pool, url }: BenchDatabase, heights: HeightRange): Promise<Figures> {
  const api = await startFlowfarm(
    ['api'],
    { DB_URL: url, CHAIN_ACCESS_NODE: '127.0.0.1:1', API_RATE_LIMIT_RPS: '0', API_ANSWER_CACHE_MS: '0' },
    { ready: 'API listening' },
  )
  const figures: Record<string, number> = {}
  try {
    for (const [name, paths] of await pathsOf(pool, heights)) {
      // The first calls plan the statements of each connection.
      await request(api, paths, { connections: 16, seconds: 1 })
      await resetStatements(pool)
      const { requests, p50Ms, p99Ms } = await request(api, paths, { connections: 1, seconds: 1.5 })
      const { calls, pages, planMs } = await readCallCost(pool)
      const [statements, pagesEach, planEach] = [calls / requests, pages / requests, planMs / requests]
      Object.assign(figures, {
        [`${name}: p50, ms`]: p50Ms,
        [`${name}: p99, ms`]: p99Ms,
        [`${name}: statements`]: statements,
        [`${name}: pages`]: pagesEach,
        [`${name}: planning, ms`]: planEach,
      })
      print(
        `  ${name.padEnd(44)} p50 ${numberText(p50Ms)} p99 ${numberText(p99Ms)} ms; ${numberText(statements)} ` +
          `statements, ${numberText(pagesEach)} pages, ${numberText(planEach)} ms of planning`,
      )
    }
  } finally {
    await api.end()
  }
  return figures
}

const variety = 200
/** Prime, because some blocks of the simulated chain's cycle have no transactions. */
const spacing = 7919

async function pathsOf(pool: pg.Pool, { from, to }: HeightRange): Promise<Map<string, readonly string[]>> {
  const column = async (statement: string): Promise<string[]> => {
    const { rows } = await pool.query<string[]>({ text: statement, rowMode: 'array' })
    return rows.map(([value]) => String(value))
  }
  const heights = Array.from({ length: variety }, (_, nth) => from + ((nth * spacing) % (to - from)))
  const list = heights.join(',')
  const ids = await column(`select encode(id, 'hex') from raw.transactions
    where block_height in (${list}) and payer_address is not null`)
  const evmHashes = await column(`select evm_hash from app.evm_tx_hashes
    where block_height in (${list})`)
  const [hot = ''] = await column('select address from app.address_stats order by tx_count desc, address limit 1')
  const cold = await column(`select address from app.address_stats order by tx_count, address limit ${variety}`)
  const [token = ''] = await column('select token from app.ft_token_totals order by transfer_count desc limit 1')
  const [collection = ''] = await column(
    'select token from app.nft_collection_totals order by transfer_count desc, token limit 1',
  )
  const items = await column(`select nft_id from app.nft_ownership where token = '${collection}' limit ${variety}`)
  const [contract = ''] = await column(
    `select 'A.' || right(address, 16) || '.' || name from app.smart_contracts limit 1`,
  )
  const ofAccount = (account: string): [string, string][] =>
    [
      ['', ''],
      [' transactions', '/transaction'],
      [' transfers', '/ft/transfer'],
      [' tokens', '/ft'],
      [' NFTs', '/nft'],
      [' NFT transfers', '/nft/transfer'],
      [' balance history', '/balance/history?days=30'],
    ].map(([name = '', path = '']) => [name, `/flow/account/${account}${path}`])
  const one = (path: string): [string, string[]] => [path, [path]]
  return new Map<string, readonly string[]>([
    one('/status'),
    ['/flow/block/{height}', heights.map((height) => `/flow/block/${height}`)],
    one('/flow/block'),
    ['/flow/block from a height', heights.map((height) => `/flow/block?cursor=${height}`)],
    ['/flow/transaction/{id}', ids.map((id) => `/flow/transaction/${id}`)],
    ...[
      '/flow/transaction',
      '/flow/ft/transfer',
      '/flow/nft/transfer',
      '/flow/account',
      '/flow/ft',
      '/flow/nft',
      '/flow/contract',
      '/flow/evm/transaction',
      '/flow/evm/token',
      '/flow/scheduled-transaction',
      '/defi/events',
      '/defi/pair',
      '/status/stat',
      '/status/count',
      '/insights/top-contracts',
      '/insights/token-volume',
      '/insights/big-transfers',
    ].map(one),
    ['/flow/evm/transaction/{hash}', evmHashes.map((hash) => `/flow/evm/transaction/${hash}`)],
    ...ofAccount(hot).map(([name, path]): [string, string[]] => [`hot account${name}`, [path]]),
    ...ofAccount('').map(([name], nth): [string, string[]] => [
      `cold account${name}`,
      cold.map((account) => ofAccount(account)[nth]?.[1] ?? ''),
    ]),
    ['token holders', [`/flow/ft/${token}/holding`]],
    ['token transfers', [`/flow/ft/transfer?token=${token}`]],
    ['NFT collection', [`/flow/nft/${collection}`]],
    ['NFT holders', [`/flow/nft/${collection}/holding`]],
    ['NFT items', [`/flow/nft/${collection}/item`]],
    ['NFT transfers', items.map((id) => `/flow/nft/${collection}/item/${id}/transfer`)],
    ['contract', [`/flow/contract/${contract}`]],
    ['contract transactions', [`/flow/contract/${contract}/transaction`]],
    ['contract events', [`/flow/contract/${contract}/events`]],
    ['search', ids.map((id) => `/flow/search?q=${id.slice(0, 12)}`)],
  ])
}
