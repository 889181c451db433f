import { expect } from 'chai'
import fc from 'fast-check'
import { encode } from 'rlp'
import { EvmPayloadError } from './evm-payload.ts'
import { decodePrecompiledCalls } from './precompiled-calls.ts'

const arch = Buffer.from('0000000000000000000000010000000000000001', 'hex')
const encoded = (list: Parameters<typeof encode>[0]): Buffer => Buffer.concat([Buffer.from([1]), encode(list)])

describe('precompiled calls', () => {
  it('are read in order, with outputs and errors', () => {
    expect(decodePrecompiledCalls(Buffer.alloc(0))).to.deep.equal([])
    const output = Buffer.alloc(32, 7)
    const calls = decodePrecompiledCalls(
      encoded([
        [
          arch,
          [10, 20],
          [
            [output, ''],
            [Buffer.alloc(0), 'no proof'],
          ],
        ],
      ]),
    )
    expect(calls.map((call) => ({ ...call, output: Buffer.from(call.output).toString('hex') }))).to.deep.equal([
      { address: arch.toString('hex'), output: output.toString('hex'), error: '' },
      { address: arch.toString('hex'), output: '', error: 'no proof' },
    ])
  })

  it('of early events have inputs too', () => {
    const [call] = decodePrecompiledCalls(encoded([[arch, [], [['in', 'out', '']]]]))
    expect(Buffer.from(call?.output ?? []).toString()).to.equal('out')
  })

  it('of any bytes are decoded or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, hasVersion) => {
        try {
          decodePrecompiledCalls(Buffer.concat([Buffer.from(hasVersion ? [1] : []), bytes]))
        } catch (error) {
          expect(error).to.be.instanceOf(EvmPayloadError)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
