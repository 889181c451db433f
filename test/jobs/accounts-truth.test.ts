import { expect } from 'chai'
import * as fc from 'fast-check'
import { basename } from 'node:path'
import { accountsWorker } from '../../jobs/accounts-worker.ts'
import { metaWorker } from '../../jobs/meta-worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { deriveInto } from '../support/derived-tables.ts'
import { inAnyOrder, partitions, rollBackWorker } from '../support/fold-histories.ts'
import type { TrueAccount, Truth } from '../support/recording-annotations.ts'
import { recordedVersions } from '../support/recorded-versions.ts'
import type { RecordedVersion } from '../support/recorded-versions.ts'
import { recordingsToProve } from '../support/replay.ts'

const workers = [accountsWorker, metaWorker]
const kinds = ['keys', 'contracts', 'coas'] as const

/** The contents of an account, as sorted lines of text. */
type Belongings = Readonly<Record<(typeof kinds)[number], readonly string[]>>

function trueBelongings({ keys, contracts, coas }: TrueAccount): Belongings {
  return {
    keys: keys
      .map((key) =>
        [key.index, key.public_key, key.sign_algo, key.hash_algo, key.weight, key.revoked ? 'revoked' : 'valid'].join(
          ' ',
        ),
      )
      .toSorted(),
    contracts: Object.entries(contracts)
      .map(([name, { sha3_256: hash }]) => `${name} ${hash}`)
      .toSorted(),
    coas: coas.map((coa) => `0x${coa.evm_address}`).toSorted(),
  }
}

/** Keys added before the first block are known only by a revocation, and are omitted. */
const indexedLines = `
  select address, 'keys' as kind, concat_ws(' ', key_index, encode(public_key, 'hex'), signing_algorithm,
    hashing_algorithm, weight, case when is_revoked then 'revoked' else 'valid' end) as line
  from app.account_keys where public_key is not null
  union all
  select address, 'contracts', name || ' ' || encode(code_hash, 'hex') from app.smart_contracts where not is_removed
  union all
  select coalesce(flow_address, ''), 'coas', coa_address from app.coa_accounts`

for (const name of recordingsToProve) {
  describe(`accounts of the recording ${basename(name)}`, () => {
    let database: TestDatabase
    let versions: readonly RecordedVersion[]

    before(async () => {
      database = await createTestDatabase()
      versions = await recordedVersions(name)
    })

    after(() => database.drop())

    const reset = async (): Promise<void> => {
      const tables = workers.flatMap((worker) => [...worker.tables, ...worker.folds])
      await database.pool.query(`truncate ${tables.map((table) => table.name).join(', ')}`)
    }
    beforeEach(reset)

    const derive = async (blocks: readonly DecodedBlock[], range: HeightRange): Promise<void> => {
      for (const worker of workers) {
        expect(await deriveInto(database.pool, worker, blocks, range), worker.name).to.deep.equal([])
      }
    }
    const belongingsOf = async (): Promise<(address: string) => Belongings> => {
      const { rows } = await database.pool.query<{ address: string; kind: string; line: string }>(indexedLines)
      const lines = Map.groupBy(rows, ({ address, kind }) => `${address} ${kind}`)
      const of = (address: string, kind: string): readonly string[] =>
        (lines.get(`${address} ${kind}`) ?? []).map(({ line }) => line).toSorted()
      return (address) => ({
        keys: of(address, 'keys'),
        contracts: of(address, 'contracts'),
        coas: of(address, 'coas'),
      })
    }
    /**
     * Accounts created in these blocks are known completely, except for the owners of some EVM accounts.
     * Accounts that existed at the start may have more than is known.
     * @returns accounts that were compared as a whole
     */
    const expectTruth = async ({ accounts }: Truth, when: string): Promise<readonly string[]> => {
      const belongings = await belongingsOf()
      const { rows: created } = await database.pool.query<{ address: string }>(
        'select address from app.accounts where created_height is not null order by address',
      )
      for (const [address, account] of Object.entries(accounts)) {
        const [found, expected, unowned] = [belongings(address), trueBelongings(account), belongings('').coas]
        for (const kind of kinds) {
          expect(expected[kind], `${when}: ${kind} of ${address}`).to.include.members([...found[kind]])
        }
        if (!created.some((one) => one.address === address)) continue
        const owned = { ...expected, coas: expected.coas.filter((coa) => !unowned.includes(coa)) }
        expect(found, `${when}: ${address}`).to.deep.equal(owned)
      }
      return created.map(({ address }) => address)
    }

    it('have the keys, contracts and EVM accounts of the chain, in each of its versions', async () => {
      for (const { blocks, truth, from, version } of versions) {
        for (const worker of workers) await rollBackWorker(database.pool, worker, from)
        await derive(blocks, { from, to: blocks.length })
        const compared = await expectTruth(truth, `version '${version}'`)
        if (name === 'base' || name === 'fork') expect(compared).to.have.length.greaterThan(8)
      }
    })

    it('are the same for any ranges in any order, some derived twice', async () => {
      const { blocks, truth } = versions.at(-1) as (typeof versions)[number]
      await fc.assert(
        fc.asyncProperty(inAnyOrder(partitions(blocks.length)), fc.nat(), async (ranges, again) => {
          await reset()
          for (const range of ranges) await derive(blocks, range)
          await derive(blocks, ranges[again % ranges.length] as HeightRange)
          await expectTruth(truth, 'in the end')
        }),
        { numRuns: 6 },
      )
    })

    it('have no extra contents if history starts in the middle', async () => {
      const { blocks, truth } = versions.at(-1) as (typeof versions)[number]
      for (const part of [0.2, 0.5, 0.8]) {
        await reset()
        await derive(blocks, { from: Math.floor(blocks.length * part), to: blocks.length })
        await expectTruth(truth, `from ${part} on`)
      }
    })
  })
}
