import { expect } from 'chai'
import * as fc from 'fast-check'
import { metaWorker } from '../../jobs/meta-worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { describeContract } from '../../src/flow/code/describe-contract.ts'
import { contractCodeHash, findContractCode } from '../../src/flow/code/find-contract-code.ts'
import { RangeOutput } from '../../src/farm/commit/range-output.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { commitOutput, deriveInto } from '../support/derived-tables.ts'
import { foldDigest, inAnyOrder, partitions, rollBackWorker } from '../support/fold-histories.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { truthOf } from '../support/recording-annotations.ts'
import { startRecordedNode } from '../support/replay.ts'

const end = 12
const address = '0x00000000000000a1'

interface Change {
  readonly height: number
  readonly event: number
  readonly name: string
  readonly change: 'added' | 'updated' | 'removed'
  readonly code: number
}

interface DeployedVersion {
  readonly name: string
  readonly hash: Buffer
  readonly script: string
  readonly arguments: readonly unknown[] | null
}

const history: fc.Arbitrary<Change[]> = fc
  .uniqueArray(
    fc.record({
      height: fc.nat(end - 1),
      event: fc.nat(2),
      name: fc.constantFrom('A', 'B'),
      change: fc.constantFrom('added', 'updated', 'removed'),
      code: fc.nat(4),
    }),
    { maxLength: 16, selector: ({ height, event }) => `${height} ${event}` },
  )
  .map((changes) => changes.toSorted((a, b) => a.height - b.height || a.event - b.event))

describe('contracts', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  const derive = async ({ from, to }: HeightRange, changes: readonly Change[]): Promise<void> => {
    const output = new RangeOutput(metaWorker)
    const rows = output.rows('app.contract_versions')
    for (const { height, event, name, change, code } of changes) {
      if (height < from || height >= to) continue
      rows.row(7)
      rows.int8(height)
      rows.int4(0)
      rows.int4(event)
      rows.text(change)
      rows.text(address)
      rows.text(name)
      rows.bytea(Buffer.alloc(32, code))
    }
    await commitOutput(database.pool, metaWorker, { from, to }, output)
  }
  const reset = async (): Promise<void> => {
    await database.pool.query(
      `truncate app.contract_versions, app.smart_contracts, app.contract_code, app.account_key_changes,
         app.account_keys`,
    )
  }

  it('match their last change, in any order of ranges and after rollbacks', async () => {
    await fc.assert(
      fc.asyncProperty(history, inAnyOrder(partitions(end)), fc.nat(end), async (changes, ranges, height) => {
        await reset()
        for (const range of [...ranges, ...ranges.slice(0, 2)]) await derive(range, changes)
        const { rows } = await database.pool.query<object>(
          `select name, created_height::int, updated_height::int, updated_event_index, is_removed,
             get_byte(code_hash, 0) as code
           from app.smart_contracts order by name`,
        )
        const byName = [...Map.groupBy(changes, ({ name }) => name)].toSorted(([a], [b]) => (a < b ? -1 : 1))
        expect(rows).to.deep.equal(
          byName.map(([name, life]) => {
            const [first, last] = [life[0] as Change, life.at(-1) as Change]
            return {
              name,
              created_height: first.change === 'added' ? first.height : null,
              updated_height: last.height,
              updated_event_index: last.event,
              is_removed: last.change === 'removed',
              code: last.code,
            }
          }),
        )
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

  it('have a version per change except removals, numbered by position, even two in one block', async () => {
    await reset()
    const change = (height: number, event: number, kind: Change['change'], code: number): Change => ({
      height,
      event,
      name: 'A',
      change: kind,
      code,
    })
    const changes = [
      change(2, 0, 'added', 1),
      change(5, 0, 'updated', 2),
      change(5, 1, 'updated', 3),
      change(7, 0, 'removed', 3),
      change(9, 0, 'added', 4),
    ]
    // Newest first, like a backfill from the head down.
    for (const from of [8, 4, 0]) await derive({ from, to: from + 4 }, changes)
    const { rows } = await database.pool.query<{ version: number; code: number }>(
      `
      select (row_number() over (order by block_height, tx_index, event_index))::int as version,
        get_byte(code_hash, 0) as code
      from app.contract_versions where address = $1 and name = 'A' and change <> 'removed' order by 1`,
      [address],
    )
    expect(rows.map(({ version, code }) => `${version}: ${code}`)).to.deep.equal(['1: 1', '2: 2', '3: 3', '4: 4'])
  })

  it('depend on each other by their current code', async () => {
    await reset()
    const bridged = `EVMVMBridgedNFT_${'5a'.repeat(20)}`
    const added = (name: string, code: number, change: Change['change'] = 'added', height = 1): Change => ({
      height,
      event: code,
      name,
      change,
      code,
    })
    await derive({ from: 0, to: 4 }, [
      added('A', 0),
      added('B', 1),
      added(bridged, 2),
      added('EVMVMBridgedNFT_x', 4),
      added('D', 3),
      added('D', 3, 'removed', 2),
    ])
    const store = (code: number, kind: string, imports: readonly string[]): Promise<unknown> =>
      database.pool.query(
        `insert into app.contract_code (code_hash, code, kind, imports, found_in) values ($1, '', $2, $3, 'chain')`,
        [Buffer.alloc(32, code), kind, imports],
      )
    await store(0, 'FT', ['A.1.X', 'A.1.Y'])
    await store(1, 'CONTRACT', ['A.1.X'])
    await store(3, 'CONTRACT', ['A.1.X'])
    const { rows: dependents } = await database.pool.query<object>(
      'select contract, dependent_count::int as count from app.contract_dependents order by contract',
    )
    expect(dependents).to.deep.equal([
      { contract: 'A.1.X', count: 2 },
      { contract: 'A.1.Y', count: 1 },
    ])
    const { rows } = await database.pool.query<object>(
      'select contract, kind, is_removed, imports from app.contracts order by contract',
    )
    expect(rows).to.deep.equal([
      { contract: 'A.00000000000000a1.A', kind: 'FT', is_removed: false, imports: ['A.1.X', 'A.1.Y'] },
      { contract: 'A.00000000000000a1.B', kind: 'CONTRACT', is_removed: false, imports: ['A.1.X'] },
      { contract: 'A.00000000000000a1.D', kind: 'CONTRACT', is_removed: true, imports: ['A.1.X'] },
      { contract: `A.00000000000000a1.${bridged}`, kind: 'NFT', is_removed: false, imports: null },
      { contract: 'A.00000000000000a1.EVMVMBridgedNFT_x', kind: null, is_removed: false, imports: null },
    ])
    const { rows: wanted } = await database.pool.query<object>(
      'select name from app.contract_code_wanted order by name',
    )
    expect(wanted).to.deep.equal([{ name: bridged }, { name: 'EVMVMBridgedNFT_x' }])
  })

  describe('of a recording', () => {
    let stored: TestDatabase
    let blocks: readonly DecodedBlock[]

    before(async () => {
      stored = await createTestDatabase()
      blocks = await decodedRecording('base')
      await using node = await startRecordedNode('base')
      const running = await runIngest(stored, {
        CHAIN_ACCESS_NODE: node.endpoint,
        ENABLE_HISTORY_INGESTER: 'false',
        START_BLOCK: '0',
      })
      await untilStored(stored, 0, 280, running)
      await running.stop()
      await deriveInto(stored.pool, metaWorker, blocks, { from: 0, to: blocks.length })
    })

    after(() => stored.drop())

    it('have their code in the deploying transactions, as stored in the raw tables', async () => {
      const { rows } = await stored.pool.query<DeployedVersion>(`
        select w.name, w.code_hash as hash, s.script_text as script, t.arguments
        from app.contract_code_wanted w join raw.transactions t using (block_height, tx_index)
          join raw.scripts s using (script_hash)
        order by block_height, tx_index, event_index`)
      expect(rows.length).to.be.greaterThan(10)
      const kinds = new Map<string, string>()
      const sizes = new Map<string, number>()
      for (const { name, hash, script, arguments: values } of rows) {
        const found = findContractCode(hash, script, values ?? [])
        expect(found?.foundIn, name).to.equal('argument')
        const code = found?.code ?? Buffer.alloc(0)
        expect(contractCodeHash(code).equals(hash)).to.equal(true)
        kinds.set(name, describeContract(code.toString(), 'emulator').kind)
        sizes.set(hash.toString('hex'), code.length)
      }
      expect(Object.fromEntries(kinds)).to.include({
        PebbleCoin: 'FT',
        MossPoints: 'FT',
        RiverStones: 'NFT',
        PaperBoats: 'NFT',
        SwapPair: 'CONTRACT',
      })
      const { accounts } = await truthOf('base')
      for (const { sha3_256: hash, bytes } of Object.values(accounts).flatMap((one) => Object.values(one.contracts))) {
        if (sizes.has(hash)) expect(sizes.get(hash)).to.equal(bytes)
      }
    })
  })
})
