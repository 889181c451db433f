import { expect } from 'chai'
import type { PoolClient } from 'pg'
import type { DatabasePool } from 'slonik'
import { createFeedReader } from '../../src/explorer/feed/reader.ts'
import type { FeedBlock } from '../../src/explorer/feed/reader.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { chainBlock, idOf, receiver, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { insertEvents } from '../support/insert-events.ts'

const top = 12
/** Lowest block that is removed during a read. */
const fork = 10

describe('the reader of the live feed', () => {
  let database: TestDatabase
  let reads: DatabasePool

  beforeEach(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 1, top)
    reads = await createReadPool({ url: database.url })
  })

  afterEach(async () => {
    await reads.end()
    await database.drop()
  })

  /** Block ids with the ids of their transactions. */
  const idsOf = (blocks: readonly FeedBlock[]): [string, string[]][] =>
    blocks.map(({ block, transactions }) => [block.id, transactions.map(({ summary }) => summary.id)])

  const stored = (from: number, to: number): [string, string[]][] =>
    Array.from({ length: to - from }, (_, i) => chainBlock(from + i)).map(({ id, transactions }) => [
      id,
      transactions.map((transaction) => transaction.id),
    ])

  /** Reads all blocks while a change is committed between reading blocks and transactions. */
  async function readAcross(change: (client: PoolClient) => Promise<void>): Promise<[string, string[]][]> {
    const client = await database.pool.connect()
    await client.query('begin')
    await client.query('lock table raw.transactions in access exclusive mode')
    const reading = createFeedReader(reads, () => 'mainnet').read(1, top + 1)
    const isWaiting = async (): Promise<boolean> =>
      (await database.pool.query("select from pg_locks where relation = 'raw.transactions'::regclass and not granted"))
        .rowCount === 1
    while (!(await isWaiting()));
    await change(client)
    await client.query('commit')
    client.release()
    return idsOf(await reading)
  }

  it('returns no block without its transactions during a rollback', async () => {
    const read = await readAcross(async (client) => {
      await client.query('delete from raw.transactions where block_height >= $1', [fork])
      await client.query('delete from raw.blocks where height >= $1', [fork])
    })
    expect(read).to.deep.equal(stored(1, fork))
  })

  it('returns no block with the transactions of its replacement', async () => {
    const other = idOf('other')
    const read = await readAcross(async (client) => {
      await client.query("update raw.blocks set id = decode($1, 'hex') where height = $2", [other, top])
      await client.query("update raw.transactions set id = decode($1, 'hex') where block_height = $2", [other, top])
    })
    expect(read.slice(0, -1)).to.deep.equal(stored(1, top))
    expect(read.at(-1)).to.deep.equal([other, chainBlock(top).transactions.map(() => other)])
  })

  it('yields to the event loop between decoded transactions', async () => {
    await database.pool.query('delete from raw.event_chunks')
    await database.pool.query(
      insertEvents(`
      select height, 0, i, 'A.1654653399040a61.FlowToken.TokensDeposited',
        jsonb_build_object('amount', '1.00000000', 'to', '${receiver}')
      from generate_series(1, ${top}) as height, generate_series(0, 4095) as i`),
    )
    const cpuMs = (): number => {
      const { user, system } = process.threadCpuUsage()
      return (user + system) / 1000
    }
    /** The longest slice of a read, as a share of its CPU time. */
    const longestShare = async (): Promise<number> => {
      let [isOver, longest, before] = [false, 0, cpuMs()]
      const start = before
      const watch = (): void => {
        const now = cpuMs()
        longest = Math.max(longest, now - before)
        before = now
        if (!isOver) setImmediate(watch)
      }
      setImmediate(watch)
      await createFeedReader(reads, () => 'mainnet').read(1, top + 1)
      isOver = true
      return longest / (cpuMs() - start)
    }
    // Garbage collection and compilation lengthen slices of single reads.
    const shares = [await longestShare(), await longestShare(), await longestShare()]
    // Without yielding, nearly everything is one slice.
    expect(Math.min(...shares)).to.be.below(1 / 3)
  })
})
