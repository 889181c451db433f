import { expect } from 'chai'
import { contractCodeWorker } from '../../../jobs/enrichment/contract-code-worker.ts'
import { contractCodeHash } from '../../../src/flow/code/find-contract-code.ts'
import { refuse } from '../../support/script-node.ts'
import { EnrichmentWorld } from '../../support/enrichment-world.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

const owner = '0x179b6b1cb6755e31'
const first = 'access(all) contract A { access(all) let x: Int; init() { self.x = 1 } }'
const second = 'import NonFungibleToken from 0xf8d6e0586b0a20c7\naccess(all) contract B: NonFungibleToken { /* ü */ }'
const hash = (code: string): Buffer => contractCodeHash(Buffer.from(code))

describe('contract code from the chain', () => {
  let database: TestDatabase
  let world: EnrichmentWorld

  before(async () => {
    database = await createTestDatabase()
    world = await EnrichmentWorld.start(database)
    await database.pool.query(`
      create table raw.transactions_p0 partition of raw.transactions for values from (0) to (1000)`)
  })
  beforeEach(async () => {
    await database.pool.query(
      'truncate app.contract_versions, app.contract_code, app.contract_code_questions, app.asking_walks, raw.transactions, raw.scripts',
    )
    world.node.accounts.length = 0
    world.answer({})
  })
  after(async () => {
    await world.stop()
    await database.drop()
  })

  const version = (name: string, code: string, height: number, change = 'added', at = 0): Promise<unknown> =>
    database.pool.query(
      `insert into app.contract_versions (block_height, tx_index, event_index, change, address, name, code_hash) values ($1, $2, 0, $3, $4, $5, $6)`,
      [height, at, change, owner, name, hash(code)],
    )
  const transaction = async (height: number, args: readonly object[], script = 'transaction {}'): Promise<void> => {
    const scriptHash = Buffer.alloc(32, height)
    await database.pool.query('insert into raw.scripts (script_hash, script_text) values ($1, $2)', [
      scriptHash,
      script,
    ])
    await database.pool.query(
      `insert into raw.transactions (block_height, gas_limit, tx_index, event_count, is_evm, id, status, authorizers, script_hash, arguments)
       values ($1, 1, 0, 1, false, '\\x01', 'SEALED', '{}', $2, $3)`,
      [height, scriptHash, JSON.stringify(args)],
    )
  }
  const codes = () =>
    world.rows('select code, code_bytes, kind, imports, found_in from app.contract_code order by code')

  it('is found in the deploying transaction, without a call', async () => {
    await version('A', first, 5)
    await version('B', second, 6)
    await transaction(5, [
      { type: 'String', value: 'A' },
      { type: 'String', value: Buffer.from(first).toString('hex') },
    ])
    await transaction(6, [{ type: 'String', value: second }])
    await world.run(contractCodeWorker)
    expect(await codes()).to.deep.equal([
      { code: first, code_bytes: null, kind: 'CONTRACT', imports: [], found_in: 'argument' },
      {
        code: second,
        code_bytes: null,
        kind: 'NFT',
        imports: ['A.f8d6e0586b0a20c7.NonFungibleToken'],
        found_in: 'argument',
      },
    ])
    expect(world.node.accounts).to.deep.equal([])
    expect(await world.rows('select status from app.contract_code_questions')).to.deep.equal([
      { status: 'answered' },
      { status: 'answered' },
    ])
  })

  it("is queried at the block's state, and accepted only if its hash matches", async () => {
    await version('A', first, 5)
    await version('B', second, 9)
    await transaction(5, [])
    world.answer({}, ({ height }) => (height === 5 ? { A: first } : { A: first, B: `${second} ` }))
    await world.run(contractCodeWorker)
    expect(await codes()).to.deep.equal([
      { code: first, code_bytes: null, kind: 'CONTRACT', imports: [], found_in: 'chain' },
    ])
    expect(world.node.accounts.map(({ height }) => height)).to.have.members([5, 9])
    expect(
      await world.rows(`select last_error_code from app.contract_code_questions where status = 'none'`),
    ).to.deep.equal([{ last_error_code: 'replaced-in-block' }])
  })

  it('is searched for in other deployments of the same code', async () => {
    await version('A', first, 5)
    await version('A2', first, 7)
    await transaction(5, [{ type: 'String', value: first }])
    await transaction(7, [])
    await world.run(contractCodeWorker)
    expect(await codes()).to.have.lengthOf(1)
    expect(world.node.accounts).to.deep.equal([])
  })

  it('is queried again with exponential backoff if no node has such old state', async () => {
    await version('A', first, 5)
    world.answer({}, () => refuse('NOT_FOUND', 'block height 5 is below the spork root block height 100'))
    for (const [failures, seconds] of [
      [1, 60],
      [2, 120],
      [3, 240],
    ] as const) {
      await database.pool.query('update app.contract_code_questions set next_ask_at = now()')
      await world.run(contractCodeWorker)
      const [row] = await world.rows<{ failures: number; pause: number; last_error_code: string }>(
        'select failures, last_error_code, extract(epoch from next_ask_at - asked_at)::float8 as pause from app.contract_code_questions',
      )
      expect(row).to.include({ failures, last_error_code: 'state-not-served' })
      expect(row?.pause).to.be.within(0.89 * seconds, 1.11 * seconds)
    }
  })

  it('preserves the exact bytes of invalid text', async () => {
    const odd = `${first} // \0`
    await version('A', odd, 5)
    await transaction(5, [{ type: 'String', value: Buffer.from(odd).toString('hex') }])
    await world.run(contractCodeWorker)
    expect(await codes()).to.deep.equal([
      {
        code: `${first} // \\u0000`,
        code_bytes: Buffer.from(odd),
        kind: 'CONTRACT',
        imports: [],
        found_in: 'argument',
      },
    ])
  })

  it('is not searched for if only its removal is known', async () => {
    await version('A', first, 5, 'removed')
    await world.run(contractCodeWorker)
    expect(world.node.accounts).to.deep.equal([])
    expect(await world.rows('select last_error_code from app.contract_code_questions')).to.deep.equal([
      { last_error_code: 'key-deleted' },
    ])
  })
})
