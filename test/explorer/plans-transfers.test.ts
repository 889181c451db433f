import { expect } from 'chai'
import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { listTransferSides, maxTransfers } from '../../src/explorer/accounts/counterparties.ts'
import { readEventPage } from '../../src/explorer/paging/event-pages.ts'
import { ftTransfers, nftTransfers, selectTransfers } from '../../src/explorer/tokens/transfer-lists.ts'
import type { TransferKey, TransferSelection, TransferTable } from '../../src/explorer/tokens/transfer-lists.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'
import type { QueryPlans } from '../support/query-plans.ts'

const common = 'A.0000000000000001.Common'
const other = 'A.0000000000000002.Other'
const rare = 'A.0000000000000003.Rare'
/** In most rows, with `common` except for a few of `other`. */
const busy = '0x00000000000000b0'
/** Sends to itself. */
const selfish = '0x00000000000000c0'
/** A few rows, long ago. */
const quiet = '0x00000000000000d0'
/** A few distant rows. */
const rareGuest = '0x00000000000000e0'

const spacing = 20
const rows = 30_000
const highest = rows * spacing
/** Has hundreds of transfers. */
const crowded = 300_000
const bounds = { min: 0, max: highest }

const keyRow = z.object({ block_height: z.number(), tx_index: z.number(), event_index: z.number(), leg: z.number() })
type KeyRow = z.output<typeof keyRow>

function keyOf({ block_height: height, tx_index: txIndex, event_index: eventIndex, leg }: KeyRow): TransferKey {
  return { height, txIndex, eventIndex, leg }
}

async function readPage(
  pool: DatabasePool,
  table: TransferTable,
  selection: TransferSelection,
  before: TransferKey | undefined,
  count: number,
  within = bounds,
): Promise<readonly KeyRow[]> {
  return readEventPage(within, before, count, (span) =>
    pool.any(sql.prepared('page of transfers', keyRow)`
    select block_height, tx_index, event_index, leg from (${selectTransfers(table, selection, span)}) as t
  `),
  )
}

describe('pages of transfers', () => {
  let database: TestDatabase
  let reads: DatabasePool
  let plans: QueryPlans

  before(async () => {
    database = await createTestDatabase()
    const { pool } = database
    await ensurePartitions(pool, 'app.ft_transfers', 50_000, { from: 0, to: highest + 1 })
    await ensurePartitions(pool, 'app.nft_transfers', 50_000, { from: 0, to: highest + 1 })
    const steps = `generate_series(0, ${highest}::bigint, ${spacing}) as h`
    await pool.query(`
      insert into app.ft_transfers
      select h, 1, 5, 0, '${common}', '${busy}', '0x' || lpad(to_hex(h), 16, '0'), 1, 'transfer' from ${steps};
      insert into app.ft_transfers
      select h, 1, 9, 0, 'fee', '${busy}', null, 1, 'fee' from ${steps};
      insert into app.ft_transfers
      select h, 2, 3, leg, '${other}', '0x' || lpad(to_hex(h), 16, '1'), '0x' || lpad(to_hex(leg), 16, '2'), 1, 'transfer'
      from ${steps}, generate_series(0, 1) as leg;
      insert into app.ft_transfers select h, 3, 1, 0, '${common}', '${selfish}', '${selfish}', 1, 'transfer' from ${steps};
      insert into app.ft_transfers
      select h, 4, 1, 0, '${other}', '${busy}', '${quiet}', 1, 'transfer' from generate_series(0, 500, 100) as h;
      insert into app.ft_transfers
      select h, 5, 1, 0, '${rare}', null, '${quiet}', 1, 'mint' from generate_series(0, 500, 100) as h;
      insert into app.ft_transfers
      select h, 100, 1, 0, '${rare}', null, '${rareGuest}', 1, 'mint' from generate_series(0, ${highest}::bigint, 30000) as h;
      insert into app.ft_transfers
      select ${crowded}, 6 + i / 40, i % 40, 0, '${common}', '${busy}', '0x' || lpad(to_hex(i), 16, '3'), 1, 'transfer'
      from generate_series(0, 399) as i;
      insert into app.nft_transfers
      select h, 1, 5, 0, '${common}', h / 20 % 100, h, '${busy}', '0x' || lpad(to_hex(h), 16, '0'), 'transfer' from ${steps};
      insert into app.nft_transfers
      select h, 2, 5, 0, '${rare}', 7, h, '${selfish}', '${busy}', 'transfer' from generate_series(0, 500, 100) as h;
      analyze app.ft_transfers, app.nft_transfers`)
    reads = await createReadPool({ url: database.url })
    plans = await queryPlans(database)
  })

  after(async () => {
    await plans.end()
    await reads.end()
    await database.drop()
  })

  /** The expected order, computed differently. */
  async function expected(table: string, where: string): Promise<readonly KeyRow[]> {
    const { rows: all } = await database.pool.query<Record<keyof KeyRow, number | string>>(
      `select block_height, tx_index, event_index, leg from ${table} where ${where}
       order by block_height desc, tx_index desc, event_index desc, leg desc`,
    )
    return all.map((row) => keyRow.parse({ ...row, block_height: Number(row.block_height) }))
  }

  async function readAll(
    table: TransferTable,
    selection: TransferSelection,
    size: number,
    within = bounds,
  ): Promise<KeyRow[]> {
    const all: KeyRow[] = []
    for (;;) {
      const last = all.at(-1)
      const next = await readPage(reads, table, selection, last === undefined ? undefined : keyOf(last), size, within)
      all.push(...next)
      if (next.length < size) return all
    }
  }

  const lists: ReadonlyArray<readonly [name: string, selection: TransferSelection, where: string]> = [
    ['of all', {}, `transfer_type <> 'fee'`],
    ['of a busy account', { address: busy }, `transfer_type <> 'fee' and '${busy}' in (from_address, to_address)`],
    ['of an account that gives to itself', { address: selfish }, `'${selfish}' in (from_address, to_address)`],
    ['of a quiet account', { address: quiet }, `'${quiet}' in (from_address, to_address)`],
    ['of a rare guest', { address: rareGuest }, `to_address = '${rareGuest}'`],
    ['of a token', { token: common }, `token = '${common}'`],
    ['of an account and a token', { address: busy, token: other }, `token = '${other}' and from_address = '${busy}'`],
    ['of nobody', { address: '0x00000000000000ff' }, 'false'],
  ]

  for (const [name, selection, where] of lists) {
    it(`return those ${name} once, newest first, for any page size`, async () => {
      expect(await readAll(ftTransfers, selection, 997)).to.deep.equal(await expected('app.ft_transfers', where))
    })
  }

  it('are exact within a block with many transfers', async () => {
    const where = `block_height = ${crowded} and transfer_type <> 'fee'`
    const within = { min: crowded, max: crowded }
    expect(await readAll(ftTransfers, {}, 7, within)).to.deep.equal(await expected('app.ft_transfers', where))
    expect(await readAll(ftTransfers, { address: busy }, 7, within)).to.deep.equal(
      await expected('app.ft_transfers', `${where} and from_address = '${busy}'`),
    )
    expect(await readAll(ftTransfers, { token: common, txIndex: 7 }, 7, within)).to.deep.equal(
      await expected('app.ft_transfers', `${where} and tx_index = 7`),
    )
  })

  it('return NFT transfers', async () => {
    const item = { token: common, nftId: '17' }
    const where = `token = '${common}' and nft_id = 17`
    expect(await readAll(nftTransfers, item, 13)).to.deep.equal(await expected('app.nft_transfers', where))
    const held = `token = '${rare}' and '${busy}' in (from_address, to_address)`
    expect(await readAll(nftTransfers, { address: busy, token: rare }, 4)).to.deep.equal(
      await expected('app.nft_transfers', held),
    )
  })

  const places: ReadonlyArray<readonly [name: string, before: TransferKey | undefined]> = [
    ['at the head', undefined],
    ['in the middle', { height: 310_000, txIndex: 1, eventIndex: 5, leg: 0 }],
    ['at the tail', { height: 80_000, txIndex: 1, eventIndex: 5, leg: 0 }],
  ]

  for (const [place, before] of places) {
    for (const [name, selection] of lists.filter(([, { token = common }]) => token === common)) {
      it(`read few rows ${place} for those ${name}`, async () => {
        const plan = await plans.of((pool) => readPage(pool, ftTransfers, selection, before, 21))
        expect(plan.rowsTouched).to.be.at.most(21 * 8)
        expect(Math.max(0, ...plan.rowsSorted)).to.be.at.most(21 * 4)
      })
    }

    it(`read few rows ${place} for one account and token`, async () => {
      const few = await plans.of((pool) => readPage(pool, ftTransfers, { address: busy, token: other }, before, 21))
      expect(few.rowsTouched).to.be.at.most(21 * 4)
      const many = await plans.of((pool) => readPage(pool, ftTransfers, { address: busy, token: common }, before, 21))
      expect(many.rowsTouched).to.be.at.most(21 * 8)
    })

    it(`read few rows ${place} for an item`, async () => {
      const item = { token: common, nftId: '17' }
      const plan = await plans.of((pool) => readPage(pool, nftTransfers, item, before, 21))
      expect(plan.rowsTouched).to.be.at.most(21 * 4)
      // The account has moved all items of the collection.
      const ofAccount = await plans.of((pool) => readPage(pool, nftTransfers, { ...item, address: busy }, before, 21))
      expect(ofAccount.rowsTouched).to.be.at.most(21 * 4)
    })
  }

  it('read few rows for the counterparties of a busy account', async () => {
    const plan = await plans.of((pool) => listTransferSides(pool, bounds, busy))
    expect(plan.rowsTouched).to.be.at.most(2 * maxTransfers * 8)
  })

  it('touch few partitions for a busy account', async () => {
    const plan = await plans.of((pool) => readPage(pool, ftTransfers, { address: busy }, undefined, 21))
    expect(plan.partitions.length).to.be.at.most(3)
  })
})
