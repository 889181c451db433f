import { expect } from 'chai'
import fc from 'fast-check'
import { fclSignableOf } from '../../clients/signing/fcl-shapes.ts'
import { readFclSignable } from '../../clients/signing/fcl-signable.ts'
import { SigningError } from '../../clients/signing/signing-error.ts'

const signable = {
  f_type: 'Signable',
  f_vsn: '1.0.1',
  message: 'ab',
  addr: 'f8d6e0586b0a20c7',
  keyId: 0,
  roles: {},
  interaction: {},
  voucher: {
    cadence: 'transaction {}',
    refBlock: 'cd'.repeat(32),
    computeLimit: 9999,
    arguments: [{ type: 'Bool', value: true }],
    proposalKey: { address: '0xf8d6e0586b0a20c7', keyId: 0, sequenceNum: 3 },
    payer: '0xf8d6e0586b0a20c7',
    authorizers: ['0xf8d6e0586b0a20c7'],
    payloadSigs: [{ address: '0xe5a8b7f23e8b548f', keyId: 0, sig: null }],
    envelopeSigs: [{ address: '0xf8d6e0586b0a20c7', keyId: 0, sig: 'ab', extensionData: '01' }],
  },
} as const

describe('application input', () => {
  it('is accepted as a signable if valid', () => {
    const read = fclSignableOf(signable)
    expect(read).to.deep.include({ message: 'ab', addr: 'f8d6e0586b0a20c7', keyId: 0 })
    expect(read.voucher.payloadSigs).to.deep.equal([
      { address: '0xe5a8b7f23e8b548f', keyId: 0, sig: null, extensionData: undefined },
    ])
    expect(
      fclSignableOf({ ...signable, voucher: { ...signable.voucher, payloadSigs: undefined } }).voucher.payloadSigs,
    ).to.deep.equal([])
  })

  it('is rejected with the name of the invalid field', () => {
    const { voucher } = signable
    const wrong: readonly (readonly [unknown, string])[] = [
      [null, 'signable'],
      [[signable], 'signable'],
      [{ ...signable, message: 1 }, 'message'],
      [{ ...signable, addr: 'a'.repeat(19) }, 'addr'],
      [{ ...signable, keyId: '0' }, 'keyId'],
      [{ ...signable, voucher: undefined }, 'voucher'],
      [{ ...signable, voucher: { ...voucher, refBlock: null } }, 'voucher.refBlock'],
      [{ ...signable, voucher: { ...voucher, cadence: 'x'.repeat(1_500_001) } }, 'voucher.cadence'],
      [{ ...signable, voucher: { ...voucher, arguments: ['x'] } }, 'voucher.arguments[0]'],
      [{ ...signable, voucher: { ...voucher, authorizers: Array(1001).fill('0x01') } }, 'voucher.authorizers'],
      [{ ...signable, voucher: { ...voucher, computeLimit: 1.5 } }, 'voucher.computeLimit'],
      [{ ...signable, voucher: { ...voucher, proposalKey: {} } }, 'voucher.proposalKey.address'],
      [
        { ...signable, voucher: { ...voucher, envelopeSigs: [{ address: '0x1', keyId: 0, sig: 7 }] } },
        'voucher.envelopeSigs[0].sig',
      ],
    ]
    for (const [body, field] of wrong)
      expect(() => fclSignableOf(body), field)
        .to.throw(SigningError)
        .with.property('field', field)
  })

  it('fails only with this error, for any input', () => {
    const anything = fc.oneof(
      fc.anything(),
      fc.record({ message: fc.anything(), addr: fc.string(), keyId: fc.nat(), voucher: fc.anything() }),
      fc.constant(signable),
    )
    fc.assert(
      fc.property(anything, fc.constantFrom(...Object.keys(signable.voucher)), fc.anything(), (body, name, value) => {
        const bodies = [body, { ...signable, voucher: { ...signable.voucher, [name]: value } }]
        for (const one of bodies) {
          try {
            readFclSignable(fclSignableOf(one))
          } catch (error) {
            expect(error).to.be.instanceOf(SigningError)
          }
        }
      }),
    )
  })
})
