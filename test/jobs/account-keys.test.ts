import { expect } from 'chai'
import * as fc from 'fast-check'
import { metaWorker } from '../../jobs/meta-worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import { RangeOutput } from '../../src/farm/commit/range-output.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { commitOutput } from '../support/derived-tables.ts'
import { foldDigest, inAnyOrder, partitions, rollBackWorker } from '../support/fold-histories.ts'

const end = 24

/** A change of the key `index` of an account, and whether the event has the index. */
interface Change {
  readonly height: number
  readonly place: number
  readonly address: string
  readonly index: number
  readonly isRemoved: boolean
  readonly isIndexReported: boolean
}

interface Key {
  readonly address: string
  readonly key_index: number
  readonly public_key: string | null
  readonly added_height: number | null
  readonly revoked_height: number | null
}

interface Account {
  readonly changes: readonly Change[]
  readonly keys: readonly Key[]
}

const bytesOf = (address: string, index: number): string => `${address.slice(2)}${index.toString(16).padStart(2, '0')}`

/**
 * The life of an account: at each height, `add` a key or `revoke` one by number. Events before
 * `since` lack the index. An account without `created` had keys before.
 */
function lifeOf(
  address: string,
  created: boolean,
  before: number,
  since: number,
  steps: readonly (number | 'add')[],
): Account {
  const keys = new Map<number, { added: number | null; revoked: number | null }>()
  const changes: Change[] = []
  let next = created ? 0 : before
  for (const [i, step] of (created ? (['add', ...steps] as const) : steps).entries()) {
    const height = Math.floor((i * end) / (steps.length + 1))
    const isIndexReported = height >= since || (created && i === 0)
    if (step === 'add') {
      changes.push({ height, place: i, address, index: next, isRemoved: false, isIndexReported })
      keys.set(next++, { added: height, revoked: null })
    } else if (next > 0) {
      const index = step % next
      const key = keys.get(index) ?? { added: null, revoked: null }
      if (key.revoked !== null) continue
      changes.push({ height, place: i, address, index, isRemoved: true, isIndexReported })
      keys.set(index, { ...key, revoked: height })
    }
  }
  const isAnchored = changes.some(({ isRemoved, isIndexReported }) => !isRemoved && isIndexReported)
  const isReported = (index: number, isRemoved: boolean): boolean =>
    changes.some((change) => change.index === index && change.isRemoved === isRemoved && change.isIndexReported)
  const known = [...keys].map(([index, { added, revoked }]): Key => {
    const isAdditionKnown = added !== null && (isAnchored || isReported(index, false))
    return {
      address,
      key_index: index,
      public_key: isAdditionKnown ? bytesOf(address, index) : null,
      added_height: isAdditionKnown ? added : null,
      revoked_height: isReported(index, true) || isAdditionKnown ? revoked : null,
    }
  })
  return { changes, keys: known.filter((key) => key.public_key !== null || key.revoked_height !== null) }
}

const account = (address: string): fc.Arbitrary<Account> =>
  fc
    .tuple(
      fc.boolean(),
      fc.nat(3),
      fc.nat(end + 4),
      fc.array(fc.oneof(fc.constant('add' as const), fc.nat(8)), { maxLength: 12 }),
    )
    .map(([created, before, since, steps]) => lifeOf(address, created, before, since, steps))

describe('account keys', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  const derive = async ({ from, to }: HeightRange, changes: readonly Change[]): Promise<void> => {
    const output = new RangeOutput(metaWorker)
    const rows = output.rows('app.account_key_changes')
    for (const { height, place, address, index, isRemoved, isIndexReported } of changes) {
      if (height < from || height >= to) continue
      rows.row(10)
      rows.int8(height)
      rows.int4(place)
      rows.int4(address === '0x00000000000000a1' ? 0 : 1)
      if (isIndexReported) rows.int4(index)
      else rows.null()
      rows.int4(1000)
      rows.int2(2)
      rows.int2(3)
      rows.bool(isRemoved)
      rows.text(address)
      if (isRemoved && isIndexReported) rows.null()
      else rows.bytea(Buffer.from(bytesOf(address, index), 'hex'))
    }
    await commitOutput(database.pool, metaWorker, { from, to }, output)
  }
  const reset = async (): Promise<void> => {
    await database.pool.query('truncate app.account_key_changes, app.account_keys, app.worker_leases')
  }
  const stored = async (): Promise<readonly Key[]> => {
    const { rows } = await database.pool.query<Key & { is_revoked: boolean }>(
      `select address, key_index, encode(public_key, 'hex') as public_key, added_height::int, revoked_height::int,
         is_revoked
       from app.account_keys order by address, key_index`,
    )
    return rows.map(({ is_revoked: isRevoked, ...key }) => {
      expect(isRevoked).to.equal(key.revoked_height !== null)
      return key
    })
  }

  it('match the chain for any events, order of ranges and rollbacks', async () => {
    const accounts = fc.tuple(account('0x00000000000000a1'), account('0x00000000000000b0'))
    await fc.assert(
      fc.asyncProperty(accounts, inAnyOrder(partitions(end)), fc.nat(end), async (both, ranges, height) => {
        const changes = both.flatMap((one) => one.changes).toSorted((a, b) => a.height - b.height || a.place - b.place)
        const expected = both.flatMap((one) => one.keys.toSorted((a, b) => a.key_index - b.key_index))
        const some = ranges.slice(0, -1)
        await reset()
        for (const range of some.toSorted((a, b) => a.from - b.from)) await derive(range, changes)
        const ofSome = await foldDigest(database.pool, metaWorker)
        await reset()
        for (const range of some) await derive(range, changes)
        expect(await foldDigest(database.pool, metaWorker), 'where a range is missing').to.equal(ofSome)
        for (const range of ranges.slice(-1)) await derive(range, changes)
        expect(await stored()).to.deep.equal(expected)
        for (const range of ranges.slice(0, 2)) await derive(range, changes)
        expect(await stored()).to.deep.equal(expected)
        const emptied = ranges[height % ranges.length] as HeightRange
        await derive(emptied, [])
        const ofOthers = await foldDigest(database.pool, metaWorker)
        await reset()
        const isElsewhere = (change: Change): boolean => change.height < emptied.from || change.height >= emptied.to
        await derive({ from: 0, to: end }, changes.filter(isElsewhere))
        expect(await foldDigest(database.pool, metaWorker), 'where a range came to nothing').to.equal(ofOthers)
        await derive({ from: 0, to: end }, changes)
        await rollBackWorker(database.pool, metaWorker, height)
        const rolledBack = await foldDigest(database.pool, metaWorker)
        await reset()
        await derive(
          { from: 0, to: height + 1 },
          changes.filter((change) => change.height < height),
        )
        expect(await foldDigest(database.pool, metaWorker)).to.equal(rolledBack)
      }),
      { numRuns: 40 },
    )
  })
})
