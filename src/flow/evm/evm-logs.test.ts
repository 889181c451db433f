import { expect } from 'chai'
import fc from 'fast-check'
import { encode } from 'rlp'
import { decodeEvmLogs } from './evm-logs.ts'
import { EvmPayloadError } from './evm-payload.ts'
import { anyLog, logsPayload } from './evm-transactions.test-support.ts'

const anyLogs = fc.array(anyLog, { maxLength: 6 })

describe('decodeEvmLogs', () => {
  it('round-trips logs with zero to four topics', () => {
    fc.assert(
      fc.property(anyLogs, (logs) => {
        const found = decodeEvmLogs(logsPayload(logs))
        expect(found.map((log) => ({ ...log, data: Buffer.from(log.data) }))).to.deep.equal(
          logs.map((log) => ({ ...log, data: Buffer.from(log.data) })),
        )
      }),
    )
  })

  it('returns an empty list for empty input', () => {
    expect(decodeEvmLogs(Buffer.of())).to.deep.equal([])
    expect(decodeEvmLogs(Buffer.of(0xc0))).to.deep.equal([])
  })

  it('throws only its own error, for any bytes', () => {
    const broken = fc.tuple(anyLogs, fc.nat(), fc.nat(255)).map(([logs, at, byte]) => {
      const bytes = logsPayload(logs)
      bytes[at % bytes.length] = byte
      return bytes
    })
    fc.assert(
      fc.property(broken, (bytes) => {
        try {
          decodeEvmLogs(bytes)
        } catch (error) {
          expect(error).to.be.instanceOf(EvmPayloadError)
        }
      }),
      { numRuns: 500 },
    )
  })

  for (const [what, logs] of [
    ['a log that is not a list', ['x']],
    ['a log of two fields', [[Buffer.alloc(20, 1), []]]],
    ['an address of 19 bytes', [[Buffer.alloc(19, 1), [], '']]],
    ['a topic of 31 bytes', [[Buffer.alloc(20, 1), [Buffer.alloc(31, 1)], '']]],
    ['a topic that is a list', [[Buffer.alloc(20, 1), [[]], '']]],
    ['topics that are not a list', [[Buffer.alloc(20, 1), '', '']]],
    ['data that are a list', [[Buffer.alloc(20, 1), [], []]]],
  ] as const) {
    it(`rejects ${what}`, () => {
      expect(() => decodeEvmLogs(Buffer.from(encode(structuredClone(logs) as never)))).to.throw(EvmPayloadError)
    })
  }
})
