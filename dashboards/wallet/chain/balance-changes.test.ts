import { expect } from 'chai'
import { readKnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import {
  addKey,
  fundEvmAccount,
  sendErc20,
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
    const token = `0x${'ab'.repeat(20)}`
    const erc20 = { token, decimals: 18, amount: 1_234_500_000_000_000_000_000n, to: `0x${'cd'.repeat(20)}` }
    expect(changesOf(sendErc20('mainnet', erc20))).to.deep.equal([`−1,234.5 of the ERC-20 token ${token}`])
    expect(changesOf(addKey('mainnet', { publicKey: 'ab'.repeat(64) }))).to.deep.equal([])
  })
})
