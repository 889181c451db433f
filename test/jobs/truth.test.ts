import { expect } from 'chai'
import * as fc from 'fast-check'
import { basename } from 'node:path'
import { ftHoldingsWorker } from '../../jobs/ft-holdings-worker.ts'
import { workers } from '../../jobs/index.ts'
import { nftOwnershipWorker } from '../../jobs/nft-ownership-worker.ts'
import { tokenWorker } from '../../jobs/token-worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { deriveInto, derivedTables, rollBackDerived } from '../support/derived-tables.ts'
import { inAnyOrder, partitions } from '../support/fold-histories.ts'
import type { Truth } from '../support/recording-annotations.ts'
import { recordedVersions } from '../support/recorded-versions.ts'
import type { RecordedVersion } from '../support/recorded-versions.ts'
import { recordingsToProve } from '../support/replay.ts'
import { compareWithTruth } from '../support/truth.ts'

const tokenWorkers = [tokenWorker, ftHoldingsWorker, nftOwnershipWorker]

for (const name of recordingsToProve) {
  describe(`the truth of the recording ${basename(name)}`, () => {
    let database: TestDatabase
    let versions: readonly RecordedVersion[]

    before(async () => {
      database = await createTestDatabase()
      versions = await recordedVersions(name)
    })

    after(() => database.drop())

    beforeEach(async () => {
      await database.pool.query(`truncate ${derivedTables.join(', ')}`)
    })

    const derive = async (blocks: readonly DecodedBlock[], range: HeightRange, some = tokenWorkers): Promise<void> => {
      for (const worker of some) {
        expect(await deriveInto(database.pool, worker, blocks, range), worker.name).to.deep.equal([])
      }
    }
    const expectTruth = async (
      truth: Truth,
      blocks: readonly DecodedBlock[],
      when: string,
    ): Promise<readonly string[]> => {
      const { differences, unshown } = await compareWithTruth(database.pool, truth, blocks)
      expect(differences, when).to.deep.equal([])
      return unshown
    }

    it('matches the tokens and items of every account, in each version of the chain', async () => {
      for (const { blocks, truth, from, version } of versions) {
        await rollBackDerived(database.pool, from)
        await derive(blocks, { from, to: blocks.length }, [...workers])
        const unshown = await expectTruth(truth, blocks, `version '${version}'`)
        if (name === 'base') expect(unshown).to.deep.equal(unshownInBase)
      }
    })

    it('differs from tables with any error', async () => {
      const { blocks, truth } = versions.at(-1) as (typeof versions)[number]
      await derive(blocks, { from: 0, to: blocks.length })
      const [holder, other] = [
        '(select min(address) from app.nft_holdings)',
        '(select max(address) from app.nft_holdings)',
      ]
      const client = await database.pool.connect()
      try {
        for (const statement of [
          'update app.ft_vault_balances set balance = balance + 0.00000001',
          'update app.ft_holdings set vault_balance = vault_balance + 0.00000001',
          'update app.ft_holdings set vault_rows = 0',
          `update app.nft_ownership set owner = ${holder} where owner = ${other}`,
          'update app.nft_ownership set nft_uuid = nft_uuid + 1',
          'delete from app.nft_ownership',
        ]) {
          await client.query('begin')
          await client.query(statement)
          const { differences } = await compareWithTruth(client, truth, blocks)
          await client.query('rollback')
          expect(differences, statement).to.not.deep.equal([])
        }
      } finally {
        client.release()
      }
    })

    it('matches for any ranges in any order, some derived twice, with rollbacks', async () => {
      const { blocks, truth } = versions.at(-1) as (typeof versions)[number]
      const heights = fc.array(fc.nat(blocks.length), { maxLength: 2 })
      await fc.assert(
        fc.asyncProperty(inAnyOrder(partitions(blocks.length)), heights, fc.nat(), async (ranges, rollbacks, again) => {
          await database.pool.query(`truncate ${derivedTables.join(', ')}`)
          for (const range of ranges) await derive(blocks, range)
          await derive(blocks, ranges[again % ranges.length] as HeightRange)
          for (const height of rollbacks) {
            await rollBackDerived(database.pool, height)
            for (const { from, to } of ranges.filter((range) => range.to > height)) {
              await derive(blocks, { from: Math.max(from, height), to })
            }
          }
          await expectTruth(truth, blocks, 'in the end')
        }),
        { numRuns: 6 },
      )
    })

    it('matches if history starts in the middle, from the first block that shows a vault or an item', async () => {
      const { blocks, truth } = versions.at(-1) as (typeof versions)[number]
      for (const part of [0.25, 0.5, 0.75, 0.95]) {
        await database.pool.query(`truncate ${derivedTables.join(', ')}`)
        const from = Math.floor(blocks.length * part)
        // Newest first, like a backfill behind the head.
        const middle = Math.floor((from + blocks.length) / 2)
        await derive(blocks, { from: middle, to: blocks.length })
        await derive(blocks, { from, to: middle })
        await expectTruth(truth, blocks.slice(from), `from ${from}`)
      }
    })
  })
}

const flow = 'A.0ae53cb6e3f42a79.FlowToken'

/** Contents that no event of `base` shows. */
const unshownInBase: readonly string[] = [
  // Core accounts with their genesis FLOW, and a vault that was empty when stored.
  `0x01cf0e2f2f715450 ${flow}: a vault of 0.00100000 was never named`,
  `0x0ae53cb6e3f42a79 ${flow}: a vault of 0.00100000 was never named`,
  '0x179b6b1cb6755e31 A.179b6b1cb6755e31.MossPoints: a vault of 0.00000000 was never named',
  // Fees go into a vault of the contract FlowFees. The vault in its account's storage never
  // changes.
  `0xe5a8b7f23e8b548f ${flow}: a vault of 0.00100000 was never named`,
  `0xe5a8b7f23e8b548f ${flow}: not in its storage, 1 with 0.00756000`,
  `0xee82856bf20e2aa6 ${flow}: a vault of 0.00100000 was never named`,
  // The reserves of the trading pair, from truth.json, and the staking table.
  `0xf3fcd2c1a78f5eee ${flow}: not in its storage, 1 with 1001.38351040`,
  '0xf3fcd2c1a78f5eee A.179b6b1cb6755e31.PebbleCoin: not in its storage, 1 with 49930.92361579',
  `0xf8d6e0586b0a20c7 ${flow}: not in its storage, 27 with 2496924.84829172`,
]
