import type pg from 'pg'
import { highestOf, skewedAccount, skewedToken, skewedTransactionId, writeSkewedTransfers } from '../../support/skewed-transfers.ts'
import { startApiProgram } from './api-program.ts'
import { measureLoad } from './measure-load.ts'
import type { LoadOptions } from './measure-load.ts'

/** Heights from block to block: ten million transfers are in about 40 partitions of a million heights. */
const spacing = 20
/** Different pages at each end, so that no end is in memory alone because it is one page. */
const pages = 200

/**
 * p99 of lists at the head and at the tail of many transfers, no answers kept. A filled database must have been filled by this.
 */
export async function measureSkewed(
  { url, pool, isFilled }: { readonly url: string; readonly pool: pg.Pool; readonly isFilled: boolean }, transfers: number, load: LoadOptions,
): Promise<void> {
  const size = { transfers, spacing }
  if (!isFilled) await writeSkewedTransfers(pool, size)
  const highest = highestOf(size)
  const blocksOfPage = 20
  const ends = {
    head: Array.from({ length: pages }, (_, i) => highest - i * 3 * spacing),
    // The last pages are whole.
    tail: Array.from({ length: pages }, (_, i) => (blocksOfPage * 2 + i * 3) * spacing),
  }
  const lists: readonly [string, (height: number) => string][] = [
    ['block list', (height) => `/flow/block?cursor=${height}`],
    ['transaction list', (height) => `/flow/transaction?cursor=${height}:0:${skewedTransactionId(height)}`],
    ["transactions of a payer", (height) => `/flow/transaction?payer=${skewedAccount}&cursor=${height}:0:${skewedTransactionId(height)}`],
    ["account's transactions", (height) => `/flow/account/${skewedAccount}/transaction?cursor=${height}:${skewedTransactionId(height)}`],
    ['transfer feed', (height) => `/flow/ft/transfer?cursor=${height}:${skewedTransactionId(height)}:0`],
    ['transfers of a token', (height) => `/flow/ft/transfer?token=${skewedToken}&cursor=${height}:${skewedTransactionId(height)}:0`],
    ["account's transfers", (height) => `/flow/account/${skewedAccount}/ft/transfer?cursor=${height}:${skewedTransactionId(height)}:0`],
  ]
  const api = await startApiProgram(url, undefined, { API_ANSWER_CACHE_MS: '0' })
  try {
    console.log(`${transfers} transfers, ${load.connections} connections, ${load.seconds} s each, head and tail by turns\n`)
    console.log('list                        head p50, p99 ms    tail p50, p99 ms   p99 tail to head')
    for (const [name, path] of lists) {
      const result = { head: { p50Ms: 0, p99Ms: 0 }, tail: { p50Ms: 0, p99Ms: 0 } }
      for (const end of ['head', 'tail', 'tail', 'head'] as const) {
        const { p50Ms, p99Ms } = await measureLoad(api, ends[end].map(path), { ...load, seconds: load.seconds / 2 })
        result[end].p50Ms += p50Ms / 2
        result[end].p99Ms += p99Ms / 2
      }
      const { head, tail } = result
      const pair = ({ p50Ms, p99Ms }: typeof head): string => `${p50Ms.toFixed(2)}, ${p99Ms.toFixed(2)}`.padStart(20)
      console.log(`${name.padEnd(25)}${pair(head)}${pair(tail)}${(tail.p99Ms / head.p99Ms).toFixed(2).padStart(18)}`)
    }
  } finally {
    await api.end()
  }
}
