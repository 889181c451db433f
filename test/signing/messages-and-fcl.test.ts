import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { accountKeyOf } from '../../clients/signing/account-key.ts'
import { hexOf, concatBytes } from '../../clients/signing/bytes.ts'
import { domainTag, encodeEnvelope, encodePayload } from '../../clients/signing/encode-transaction.ts'
import { fclSignatureOf, readFclSignable } from '../../clients/signing/fcl-signable.ts'
import type { FclSignable, FclVoucher } from '../../clients/signing/fcl-signable.ts'
import { signTransaction, signUserMessage, verifyUserMessage } from '../../clients/signing/sign-transaction.ts'
import { SigningError } from '../../clients/signing/signing-error.ts'
import { softPasskey } from './soft-passkey.ts'

const voucher: FclVoucher = {
  cadence: 'transaction { prepare(signer: &Account) {} }',
  refBlock: 'cd'.repeat(32),
  computeLimit: 100,
  arguments: [{ type: 'UFix64', value: '1.00000000' }],
  proposalKey: { address: 'f8d6e0586b0a20c7', keyId: 0, sequenceNum: 3 },
  payer: 'e5a8b7f23e8b548f',
  authorizers: ['f8d6e0586b0a20c7'],
  payloadSigs: [{ address: 'f8d6e0586b0a20c7', keyId: 0, sig: null }],
  envelopeSigs: [{ address: 'e5a8b7f23e8b548f', keyId: 0 }],
}

/** The voucher as the library reads it, for hand-made messages. */
const asTransaction = {
  script: voucher.cadence,
  arguments: ['{"type":"UFix64","value":"1.00000000"}'],
  referenceBlockId: voucher.refBlock,
  computeLimit: 100,
  proposalKey: { address: 'f8d6e0586b0a20c7', keyIndex: 0, sequenceNumber: 3n },
  payer: voucher.payer,
  authorizers: voucher.authorizers,
  payloadSignatures: [],
  envelopeSignatures: [],
}
const tagged = (message: Uint8Array): string => hexOf(concatBytes(domainTag('transaction'), message))
const signable = (part: Partial<FclSignable> = {}): FclSignable => ({
  message: tagged(encodePayload(asTransaction)),
  addr: '0xf8d6e0586b0a20c7',
  keyId: 0,
  voucher,
  ...part,
})

describe('FCL signing requests', () => {
  it('are signed as in the voucher, including signatures of others', async () => {
    const { transaction, signer, part } = readFclSignable(signable())
    expect(part).to.equal('payload')
    const passkey = softPasskey()
    const [signature] = (
      await signTransaction(
        transaction,
        { ...signer, rpId: 'wallet.example', credentialId: Uint8Array.of(1), publicKey: passkey.publicKey },
        passkey,
      )
    ).payloadSignatures
    if (signature === undefined) throw new Error('no signature')
    const reported = fclSignatureOf(signature)
    expect(reported).to.include({
      f_type: 'CompositeSignature',
      addr: '0xf8d6e0586b0a20c7',
      keyId: 0,
      signature: hexOf(signature.signature),
    })

    const signedVoucher = {
      ...voucher,
      payloadSigs: [
        {
          address: 'f8d6e0586b0a20c7',
          keyId: 0,
          sig: String(reported['signature']),
          extensionData: String(reported['extensionData']),
        },
      ],
    }
    const envelope = tagged(encodeEnvelope({ ...asTransaction, payloadSignatures: [signature] }))
    const wanted = readFclSignable({ message: envelope, addr: voucher.payer, keyId: 0, voucher: signedVoucher })
    expect(wanted.part).to.equal('envelope')
    // A payer that does not see the extension data would sign an invalid transaction.
    const without = {
      ...voucher,
      payloadSigs: [{ address: 'f8d6e0586b0a20c7', keyId: 0, sig: String(reported['signature']) }],
    }
    expect(() => readFclSignable({ message: envelope, addr: voucher.payer, keyId: 0, voucher: without }))
      .to.throw(SigningError)
      .with.property('field', 'message')
  })

  it('are rejected if the message differs from the displayed voucher', () => {
    const other = { ...asTransaction, arguments: ['{"type":"UFix64","value":"9999.00000000"}'] }
    const wrong: readonly (readonly [Partial<FclSignable>, string])[] = [
      [{ message: tagged(encodePayload(other)) }, 'message'],
      [{ message: tagged(encodeEnvelope(asTransaction)) }, 'message'],
      [{ message: hexOf(encodePayload(asTransaction)) }, 'message'],
      [{ message: 'xyz' }, 'message'],
      [{ addr: '0x01cf0e2f2f715450' }, 'signer.address'],
      [{ voucher: { ...voucher, refBlock: '' } }, 'referenceBlockId'],
      [
        { voucher: { ...voucher, proposalKey: { ...voucher.proposalKey, sequenceNum: -1 } } },
        'voucher.proposalKey.sequenceNum',
      ],
      [
        { voucher: { ...voucher, payloadSigs: [{ address: 'f8d6e0586b0a20c7', keyId: 0, sig: '1' }] } },
        'voucher.payloadSigs[0].sig',
      ],
    ]
    for (const [part, field] of wrong)
      expect(() => readFclSignable(signable(part)), field)
        .to.throw(SigningError)
        .with.property('field', field)
  })
})

describe('user message', () => {
  it('verifies with its extension data, and not as a transaction', async () => {
    const passkey = softPasskey()
    const message = new TextEncoder().encode('Log in to the heron house')
    const signer = {
      address: '0xf8d6e0586b0a20c7',
      keyIndex: 0,
      rpId: 'wallet.example',
      credentialId: Uint8Array.of(1),
      publicKey: passkey.publicKey,
    }
    const signature = await signUserMessage(message, signer, passkey)
    await verifyUserMessage(message, signature, passkey.publicKey)
    for (const [wrong, other] of [
      [signature, new TextEncoder().encode('Log in')],
      [{ ...signature, extensionData: undefined }, message],
    ] as const) {
      expect(
        await verifyUserMessage(other, wrong, passkey.publicKey).then(
          () => undefined,
          (error: unknown) => error,
        ),
      ).to.be.instanceOf(SigningError)
    }
  })
})

describe('new passkey key', () => {
  it('becomes an account key if it is ES256', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const spki = publicKey.export({ type: 'spki', format: 'der' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    expect(hexOf(accountKeyOf(spki))).to.equal(
      Buffer.from(x, 'base64url').toString('hex') + Buffer.from(y, 'base64url').toString('hex'),
    )
    const others = [
      generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey,
      generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey,
      generateKeyPairSync('ed25519').publicKey,
    ].map((key) => key.export({ type: 'spki', format: 'der' }))
    for (const other of [...others, spki.subarray(0, 90), Buffer.concat([spki, Buffer.of(0)])])
      expect(() => accountKeyOf(other)).to.throw(SigningError)
  })
})
