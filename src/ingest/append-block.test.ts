import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { expansionLimits } from '../flow/payload-value.ts'
import { expandingPayload } from '../../simnode/node/fault-edits.ts'
import { appendBlock } from './append-block.ts'
import { BatchWriter } from './batch-writer.ts'
import { Batch } from './batch.ts'
import { decodedBlock } from './decoded-block.ts'
import { blockIdOf, blockOf, eventOf, idOf, signatureOf, storeBlocks } from './blocks.test-support.ts'
import type { TransactionParts } from './blocks.test-support.ts'
import { ScriptCache, ShapeCache } from './caches.ts'

const none = Buffer.alloc(0)
const amount = { amount: { type: 'UFix64', value: '1.50000000' } }
const deposit = eventOf('A.1654653399040a61.FlowToken.TokensDeposited', amount)

/** The transactions that end every block on real nodes. */
const systemParts: TransactionParts = {
  body: {
    payer: none,
    proposerAddress: none,
    proposerKeyId: 0,
    proposerSequenceNumber: 0n,
    referenceBlockId: none,
    gasLimit: 10n,
    authorizers: [Buffer.from('e467b9dd11fa00df', 'hex')],
    envelopeSignatures: [],
  },
  result: { collectionId: Buffer.alloc(32), computationUsage: 0n },
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

describe('the rows of a block', () => {
  let database: TestDatabase
  let height = 100

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  beforeEach(() => {
    height += 10
  })

  async function rows(query: string): Promise<Record<string, unknown>[]> {
    return (await database.pool.query<Record<string, unknown>>(query, [height])).rows
  }

  /** Stores one block and returns the row of its first transaction. */
  async function storeOne(parts: TransactionParts): Promise<Record<string, unknown>> {
    await storeBlocks(database.pool, [blockOf(height, { transactions: [parts] })])
    const [row] = await rows('select * from raw.transactions where block_height = $1')
    return row ?? {}
  }

  it('include all header fields', async () => {
    const collectionIds = [idOf('c', 1), idOf('c', 2)]
    const { block } = blockOf(height)
    const transactions = [{ result: { events: [deposit, deposit] } }, {}]
    const header = { ...block, collectionIds, timestampUs: 1_735_689_600_123_456 }
    await storeBlocks(database.pool, [blockOf(height, { transactions, fetched: { block: header } })])
    expect(
      await rows(`
      select height, id, parent_id, extract(epoch from timestamp) * 1000000 as us, collection_count, tx_count,
        event_count, collection_ids
      from raw.blocks where height = $1`),
    ).to.deep.equal([
      {
        height: String(height),
        id: blockIdOf(height),
        parent_id: blockIdOf(height - 1),
        us: '1735689600123456.000000',
        collection_count: 2,
        tx_count: 2,
        event_count: 2,
        collection_ids: collectionIds,
      },
    ])
    expect(await rows('select id from raw.block_lookup where height = $1')).to.deep.equal([{ id: blockIdOf(height) }])
  })

  it('are stored for blocks without collections or transactions, and for blocks before 1970', async () => {
    const { block } = blockOf(height)
    const header = { ...block, collectionIds: [], timestampUs: -9e15 }
    await storeBlocks(database.pool, [blockOf(height, { fetched: { block: header } })])
    expect(
      await rows(`
      select tx_count, event_count, collection_count, collection_ids, extract(year from timestamp)::int as year
      from raw.blocks where height = $1`),
    ).to.deep.equal([{ tx_count: 0, event_count: 0, collection_count: 0, collection_ids: [], year: 1684 }])
  })

  it('include all transaction fields', async () => {
    const argument = Buffer.from('{"type":"Int","value":"3"}')
    const script = Buffer.from('import EVM from 0xe467b9dd11fa00df\ntransaction {}')
    const block = blockOf(height, {
      transactions: [
        {},
        {
          body: {
            script,
            arguments: [argument],
            authorizers: [Buffer.alloc(8, 1), Buffer.alloc(8, 2)],
            payloadSignatures: [signatureOf({ keyId: 3 })],
          },
          result: { statusCode: 1, errorMessage: 'it failed', events: [deposit], computationUsage: 77n },
        },
      ],
    })
    await storeBlocks(database.pool, [block])
    const [, row] = await rows('select * from raw.transactions where block_height = $1 order by tx_index')
    expect(Buffer.isBuffer(row?.['signatures'])).to.equal(true)
    expect({ ...row, signatures: null }).to.deep.equal({
      block_height: String(height),
      tx_index: 1,
      id: block.transactionIds[1],
      collection_index: 0,
      status: 'SEALED',
      status_code: 1,
      is_evm: true,
      payer_address: '0x7c8995e83c4b1843',
      proposer_address: '0x18eb4ee6b3c026d2',
      proposer_key_index: 1,
      proposer_sequence_number: '7',
      authorizers: ['0x0101010101010101', '0x0202020202020202'],
      reference_block_id: idOf('reference'),
      script_hash: sha256(script),
      arguments: [{ type: 'Int', value: '3' }],
      gas_limit: '9999',
      gas_used: '77',
      event_count: 1,
      error_message: 'it failed',
      signatures: null,
    })
    const lookup = await rows('select id, tx_index, evm_hash from raw.tx_lookup where block_height = $1 order by 2')
    expect(lookup).to.deep.equal([
      { id: block.transactionIds[0], tx_index: 0, evm_hash: null },
      { id: block.transactionIds[1], tx_index: 1, evm_hash: null },
    ])
    const scripts = await database.pool.query('select * from raw.scripts where script_hash = $1', [sha256(script)])
    expect(scripts.rows).to.deep.equal([
      { script_hash: sha256(script), script_text: script.toString(), script_bytes: null },
    ])
  })

  it('have nulls and no lookup entry for system transactions, whose ids repeat', async () => {
    const row = await storeOne(systemParts)
    expect(row).to.include({
      payer_address: null,
      proposer_address: null,
      proposer_key_index: null,
      proposer_sequence_number: null,
      reference_block_id: null,
      collection_index: null,
      signatures: null,
      arguments: null,
      error_message: null,
      status_code: 0,
      gas_used: '0',
    })
    expect(row['authorizers']).to.deep.equal(['0xe467b9dd11fa00df'])
    expect(await rows('select 1 from raw.tx_lookup where block_height = $1')).to.deep.equal([])
  })

  it('have a lookup entry for scheduled transactions, which are in no collection either', async () => {
    const schedule = Buffer.from('{"type":"UInt64","value":"5"}')
    const row = await storeOne({ ...systemParts, body: { ...systemParts.body, arguments: [schedule] } })
    expect(await rows('select id from raw.tx_lookup where block_height = $1')).to.deep.equal([{ id: row['id'] }])
  })

  it('recognize system transactions of an emulator by their collection, as the service account pays for them', async () => {
    await storeOne({ result: { collectionId: Buffer.alloc(32) } })
    expect(await rows('select 1 from raw.tx_lookup where block_height = $1')).to.deep.equal([])
  })

  it('record missing parts with the reason', async () => {
    const missing = [
      { part: 'result', index: 0, reason: 'lost\0for ever' },
      { part: 'results', reason: 'pruned' },
    ] as const
    const user = blockOf(height, { transactions: [{ result: undefined }], fetched: { missing } })
    const system = blockOf(height + 1, { transactions: [{ ...systemParts, result: undefined }] })
    await storeBlocks(database.pool, [user, system])
    const [row] = await rows('select * from raw.transactions where block_height = $1')
    expect(row).to.include({
      status: 'UNKNOWN',
      status_code: null,
      gas_used: null,
      event_count: 0,
      collection_index: null,
      error_message: null,
    })
    const holes = await rows(
      'select part, tx_index, reason, endpoint from raw.unavailable where block_height = $1 order by 1',
    )
    expect(holes).to.deep.equal([
      { part: 'result', tx_index: 0, reason: String.raw`lost\u0000for ever`, endpoint: 'test:1' },
      { part: 'results', tx_index: -1, reason: 'pruned', endpoint: 'test:1' },
    ])
    const lookup = await rows('select block_height::int from raw.tx_lookup where block_height - $1 in (0, 1)')
    expect(lookup).to.deep.equal([{ block_height: height }])
  })

  it('number events by position and ignore the index from the node', async () => {
    const events = [
      eventOf('A.01.C.A', amount, 5),
      eventOf('A.01.C.B', amount, 5),
      eventOf('A.01.C.C', amount, 2 ** 32 - 1),
    ]
    await storeOne({ result: { events } })
    const stored = await rows('select event_index, type, payload from raw.events where block_height = $1 order by 1')
    expect(stored).to.deep.equal(
      ['A', 'B', 'C'].map((name, i) => ({ event_index: i, type: `A.01.C.${name}`, payload: { amount: '1.50000000' } })),
    )
  })

  it('keep an undecodable event and the rest of its block', async () => {
    const broken = Buffer.from('d88182', 'hex')
    await storeOne({ result: { events: [deposit, eventOf('A.01.C.Broken', broken), deposit] } })
    const events = await rows(
      'select event_index, payload is null as empty from raw.events where block_height = $1 order by 1',
    )
    expect(events).to.deep.equal([
      { event_index: 0, empty: false },
      { event_index: 1, empty: true },
      { event_index: 2, empty: false },
    ])
    expect(
      await rows(`
      select worker_name, tx_index, event_index, code, event_type, raw_data, occurrences
      from raw.indexing_errors where block_height = $1`),
    ).to.deep.equal([
      {
        worker_name: 'main_ingester',
        tx_index: 0,
        event_index: 1,
        code: 'ccf-truncated',
        event_type: 'A.01.C.Broken',
        raw_data: broken,
        occurrences: 1,
      },
    ])
  })

  it('have the hash of the first decodable EVM transaction', async () => {
    const type = 'A.e467b9dd11fa00df.EVM.TransactionExecuted'
    const hash = (byte: number) => ({ hash: { type: 'String', value: `0x${Buffer.alloc(32, byte).toString('hex')}` } })
    const contents = [Buffer.from('d8', 'hex'), {}, hash(7), hash(8)]
    await storeOne({ result: { events: contents.map((content) => eventOf(type, content)) } })
    const lookup = await rows('select evm_hash from raw.tx_lookup where block_height = $1')
    expect(lookup).to.deep.equal([{ evm_hash: Buffer.alloc(32, 7) }])
  })

  it('clamp numbers to the maximum of their columns', async () => {
    const row = await storeOne({
      body: { proposerKeyId: 2 ** 32 - 1, proposerSequenceNumber: 2n ** 64n - 1n, gasLimit: 2n ** 64n - 1n },
      result: { statusCode: 2 ** 32 - 1, computationUsage: 2n ** 64n - 1n },
    })
    const max = '9223372036854775807'
    expect(row).to.include({
      proposer_key_index: 2_147_483_647,
      proposer_sequence_number: max,
      gas_limit: max,
      gas_used: max,
      status_code: 32_767,
    })
  })

  it('normalize addresses of another length like the chain', async () => {
    const long = Buffer.from('ffffffff7c8995e83c4b1843', 'hex')
    const body = { payer: long, proposerAddress: Buffer.from('01', 'hex'), authorizers: [long, none] }
    const row = await storeOne({ body })
    expect(row).to.include({ payer_address: '0x7c8995e83c4b1843', proposer_address: '0x0000000000000001' })
    expect(row['authorizers']).to.deep.equal(['0x7c8995e83c4b1843', '0x0000000000000000'])
  })

  it('store the bytes of a script only if it is not text', async () => {
    const scripts = {
      exact: Buffer.from('// é漢👍🏽\uFEFF'),
      nul: Buffer.from('a\0b'),
      latin: Buffer.from('caf\xe9', 'latin1'),
    }
    const transactions = Object.values(scripts).map((script) => ({ body: { script } }))
    await storeBlocks(database.pool, [blockOf(height, { transactions })])
    const stored = await database.pool.query<{ script_text: string; script_bytes: Buffer | null }>(
      `select s.script_text, s.script_bytes from raw.transactions t join raw.scripts s using (script_hash)
       where t.block_height = $1 order by tx_index`,
      [height],
    )
    expect(stored.rows).to.deep.equal([
      { script_text: scripts.exact.toString(), script_bytes: null },
      { script_text: String.raw`a\u0000b`, script_bytes: scripts.nul },
      { script_text: 'caf\uFFFD', script_bytes: scripts.latin },
    ])
  })

  it('do not depend on the order of heights or the batch size', async () => {
    const transactions = [{ result: { events: [deposit, eventOf('A.01.C.X', none)] } }, systemParts]
    const blocks = Array.from({ length: 9 }, (_, i) => blockOf(10_000 + i, { transactions }))
    const falling = blocks.toReversed()
    const tables = ['blocks', 'transactions', 'event_chunks', 'tx_lookup', 'block_lookup', 'indexing_errors']
    const contents: unknown[] = []
    for (const [order, batchBlocks] of [
      [blocks, 100],
      [falling, 100],
      [falling, 2],
      [falling, 1],
    ] as const) {
      const other = await createTestDatabase()
      await storeBlocks(other.pool, order, { batchBlocks })
      contents.push(
        await Promise.all(
          tables.map(async (table) => {
            const left = `array['first_seen_at', 'last_seen_at'${table === 'indexing_errors' ? `, 'id'` : ''}]`
            // Concurrent batches number new shapes in any order.
            const shapes =
              table === 'event_chunks'
                ? `|| jsonb_build_object('shapes', (
          select jsonb_agg(s.hash order by n) from unnest(t.shapes) with ordinality u (id, n) join raw.event_shapes s using (id)))`
                : ''
            const text = `select to_jsonb(t) - ${left} ${shapes} as row from raw.${table} t order by 1`
            return (await other.pool.query<{ row: unknown }>(text)).rows
          }),
        ),
      )
      // Rows within a batch are ordered by height, which compacts the keys.
      const inPlace = await other.pool.query<{ height: number }>(
        'select block_height::int as height from raw.event_chunks order by ctid',
      )
      const rising = blocks.map(({ block }) => block.height)
      if (batchBlocks === 100) expect(inPlace.rows.map((row) => row.height)).to.deep.equal(rising)
      await other.drop()
    }
    for (const content of contents.slice(1)) expect(content).to.deep.equal(contents[0])
  })

  it('are appended atomically: a failure leaves the batch unchanged', async () => {
    const batch = new Batch(new ScriptCache(), new ShapeCache())
    const transactions = [{ result: { events: [deposit, eventOf('A.01.C.X', none)] } }]
    appendBlock(batch, blockOf(height, { transactions }))
    const whole = blockOf(height + 1, { transactions: [...transactions, ...transactions] })
    const transactionIds = [whole.transactionIds[0] as Buffer, undefined as unknown as Buffer]
    const broken: FetchedBlock = { ...whole, transactionIds }
    expect(() => appendBlock(batch, broken)).to.throw(TypeError)
    expect(batch.range).to.deep.equal({ from: height, to: height + 1 })
    expect([batch.blockCount, batch.txCount, batch.eventCount, batch.undecoded.length]).to.deep.equal([1, 1, 2, 1])
    const alone = new Batch(new ScriptCache(), new ShapeCache())
    appendBlock(alone, blockOf(height, { transactions }))
    for (const table of ['blocks', 'transactions', 'event_chunks', 'tx_lookup', 'block_lookup'] as const) {
      expect(Buffer.concat(batch.rowsOf(table)).equals(Buffer.concat(alone.rowsOf(table))), table).to.equal(true)
    }
  })

  describe('with expanding events', () => {
    const type = 'A.0000000000000001.Expanding.Event'
    const expandingEvent = (structs: number, nameLength: number): ReturnType<typeof eventOf> =>
      eventOf(type, expandingPayload({ type, structs, nameLength }))
    const MiB = 1024 * 1024

    function appended(block: FetchedBlock): { batch: Batch; stored: FetchedBlock } {
      const batch = new Batch(new ScriptCache(), new ShapeCache())
      return { batch, stored: appendBlock(batch, block) }
    }

    it('are limited per event and report the omission', async () => {
      const [fits, tooLong] = [expandingEvent(25, 60_000), expandingEvent(1100, 57_000)]
      const block = blockOf(height, {
        transactions: [{ result: { events: [fits, tooLong, deposit] } }, { result: { events: [deposit] } }],
      })
      const { batch, stored } = appended(block)
      expect(batch.rowBytes).to.be.below(2 * MiB)
      expect(batch.capacity).to.be.below(8 * MiB)
      await storeBlocks(database.pool, [block])
      const errors = await rows(
        'select tx_index, event_index, code, event_type, raw_data from raw.indexing_errors where block_height = $1',
      )
      expect(errors).to.deep.equal([
        { tx_index: 0, event_index: 1, code: 'payload-too-large', event_type: type, raw_data: tooLong.payload },
      ])
      const events = await rows(
        'select tx_index, event_index, payload is null as is_null from raw.events where block_height = $1 order by 1, 2',
      )
      expect(events.map((row) => row['is_null'])).to.deep.equal([false, true, false, false])
      const decoded = decodedBlock(stored).transactions.map((t) => t.events.map((event) => event.fields === undefined))
      expect(decoded).to.deep.equal([[false, true, false], [false]])
    })

    it('are limited per transaction and block without affecting other events', () => {
      const bomb = expandingEvent(30, 120_000)
      const events = Array.from({ length: 10 }, () => bomb)
      const one = appended(blockOf(height, { transactions: [{ result: { events: [...events, deposit] } }] }))
      const lost = one.batch.undecoded.map((input) => input.eventIndex)
      expect(lost).to.deep.equal([5, 6, 7, 8, 9])
      expect(one.batch.rowBytes).to.be.below(expansionLimits.transactionBytes + 10 * 4 * bomb.payload.length)
      const many = appended(
        blockOf(height, {
          transactions: Array.from({ length: 5 }, () => ({ result: { events: [...events, deposit] } })),
        }),
      )
      expect(many.batch.undecoded.map(({ txIndex }) => txIndex).filter((txIndex) => txIndex > 1)).to.have.length(30)
      expect(many.batch.undecoded.some((input) => input.eventType === deposit.type)).to.equal(false)
      expect(many.batch.rowBytes).to.be.below(expansionLimits.blockBytes + 50 * 4 * bomb.payload.length)
    })
  })

  it('have the correct event types after a failed block is removed', async () => {
    const {
      rows: [checkpoint],
    } = await database.pool.query<{ generation: string }>(
      `select coalesce((select generation from app.indexing_checkpoints where service_name = 'history_ingester'), 0) as generation`,
    )
    const writer = new BatchWriter({
      pool: database.pool,
      name: 'history_ingester',
      generation: Number(checkpoint?.generation),
      lockLost: new AbortController().signal,
      scripts: new ScriptCache(),
      shapes: new ShapeCache(),
      onCommitted: () => undefined,
    })
    const batch = writer.takeBatch()
    // As many events as in the next block, of new types.
    const typed = (letter: string): ReturnType<typeof eventOf>[] =>
      [1, 2, 3].map((n) => eventOf(`A.01.Taken.${letter}${n}`, amount))
    const two = blockOf(height, { transactions: [{ result: { events: typed('Back') } }, {}] })
    expect(() =>
      appendBlock(batch, { ...two, transactionIds: [two.transactionIds[0] as Buffer, undefined as unknown as Buffer] }),
    ).to.throw(TypeError)
    appendBlock(
      batch,
      blockOf(height, { transactions: [{ result: { events: [...typed('Kept'), ...typed('Also')] } }] }),
    )
    expect([...batch.newShapes].map(({ shape }) => shape.type)).to.deep.equal(
      [...typed('Kept'), ...typed('Also')].map(({ type }) => type),
    )
    await writer.store(batch)
    await writer.drain()
    const stored = await rows('select type from raw.events where block_height = $1 order by event_index')
    expect(stored.map(({ type }) => type)).to.deep.equal([...typed('Kept'), ...typed('Also')].map(({ type }) => type))
  })

  it('are stored for any bytes from a node, with the rest of the block unaffected', async () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((content) => Buffer.from(content))
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom('\0', '\ud800', '\\u0000', 'é\0漢'),
    )
    const almostCcf = bytes.map((content) => Buffer.concat([Buffer.from('d881', 'hex'), content]))
    const almostJson = fc.tuple(fc.json(), bytes).map(([json, rest]) => Buffer.concat([Buffer.from(json), rest]))
    const event = fc.tuple(text, fc.oneof(bytes, almostCcf, almostJson), fc.nat(3)).map((parts) => eventOf(...parts))
    const signature = bytes.map((address) => signatureOf({ address, signature: address }))
    const hostile = fc.record({
      body: fc.record({
        script: bytes,
        arguments: fc.array(fc.oneof(bytes, almostJson), { maxLength: 3 }),
        payer: bytes,
        proposerAddress: bytes,
        referenceBlockId: bytes,
        authorizers: fc.array(bytes, { maxLength: 3 }),
        gasLimit: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        proposerKeyId: fc.nat(2 ** 32 - 1),
        envelopeSignatures: fc.array(signature, { maxLength: 2 }),
      }),
      result: fc.record({
        errorMessage: text,
        statusCode: fc.nat(2 ** 32 - 1),
        collectionId: bytes,
        events: fc.array(event, { maxLength: 4 }),
      }),
    })
    const script = Buffer.from('transaction { /* good */ }')
    const good = { body: { script }, result: { events: [deposit], errorMessage: 'no' } }
    let next = 20_000
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 5 }), async (list) => {
        height = next++
        await storeBlocks(database.pool, [blockOf(height, { transactions: [good, ...list, good] })])
        const stored = await rows(`
        select tx_index, event_count, error_message, script_hash
        from raw.transactions where block_height = $1 order by 1`)
        expect(stored.length).to.equal(list.length + 2)
        for (const place of [0, list.length + 1]) {
          const expected = { tx_index: place, event_count: 1, error_message: 'no', script_hash: sha256(script) }
          expect(stored[place]).to.deep.equal(expected)
        }
        const events = await rows(
          'select tx_index, event_index, payload from raw.events where block_height = $1 order by 1, 2',
        )
        expect(events.length).to.equal(2 + list.reduce((sum, { result }) => sum + result.events.length, 0))
        expect([events[0], events.at(-1)]).to.deep.equal(
          [0, list.length + 1].map((place) => ({ tx_index: place, event_index: 0, payload: { amount: '1.50000000' } })),
        )
        const areLogged = await rows(`
        select (select count(*) from raw.events where block_height = $1 and payload is null)
          = (select count(*) from raw.indexing_errors where block_height = $1) as yes`)
        expect(areLogged).to.deep.equal([{ yes: true }])
        const scripts = await rows(`
        select t.tx_index, coalesce(s.script_bytes, convert_to(s.script_text, 'UTF8')) as script
        from raw.transactions t join raw.scripts s using (script_hash) where block_height = $1 order by 1`)
        expect(scripts.map((row) => row['script'])).to.deep.equal([good, ...list, good].map(({ body }) => body.script))
      }),
      { numRuns: 150 },
    )
  })
})
