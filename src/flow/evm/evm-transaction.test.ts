import { expect } from 'chai'
import { decodedRecording } from '../../../test/support/decoded-recording.ts'
import { FieldShapeError } from '../event-fields.ts'
import type { PayloadFields } from '../payload-value.ts'
import { evmTransactionExecuted, evmTransactionOf, readEvmTransaction } from './evm-transaction.ts'
import {
  addressOf,
  anyCall,
  anyKey,
  anyLog,
  anyUnsigned,
  callHash,
  callPayload,
  logsPayload,
  signedPayload,
} from './evm-transactions.test-support.ts'
import { keccak256 } from './keccak256.ts'
import { textOf } from '../../../test/support/text-of.ts'
import fc from 'fast-check'

const key = Buffer.alloc(32, 9)
const raw = signedPayload(
  {
    type: 2,
    chainId: 747n,
    nonce: 4n,
    gasPrice: 1n,
    maxFeePerGas: 2n,
    gasLimit: 21_000n,
    to: '35'.repeat(20),
    value: 10n ** 18n,
    input: Buffer.of(),
    accessList: [],
    authorizations: [],
  },
  key,
)
const logs = logsPayload([{ address: '77'.repeat(20), topics: ['88'.repeat(32)], data: Buffer.of(1) }])
const hash = keccak256(raw).toString('hex')

/** An event in the current format. */
const event: PayloadFields = {
  hash: `0x${hash}`,
  index: '3',
  type: '2',
  payload: `0x${raw.toString('hex')}`,
  errorCode: '0',
  errorMessage: '',
  gasConsumed: '21000',
  contractAddress: '',
  logs: `0x${logs.toString('hex')}`,
  blockHeight: '77',
  returnedData: '0x',
  precompiledCalls: '0x',
  stateUpdateChecksum: '0x01020304',
}

/** An event of early 2024: text instead of bytes, and fewer fields. */
const earlyEvent: PayloadFields = {
  blockHeight: '77',
  blockHash: '0xabc',
  hash: hash.toUpperCase(),
  index: '3',
  type: '2',
  payload: raw.toString('hex'),
  errorCode: '0',
  gasConsumed: '21000',
  contractAddress: '',
  logs: logs.toString('hex'),
}

function without(name: string): PayloadFields {
  return Object.fromEntries(Object.entries(event).filter(([field]) => field !== name))
}

describe('readEvmTransaction', () => {
  const read = readEvmTransaction(event)

  it('reads the current event format', () => {
    const { payload, ...rest } = read
    expect(rest).to.deep.equal({
      hash,
      type: 2,
      from: addressOf(key),
      to: '35'.repeat(20),
      status: 1,
      errorCode: 0,
      errorMessage: undefined,
      gasUsed: 21_000n,
      contractAddress: undefined,
      blockHeight: 77n,
      index: 3,
      problems: [],
      logs: [{ address: '77'.repeat(20), topics: ['88'.repeat(32)], data: Buffer.of(1) }],
    })
    expect(payload).to.deep.include({ value: `${10n ** 18n}`, nonce: '4', maxFeePerGas: '2' })
  })

  it('reads all event versions alike', () => {
    expect(readEvmTransaction(without('stateUpdateChecksum'))).to.deep.equal(read)
    expect(readEvmTransaction(earlyEvent)).to.deep.equal(read)
    const prefixed = { payload: event['payload'] ?? null, logs: event['logs'] ?? null, hash: event['hash'] ?? null }
    expect(readEvmTransaction({ ...earlyEvent, ...prefixed })).to.deep.equal(read)
  })

  it('reads failure, its reason, and the created contract', () => {
    const failed = readEvmTransaction({ ...event, errorCode: '306', errorMessage: 'execution reverted', logs: '0x' })
    expect(failed).to.deep.include({ status: 0, errorCode: 306, errorMessage: 'execution reverted', logs: [] })
    const contractAddress = '0x8F1d3EFB67A48d48482c42f36847afB6431ac22A'
    const created = readEvmTransaction({ ...event, contractAddress })
    expect(created.contractAddress).to.equal(contractAddress.slice(2).toLowerCase())
  })

  const unread = { from: undefined, to: undefined, payload: undefined, hash, gasUsed: 21_000n, status: 1 }

  it('uses only the event fields for an unknown type', () => {
    const found = readEvmTransaction({ ...event, type: '3', payload: `0x03${raw.toString('hex', 1)}` })
    expect(found).to.deep.include({ ...unread, type: 3 })
    const message = 'unknown transaction type 3'
    expect(found.problems).to.deep.equal([{ code: 'evm-type-unknown', message }])
    expect(found.logs).to.have.length(1)
  })

  it('ignores a payload whose hash differs from the event', () => {
    const other = `0x${'11'.repeat(32)}`
    const found = readEvmTransaction({ ...event, hash: other })
    expect(found).to.deep.include({ ...unread, hash: '11'.repeat(32) })
    expect(found.problems).to.deep.equal([
      { code: 'evm-hash-mismatch', message: `the payload hash differs from the event: ${hash}` },
    ])
  })

  it('ignores a payload whose type differs from the event', () => {
    const found = readEvmTransaction({ ...event, type: '0' })
    expect(found).to.deep.include({ ...unread, type: 0 })
    expect(found.problems.map(({ code }) => code)).to.deep.equal(['evm-payload'])
  })

  it('uses only the event fields for an unreadable payload', () => {
    for (const payload of ['0x', '0x02', '0xc0', '0xff00', `${textOf(event['payload'])}00`]) {
      const found = readEvmTransaction({ ...event, payload })
      expect(found).to.deep.include(unread)
      expect(
        found.problems.map(({ code }) => code),
        payload,
      ).to.deep.equal(['evm-payload'])
    }
  })

  it('has no sender if the signature is invalid', () => {
    // The signed content is unchanged. s comes last, and no valid signature has such a large s.
    const payload = Buffer.from(raw)
    payload.fill(0xff, payload.length - 32)
    const found = readEvmTransaction({
      ...event,
      hash: `0x${keccak256(payload).toString('hex')}`,
      payload: `0x${payload.toString('hex')}`,
    })
    expect(found).to.deep.include({ from: undefined, to: '35'.repeat(20) })
    expect(found.problems.map(({ code }) => code)).to.deep.equal(['evm-signature'])
  })

  it('omits only the logs if they are unreadable', () => {
    const found = readEvmTransaction({ ...event, logs: '0x01' })
    expect(found).to.deep.include({ from: addressOf(key), logs: [] })
    expect(found.problems.map(({ code }) => code)).to.deep.equal(['evm-logs'])
  })

  for (const [name, values] of Object.entries({
    hash: ['0x00', 'xyz', null, [], undefined],
    payload: ['0xabc', '0xzz', null, ['1', '2'], undefined],
    logs: ['0xabc', null, undefined],
    type: ['256', '-1', '0x2', '', null, undefined],
    index: ['65536', undefined],
    errorCode: ['65536', true, undefined],
    errorMessage: [null, {}],
    gasConsumed: ['9223372036854775808', '', undefined],
    blockHeight: ['1.0', undefined],
    contractAddress: ['0x00', null, undefined],
  })) {
    it(`rejects an event with a malformed ${name}`, () => {
      for (const value of values) {
        const fields = value === undefined ? without(name) : { ...event, [name]: value }
        expect(() => readEvmTransaction(fields), JSON.stringify(value)).to.throw(FieldShapeError, `field ${name}`)
      }
    })
  }

  it('reads any executed transaction, in both byte encodings', () => {
    const signed = fc.tuple(anyUnsigned, anyKey).map(([tx, anyOne]) => {
      const payload = signedPayload(tx, anyOne)
      const from = addressOf(anyOne)
      return { type: tx.type, payload, hash: keccak256(payload).toString('hex'), from, nonce: tx.nonce }
    })
    const calls = anyCall.map((call) => ({
      type: 255,
      payload: callPayload(call),
      hash: callHash(call),
      from: call.from,
      nonce: call.nonce,
    }))
    const anyLogs = fc.array(anyLog, { maxLength: 3 })
    fc.assert(
      fc.property(fc.oneof(signed, calls), anyLogs, fc.boolean(), (tx, reported, isEarly) => {
        const prefix = isEarly ? '' : '0x'
        const found = readEvmTransaction({
          ...(isEarly ? earlyEvent : event),
          type: `${tx.type}`,
          hash: prefix + tx.hash,
          payload: prefix + tx.payload.toString('hex'),
          logs: prefix + logsPayload(reported).toString('hex'),
        })
        expect(found).to.deep.include({ type: tx.type, hash: tx.hash, from: tx.from, problems: [] })
        expect(found.payload?.nonce).to.equal(tx.nonce.toString())
        expect(found.logs.map(({ topics }) => topics)).to.deep.equal(reported.map(({ topics }) => topics))
      }),
      { numRuns: 100 },
    )
  })
})

describe('EVM event with one changed byte', () => {
  it('is read with recorded problems, or rejected for its shape', () => {
    const names = ['hash', 'payload', 'logs', 'contractAddress', 'gasConsumed', 'type'] as const
    const digits = fc.constantFrom(...'0123456789abcdefxg-. '.split(''))
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), digits, (name, at, digit) => {
        const text = textOf(event[name]).split('')
        text[at % (text.length + 1)] = digit
        const fields = { ...event, [name]: text.join('') }
        try {
          const { from, to, payload, problems } = readEvmTransaction(fields)
          if (from === undefined) expect(problems).to.not.deep.equal([])
          if (payload === undefined) expect([from, to]).to.deep.equal([undefined, undefined])
          else expect([from, payload.hash]).to.deep.equal([addressOf(key), hash])
        } catch (error) {
          expect(error).to.be.instanceOf(FieldShapeError)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('evmTransactionOf', () => {
  it('finds executed transactions without problems, and reads each event once', async () => {
    const blocks = await decodedRecording('base')
    const type = evmTransactionExecuted('emulator')
    const events = blocks.flatMap(({ transactions }) => transactions).flatMap((transaction) => transaction.events)
    const executed = events.filter((one) => one.type === type)
    expect(executed).to.have.length(147)
    for (const one of executed) {
      const found = evmTransactionOf(one)
      expect(found?.problems).to.deep.equal([])
      expect(evmTransactionOf(one)).to.equal(found)
    }
  })

  it('returns the same for both event encodings', async () => {
    const type = evmTransactionExecuted('emulator')
    const [ccf, json] = await Promise.all(
      (['ccf', 'json-cdc'] as const).map(async (encoding) => {
        const blocks = await decodedRecording('base', { encoding })
        const events = blocks.flatMap(({ transactions }) => transactions).flatMap((transaction) => transaction.events)
        return events
          .filter((one) => one.type === type)
          .slice(0, 60)
          .map(evmTransactionOf)
      }),
    )
    expect(ccf).to.deep.equal(json)
  })

  it('returns undefined for an undecodable event', () => {
    const event = { type: evmTransactionExecuted('emulator'), index: 0, fields: undefined }
    expect(evmTransactionOf(event)).to.equal(undefined)
  })
})
