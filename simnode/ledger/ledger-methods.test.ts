import { expect } from 'chai'
import { GrpcJsTransport } from '../../src/access/transport/grpc-js-transport.ts'
import { parseEndpoint } from '../../src/access/transport/endpoint.ts'
import { readAccountResponse } from '../../src/access/create-chain-reader.ts'
import type { ChainAccount } from '../../src/flow/chain-reader.ts'
import { bytesField, varintField } from '../node/wire.ts'
import { startLedgerNode } from './ledger-node.ts'
import type { LedgerNode } from './ledger-node.ts'
import { accountAt } from './world/account.ts'
import type { Account } from './world/account.ts'
import { deployer } from './world/deployed-contracts.ts'
import { createdAccount, userOfTurn } from './world/users.ts'
import { flow, usdc } from './world/tokens.ts'

describe('accounts of the simulated chain', () => {
  const head = 450
  let node: LedgerNode
  let transport: GrpcJsTransport

  before(async () => {
    node = await startLedgerNode({ seed: 5, head })
    transport = new GrpcJsTransport(parseEndpoint(node.endpoint))
  })

  after(async () => {
    await transport.close()
    await node.stop()
  })

  async function accountOf({ address }: Account, height: number): Promise<ChainAccount> {
    const request = Buffer.concat([bytesField(1, address), varintField(2, height)])
    return readAccountResponse(await transport.unary('GetAccountAtBlockHeight', request, { timeoutMs: 5000 }))
  }

  async function statusOf(account: Account, height: number): Promise<unknown> {
    return accountOf(account, height).then(
      () => undefined,
      (thrown: unknown) => (thrown as { code?: unknown }).code,
    )
  }

  it('have the balance of their last event', async () => {
    const balances = new Map<string, { account: Account; balance: bigint; sequenceNumber: number }>()
    for (let height = 201; height <= head; height++) {
      for (const { payer, sequenceNumber } of node.chain.draft(height).userTransactions) {
        const balance = node.chain.stateAt(height).vaults.balance(flow, payer)
        balances.set(payer.hex, { account: payer, balance, sequenceNumber })
      }
    }
    const latest = [...balances.values()].at(-1)
    if (latest === undefined) throw new Error('nobody paid')
    const reported = await accountOf(latest.account, head)
    expect(BigInt(reported.balance.replace('.', ''))).to.equal(latest.balance)
    expect(reported.keys[0]?.sequenceNumber).to.equal(latest.sequenceNumber + 1)
  })

  it('have keys that are added in the first half and revoked in the second half of a cycle', async () => {
    const user = userOfTurn(4)
    const keys = async (height: number): Promise<boolean[]> =>
      (await accountOf(user, height)).keys.map(({ isRevoked }) => isRevoked)
    expect(await keys(200)).to.deep.equal([false])
    expect(await keys(300)).to.deep.equal([false, false])
    expect(await keys(399)).to.deep.equal([false, true])
  })

  it('have the contracts of the requested height', async () => {
    const owner = deployer(2)
    const codes = async (height: number): Promise<string[]> =>
      [...(await accountOf(owner, height)).contracts.values()].map(String)
    expect(await codes(200)).to.deep.equal([])
    expect((await codes(300))[0])
      .to.include('contract Garden2')
      .and.not.include('Watered')
    expect((await codes(399))[0]).to.include('Watered')
    expect([...(await accountOf(usdc.contract, 0)).contracts.keys()]).to.deep.equal(['FiatToken'])
  })

  it('exist from their creation', async () => {
    const created = createdAccount(8)
    expect(await statusOf(created, 200)).to.equal('grpc-not-found')
    expect((await accountOf(created, 300)).balance).to.equal('0.00100000')
    expect(await statusOf(accountAt(1_000_000_000), head)).to.equal('grpc-not-found')
    expect(await statusOf(userOfTurn(1), head + 1)).to.equal('grpc-not-found')
  })
})
