import { expect } from 'chai'
import fc from 'fast-check'
import type { FlowTransaction } from '../../../clients/signing/encode-transaction.ts'
import { flowContracts } from '../../../clients/signing/transactions/transaction-scripts.ts'
import { addKey, sendFlow } from '../../../clients/signing/transactions/make-transaction.ts'
import { summarize } from './transaction-summary.ts'

const own = '0xf8d6e0586b0a20c7'
const other = '0xe5a8b7f23e8b548f'
const transaction = (part: Partial<FlowTransaction> = {}): FlowTransaction => ({
  script: 'transaction(amount: UFix64) { prepare(signer: auth(BorrowValue) &Account) {} }',
  arguments: ['{"type":"UFix64","value":"1.00000000"}'],
  referenceBlockId: 'cd'.repeat(32),
  computeLimit: 100,
  proposalKey: { address: own, keyIndex: 0, sequenceNumber: 3n },
  payer: own,
  authorizers: [own],
  payloadSignatures: [],
  envelopeSignatures: [],
  ...part,
})
const getting = (rights: string, more: Partial<FlowTransaction> = {}): FlowTransaction =>
  transaction({ script: `transaction { prepare(signer: ${rights}) {} }`, arguments: [], ...more })
const signer = { address: own }

describe('a transaction summary', () => {
  it('has roles, rights and arguments', () => {
    const summary = summarize(transaction(), signer, 'emulator')
    expect(summary).to.deep.include({
      known: undefined,
      isPayer: true,
      isProposer: true,
      payer: own,
      proposer: own,
      computeLimit: 100,
      warnings: [],
    })
    expect(
      summary.accounts.map(({ address, isOwn, rights }) => ({
        address,
        isOwn,
        rights: rights?.map(({ name }) => name),
      })),
    ).to.deep.equal([{ address: own, isOwn: true, rights: ['BorrowValue'] }])
    expect(summary.values).to.deep.equal([{ name: 'amount', type: 'UFix64', text: '1.00000000' }])
  })

  it('recognizes scripts of the wallet', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (amount) => {
        expect(
          summarize(transaction(sendFlow('emulator', { amount, to: other })), signer, 'emulator').known,
        ).to.deep.equal({ name: 'send-flow', amount, to: other })
      }),
    )
    const paid = summarize(
      transaction({ ...sendFlow('emulator', { amount: 1n, to: own }), authorizers: [other] }),
      signer,
      'emulator',
    )
    expect(paid).to.deep.include({ isPayer: true, warnings: [] })
    expect(paid.accounts.map(({ isOwn }) => isOwn)).to.deep.equal([false])
    // The same text on another chain refers to other contracts.
    expect(summarize(transaction(sendFlow('mainnet', { amount: 1n, to: other })), signer, 'emulator').known).to.equal(
      undefined,
    )
  })

  it('warns of rights over the account', () => {
    expect(
      summarize(transaction(addKey('emulator', { publicKey: 'ab'.repeat(64) })), signer, 'emulator').warnings[0],
    ).to.match(/^The code can add keys.*\(AddKey\)\.$/)
    for (const right of [
      'Keys',
      'AddKey',
      'RevokeKey',
      'Contracts',
      'AddContract',
      'Capabilities',
      'IssueAccountCapabilityController',
      'Mine.All',
    ]) {
      expect(
        summarize(getting(`auth(SaveValue, ${right}) &Account`), signer, 'emulator').warnings.join(),
        right,
      ).to.include(`(${right})`)
    }
    expect(summarize(getting('auth(SaveValue) &Account'), signer, 'emulator').warnings).to.deep.equal([])
    expect(summarize(getting('AuthAccount'), signer, 'emulator').warnings.join()).to.include('may do anything')
    expect(
      summarize(getting('&Account', { authorizers: [own, other] }), signer, 'emulator').warnings.join(),
    ).to.include('may do anything')
    expect(
      summarize(
        getting('auth(SaveValue) &Account, b: auth(Keys) &Account', { authorizers: [own, other] }),
        signer,
        'emulator',
      ).warnings.join(),
    ).to.include('The code mentions Keys')
  })

  it('has each warning once', () => {
    const { warnings } = summarize(
      getting('auth(Keys) &Account, b: auth(Keys) &Account', { authorizers: [own, own] }),
      signer,
      'emulator',
    )
    expect(warnings.map((warning) => warning.includes('(Keys)'))).to.deep.equal([true])
  })

  it('warns of hidden characters and fake contracts', () => {
    expect(summarize(getting('auth(SaveValue) &Account /* \u202E */'), signer, 'emulator').warnings.join()).to.include(
      'invisible characters',
    )
    const importing = (address: string): readonly string[] =>
      summarize(
        transaction({ script: `import FlowToken from 0x${address}\n${transaction().script}` }),
        signer,
        'emulator',
      ).warnings
    expect(importing(flowContracts.emulator.flowToken)).to.deep.equal([])
    expect(importing('f8d6e0586b0a20c7').join()).to.include('is not the official')
    for (const line of [
      'import Mine as FlowToken from 0x01',
      'import FlowToken as Mine from 0x01',
      'import Mine from 0x01 import FlowToken from 0x01',
      'import FlowToken from 0x0_1',
    ]) {
      expect(
        summarize(transaction({ script: `${line}\n${transaction().script}` }), signer, 'emulator').warnings.join(),
        line,
      ).to.include('The contract FlowToken at 0x01 is not the official')
    }
  })

  it('never omits a right, for any script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
        const { warnings } = summarize(
          transaction({ script: `${before}transaction { prepare(a: auth(Keys) &Account) {} }${after}` }),
          signer,
          'emulator',
        )
        expect(warnings.join()).to.match(/Keys|may be anything/)
      }),
    )
  })
})
