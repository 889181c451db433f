import { expect } from 'chai'
import * as fc from 'fast-check'
import { encode } from 'rlp'
import type { DecodedEvent, DecodedTransaction } from '../decoded-block.ts'
import type { PayloadFields, PayloadValue } from '../payload-value.ts'
import { accountKeyChanges } from './account-key-events.ts'

const [alice, bob] = ['0x00000000000000a1', '0x00000000000000b0']
const publicKey = 'ab'.repeat(64)

function changesOf(
  ...events: ReadonlyArray<readonly [name: string, fields: PayloadFields | undefined]>
): ReturnType<typeof accountKeyChanges> {
  const decoded = events.map(([name, fields], index): DecodedEvent => ({ type: `flow.${name}`, index, fields }))
  return accountKeyChanges({ events: decoded } as unknown as DecodedTransaction)
}

/** An encoded account key, as hex text. */
function encoded(...items: readonly (string | number | Uint8Array)[]): string {
  return `0x${Buffer.from(encode([Buffer.from(publicKey, 'hex'), ...items])).toString('hex')}`
}

const struct = (signatureAlgorithm: string): PayloadFields => ({ publicKey: `0x${publicKey}`, signatureAlgorithm })
const now = (address: string, keyIndex: string): PayloadFields => ({
  address,
  publicKey: struct('1'),
  weight: '1000.00000000',
  hashAlgorithm: '3',
  keyIndex,
})
const key = (signingAlgorithm: number, hashingAlgorithm?: number, weight?: number): object => ({
  publicKey: Buffer.from(publicKey, 'hex'),
  signingAlgorithm,
  hashingAlgorithm,
  weight,
})

describe('accountKeyChanges', () => {
  it('reads a complete key addition', () => {
    expect(changesOf(['AccountKeyAdded', now(alice, '7')])).to.deep.equal({
      changes: [{ eventIndex: 0, address: alice, isRemoved: false, keyIndex: 7, key: key(2, 3, 1000) }],
      problems: [],
    })
  })

  it('uses the algorithm numbers of access nodes for every event format', () => {
    for (const [rawValue, number] of [
      ['1', 2],
      ['2', 3],
      ['3', 1],
    ] as const) {
      for (const form of [struct(rawValue), encoded(number, 1, 500)]) {
        const [change] = changesOf(['AccountKeyAdded', { address: alice, publicKey: form }]).changes
        expect(change?.key?.signingAlgorithm).to.equal(number)
        expect(change?.key?.publicKey.toString('hex')).to.equal(publicKey)
      }
    }
    for (const hashAlgorithm of ['1', '2', '3', '4', '5', '6']) {
      const [change] = changesOf(['AccountKeyAdded', { ...now(alice, '0'), hashAlgorithm }]).changes
      expect(change?.key?.hashingAlgorithm).to.equal(Number(hashAlgorithm))
    }
  })

  it('reads additions before Cadence 1.0, which lack the index', () => {
    const { changes } = changesOf(
      ['AccountKeyAdded', { address: alice, publicKey: struct('2') }],
      ['AccountKeyAdded', { address: alice, publicKey: encoded(2, 3, 1000) }],
      [
        'AccountKeyAdded',
        {
          address: alice,
          publicKey: { ...struct('1'), isValid: true },
          weight: '499.99999999',
          hashAlgorithm: '1',
        },
      ],
    )
    expect(changes.map(({ keyIndex, key: read }) => [keyIndex, read])).to.deep.equal([
      [undefined, key(3)],
      [undefined, key(2, 3, 1000)],
      [undefined, key(2, 1, 499)],
    ])
  })

  it('counts the keys of an account that the transaction creates', () => {
    const old = (address: string): PayloadFields => ({ address, publicKey: encoded(2, 3, 1000) })
    const { changes } = changesOf(
      ['AccountCreated', { address: alice }],
      ['AccountKeyAdded', old(alice)],
      ['AccountCreated', { address: bob }],
      ['AccountKeyAdded', old(alice)],
      ['AccountKeyAdded', old(bob)],
      ['AccountKeyAdded', now(alice, '2')],
      ['AccountKeyAdded', old(alice)],
    )
    expect(changes.map(({ address, keyIndex }) => [address, keyIndex])).to.deep.equal([
      [alice, 0],
      [alice, 1],
      [bob, 0],
      [alice, 2],
      [alice, 3],
    ])
  })

  it('reads revocations by index, and by the bytes of the key', () => {
    const { changes } = changesOf(
      ['AccountKeyRemoved', { address: alice, publicKey: '12' }],
      ['AccountKeyRemoved', { address: alice, publicKey: encoded(2, 3, 1000) }],
      ['AccountKeyRemoved', { address: bob, publicKey: encoded(3, 1, 1, 77, 1) }],
    )
    expect(changes).to.deep.equal([
      { eventIndex: 0, address: alice, isRemoved: true, keyIndex: 12, key: undefined },
      { eventIndex: 1, address: alice, isRemoved: true, keyIndex: undefined, key: key(2, 3, 1000) },
      { eventIndex: 2, address: bob, isRemoved: true, keyIndex: undefined, key: key(3, 1, 1) },
    ])
  })

  it('records a problem for every other shape', () => {
    const shapes: ReadonlyArray<readonly [name: string, fields: PayloadFields]> = [
      ['AccountKeyAdded', { ...now(alice, '0'), address: 'a1' }],
      ['AccountKeyAdded', { ...now(alice, '0'), publicKey: struct('4') }],
      ['AccountKeyAdded', { ...now(alice, '0'), publicKey: struct('ECDSA_P256') }],
      ['AccountKeyAdded', { ...now(alice, '0'), publicKey: { publicKey: [], signatureAlgorithm: '1' } }],
      ['AccountKeyAdded', { ...now(alice, '0'), publicKey: '0x' }],
      ['AccountKeyAdded', { ...now(alice, '0'), publicKey: '0xff' }],
      ['AccountKeyAdded', { ...now(alice, '0'), publicKey: `0x${publicKey}` }],
      ['AccountKeyAdded', { ...now(alice, '0'), publicKey: encoded(2, 3) }],
      ['AccountKeyAdded', { ...now(alice, '0'), publicKey: encoded(9, 3, 1000) }],
      ['AccountKeyAdded', { ...now(alice, '0'), publicKey: encoded(2, 3, Buffer.alloc(9, 1)) }],
      ['AccountKeyAdded', { ...now(alice, '0'), hashAlgorithm: '7' }],
      ['AccountKeyAdded', { ...now(alice, '0'), weight: '1000' }],
      ['AccountKeyAdded', { ...now(alice, '0'), weight: '2147483648.00000000' }],
      ['AccountKeyAdded', { ...now(alice, '0'), publicKey: encoded(2, 3, 2_147_483_648) }],
      ['AccountKeyAdded', now(alice, '-1')],
      ['AccountKeyAdded', now(alice, '2147483648')],
      ['AccountKeyRemoved', { address: alice }],
      ['AccountKeyRemoved', { address: alice, publicKey: 'x' }],
      ['AccountKeyRemoved', { address: alice, publicKey: struct('1') }],
    ]
    for (const shape of shapes) {
      const { changes, problems } = changesOf(shape, ['AccountKeyAdded', now(bob, '0')])
      expect(
        changes.map(({ address }) => address),
        JSON.stringify(shape),
      ).to.deep.equal([bob])
      expect(problems).to.have.length(1)
      expect(problems[0]).to.include({ eventIndex: 0, eventType: `flow.${shape[0]}` })
    }
    expect(changesOf(['AccountKeyAdded', undefined])).to.deep.equal({ changes: [], problems: [] })
  })

  it('does not throw for any payload value', () => {
    const bytes = fc.uint8Array().map((array) => `0x${Buffer.from(array).toString('hex')}`)
    const others = fc.constantFrom<PayloadValue>(null, [], {}, true)
    const value: fc.Arbitrary<PayloadValue> = fc.oneof(others, fc.string(), bytes)
    fc.assert(
      fc.property(fc.constantFrom('AccountKeyAdded', 'AccountKeyRemoved'), value, (name, form) => {
        const { changes, problems } = changesOf([name, { ...now(alice, '0'), publicKey: form }])
        expect(changes.length + problems.length).to.equal(1)
      }),
    )
  })
})
