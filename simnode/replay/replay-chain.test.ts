import { hash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import RLP from 'rlp'
import { recording } from '../../test/support/replay.ts'
import type { RecordingName } from '../../test/support/replay.ts'
import { timestampNsOf } from './recording.ts'
import type { ReplayBlock } from './replay-block.ts'
import { ReplayChain } from './replay-chain.ts'
import type { ChainShape } from './replay-chain.ts'
import { bytesOf, contentsOf, numberOf } from '../node/wire.ts'

const zeroId = Buffer.alloc(32)

async function chainOf(name: RecordingName, shape: ChainShape = {}, version = ''): Promise<ReplayChain> {
  const found = (await recording(name)).versions.get(version)
  if (found === undefined) throw new Error(`no version ${version}`)
  return new ReplayChain(found, shape)
}

/** Transaction id by definition, independent of the chain's code. */
function referenceIdOf(body: Buffer): Buffer {
  const orZeros = (bytes: Buffer, length: number): Buffer => (bytes.length === 0 ? Buffer.alloc(length) : bytes)
  const proposalKey = bytesOf(body, 5)
  const proposer = orZeros(bytesOf(proposalKey, 1), 8)
  const payer = orZeros(bytesOf(body, 6), 8)
  const authorizers = contentsOf(body, 7)
  const signers = [...new Set([proposer, payer, ...authorizers].map((address) => address.toString('hex')))]
  const signaturesOf = (number: number): (number | Buffer)[][] =>
    contentsOf(body, number).map((signature) => {
      const extension = bytesOf(signature, 4)
      const isPlain = extension.length === 0 || (extension.length === 1 && extension[0] === 0)
      const signer = signers.indexOf(bytesOf(signature, 1).toString('hex'))
      return [signer, numberOf(signature, 2), bytesOf(signature, 3), ...(isPlain ? [] : [extension])]
    })
  const payload = [
    bytesOf(body, 1),
    contentsOf(body, 2),
    orZeros(bytesOf(body, 3), 32),
    numberOf(body, 4),
    proposer,
    numberOf(proposalKey, 2),
    numberOf(proposalKey, 3),
    payer,
    authorizers,
  ]
  return hash('sha3-256', RLP.encode([payload, signaturesOf(8), signaturesOf(9)]), 'buffer')
}

/** Checks that ids, heights and times in a block's messages are consistent. */
function expectConsistent(chain: ReplayChain, block: ReplayBlock): void {
  const { identity, recorded } = block
  const hex = (bytes: Buffer): string => bytes.toString('hex')
  for (const message of [block.light, block.full, block.header, bytesOf(block.full, 10)]) {
    expect(hex(bytesOf(message, 1))).to.equal(hex(identity.id))
    expect(hex(bytesOf(message, 2))).to.equal(hex(identity.parentId))
    expect(numberOf(message, 3)).to.equal(block.height)
    expect(timestampNsOf(bytesOf(message, 4))).to.equal(identity.timestampNs)
  }
  const guarantees = contentsOf(block.light, 5).map((guarantee) => hex(bytesOf(guarantee, 1)))
  expect(contentsOf(block.full, 5).map((guarantee) => hex(bytesOf(guarantee, 1)))).to.deep.equal(guarantees)
  expect(block.collections.map((collection) => hex(bytesOf(collection, 1)))).to.deep.equal(guarantees)

  const ids = block.transactions.map((body) => hex(referenceIdOf(body)))
  expect(block.transactionIds.map(hex)).to.deep.equal(ids)
  const userIds = ids.slice(0, recorded.userTransactionCount)
  expect(block.collections.flatMap((collection) => contentsOf(collection, 2).map(hex))).to.deep.equal(userIds)
  for (const encoding of ['ccf', 'json-cdc'] as const) {
    const results = block.results(encoding)
    expect(results.length).to.equal(ids.length)
    results.forEach((result, index) => {
      expect(hex(bytesOf(result, 6))).to.equal(ids[index])
      expect(hex(bytesOf(result, 5))).to.equal(hex(identity.id))
      expect(numberOf(result, 8)).to.equal(block.height)
      const collectionId = bytesOf(result, 7)
      if (index < userIds.length) {
        const collection = block.collections.find((candidate) => bytesOf(candidate, 1).equals(collectionId))
        expect(collection, 'its collection').to.not.equal(undefined)
        expect(contentsOf(collection as Buffer, 2).map(hex)).to.include(ids[index])
      } else expect(collectionId.equals(zeroId)).to.equal(true)
      const events = contentsOf(result, 4)
      const recordedEvents = contentsOf(recorded.results[encoding][index] as Buffer, 4)
      expect(events.length).to.equal(recordedEvents.length)
      events.forEach((event, place) => {
        expect(hex(bytesOf(event, 2))).to.equal(ids[index])
        expect(bytesOf(event, 5).equals(bytesOf(recordedEvents[place] as Buffer, 5)), 'payload').to.equal(true)
      })
    })
  }
  for (const body of block.transactions.slice(0, recorded.userTransactionCount)) {
    const reference = chain.heightOfBlock(bytesOf(body, 3))
    expect(reference, 'height of the reference block').to.be.lessThan(block.height)
  }
}

describe('replay chain', () => {
  it('repeats the recording with consistent parents, ids and times', async () => {
    const chain = await chainOf('base', { loop: true })
    const seen = new Set<string>()
    const once = (id: Buffer): void => {
      expect(seen.has(id.toString('hex')), `${id.toString('hex')} twice`).to.equal(false)
      seen.add(id.toString('hex'))
    }
    let previous = chain.block(0)
    once(previous.identity.id)
    for (let height = 1; height <= 3 * 280 + 5; height++) {
      const block = chain.block(height)
      expect(block.identity.parentId.equals(previous.identity.id), `parent of ${height}`).to.equal(true)
      expect(block.identity.timestampNs > previous.identity.timestampNs, `time of ${height}`).to.equal(true)
      expect(numberOf(block.header, 6)).to.be.greaterThan(numberOf(previous.header, 6))
      expectConsistent(chain, block)
      once(block.identity.id)
      block.identity.collectionIds.forEach(once)
      block.transactionIds.slice(0, block.recorded.userTransactionCount).forEach(once)
      previous = block
    }
  })

  it('generates any height on demand, independent of earlier requests', async () => {
    const shape = { loop: true, cachedBlocks: 4 }
    const walked = await chainOf('fork', shape, 'c')
    const parts = (block: ReplayBlock): Buffer =>
      Buffer.concat([
        block.full,
        ...block.transactions,
        ...block.collections,
        ...block.results('ccf'),
        ...block.results('json-cdc'),
      ])
    const anyHeight = fc.integer({ min: 0, max: 20_000_000 })
    const anyHeights = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 8 })
    fc.assert(
      fc.property(anyHeight, anyHeights, (height, before) => {
        for (const other of before) walked.block(other)
        const fresh = new ReplayChain(walked.version, shape)
        const block = fresh.block(height)
        expect(parts(block).equals(parts(walked.block(height)))).to.equal(true)
        expectConsistent(fresh, block)
        const elsewhere = new ReplayChain(walked.version, shape)
        expect(elsewhere.heightOfBlock(block.identity.id)).to.equal(height)
        block.identity.collectionIds.forEach((id, index) => {
          expect(elsewhere.placeOfCollection(id)).to.deep.equal({ height, index })
        })
        block.transactionIds.slice(0, block.recorded.userTransactionCount).forEach((id, index) => {
          expect(fresh.placeOfTransaction(id)).to.deep.equal({ height, index })
        })
      }),
      { numRuns: 100 },
    )
  })

  it('rejects ids that it did not generate', async () => {
    const chain = await chainOf('base', { loop: true })
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (id) => {
        expect(chain.heightOfBlock(Buffer.from(id))).to.equal(undefined)
        expect(chain.placeOfCollection(Buffer.from(id))).to.equal(undefined)
      }),
    )
    const almost = Buffer.from(chain.block(1000).identity.id)
    almost[12] = (almost[12] as number) ^ 1
    expect(chain.heightOfBlock(almost), 'an id with the right place and a wrong hash').to.equal(undefined)
    expect(chain.heightOfBlock(Buffer.alloc(3))).to.equal(undefined)
    expect((await chainOf('base')).heightOfBlock(chain.block(281).identity.id)).to.equal(undefined)
  })

  it('moves to another start height with the recorded ids', async () => {
    const recorded = await chainOf('base')
    const chain = await chainOf('base', { startHeight: 137_390_146, loop: true })
    expect(chain.lastRecorded).to.equal(137_390_146 + 279)
    for (const position of [2, 25, 280]) {
      const block = chain.block(137_390_145 + position)
      expect(block.identity.id.equals(recorded.block(position).identity.id)).to.equal(true)
      expectConsistent(chain, block)
    }
    expect(chain.heightOfBlock(recorded.block(25).identity.id)).to.equal(137_390_170)
    expect(chain.heightOfBlock(recorded.block(0).identity.id), 'the recorded root').to.equal(undefined)
    expect(() => chain.block(137_390_145)).to.throw(RangeError)
    expectConsistent(chain, chain.block(137_390_146 + 280))
  })

  it('uses a steady clock if configured', async () => {
    const time = new Date('2026-01-02T03:04:05.678Z')
    const chain = await chainOf('base', { loop: true, clock: { height: 1000, time, spacingMs: 800 } })
    const millisecondsAt = (height: number): number => Number(chain.block(height).identity.timestampNs / 1_000_000n)
    expect(millisecondsAt(1000)).to.equal(time.getTime())
    expect(millisecondsAt(1001)).to.equal(time.getTime() + 800)
    expect(millisecondsAt(3)).to.equal(time.getTime() - 997 * 800)
    expectConsistent(chain, chain.block(999))
    expectConsistent(chain, chain.block(20))
  })

  it('spreads the past by a configured clock', async () => {
    const time = new Date('2026-01-02T03:04:05.678Z')
    const clock = { height: 280, time, spacingMs: 800, pastSpacingMs: 3_600_000 }
    const chain = await chainOf('base', { loop: true, clock })
    const millisecondsAt = (height: number): number => Number(chain.block(height).identity.timestampNs / 1_000_000n)
    expect(millisecondsAt(281)).to.equal(time.getTime() + 800)
    expect(millisecondsAt(280)).to.equal(time.getTime())
    expect(millisecondsAt(278)).to.equal(time.getTime() - 2 * 3_600_000)
  })
})
