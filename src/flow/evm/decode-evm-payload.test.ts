import { expect } from 'chai'
import fc from 'fast-check'
import { encode } from 'rlp'
import type { Input } from 'rlp'
import { decodeEvmPayload } from './decode-evm-payload.ts'
import { EvmPayloadError } from './evm-payload.ts'
import type { EvmPayload } from './evm-payload.ts'
import {
  addressOf,
  anyCall,
  anyKey,
  anyUnsigned,
  callHash,
  callPayload,
  signedPayload,
} from './evm-transactions.test-support.ts'
import type { Unsigned } from './evm-transactions.test-support.ts'
import { keccak256 } from './keccak256.ts'
import { recoverSender } from './recover-sender.ts'

/** Signed by go-ethereum 1.16.7 with the key 0x4646…46. */
const signedElsewhere: ReadonlyArray<{
  readonly what: string
  readonly hash: string
  readonly raw: string
  readonly expected: Partial<EvmPayload>
}> = [
  {
    what: 'a legacy transaction that is good on any chain',
    hash: 'f6ff78dd631013e65f81a9e67002508277f01eda9d9e5381b853b3468c67744f',
    raw:
      'f871098504a817c8008252089435353535353535353535353535353535353535358d018ee90ff6c373e0ee4e3f0ad2801ca086a034b5' +
      '09af4c98c4b730ad07c9fbb259adf8139d0ffc15d83b4b6126a31c03a02b6c2d87d2b9806402f6a5c8d4c404f020afc601edae2a7088' +
      'f77c3f3a95806f',
    expected: {
      type: 0,
      chainId: undefined,
      nonce: '9',
      gasPrice: '20000000000',
      gasLimit: '21000',
      value: '123456789012345678901234567890',
      to: '35'.repeat(20),
    },
  },
  {
    what: 'a legacy transaction of one chain that creates a contract',
    hash: '20693adb39efd455b20881b27d22ac4e7be4c1384bef7a0e0f353b71fe537fc7',
    raw:
      'f855808088800000000000000580808260008205faa01f820cfc25acdfa5df14e29d96fd402400516eda9c01fb8d0db472a66cb073b8' +
      'a018edd393582c0459b99832ef9f349fa9628753b670267f781a65589e99bc58c7',
    expected: {
      type: 0,
      chainId: '747',
      nonce: '0',
      gasPrice: '0',
      gasLimit: '9223372036854775813',
      to: undefined,
    },
  },
  {
    what: 'one with an access list',
    hash: '391168ffb70983e0d07eeb61812678cce8c54cbc58e508212b207f81602fcd9d',
    raw:
      '01f8c48202eb82012c0782c3509435353535353535353535353535353535353535350183010203f85bf8599435353535353535353535' +
      '35353535353535353535f842a00100000000000000000000000000000000000000000000000000000000000000a00000000000000000' +
      '00000000000000000000000000000000000000000000000201a01d24bab54041b3d709fe245a36464c0be3c4e1958a2055b2f35721ec' +
      '97f6d67fa07ef734c44160b4b646eb9883fde2effd140c3724c52f7e8cd47908ae0986469f',
    expected: {
      type: 1,
      chainId: '747',
      nonce: '300',
      gasPrice: '7',
      gasLimit: '50000',
      value: '1',
      accessList: [{ address: '35'.repeat(20), storageKeys: [`01${'0'.repeat(62)}`, `${'0'.repeat(62)}02`] }],
    },
  },
  {
    what: 'one with fee caps',
    hash: 'f50e963ce59f0d727d65d52497666befea67c13f45df9a1ae4ec92daf8193a7f',
    raw:
      '02f86f8202eb010203049435353535353535353535353535353535353535358d018ee90ff6c373e0ee4e3f0ad280c080a00f2048ac72' +
      'c23ae029e75ecabf69cab47ad4a327bf22a7cecf8523755f8189dda01671899adb7e80002239165a96362f966698d7bde9a03c12f9f2' +
      'c1a216aa0ef4',
    expected: {
      type: 2,
      chainId: '747',
      gasPrice: undefined,
      maxPriorityFeePerGas: '2',
      maxFeePerGas: '3',
      gasLimit: '4',
    },
  },
  {
    what: 'one with delegations',
    hash: 'd2b9ca08fb450dface96aa5f492fa3697accab11c1a286c2cb038c1179a1ac12',
    raw:
      '04f901218202eb0b021e83061a809435353535353535353535353535353535353535350509f85bf85994353535353535353535353535' +
      '3535353535353535f842a00100000000000000000000000000000000000000000000000000000000000000a000000000000000000000' +
      '00000000000000000000000000000000000000000002f85ef85c8202eb9435353535353535353535353535353535353535350301a024' +
      '1e6677d8d7ebb3f3faba13a6f7df1c509684b16ca32f9223c6918f68d2c9a3a0729490589413423fa5bad9e0e8f09466bf96245238bb' +
      'c08c8c6fb84fc7cef99501a06cfd6b130a3ddacab661d82bce5a2b66418a586553cba824409e28a94d252a24a01f11c2499ccb214116' +
      'dc593bf163705a587e4b3bd5a26b0646c78c3bc574263f',
    expected: {
      type: 4,
      maxPriorityFeePerGas: '2',
      maxFeePerGas: '30',
      gasLimit: '400000',
      value: '5',
      nonce: '11',
      authorizations: [{ chainId: '747', address: '35'.repeat(20), nonce: '3' }],
    },
  },
]

function decoded(payload: Buffer): EvmPayload {
  const found = decodeEvmPayload(payload)
  if (found === undefined) throw new Error('the type is not known')
  return found
}

function senderOf({ signature }: EvmPayload): string | undefined {
  return signature === undefined ? undefined : recoverSender(signature)
}

/** The expected result for a signed transaction. */
function fieldsOf(tx: Unsigned): Omit<EvmPayload, 'hash' | 'signature' | 'input'> {
  const hasCaps = tx.type === 2 || tx.type === 4
  return {
    type: tx.type,
    callType: undefined,
    chainId: tx.chainId?.toString(),
    from: undefined,
    to: tx.to,
    value: tx.value.toString(),
    nonce: tx.nonce.toString(),
    gasLimit: tx.gasLimit.toString(),
    gasPrice: hasCaps ? undefined : tx.gasPrice.toString(),
    maxFeePerGas: hasCaps ? tx.maxFeePerGas.toString() : undefined,
    maxPriorityFeePerGas: hasCaps ? tx.gasPrice.toString() : undefined,
    accessList: tx.type === 0 ? [] : tx.accessList,
    authorizations:
      tx.type !== 4
        ? []
        : tx.authorizations.map(({ chainId, address, nonce }) => ({
            chainId: chainId.toString(),
            address,
            nonce: nonce.toString(),
          })),
  }
}

describe('decodeEvmPayload', () => {
  for (const { what, hash, raw, expected } of signedElsewhere) {
    it(`decodes ${what}, signed by go-ethereum`, () => {
      const payload = decoded(Buffer.from(raw, 'hex'))
      expect(payload).to.deep.include({ hash, ...expected })
      expect(senderOf(payload)).to.equal('9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f')
    })
  }

  it('round-trips signed transactions of every type, with their sender', () => {
    fc.assert(
      fc.property(anyUnsigned, anyKey, (tx, key) => {
        const payload = signedPayload(tx, key)
        const { hash, signature, input, ...fields } = decoded(payload)
        expect(fields).to.deep.equal(fieldsOf(tx))
        expect(Buffer.from(input)).to.deep.equal(Buffer.from(tx.input))
        expect(hash).to.equal(keccak256(payload).toString('hex'))
        expect(signature === undefined ? undefined : recoverSender(signature)).to.equal(addressOf(key))
      }),
      { numRuns: 200 },
    )
  })

  it('round-trips direct calls of every subtype, with nonce and transaction hash', () => {
    const names = ['', 'deposit', 'withdraw', 'transfer', 'deploy', 'call']
    fc.assert(
      fc.property(anyCall, (call) => {
        const { input, ...payload } = decoded(callPayload(call))
        expect(payload).to.deep.equal({
          type: 255,
          callType: names[call.subtype],
          hash: callHash(call),
          chainId: undefined,
          from: call.from,
          to: /^0+$/.test(call.to) ? undefined : call.to,
          value: call.value.toString(),
          gasLimit: call.gasLimit.toString(),
          nonce: call.nonce.toString(),
          gasPrice: undefined,
          maxFeePerGas: undefined,
          maxPriorityFeePerGas: undefined,
          accessList: [],
          authorizations: [],
          signature: undefined,
        })
        expect(Buffer.from(input)).to.deep.equal(Buffer.from(call.input))
      }),
    )
  })

  it('preserves the number of an unknown subtype', () => {
    const [from, to] = ['01'.repeat(20), '02'.repeat(20)]
    const call = { subtype: 6, from, to, input: Buffer.of(), value: 0n, gasLimit: 1n, nonce: 2n }
    expect(decoded(callPayload(call))).to.deep.include({ callType: '6', hash: callHash(call) })
  })

  it('skips unknown types, including blob transactions', () => {
    for (const type of [0x03, 0x05, 0x7f, 0xbf]) expect(decodeEvmPayload(Buffer.of(type, 0xc0))).to.equal(undefined)
  })

  it('throws only its own error, for any bytes', () => {
    const payloads = fc.oneof(
      fc.tuple(anyUnsigned, anyKey).map(([tx, key]) => signedPayload(tx, key)),
      anyCall.map(callPayload),
    )
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc.tuple(payloads, fc.nat(), fc.nat(255)).map(([payload, at, byte]) => {
        payload[at % payload.length] = byte
        return payload
      }),
      fc.tuple(payloads, fc.nat()).map(([payload, length]) => payload.subarray(0, length % payload.length)),
      fc.tuple(payloads, fc.uint8Array({ minLength: 1, maxLength: 9 })).map((parts) => Buffer.concat(parts)),
    )
    fc.assert(
      fc.property(anything, (bytes) => {
        try {
          const payload = decodeEvmPayload(bytes)
          if (payload?.signature !== undefined) recoverSender(payload.signature)
        } catch (error) {
          expect(error).to.be.instanceOf(EvmPayloadError)
        }
      }),
      { numRuns: 1000 },
    )
  })

  const refused: ReadonlyArray<readonly [what: string, payload: Buffer]> = [
    ['nothing', Buffer.of()],
    ['a list of another length', Buffer.from(encode([1, 2, 3]))],
    ['a number with a zero in front', Buffer.from(encode([Buffer.of(0, 1), 0, 0, '', 0, '', 27, 1, 1]))],
    ['a nonce of nine bytes', Buffer.from(encode([2n ** 64n, 0, 0, '', 0, '', 27, 1, 1]))],
    ['an address of 19 bytes', Buffer.from(encode([0, 0, 0, Buffer.alloc(19, 1), 0, '', 27, 1, 1]))],
    ['a list in the place of a number', Buffer.from(encode([[], 0, 0, '', 0, '', 27, 1, 1]))],
    ['a v that no signature has', Buffer.from(encode([0, 0, 0, '', 0, '', 29, 1, 1]))],
    ['a parity of 2', typed(1, [747, 0, 0, 0, '', 0, '', [], 2, 1, 1])],
    ['an access list of texts', typed(1, [747, 0, 0, 0, '', 0, '', ['x'], 1, 1, 1])],
    ['delegations without a receiver', typed(4, [1, 0, 0, 0, 0, '', 0, '', [], [], 1, 1, 1])],
    ['a direct call of another type', typed(255, [254, 1, Buffer.alloc(20), Buffer.alloc(20), '', 0, 0, 0])],
    ['bytes behind the list', Buffer.concat([encode([0, 0, 0, '', 0, '', 27, 1, 1]), Buffer.of(0)])],
    ['lists within lists by the thousands', nested(30_000)],
  ]
  for (const [what, payload] of refused) {
    it(`rejects ${what}`, () => {
      expect(() => decodeEvmPayload(payload)).to.throw(EvmPayloadError)
    })
  }
})

function typed(type: number, fields: Input[]): Buffer {
  return Buffer.concat([Buffer.of(type), encode(fields)])
}

/** A list nested `depth` times. */
function nested(depth: number): Buffer {
  const headers: Buffer[] = []
  let length = 0
  for (let i = 0; i < depth; i++) {
    const header = length < 56 ? Buffer.of(0xc0 + length) : Buffer.of(0xf9, length >> 8, length & 0xff)
    if (length + header.length > 0xffff) break
    headers.push(header)
    length += header.length
  }
  return Buffer.concat(headers.toReversed())
}
