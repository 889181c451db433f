import { expect } from 'chai'
import { hexOf } from '../../clients/signing/bytes.ts'
import type { FlowTransaction } from '../../clients/signing/encode-transaction.ts'
import { signTransaction } from '../../clients/signing/sign-transaction.ts'
import {
  addContract,
  addKey,
  createAccount,
  revokeKey,
  sendFlow,
  updateContract,
} from '../../clients/signing/transactions/make-transaction.ts'
import { softPasskey } from '../signing/soft-passkey.ts'
import { NodeClient, passkeyKey, testKey } from '../support/node-client.ts'
import type { TestKey, TestSigner, TestTransaction, TransactionStatusResult } from '../support/node-client.ts'
import { payerChains } from '../support/payer-chains.ts'
import type { PayerChain } from '../support/payer-chains.ts'
import { untilSealed } from '../support/until-sealed.ts'

const unit = 100_000_000n

// flow-go verifies these signatures on the emulator, and the simulated node must agree.
for (const { name, start } of payerChains) {
  describe(`transactions signed by the signing library, on ${name}`, function (this: Mocha.Suite) {
    let chain: PayerChain
    let client: NodeClient | undefined

    before(async function (this: Mocha.Context) {
      chain = await start(this)
      client = new NodeClient(chain.endpoint)
    })

    after(async () => {
      if (client === undefined) return
      await client.close()
      await chain.stop()
    })

    const node = (): NodeClient => {
      if (client === undefined) throw new Error('the suite has not begun')
      return client
    }

    /** The result of a transaction that the chain executes or rejects. */
    async function done(transaction: FlowTransaction): Promise<Pick<TransactionStatusResult, 'status' | 'error'>> {
      try {
        return await untilSealed(node(), await node().send(transaction))
      } catch (thrown) {
        return { status: 0, error: (thrown as Error).message }
      }
    }

    const sent = async (wanted: TestTransaction): Promise<Pick<TransactionStatusResult, 'status' | 'error'>> =>
      done(await node().signed(wanted))

    async function newAccount(key: TestKey, startBalance = 10n * unit): Promise<TestSigner> {
      const id = await node().send(
        await node().signed({ code: createAccount('emulator', { ...key, startBalance }), proposer: chain.payer }),
      )
      const { error, createdAddress } = await untilSealed(node(), id)
      expect(error).to.equal('')
      return { address: createdAddress ?? '', keyIndex: 0, key }
    }

    const send = (amount = unit, to = chain.payer.address): TestTransaction['code'] =>
      sendFlow('emulator', { amount, to })
    const balance = async ({ address }: TestSigner): Promise<string> => (await node().account(address)).balance

    it('are executed if a passkey pays, if another account pays, and if it only authorizes', async () => {
      const account = await newAccount(passkeyKey())
      expect(await balance(account)).to.equal('10.00100000')
      expect(await sent({ code: send(), proposer: account })).to.include({ status: 4, error: '' })
      const own = await balance(account)
      // The fee is charged in addition.
      expect(own).to.match(/^9\.000\d{5}$/)
      expect(await sent({ code: send(), proposer: account, payer: chain.payer })).to.include({ status: 4, error: '' })
      expect(await balance(account)).to.equal(own.replace(/^9/, '8'))
      expect(await sent({ code: send(), proposer: chain.payer, authorizers: [account] })).to.include({
        status: 4,
        error: '',
      })
      expect(await balance(account)).to.equal(own.replace(/^9/, '7'))
    })

    it('are executed for keys of both curves and both hashes, and rejected for the wrong hash', async () => {
      for (const signatureAlgorithm of ['ECDSA_P256', 'ECDSA_secp256k1'] as const) {
        for (const hashAlgorithm of ['SHA2_256', 'SHA3_256'] as const) {
          const account = await newAccount(testKey(signatureAlgorithm, hashAlgorithm))
          expect(await sent({ code: send(), proposer: account }), `${signatureAlgorithm} ${hashAlgorithm}`).to.include({
            status: 4,
            error: '',
          })
          const other = {
            ...account,
            key: {
              ...account.key,
              sign: testKey(signatureAlgorithm, hashAlgorithm === 'SHA2_256' ? 'SHA3_256' : 'SHA2_256').sign,
            },
          }
          expect((await sent({ code: send(), proposer: other })).error).to.match(
            /signature is not valid|invalid signature/i,
          )
        }
      }
    })

    it('deploy a contract once and update it', async () => {
      const account = await newAccount(passkeyKey())
      const counter = (count: number): { readonly name: string; readonly code: string } => ({
        name: 'Counter',
        code: `access(all) contract Counter { access(all) fun count(): Int { return ${count} } }`,
      })
      const done = { status: 4, error: '' }
      expect((await sent({ code: updateContract('emulator', counter(1)), proposer: account })).error).to.match(
        /cannot update non-existing contract/,
      )
      expect(await sent({ code: addContract('emulator', counter(1)), proposer: account })).to.include(done)
      expect((await sent({ code: addContract('emulator', counter(1)), proposer: account })).error).to.match(
        /cannot overwrite existing contract/,
      )
      expect(await sent({ code: updateContract('emulator', counter(2)), proposer: account })).to.include(done)
    })

    it('are rejected if any part signed by a passkey was changed', async () => {
      const account = await newAccount(passkeyKey())
      const good = await node().signed({ code: send(), proposer: account })
      const [signature] = good.envelopeSignatures
      const extension = signature?.extensionData
      if (signature === undefined || extension === undefined) throw new Error('the passkey left no extension data')
      const withSignature = (changed: Partial<typeof signature>): FlowTransaction => ({
        ...good,
        envelopeSignatures: [{ ...signature, ...changed }],
      })
      const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.with(at, (bytes[at] ?? 0) ^ 1)
      const wrong: readonly (readonly [name: string, transaction: FlowTransaction])[] = [
        ['no extension data', withSignature({ extensionData: new Uint8Array() })],
        ['another scheme', withSignature({ extensionData: flipped(extension, 0) })],
        ['another authenticator', withSignature({ extensionData: flipped(extension, 10) })],
        ['other client data', withSignature({ extensionData: flipped(extension, extension.length - 5) })],
        ['another r', withSignature({ signature: flipped(signature.signature, 5) })],
        ['another s', withSignature({ signature: flipped(signature.signature, 40) })],
        [
          'another amount',
          { ...good, arguments: [good.arguments[0]?.replace('1.0', '2.0') ?? '', ...good.arguments.slice(1)] },
        ],
        ['another limit', { ...good, computeLimit: 999 }],
      ]
      const before = await balance(account)
      for (const [what, transaction] of wrong) {
        const { error } = await done(transaction)
        expect(error, what).to.not.equal('')
      }
      expect(await balance(account)).to.equal(before)
      expect(await done(good)).to.include({ status: 4, error: '' })
    })

    it('need full key weight, of which a passkey may have half', async () => {
      const [first, second] = [testKey(), passkeyKey()]
      const whole = await newAccount(first)
      for (const key of [first, second])
        expect(await sent({ code: addKey('emulator', { ...key, weight: 500 }), proposer: whole })).to.include({
          error: '',
        })
      expect(await sent({ code: revokeKey('emulator', 0), proposer: whole })).to.include({ error: '' })
      expect((await sent({ code: send(), proposer: whole })).error).to.not.equal('')
      const half = { ...whole, keyIndex: 1 }
      const other = { ...whole, keyIndex: 2, key: second }
      for (const one of [half, other])
        expect((await sent({ code: send(), proposer: one })).error).to.include('sufficient')
      expect(await sent({ code: send(), proposer: half, signers: [half, other] })).to.include({ status: 4, error: '' })
    })

    it('are executed for any order of the signers other than the payer', async () => {
      const [proposer, account] = [await newAccount(passkeyKey()), await newAccount(passkeyKey())]
      const second = passkeyKey()
      expect(await sent({ code: addKey('emulator', { ...second, weight: 1000 }), proposer: account })).to.include({
        error: '',
      })
      const other = { ...account, keyIndex: 1, key: second }
      const all = { code: send(), proposer, authorizers: [account], payer: chain.payer }
      for (const signers of [
        [proposer, account, chain.payer],
        [account, proposer, chain.payer],
        [other, account, proposer, chain.payer],
        [proposer, other, chain.payer],
      ]) {
        expect(
          await sent({ ...all, signers }),
          signers.map(({ address, keyIndex }) => `${address}/${keyIndex}`).join(),
        ).to.include({ status: 4, error: '' })
      }
    })

    it('have exactly the signed arguments, even if one ended in a line break', async () => {
      const { publicKey, getCredential } = softPasskey()
      const { address } = await newAccount({ ...passkeyKey(), publicKey: hexOf(publicKey.subarray(1)) })
      const { script, arguments: values } = send()
      const transaction = {
        script,
        arguments: values.map((value) => `${value}\n`),
        referenceBlockId: await node().latestBlockId(),
        computeLimit: 1000,
        proposalKey: { address, keyIndex: 0, sequenceNumber: 0n },
        payer: address,
        authorizers: [address],
        payloadSignatures: [],
        envelopeSignatures: [],
      }
      const signed = await signTransaction(
        transaction,
        { address, keyIndex: 0, rpId: 'wallet.example', credentialId: publicKey, publicKey },
        { getCredential },
      )
      expect(await done(signed)).to.include({ status: 4, error: '' })
    })

    it('are executed once', async () => {
      const account = await newAccount(passkeyKey())
      const transaction = await node().signed({ code: send(), proposer: account })
      expect(await done(transaction)).to.include({ status: 4, error: '' })
      const after = await balance(account)
      await done(transaction)
      const again = await node().signed({ code: send(), proposer: account, sequenceNumber: 0n, computeLimit: 998 })
      expect((await done(again)).error).to.match(/sequence number/)
      expect(Number(await balance(account))).to.be.within(Number(after) - 0.001, Number(after))
    })
  })
}
