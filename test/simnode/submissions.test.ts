import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { encodeTransaction } from '../../clients/signing/encode-transaction.ts'
import type { FlowTransaction } from '../../clients/signing/encode-transaction.ts'
import { addKey, createAccount, revokeKey, sendFlow } from '../../clients/signing/transactions/make-transaction.ts'
import { readTransactionResponse } from '../../src/access/wire/read-transactions.ts'
import { transactionId } from '../../src/flow/transactions/transaction-id.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { LedgerScriptState } from '../../simnode/ledger/scripts/script-state.ts'
import { externalAccount, publishedPayer } from '../../simnode/ledger/world/account.ts'
import { userOfTurn } from '../../simnode/ledger/world/users.ts'
import { flow } from '../../simnode/ledger/world/tokens.ts'
import { bytesField, bytesOf } from '../../simnode/node/wire.ts'
import { NodeClient, passkeyKey, testKey, testPayer } from '../support/node-client.ts'
import type { TestKey, TestSigner, TestTransaction } from '../support/node-client.ts'

const unit = 100_000_000n
const head = 330
const somebody = `0x${userOfTurn(3).hex}`

describe('transactions submitted to the simulated node', () => {
  let node: LedgerNode
  let client: NodeClient
  const payer = testPayer()

  beforeEach(async () => {
    node = await startLedgerNode({ seed: 6, head, hasPayer: true })
    client = new NodeClient(node.endpoint)
  })

  afterEach(async () => {
    await client.close()
    await node.stop()
  })

  /** Sends a transaction and makes a block. @returns its id and result */
  async function done(wanted: TestTransaction) {
    const id = await client.send(await client.signed(wanted))
    node.advance()
    return { id, ...(await client.result(id)) }
  }

  /** Creates an account with a new key. @param the ordinal of the key */
  async function newAccount(key: TestKey, startBalance = 10n * unit, ordinal = 1): Promise<TestSigner> {
    const { error } = await done({ code: createAccount('emulator', { ...key, startBalance }), proposer: payer })
    expect(error).to.equal('')
    return { address: `0x${externalAccount(ordinal).hex}`, keyIndex: 0, key }
  }

  async function refusal(transaction: FlowTransaction): Promise<string> {
    return client.send(transaction).then(
      (id) => `taken in as ${id}`,
      (thrown: unknown) => (thrown as Error).message,
    )
  }

  const balance = async (address: string): Promise<string> => (await client.account(address)).balance

  it('wait for the next block, which includes them under their ids', async () => {
    const key = passkeyKey()
    const transaction = await client.signed({
      code: createAccount('emulator', { ...key, startBalance: 5n * unit }),
      proposer: payer,
    })
    const id = await client.send(transaction)
    expect(id).to.equal(createHash('sha3-256').update(encodeTransaction(transaction)).digest('hex'))
    expect(await client.result(id)).to.include({ status: 1, height: 0 })
    const requests = bytesField(1, Buffer.from(id, 'hex'))
    const body = bytesOf(await client.ask('GetTransaction', requests), 1)
    node.advance()
    const result = await client.result(id)
    expect(result).to.include({ status: 4, height: head + 1, error: '' })
    expect(bytesOf(await client.ask('GetTransaction', requests), 1)).to.deep.equal(body)
    expect(node.chain.block(head + 1).transactionIds.map((one) => one.toString('hex'))).to.include(id)
    const names = result.eventTypes.map((type) => type.split('.').slice(-2).join('.'))
    expect(names.indexOf('flow.AccountCreated')).to.be.greaterThan(0)
    expect(names.slice(names.indexOf('flow.AccountCreated'))).to.deep.equal([
      'flow.AccountCreated',
      'flow.AccountKeyAdded',
      'FlowToken.TokensWithdrawn',
      'FungibleToken.Withdrawn',
      'FlowToken.TokensDeposited',
      'FungibleToken.Deposited',
      'FlowToken.TokensWithdrawn',
      'FungibleToken.Withdrawn',
      'FlowToken.TokensDeposited',
      'FungibleToken.Deposited',
      'FlowFees.FeesDeducted',
    ])
    const created = await client.account(externalAccount(1).hex)
    expect(created.balance).to.equal('5.00100000')
    expect(
      created.keys.map(({ publicKey, weight, sequenceNumber, isRevoked }) => ({
        publicKey,
        weight,
        sequenceNumber,
        isRevoked,
      })),
    ).to.deep.equal([{ publicKey: key.publicKey, weight: 1000, sequenceNumber: 0, isRevoked: false }])
    const state = new LedgerScriptState(node.chain, node.head).account(`0x${externalAccount(1).hex}`)
    expect(state).to.deep.include({
      balance: '5.00100000',
      stored: [{ path: '/storage/flowTokenVault', type: flow.vaultType }],
    })
    expect(await balance(payer.address)).to.equal('999994.99899000')
    expect((await client.account(payer.address)).keys.map(({ sequenceNumber }) => sequenceNumber)).to.deep.equal([
      1,
      ...Array.from({ length: 9 }, () => 0),
    ])
  })

  it('are signed by self-paying passkeys, and by passkeys with a separate payer', async () => {
    const account = await newAccount(passkeyKey())
    const code = sendFlow('emulator', { amount: unit, to: somebody })
    expect(await done({ code, proposer: account })).to.include({ status: 4, error: '' })
    expect(await balance(account.address)).to.equal('9.00099000')
    expect(await done({ code, proposer: account, payer })).to.include({ status: 4, error: '' })
    expect(await balance(account.address)).to.equal('8.00099000')
    expect(await done({ code, proposer: payer, authorizers: [account] })).to.include({ status: 4, error: '' })
    expect(node.chain.stateAt(node.head).externalAccounts.moved(userOfTurn(3))).to.equal(3n * unit)
    expect(node.chain.stateAt(node.head - 3).externalAccounts.moved(userOfTurn(3))).to.equal(0n)
  })

  it('are signed by keys of both curves and hashes, and by several keys that reach full weight together', async () => {
    let ordinal = 1
    const code = sendFlow('emulator', { amount: 1n, to: somebody })
    for (const signatureAlgorithm of ['ECDSA_P256', 'ECDSA_secp256k1'] as const) {
      for (const hashAlgorithm of ['SHA2_256', 'SHA3_256'] as const) {
        const account = await newAccount(testKey(signatureAlgorithm, hashAlgorithm), unit, ordinal++)
        expect(await done({ code, proposer: account })).to.include({ status: 4, error: '' })
        const other = {
          ...account,
          key: {
            ...account.key,
            sign: testKey(signatureAlgorithm, hashAlgorithm === 'SHA2_256' ? 'SHA3_256' : 'SHA2_256').sign,
          },
        }
        expect((await done({ code, proposer: other })).error)
          .to.include('[Error Code: 1009] invalid envelope key')
          .and.include('signature is not valid')
      }
    }
    const [first, second] = [testKey(), passkeyKey()]
    const { error } = await done({
      code: createAccount('emulator', { ...first, weight: 500, startBalance: unit }),
      proposer: payer,
    })
    expect(error).to.equal('')
    const account = { address: `0x${externalAccount(ordinal).hex}`, keyIndex: 0, key: first }
    expect((await done({ code, proposer: account })).error).to.include(
      `payer account does not have sufficient signatures (500 < 1000)`,
    )
    expect((await done({ code: addKey('emulator', { ...second, weight: 500 }), proposer: account })).error).to.include(
      '(500 < 1000)',
    )
    expect((await done({ code, proposer: payer, authorizers: [account] })).error).to.include(
      `authorization failed for account ${account.address.slice(2)}: authorizer account does not have sufficient signatures (500 < 1000)`,
    )
    expect(await balance(account.address)).to.equal('1.00100000')
  })

  it('fail if another key of the proposer has signed', async () => {
    const { error, eventTypes } = await done({
      code: sendFlow('emulator', { amount: 1n, to: somebody }),
      proposer: { ...payer, keyIndex: 5 },
      payer,
      authorizers: [payer],
      signers: [payer],
    })
    expect(error)
      .to.include('public key 5 on account')
      .and.include('either the payload or the envelope should provide proposal signatures')
    expect(eventTypes).to.deep.equal([])
  })

  it('are proposed by several keys of one account at once, each with its sequence number', async () => {
    const lanes = Array.from({ length: publishedPayer.keyCount }, (_, keyIndex) => testPayer(keyIndex))
    const ids = await Promise.all(
      lanes.map(async (lane) =>
        client.send(await client.signed({ code: createAccount('emulator', passkeyKey()), proposer: lane })),
      ),
    )
    node.advance()
    for (const id of ids) expect(await client.result(id)).to.include({ status: 4, error: '' })
    expect((await client.account(payer.address)).keys.map(({ sequenceNumber }) => sequenceNumber)).to.deep.equal(
      lanes.map(() => 1),
    )
    expect(ids.map((_, nth) => node.chain.stateAt(node.head).accounts.exists(externalAccount(nth + 1)))).to.not.include(
      false,
    )
  })

  it('add and revoke keys, and revoked keys are invalid', async () => {
    const [old, fresh] = [passkeyKey(), testKey('ECDSA_secp256k1', 'SHA2_256')]
    const account = await newAccount(old)
    expect((await done({ code: addKey('emulator', fresh), proposer: account })).eventTypes).to.include(
      'flow.AccountKeyAdded',
    )
    const byFresh = { ...account, keyIndex: 1, key: fresh }
    expect((await done({ code: revokeKey('emulator', 0), proposer: byFresh })).eventTypes).to.include(
      'flow.AccountKeyRemoved',
    )
    const { keys } = await client.account(account.address)
    expect(keys.map(({ isRevoked, sequenceNumber }) => [isRevoked, sequenceNumber])).to.deep.equal([
      [true, 1],
      [false, 1],
    ])
    const late = await done({ code: sendFlow('emulator', { amount: 1n, to: somebody }), proposer: account })
    expect(late.error).to.include('account key has been revoked')
    expect(late.eventTypes).to.deep.equal([])
    expect((await done({ code: revokeKey('emulator', 2), proposer: byFresh })).error).to.include(
      'The account has no such key',
    )
  })

  it('fail without a fee if the sequence number is not the next one', async () => {
    const account = await newAccount(passkeyKey())
    for (const sequenceNumber of [1n, 5n, 2n ** 64n - 1n]) {
      const result = await done({
        code: sendFlow('emulator', { amount: 1n, to: somebody }),
        proposer: account,
        sequenceNumber,
      })
      const body = readTransactionResponse(
        await client.ask('GetTransaction', bytesField(1, Buffer.from(result.id, 'hex'))),
      )
      expect([body.proposerSequenceNumber, transactionId(body).toString('hex')]).to.deep.equal([
        sequenceNumber,
        result.id,
      ])
      expect(result).to.include({ status: 4 }).and.to.deep.include({ eventTypes: [] })
      expect(result.error).to.equal(
        '[Error Code: 1007] error caused by: 1 error occurred:\n\t* checking sequence number failed: [Error Code: 1007] invalid proposal key: ' +
          `public key 0 on account ${account.address.slice(2)} has sequence number 0, but given ${sequenceNumber}\n\n`,
      )
    }
    expect(await balance(account.address)).to.equal('10.00100000')
    expect((await client.account(account.address)).keys[0]?.sequenceNumber).to.equal(0)
  })

  it('are executed in order within a block, and see the effects of earlier ones', async () => {
    const account = await newAccount(passkeyKey())
    const send = async (amount: bigint, sequenceNumber: bigint): Promise<string> =>
      client.send(
        await client.signed({
          code: sendFlow('emulator', { amount, to: somebody }),
          proposer: account,
          sequenceNumber,
        }),
      )
    const ids = [await send(6n * unit, 0n), await send(6n * unit, 1n), await send(2n * unit, 2n), await send(unit, 2n)]
    node.advance()
    const results = await Promise.all(ids.map((id) => client.result(id)))
    expect(new Set(results.map(({ height }) => height))).to.deep.equal(new Set([node.head]))
    expect(results.map(({ error }) => /Error Code: (\d+)/.exec(error)?.[1] ?? 'done')).to.deep.equal([
      'done',
      '1101',
      'done',
      '1007',
    ])
    expect(results[1]?.error).to.include(
      'The amount requested (6.00000000) is greater than the balance of the Vault (4.00099000)',
    )
    expect(results[1]?.eventTypes.at(-1)).to.include('FeesDeducted')
    expect(await balance(account.address)).to.equal('2.00097000')
  })

  it('fail with a fee if an account would fall below its storage minimum', async () => {
    const account = await newAccount(passkeyKey(), 0n)
    const { error, eventTypes } = await done({
      code: sendFlow('emulator', { amount: 0n, to: somebody }),
      proposer: account,
    })
    expect(error).to.include('[Error Code: 1103] The account with address')
    expect(eventTypes.at(-1)).to.include('FeesDeducted')
    expect(await balance(account.address)).to.equal('0.00099000')
    const next = await client.signed({ code: sendFlow('emulator', { amount: 0n, to: somebody }), proposer: account })
    expect(await refusal(next)).to.include(
      'insufficient balance to pay transaction fee. Required balance: (0.00100000)',
    )
  })

  it('fail with a clear error if the node cannot simulate them', async () => {
    const account = await newAccount(passkeyKey())
    const fails = async (wanted: Partial<TestTransaction>): Promise<string> =>
      (await done({ code: { script: 'transaction {}', arguments: [] }, proposer: account, ...wanted })).error
    expect(await fails({})).to.include(
      `the simulated node runs only the wallet's own transactions: create-account, send-flow, add-key, revoke-key`,
    )
    expect(await fails({ code: sendFlow('mainnet', { amount: 1n, to: somebody }) })).to.include(
      'the simulated node runs only',
    )
    const {
      script,
      arguments: [amount = ''],
    } = sendFlow('emulator', { amount: 1n, to: somebody })
    expect(await fails({ code: { script, arguments: [amount] } })).to.include(
      '[Error Code: 1052] transaction arguments are invalid',
    )
    expect(await fails({ code: sendFlow('emulator', { amount: 1n, to: externalAccount(77).hex }) })).to.include(
      'The recipient cannot receive FLOW',
    )
    expect(
      await fails({ code: sendFlow('emulator', { amount: 1n, to: somebody }), authorizers: [account, payer], payer }),
    ).to.include('authorizer count mismatch for transaction: expected 1, got 2')
    expect(await fails({ code: addKey('emulator', { publicKey: 'ab'.repeat(64) }) })).to.include('invalid public key')
    expect((await client.account(account.address)).keys[0]?.sequenceNumber).to.equal(6)
  })

  describe('are rejected', () => {
    const code = sendFlow('emulator', { amount: 1n, to: somebody })
    const zero = '0'.repeat(64)
    const other: TestSigner = { address: somebody, keyIndex: 0, key: testKey() }

    for (const [what, wanted, words] of [
      ['without a script', { code: { script: '', arguments: [] } }, 'transaction is missing required fields: [Script]'],
      [
        'without a reference block',
        { referenceBlockId: zero },
        'transaction is missing required fields: [ReferenceBlockID]',
      ],
      ['with an unknown reference block', { referenceBlockId: 'ab'.repeat(32) }, 'unknown reference block'],
      [
        'with no limit',
        { computeLimit: 0 },
        'transaction gas limit (0) is not in the acceptable range (min: 1, max: 9999)',
      ],
      [
        'with too high a limit',
        { computeLimit: 10_000 },
        'transaction gas limit (10000) is not in the acceptable range (min: 1, max: 9999)',
      ],
      [
        'without the signature of who pays',
        { payer: other, signers: [payer] },
        `payer envelope signature is missing: missing signature is from account ${somebody.slice(2)}`,
      ],
      [
        'without that of who proposes',
        { proposer: other, payer, authorizers: [payer], signers: [payer] },
        'proposer signature on either payload or envelope is missing',
      ],
      [
        'without that of an authorizer',
        { authorizers: [payer, other], signers: [payer] },
        'authorizer signature on either payload or envelope is missing',
      ],
      [
        'that one key has signed twice',
        { signers: [payer, payer] },
        `duplicated signature for key (address: ${publishedPayer.address.slice(2)}, index: 0)`,
      ],
      [
        'too large',
        { code: { script: code.script, arguments: ['x'.repeat(1_500_000)] } },
        'exceeds the maximum byte size allowed for a transaction (1500000)',
      ],
    ] as const satisfies readonly (readonly [string, Partial<TestTransaction>, string])[]) {
      it(what, async () => {
        expect(await refusal(await client.signed({ code, proposer: payer, ...wanted })))
          .to.include(`invalid transaction: `)
          .and.include(words)
        node.advance()
        expect(node.chain.draft(node.head).userTransactions.every(({ body }) => body === undefined)).to.equal(true)
      })
    }

    it('from and for invalid addresses', async () => {
      const transaction = await client.signed({ code, proposer: payer })
      for (const changed of [
        { payer: '0x0123456789abcdef' },
        { authorizers: ['0x0123456789abcdef'] },
        { authorizers: ['0xf233dcee88fe0abe'] },
      ]) {
        expect(await refusal({ ...transaction, ...changed })).to.include('invalid transaction: invalid address:')
      }
    })

    it('with signatures of other accounts, and with malformed signatures', async () => {
      const transaction = await client.signed({ code, proposer: payer })
      const [own] = transaction.envelopeSignatures
      if (own === undefined) throw new Error('nobody signed')
      const otherUser = { ...own, address: somebody }
      expect(await refusal({ ...transaction, envelopeSignatures: [own, otherUser] })).to.include(
        `unrelated account signature from address: ${somebody.slice(2)}`,
      )
      for (const signature of [
        Buffer.alloc(64),
        Buffer.alloc(64, 0xff),
        own.signature.subarray(1),
        Buffer.concat([own.signature, Buffer.alloc(1)]),
      ]) {
        expect(await refusal({ ...transaction, envelopeSignatures: [{ ...own, signature }] })).to.include(
          'the cryptographic signature within the transaction signature has an invalid format',
        )
      }
    })

    it('with extension data of neither the plain scheme nor passkeys', async () => {
      const account = await newAccount(passkeyKey())
      const transaction = await client.signed({ code, proposer: account })
      const [own] = transaction.envelopeSignatures
      const data = Buffer.from(own?.extensionData ?? [])
      // A valid one, of another transaction.
      const [other] = (await client.signed({ code, proposer: account, computeLimit: 999 })).envelopeSignatures
      expect(data.length).to.be.greaterThan(100)
      const hasText = (text: string, instead: string): Buffer =>
        Buffer.from(data.toString('latin1').replace(text, instead), 'latin1')
      for (const extensionData of [
        Buffer.of(0, 0),
        Buffer.of(1),
        Buffer.of(2),
        Buffer.concat([data, Buffer.of(0)]),
        data.subarray(0, -1),
        Buffer.concat([Buffer.of(2), data.subarray(1)]),
        hasText('webauthn.get', 'webauthn.got'),
        hasText('"challenge":"', '"challenge":"A'),
        hasText('"origin":"https://wallet.example"', `"origin":${'1'.repeat(24)}`),
        Buffer.from(other?.extensionData ?? []),
      ]) {
        expect(
          await refusal({ ...transaction, envelopeSignatures: [{ ...own, extensionData } as never] }),
          extensionData.toString('hex'),
        ).to.include('the transaction signature has invalid extension data')
      }
      // The plain scheme may be named. The passkey's signature is then invalid.
      for (const extensionData of [Buffer.of(0), Buffer.alloc(0)]) {
        const id = await client
          .send({ ...transaction, envelopeSignatures: [{ ...own, extensionData } as never] })
          .catch((error: unknown) => (error as Error).message)
        if (extensionData.length === 0) expect(id).to.include('has already been submitted')
        node.advance()
        if (extensionData.length === 1) expect((await client.result(id)).error).to.include('signature is not valid')
      }
    })

    it('as malformed or empty messages', async () => {
      for (const request of [
        Buffer.alloc(0),
        Buffer.of(0x0a, 0x7f),
        Buffer.from('no message at all'),
        Buffer.of(0x0a, 0),
      ]) {
        const words = await client.ask('SendTransaction', request).then(
          () => 'taken in',
          (error: unknown) => `${(error as { code?: string }).code} ${(error as Error).message}`,
        )
        expect(words, request.toString('hex')).to.include('invalid transaction: ')
      }
    })

    it('a second time, while pending and after execution', async () => {
      const transaction = await client.signed({ code, proposer: payer })
      const id = await client.send(transaction)
      expect(await refusal(transaction)).to.match(new RegExp(`: transaction with ID ${id} has already been submitted$`))
      node.advance()
      expect(await refusal(transaction)).to.match(new RegExp(`: transaction with ID ${id} has already been submitted$`))
    })

    it('if their reference block is too old', async () => {
      const transaction = await client.signed({ code, proposer: payer })
      node.setHead(head + 570)
      const id = await client.send(transaction)
      node.setHead(head + 571)
      expect(await client.result(id)).to.include({ status: 4, height: head + 571 })
      const late = await client.signed({ code, proposer: payer, referenceBlockId: transaction.referenceBlockId })
      expect(await refusal(late)).to.include(`transaction is expired: ref_height=${head} final_height=${head + 571}`)
    })
  })
})
