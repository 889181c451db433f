import { expect } from 'chai'
import { sendErc20, sendFlow, sendToken } from '../../../clients/signing/transactions/make-transaction.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import { flowContracts } from '../../../clients/signing/transactions/transaction-scripts.ts'
import type { Spend } from '../chain/app-policies.ts'
import { spendOf } from './spend.ts'
import { summarize } from './transaction-summary.ts'

const own = '0x1d7e57aa55817448'
const other = '0xf233dcee88fe0abe'

function spendFor(code: TransactionCode, authorizer = own): Spend {
  const transaction = {
    ...code,
    referenceBlockId: 'cd'.repeat(32),
    computeLimit: 999,
    payer: own,
    authorizers: [authorizer],
    proposalKey: { address: own, keyIndex: 0, sequenceNumber: 0n },
    payloadSignatures: [],
    envelopeSignatures: [],
  }
  return spendOf(summarize(transaction, { address: own }, 'mainnet'), 'mainnet')
}

const script = (imports: string): TransactionCode => ({
  script: `${imports}\ntransaction { prepare(signer: auth(BorrowValue) &Account) {} }`,
  arguments: [],
})

describe('what a transaction of an application spends', () => {
  it('is the amount of payments', () => {
    expect(spendFor(sendFlow('mainnet', { amount: 150n, to: other }))).to.deep.equal({
      kind: 'payment',
      asset: 'FLOW',
      units: '150',
    })
    const usd = 'A.f1ab99c82dee3526.USDCFlow.Vault'
    expect(spendFor(sendToken('mainnet', { type: usd, amount: 7n, to: other }))).to.deep.equal({
      kind: 'payment',
      asset: usd,
      units: '7',
    })
  })

  it('counts ERC-20 tokens in units of 10^-8, rounded up', () => {
    const token = `0x${'ab'.repeat(20)}`
    const unitsOf = (amount: bigint, decimals: number): Spend =>
      spendFor(sendErc20('mainnet', { token, decimals, amount, to: `0x${'cd'.repeat(20)}` }))
    for (const [amount, decimals, units] of [
      [1_500_000n, 6, '150000000'],
      [1n, 18, '1'],
      [3n, 0, '300000000'],
      [2n ** 256n - 1n, 0, '18446744073709551615'],
    ] as const)
      expect(unitsOf(amount, decimals)).to.deep.equal({ kind: 'payment', asset: token, units })
  })

  it('counts FLOW as FLOW in every script', () => {
    const type = `A.${flowContracts.mainnet.flowToken}.FlowToken.Vault`
    expect(spendFor(sendToken('mainnet', { type, amount: 7n, to: other }))).to.include({ asset: 'FLOW', units: '7' })
  })

  it('is nothing if the account only pays the fee', () => {
    expect(spendFor(sendFlow('mainnet', { amount: 150n, to: own }), other)).to.deep.equal({ kind: 'nothing' })
  })

  it('is unknown for other code, with its contracts if all imports can be read', () => {
    expect(spendFor(script('import FlowToken as Mine, A from 0x1654653399040a61\nimport B from 0x1'))).to.deep.equal({
      kind: 'code',
      contracts: ['A.1654653399040a61.FlowToken', 'A.1654653399040a61.A', 'A.0000000000000001.B'],
    })
    expect(spendFor(script(''))).to.deep.equal({ kind: 'code', contracts: [] })
    for (const hidden of ['import 0x1654653399040a61', 'import "FlowToken"', 'import A from 0x1\nimport B'])
      expect(spendFor(script(hidden)), hidden).to.deep.equal({ kind: 'code', contracts: null })
  })
})
