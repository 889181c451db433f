import { expect } from 'chai'
import { pino } from 'pino'
import type { FlowTransaction } from '../../../clients/signing/encode-transaction.ts'
import { createAccount, sendFlow } from '../../../clients/signing/transactions/make-transaction.ts'
import { createTransactionClient } from '../../../src/access/transaction-client.ts'
import { createHttpServer } from '../../../src/platform/http/server.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import { startLedgerNode } from '../../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../../simnode/ledger/ledger-node.ts'
import { chainGuard, chainRoutes } from '../../../src/wallet/chain-routes.ts'
import { NodeClient, passkeyKey, testPayer } from '../../support/node-client.ts'
import type { TestSigner } from '../../support/node-client.ts'
import { submission } from '../support/sent-transactions.ts'

const log = pino({ level: 'silent' })

describe('transaction submission by a page', () => {
  let node: LedgerNode
  let client: NodeClient
  const stops: (() => Promise<void>)[] = []
  let url: string

  before(async () => {
    node = await startLedgerNode({ seed: 6, head: 330, hasPayer: true })
    client = new NodeClient(node.endpoint)
    const transactions = createTransactionClient({ endpoint: node.endpoint, log })
    const server = await createHttpServer(
      { service: 'wallet', metrics: new Metrics(), log, host: '127.0.0.1', port: 0, closeGraceMs: 0 },
      {
        routes: chainRoutes,
        services: { nodes: { testnet: transactions }, allowsOrigin: () => true },
        guards: { chain: chainGuard(() => undefined) },
      },
    )
    url = `http://127.0.0.1:${server.port}/chain/testnet/transactions`
    stops.push(
      () => server.close(),
      () => transactions.close(),
      () => client.close(),
      () => node.stop(),
    )
  })
  after(async () => {
    for (const stop of stops) await stop()
  })

  const post = async (transaction: FlowTransaction): Promise<{ status: number; id?: string; detail?: string }> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(submission(transaction)),
    })
    return { status: response.status, ...((await response.json()) as object) }
  }
  const newAccount = async (): Promise<TestSigner> => {
    const key = passkeyKey()
    const id = await client.send(
      await client.signed({
        code: createAccount('emulator', { ...key, startBalance: 1_000_000_000n }),
        proposer: testPayer(),
      }),
    )
    node.advance(1)
    return { address: (await client.result(id)).createdAddress ?? '', keyIndex: 0, key }
  }

  it('returns the same ID for repeated submissions, and executes once', async () => {
    const [account, other] = [await newAccount(), await newAccount()]
    // The signatures are not in the chain's canonical order.
    const transaction = await client.signed({
      code: sendFlow('emulator', { amount: 100_000_000n, to: testPayer().address }),
      proposer: other,
      authorizers: [account],
      payer: testPayer(),
      signers: [account, other, testPayer()],
    })
    node.inject({ kind: 'garbage', methods: ['SendTransaction'], length: 64, times: 1 })
    const lost = await post(transaction)
    expect([lost.status, lost.detail]).to.deep.equal([
      503,
      'No access node confirmed the transaction, but it may have arrived. Send the same transaction again: the chain runs it once.',
    ])
    const again = await post(transaction)
    expect(again).to.include({ status: 200 })
    node.advance(1)
    expect(await client.result(again.id ?? '')).to.include({ status: 4, error: '' })
    expect(await post(transaction)).to.deep.equal(again)
    node.advance(1)
    expect((await client.account(account.address)).balance).to.equal('9.00100000')
  })

  it("returns the node's error for a duplicate signature", async () => {
    const account = await newAccount()
    const signed = await client.signed({
      code: sendFlow('emulator', { amount: 1n, to: testPayer().address }),
      proposer: account,
    })
    const refused = await post({
      ...signed,
      envelopeSignatures: [...signed.envelopeSignatures, ...signed.envelopeSignatures],
    })
    expect(refused.status).to.equal(422)
    expect(refused.detail).to.include('duplicated signature')
  })
})
