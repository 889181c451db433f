import { expect } from 'chai'
import { readKnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import {
  addKey,
  fundEvmAccount,
  sendFlow,
  sendNft,
  sendToken,
} from '../../../clients/signing/transactions/make-transaction.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import { balanceChanges } from './balance-changes.ts'

const to = '0x1d7e57aa55817448'

describe('estimated balance changes', () => {
  it('follow from the arguments of the wallet’s scripts', () => {
    const changesOf = (code: TransactionCode): readonly string[] => {
      const known = readKnownTransaction(code, 'mainnet')
      return known === undefined
        ? ['unknown']
        : balanceChanges(known).map(({ direction, text }) => `${direction === 'out' ? '−' : '+'}${text}`)
    }
    expect(changesOf(sendFlow('mainnet', { amount: 150_000_000n, to }))).to.deep.equal(['−1.5 FLOW'])
    const type = 'A.b19436aae4d94622.FiatToken.Vault'
    expect(changesOf(sendToken('mainnet', { type, amount: 1n, to }))).to.deep.equal(['−0.00000001 FiatToken'])
    expect(changesOf(sendNft('mainnet', { type: 'A.0b2a3299cc857e29.TopShot.NFT', id: 7n, to }))).to.deep.equal([
      '−TopShot #7',
    ])
    expect(changesOf(fundEvmAccount('mainnet', 200_000_000n))).to.deep.equal(['−2 FLOW', '+2 FLOW on EVM'])
    expect(changesOf(addKey('mainnet', { publicKey: 'ab'.repeat(64) }))).to.deep.equal([])
  })
})
