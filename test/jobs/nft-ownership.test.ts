import { expect } from 'chai'
import * as fc from 'fast-check'
import { nftOwnershipWorker } from '../../jobs/nft-ownership-worker.ts'
import { tokenWorker } from '../../jobs/token-worker.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { RangeOutput } from '../../src/farm/commit/range-output.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { commitOutput, deriveInto, derivedTables, rollBackDerived } from '../support/derived-tables.ts'
import { handMadeBlocks } from '../support/hand-made-blocks.ts'
import type { ManualEvent } from '../support/hand-made-blocks.ts'

const [alice, bob, carol] = ['0x00000000000000a1', '0x00000000000000b0', '0x00000000000000c0'] as const
const cats = 'A.00000000000000d1.Cats'
const dogs = 'A.00000000000000d2.Dogs'
const standard = 'A.f8d6e0586b0a20c7.NonFungibleToken'

interface Owned {
  readonly uuid: string | null
  readonly owner: string | null
  readonly is_burned: boolean
  readonly height: number
}

describe('nft_ownership_worker', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  const reset = async (): Promise<void> => {
    await database.pool.query(`truncate ${derivedTables.join(', ')}`)
  }
  const fold = async (from: number, to: number): Promise<void> => {
    await deriveInto(database.pool, nftOwnershipWorker, [], { from, to })
  }
  /** Sorted by collection and id. */
  const owned = async (): Promise<Record<string, Owned>> => {
    const { rows } = await database.pool.query<Owned & { item: string }>(
      `select token || ' ' || nft_id as item, nft_uuid as uuid, owner, is_burned, block_height::int as height
       from app.nft_ownership order by token collate "C", nft_id`,
    )
    return Object.fromEntries(rows.map(({ item, ...rest }) => [item, rest]))
  }
  const ownerOf = async (item: string): Promise<string | null | undefined> => (await owned())[item]?.owner
  const counts = async (): Promise<object> => {
    const holdings = await database.pool.query<{ key: string; count: number }>(
      `select token || ' ' || address as key, item_count::int as count from app.nft_holdings order by token collate "C", address`,
    )
    const collections = await database.pool.query<{ token: string; counts: number[] }>(
      `select token, array[item_count, holder_count, seen_count]::int[] as counts
       from app.nft_collection_stats order by token collate "C"`,
    )
    return {
      holdings: Object.fromEntries(holdings.rows.map(({ key, count }) => [key, count])),
      collections: Object.fromEntries(collections.rows.map(({ token, counts: of }) => [token, of])),
    }
  }

  describe('of events', () => {
    const item = { type: `${cats}.NFT`, id: '7', uuid: '70' }
    const left = (from: string, more: object = {}): ManualEvent => [
      `${standard}.Withdrawn`,
      { ...item, from, providerUUID: '1', ...more },
    ]
    const arrived = (to: string, more: object = {}): ManualEvent => [
      `${standard}.Deposited`,
      { ...item, to, collectionUUID: '2', ...more },
    ]
    const destroyed = (more: object = {}): ManualEvent => [
      `${standard}.NFT.ResourceDestroyed`,
      { id: '7', uuid: '70', ...more },
    ]
    const derive = async (blocks: readonly DecodedBlock[], from: number, to: number): Promise<void> => {
      expect(await deriveInto(database.pool, tokenWorker, blocks, { from, to })).to.deep.equal([])
    }
    const both = async (blocks: readonly DecodedBlock[], from: number, to: number): Promise<void> => {
      await derive(blocks, from, to)
      await fold(from, to)
    }

    beforeEach(reset)

    it("has an item of a contract that emits only the standard's events", async () => {
      await both(handMadeBlocks(2, { 1: [arrived(alice)] }), 0, 2)
      expect(await owned()).to.deep.equal({
        [`${cats} 7`]: { uuid: '70', owner: alice, is_burned: false, height: 1 },
      })
      expect((await database.pool.query('select from app.ft_transfers')).rowCount).to.equal(0)
    })

    it('has an item from before Cadence 1.0, and its uuid from its first later move', async () => {
      const blocks = handMadeBlocks(4, {
        1: [[`${cats}.Deposit`, { id: '7', to: alice }]],
        2: [
          [`${cats}.Withdraw`, { id: '7', from: alice }],
          [`${cats}.Deposit`, { id: '7', to: bob }],
        ],
        3: [left(bob), arrived(carol)],
      })
      await both(blocks, 0, 3)
      expect((await owned())[`${cats} 7`]).to.deep.include({ uuid: null, owner: bob })
      await both(blocks, 3, 4)
      expect((await owned())[`${cats} 7`]).to.deep.include({ uuid: '70', owner: carol })
    })

    it('applies several moves in one block in order', async () => {
      const way = [arrived(alice), left(alice), arrived(bob), left(bob), arrived(alice), left(alice), arrived(carol)]
      await both(handMadeBlocks(2, { 1: way }), 0, 2)
      expect(await ownerOf(`${cats} 7`)).to.equal(carol)
      await both(
        handMadeBlocks(3, { 2: [left(carol), arrived(bob), left(bob), arrived(carol), left(carol), arrived(alice)] }),
        2,
        3,
      )
      expect(await ownerOf(`${cats} 7`)).to.equal(alice)
    })

    it('follows an item into custody and back', async () => {
      const blocks = handMadeBlocks(4, {
        1: [arrived(alice)],
        2: [left(alice), arrived(bob)],
        3: [left(bob), arrived(alice)],
      })
      await both(blocks, 0, 3)
      expect(await ownerOf(`${cats} 7`)).to.equal(bob)
      await both(blocks, 3, 4)
      expect(await ownerOf(`${cats} 7`)).to.equal(alice)
    })

    it('has the other item of the same id when one is destroyed, in any block and order', async () => {
      // A collection that replaces an item destroys the old one after the deposit event of the new
      // one.
      const replaced = handMadeBlocks(3, { 1: [arrived(alice), arrived(alice, { uuid: '71' }), destroyed()] })
      await both(replaced, 0, 3)
      expect((await owned())[`${cats} 7`]).to.deep.equal({ uuid: '71', owner: alice, is_burned: false, height: 1 })
      await reset()
      const blocks = handMadeBlocks(5, {
        1: [arrived(alice), arrived(bob, { uuid: '71' })],
        2: [left(bob, { uuid: '71' }), destroyed({ uuid: '71' })],
        3: [left(alice), destroyed()],
      })
      await both(blocks, 2, 3)
      await both(blocks, 0, 2)
      expect((await owned())[`${cats} 7`]).to.deep.equal({ uuid: '70', owner: alice, is_burned: false, height: 1 })
      expect(await counts()).to.deep.equal({
        holdings: { [`${cats} ${alice}`]: 1 },
        collections: { [cats]: [1, 1, 1] },
      })
      await both(blocks, 3, 5)
      expect((await owned())[`${cats} 7`]).to.deep.include({ owner: null, is_burned: true })
      expect(await counts()).to.deep.equal({ holdings: {}, collections: { [cats]: [0, 0, 1] } })
      await rollBackDerived(database.pool, 3)
      expect(await ownerOf(`${cats} 7`)).to.equal(alice)
    })

    it('has no owner for an item that was withdrawn and stored, and does not mark it as burned', async () => {
      await both(handMadeBlocks(3, { 1: [arrived(alice)], 2: [left(alice)] }), 0, 3)
      expect((await owned())[`${cats} 7`]).to.deep.include({ owner: null, is_burned: false })
      expect(await counts()).to.deep.equal({ holdings: {}, collections: { [cats]: [0, 0, 1] } })
    })

    const history = handMadeBlocks(3, { 1: [arrived(alice)], 2: [destroyed()] })
    for (const [what, order] of [
      ['after', [0, 1, 2]],
      ['before', [2, 1, 0]],
    ] as const) {
      it(`clears an item destroyed in storage, if that is derived ${what} the item was seen`, async () => {
        for (const height of order) await both(history, height, height + 1)
        expect(await owned()).to.deep.equal({
          [`${cats} 7`]: { uuid: '70', owner: null, is_burned: true, height: 2 },
        })
        expect(await counts()).to.deep.equal({ holdings: {}, collections: { [cats]: [0, 0, 1] } })
      })
    }

    it('restores the item when its destruction is rolled back or no longer found', async () => {
      await both(history, 0, 3)
      await rollBackDerived(database.pool, 2)
      expect(await ownerOf(`${cats} 7`)).to.equal(alice)
      await both(history, 2, 3)
      expect(await ownerOf(`${cats} 7`)).to.equal(null)
      await derive(handMadeBlocks(3, {}), 2, 3)
      expect(await ownerOf(`${cats} 7`)).to.equal(alice)
      expect(await counts()).to.deep.equal({
        holdings: { [`${cats} ${alice}`]: 1 },
        collections: { [cats]: [1, 1, 1] },
      })
      await rollBackDerived(database.pool, 0)
      expect(await counts()).to.deep.equal({ holdings: {}, collections: {} })
    })

    it('removes only the item with both the id and the uuid', async () => {
      const shared = [arrived(alice), arrived(alice, { id: '8' }), arrived(alice, { type: `${dogs}.NFT`, uuid: '71' })]
      await both(handMadeBlocks(3, { 1: shared, 2: [destroyed()] }), 0, 3)
      const owners = Object.entries(await owned()).map(([name, { owner }]) => [name, owner])
      expect(owners).to.deep.equal([
        [`${cats} 7`, null],
        [`${cats} 8`, alice],
        [`${dogs} 7`, alice],
      ])
    })

    it('has a later item with the same id', async () => {
      await both(handMadeBlocks(4, { 1: [arrived(alice)], 2: [destroyed()], 3: [arrived(bob, { uuid: '72' })] }), 0, 4)
      expect((await owned())[`${cats} 7`]).to.deep.include({ uuid: '72', owner: bob, is_burned: false })
    })
  })

  /** A row of app.nft_transfers. Without a token it is a destruction. */
  interface Move {
    readonly height: number
    readonly event: number
    readonly token: string | undefined
    readonly id: number
    readonly uuid: number | undefined
    readonly to: string | undefined
  }

  const end = 12
  const step = 3
  const move: fc.Arbitrary<Move> = fc.record({
    height: fc.nat(end - 1),
    event: fc.nat(3),
    token: fc.constantFrom(cats, cats, dogs, undefined),
    id: fc.nat(2),
    uuid: fc.constantFrom(1, 2, undefined),
    to: fc.constantFrom(alice, bob, carol, undefined),
  })
  const found = fc
    .uniqueArray(move, { maxLength: 24, selector: ({ height, event }) => `${height} ${event}` })
    .map((moves) => moves.filter(({ token, uuid }) => token !== undefined || uuid !== undefined))

  const deriveMoves = async (from: number, to: number, moves: readonly Move[]): Promise<void> => {
    const output = new RangeOutput(tokenWorker)
    const rows = output.rows('app.nft_transfers')
    for (const { height, event, token, id, uuid, to: owner } of within(moves, from, to).toSorted(byPlace)) {
      rows.row(10)
      rows.int8(height)
      rows.int4(0)
      rows.int4(event)
      rows.int2(0)
      if (token === undefined) rows.null()
      else rows.text(token)
      rows.numeric(String(id))
      if (uuid === undefined) rows.null()
      else rows.int8(uuid)
      rows.null()
      if (token === undefined || owner === undefined) rows.null()
      else rows.text(owner)
      rows.text(token === undefined ? 'burn' : 'transfer')
    }
    await commitOutput(database.pool, tokenWorker, { from, to }, output)
  }

  /** Every item is at its last move, unless it was destroyed later (same id and uuid). */
  const expectedOf = (moves: readonly Move[]): { owned: Record<string, Owned>; counts: object } => {
    const ordered = moves.toSorted(byPlace)
    const items: Record<string, Owned> = {}
    const histories = Map.groupBy(
      ordered.filter(({ token }) => token !== undefined),
      ({ token, id }) => `${token} ${id}`,
    )
    for (const [item, history] of [...histories].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const last = history.at(-1) as Move
      const over = ordered.findLast(
        ({ token, id, uuid }) => token === undefined && id === last.id && uuid === last.uuid,
      )
      const isOver = over !== undefined && byPlace(over, last) > 0
      items[item] = {
        uuid: last.uuid === undefined ? null : String(last.uuid),
        owner: isOver ? null : (last.to ?? null),
        is_burned: isOver,
        height: isOver ? over.height : last.height,
      }
    }
    const holdings = new Map<string, number>()
    const collections = new Map<string, [items: number, holders: number, seen: number]>()
    for (const [item, { owner }] of Object.entries(items)) {
      const token = item.split(' ')[0] ?? ''
      const stats = collections.get(token) ?? [0, 0, 0]
      collections.set(token, stats)
      stats[2]++
      if (owner === null) continue
      stats[0]++
      if (!holdings.has(`${token} ${owner}`)) stats[1]++
      holdings.set(`${token} ${owner}`, (holdings.get(`${token} ${owner}`) ?? 0) + 1)
    }
    const sorted = [...holdings].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return {
      owned: items,
      counts: { holdings: Object.fromEntries(sorted), collections: Object.fromEntries(collections) },
    }
  }

  const piece = fc.constantFrom(0, 3, 6, 9)
  const events = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ what: fc.constant('derive' as const), from: piece, version: fc.nat(1) }) },
      { weight: 3, arbitrary: fc.record({ what: fc.constant('fold' as const), from: piece }) },
      { weight: 1, arbitrary: fc.record({ what: fc.constant('roll back' as const), to: fc.nat(end) }) },
    ),
    { maxLength: 14 },
  )

  it('has the location and count of every item, for any order of derivations, rollbacks and changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(found, found), events, async (versions, all) => {
        await reset()
        const derived = new Map<number, readonly Move[]>()
        const backlog = new Set<number>()
        for (const event of all) {
          if (event.what === 'derive') {
            const { from } = event
            const moves = within(versions[event.version] ?? [], from, from + step)
            await deriveMoves(from, from + step, moves)
            derived.set(from, moves)
            backlog.add(from)
          } else if (event.what === 'fold') {
            await fold(event.from, event.from + step)
            backlog.delete(event.from)
          } else {
            await rollBackDerived(database.pool, event.to)
            for (const [from, moves] of derived) derived.set(from, within(moves, 0, event.to))
          }
        }
        for (const from of backlog) await fold(from, from + step)
        const expected = expectedOf([...derived.values()].flat())
        expect(await owned()).to.deep.equal(expected.owned)
        expect(await counts()).to.deep.equal(expected.counts)
      }),
      { numRuns: 40 },
    )
  })

  it('has the location of every item when ranges are derived again during folds', async () => {
    const someTurns = fc.array(fc.tuple(piece, piece), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(fc.tuple(found, found), someTurns, async ([first, second], turns) => {
        await reset()
        for (let from = 0; from < end; from += step) {
          await deriveMoves(from, from + step, first)
          await fold(from, from + step)
        }
        const again = new Set<number>(turns.map(([from]) => from))
        const folded = new Set<number>(turns.map(([, from]) => from))
        await Promise.all([
          ...[...again].map((from) => deriveMoves(from, from + step, second)),
          ...[...folded].map((from) => fold(from, from + step)),
        ])
        for (const from of again) await fold(from, from + step)
        const expected = expectedOf([
          ...second.filter(({ height }) => again.has(height - (height % step))),
          ...first.filter(({ height }) => !again.has(height - (height % step))),
        ])
        expect(await owned()).to.deep.equal(expected.owned)
        expect(await counts()).to.deep.equal(expected.counts)
      }),
      { numRuns: 12 },
    )
  })

  function within(moves: readonly Move[], from: number, to: number): Move[] {
    return moves.filter(({ height }) => height >= from && height < to)
  }

  function byPlace(a: Move, b: Move): number {
    return a.height - b.height || a.event - b.event
  }
})
