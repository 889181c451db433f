import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { base64UrlOf, hexOf } from '../../clients/signing/bytes.ts'
import { rawSignatureOf, decodeExtensionData, encodeExtensionData } from '../../clients/signing/assertion-signature.ts'
import {
  challengeOf,
  encodeEnvelope,
  encodePayload,
  encodeTransaction,
  partSignedBy,
} from '../../clients/signing/encode-transaction.ts'
import type { FlowTransaction, TransactionSignature } from '../../clients/signing/encode-transaction.ts'
import { SigningError } from '../../clients/signing/signing-error.ts'
import { signTransaction } from '../../clients/signing/sign-transaction.ts'
import { verifyPasskeySignature } from '../../clients/signing/verify-signature.ts'
import { readTransactionsResponse } from '../../src/access/wire/read-transactions.ts'
import type { BodySignature, TransactionBody } from '../../src/flow/transactions/transaction-id.ts'
import { transactionId } from '../../src/flow/transactions/transaction-id.ts'
import { bytesField } from '../../simnode/node/wire.ts'
import { readRepositoryFile } from '../support/repository.ts'
import { recording } from '../support/replay.ts'
import { softPasskey } from './soft-passkey.ts'

interface RecordedKey {
  readonly index: number
  readonly public_key: string
  readonly sign_algo: number
}

/** The unsigned form of a recorded transaction, as its signer created it. */
function written(body: TransactionBody): FlowTransaction {
  const signature = ({ address, keyId, signature: bytes, extensionData }: BodySignature): TransactionSignature => ({
    address: hexOf(address),
    keyIndex: keyId,
    signature: bytes,
    extensionData,
  })
  return {
    script: body.script.toString('utf8'),
    arguments: body.arguments.map((one) => one.toString('utf8')),
    referenceBlockId: hexOf(body.referenceBlockId),
    computeLimit: Number(body.gasLimit),
    payer: hexOf(body.payer),
    authorizers: body.authorizers.map(hexOf),
    proposalKey: {
      address: hexOf(body.proposerAddress),
      keyIndex: body.proposerKeyId,
      sequenceNumber: body.proposerSequenceNumber,
    },
    payloadSignatures: body.payloadSignatures.map(signature),
    envelopeSignatures: body.envelopeSignatures.map(signature),
  }
}

async function recordedTransactions(): Promise<readonly TransactionBody[]> {
  const version = (await recording('base')).versions.get('')
  return (version?.blocks ?? [])
    .flatMap(({ transactions }) =>
      readTransactionsResponse(Buffer.concat(transactions.map((message) => bytesField(1, message)))),
    )
    .filter(({ envelopeSignatures }) => envelopeSignatures.length > 0)
}

const sponsored: FlowTransaction = {
  script: 'transaction(to: Address) { prepare(signer: &Account) {} }',
  arguments: ['{"type":"Address","value":"0x01cf0e2f2f715450"}\n'],
  referenceBlockId: 'ab'.repeat(32),
  computeLimit: 999,
  proposalKey: { address: '0xf8d6e0586b0a20c7', keyIndex: 0, sequenceNumber: 5n },
  payer: '0xe5a8b7f23e8b548f',
  authorizers: ['f8d6e0586b0a20c7'],
  payloadSignatures: [],
  envelopeSignatures: [],
}

describe('the signing library', () => {
  it('encodes recorded transactions with the ids of the chain', async () => {
    const bodies = await recordedTransactions()
    expect(bodies.length).to.be.greaterThan(500)
    for (const body of bodies) {
      expect(
        createHash('sha3-256')
          .update(encodeTransaction(written(body)))
          .digest('hex'),
      ).to.equal(transactionId(body).toString('hex'))
    }
  })

  it('verifies every recorded passkey signature, and none for another message or key', async () => {
    const { accounts } = JSON.parse(readRepositoryFile('test/recordings/base/truth.json')) as {
      accounts: Record<string, { keys: readonly RecordedKey[] }>
    }
    const places = { payload: 0, envelope: 0 }
    for (const body of await recordedTransactions()) {
      const transaction = written(body)
      const [payload, envelope] = [encodePayload(transaction), encodeEnvelope(transaction)]
      for (const [part, list] of [
        ['payload', transaction.payloadSignatures],
        ['envelope', transaction.envelopeSignatures],
      ] as const) {
        for (const { address, keyIndex, signature, extensionData } of list) {
          if (extensionData?.[0] !== 1) continue
          const key = accounts[`0x${address}`]?.keys.find(({ index }) => index === keyIndex)
          if (key === undefined) throw new Error(`${address} has no key ${keyIndex}`)
          places[part]++
          expect(partSignedBy(transaction, { address })).to.equal(part)
          const [message, other] = part === 'payload' ? [payload, envelope] : [envelope, payload]
          const check = {
            domain: 'transaction',
            signature,
            extensionData,
            publicKey: Buffer.from(key.public_key, 'hex'),
          } as const
          await verifyPasskeySignature({ ...check, message })
          expect(await fault(verifyPasskeySignature({ ...check, message: other }))).to.equal('clientDataJSON.challenge')
          expect(
            await fault(verifyPasskeySignature({ ...check, message, publicKey: softPasskey().publicKey })),
          ).to.equal('signature')
          expect(hexOf(encodeExtensionData(decodeExtensionData(extensionData)))).to.equal(hexOf(extensionData))
        }
      }
    }
    expect(places.envelope).to.be.greaterThan(0)
  })

  it('signs the payload for a separate payer, whose envelope includes the extension data', async () => {
    const [user, payer] = [softPasskey(), softPasskey()]
    const signer = {
      address: '0xF8D6E0586B0A20C7',
      keyIndex: 0,
      rpId: 'wallet.example',
      credentialId: Uint8Array.of(1, 2),
      publicKey: user.publicKey,
    }
    const once = await signTransaction(sponsored, signer, user)
    expect(once.envelopeSignatures).to.deep.equal([])
    const [signature] = once.payloadSignatures
    expect(hexOf(encodeEnvelope(once))).to.include(hexOf(signature?.extensionData ?? new Uint8Array()))
    const twice = await signTransaction(
      once,
      { ...signer, address: sponsored.payer, publicKey: payer.publicKey },
      payer,
    )
    expect(twice.envelopeSignatures).to.have.length(1)
    expect(hexOf(payer.requested[0]?.publicKey.challenge ?? new Uint8Array())).to.equal(
      hexOf(await challengeOf('transaction', encodeEnvelope(once))),
    )
    expect(user.requested[0]?.publicKey).to.include({ rpId: 'wallet.example', userVerification: 'required' })
    // A duplicate key, an account without a role, and a payload signature after the envelope's.
    expect(await fault(signTransaction(once, signer, user))).to.equal('payloadSignatures')
    expect(await fault(signTransaction(sponsored, { ...signer, address: '01cf0e2f2f715450' }, user))).to.equal(
      'signer.address',
    )
    expect(await fault(signTransaction({ ...twice, payloadSignatures: [] }, signer, user))).to.equal(
      'envelopeSignatures',
    )
  })

  const refused: readonly (readonly [what: string, passkey: Parameters<typeof softPasskey>[0], field: string])[] = [
    ['without the presence of the user', { flags: 0x1c }, 'authenticatorData'],
    ['that is backed up and may not be', { flags: 0x15 }, 'authenticatorData'],
    ['with extensions that are not announced', { rest: Buffer.of(0xa0) }, 'authenticatorData'],
    ['whose announced extensions are missing', { flags: 0x9d }, 'authenticatorData'],
    [
      'that is a registration',
      { mutateClientData: (data) => ({ ...data, type: 'webauthn.create' }) },
      'clientDataJSON.type',
    ],
    [
      'of another challenge',
      { mutateClientData: (data) => ({ ...data, challenge: base64UrlOf(new Uint8Array(32)) }) },
      'clientDataJSON.challenge',
    ],
    ['whose origin is not a string', { mutateClientData: (data) => ({ ...data, origin: 5 }) }, 'clientDataJSON.origin'],
    [
      'whose challenge is padded',
      { mutateClientData: (data) => ({ ...data, challenge: `${(data as { challenge: string }).challenge}=` }) },
      'clientDataJSON.challenge',
    ],
  ]
  for (const [what, options, field] of refused) {
    it(`does not send an assertion ${what}`, async () => {
      const passkey = softPasskey(options)
      const signer = {
        address: sponsored.payer,
        keyIndex: 0,
        rpId: 'wallet.example',
        credentialId: Uint8Array.of(1),
        publicKey: passkey.publicKey,
      }
      expect(await fault(signTransaction(sponsored, signer, passkey))).to.equal(field)
    })
  }

  it('reads authenticator signatures as other libraries encode them, and nothing else', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (data) => {
        const der = sign('sha256', data, privateKey)
        const raw = rawSignatureOf(der)
        const integer = (bytes: Uint8Array): Buffer => {
          const digits = Buffer.from(bytes.subarray(bytes.findIndex((byte) => byte !== 0)))
          const body = (digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), digits]) : digits
          return Buffer.concat([Buffer.of(2, body.length), body])
        }
        const body = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))])
        expect(hexOf(Buffer.concat([Buffer.of(0x30, body.length), body]))).to.equal(hexOf(der))
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(() => rawSignatureOf(bytes)).to.throw(SigningError)
      }),
    )
    const good = Buffer.from('3006020101020102', 'hex')
    expect(hexOf(rawSignatureOf(good))).to.equal(`${'00'.repeat(31)}01${'00'.repeat(31)}02`)
    for (const bad of [
      '300602010102010200',
      '3007020101020102',
      '300602018102010201',
      '30070202000102010203',
      '3106020101020102',
      '30050201010201',
      '3006020100020300',
    ]) {
      expect(() => rawSignatureOf(Buffer.from(bad, 'hex')), bad).to.throw(SigningError)
    }
  })

  it('names the field that cannot be signed', () => {
    const wrong: readonly (readonly [Partial<FlowTransaction>, string])[] = [
      [{ payer: '0x' }, 'payer'],
      [{ payer: '0x12345678901234567' }, 'payer'],
      [{ authorizers: ['f8d6e0586b0a20c7', 'xyz'] }, 'authorizers[1]'],
      [{ referenceBlockId: 'ab' }, 'referenceBlockId'],
      [{ computeLimit: 1.5 }, 'computeLimit'],
      [{ computeLimit: -1 }, 'computeLimit'],
      [{ proposalKey: { ...sponsored.proposalKey, sequenceNumber: -1n } }, 'proposalKey.sequenceNumber'],
      [{ proposalKey: { ...sponsored.proposalKey, keyIndex: Number.NaN } }, 'proposalKey.keyIndex'],
    ]
    for (const [part, field] of wrong) {
      expect(() => encodePayload({ ...sponsored, ...part }), field)
        .to.throw(SigningError)
        .with.property('field', field)
    }
  })
})

/** The field that a promise's rejection names. */
async function fault(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SigningError)) throw new Error('it was not refused', { cause: error })
  return error.field
}
