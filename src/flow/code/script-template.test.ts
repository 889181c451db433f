import { expect } from 'chai'
import { decodedRecording } from '../../../test/support/decoded-recording.ts'
import { annotatedTransactions } from '../../../test/support/recording-annotations.ts'
import { importCategories, scriptTemplate } from './script-template.ts'
import { templateRules, templateCategories } from './template-rules.ts'

import catalogue from './catalogue.json' with { type: 'json' }

const transferTokens = `
  import FungibleToken from 0xf233dcee88fe0abe
  import FlowToken from 0x1654653399040a61
  transaction(amount: UFix64, to: Address) {
    let sent: @{FungibleToken.Vault}
    prepare(signer: auth(BorrowValue) &Account) {
      self.sent <- signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/v)!
        .withdraw(amount: amount)
    }
    execute { getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(/public/r)!.deposit(from: <-self.sent) }
  }`

const brief = (script: string): string => {
  const {
    template: { category, label },
  } = scriptTemplate(script, 'mainnet')
  return label === '' ? category : `${category}: ${label}`
}

describe('scriptTemplate', () => {
  it('classifies the transactions of the recording', async () => {
    const [blocks, noted] = await Promise.all([decodedRecording('base'), annotatedTransactions('base')])
    const shown = (label: string): string => {
      const place = noted.find((one) => one.label === label)
      const { template, foundBy } = scriptTemplate(
        blocks[place?.height ?? -1]?.transactions[place?.index ?? -1]?.script ?? '',
        'emulator',
      )
      return [template.category, template.label, foundBy].filter((part) => part !== '').join(' / ')
    }
    for (const [label, expected] of [
      ['flow/transfer', 'FT_TRANSFER / Transfer FLOW / rules'],
      ['flow/there-and-back', 'FT_TRANSFER / Transfer FLOW / rules'],
      ['flow/mint', 'FT_MINT / Mint FLOW / rules'],
      ['flow/burn', 'FT_BURN / Burn tokens / rules'],
      ['ft/transfer', 'FT_TRANSFER / Transfer tokens / rules'],
      ['ft/mint', 'FT_MINT / Mint tokens / rules'],
      ['ft/setup', 'ACCOUNT_SETUP / Set up token vault / rules'],
      ['nft/setup', 'ACCOUNT_SETUP / Set up NFT collection / rules'],
      ['nft/mint-batch', 'NFT_MINT / Mint NFT / rules'],
      ['nft/transfer', 'NFT_TRANSFER / Transfer NFT / rules'],
      ['nft/destroy', 'NFT_BURN / Burn NFT / rules'],
      ['market/list', 'NFT_LISTING / List NFT for sale / rules'],
      ['market/delist', 'NFT_LISTING / Take NFT off sale / rules'],
      ['market/buy', 'NFT_PURCHASE / Buy NFT / rules'],
      ['defi/swap', 'SWAP / Swap tokens / rules'],
      ['defi/add', 'LIQUIDITY / Add liquidity / rules'],
      ['account/create', 'ACCOUNT_CREATION / Create account / rules'],
      ['key/add', 'ACCOUNT_SETUP / Add key / rules'],
      ['key/revoke', 'ACCOUNT_SETUP / Revoke key / rules'],
      ['contract/deploy', 'CONTRACT_DEPLOY / Deploy contract / rules'],
      ['contract/update', 'CONTRACT_DEPLOY / Update contract / rules'],
      ['contract/remove', 'CONTRACT_DEPLOY / Remove contract / rules'],
      ['evm/coa-create', 'ACCOUNT_SETUP / Create EVM account / rules'],
      ['evm/coa-deposit', 'EVM_BRIDGE / Move FLOW to EVM / rules'],
      ['evm/coa-withdraw', 'EVM_BRIDGE / Move FLOW from EVM / rules'],
      ['evm/coa-deploy', 'EVM_CALL / Deploy EVM contract / rules'],
      ['evm/batch-run', 'EVM_CALL / Run EVM transaction / rules'],
      ['evm/coa-call-erc20', 'EVM_CALL / Call EVM contract / rules'],
      ['schedule/ring', 'SCHEDULED / Schedule transaction / rules'],
      ['schedule/cancel', 'SCHEDULED / Cancel scheduled transaction / rules'],
      ['staking/register-node', 'STAKING / Register node / rules'],
      ['staking/stake-new-tokens', 'STAKING / Stake new tokens / rules'],
      ['staking/delegator-request-unstake', 'STAKING / Request unstaking / rules'],
      ['staking/withdraw-rewards', 'REWARD_CLAIM / Withdraw staking rewards / rules'],
      ['epoch/setup', 'SYSTEM / Administer the network / rules'],
      ['nft/update', 'nft / imports'],
      ['custom/event', 'contract_call / imports'],
      ['fail/panic', 'nothing'],
      ['noop/no-authorizer', 'nothing'],
    ] as const) {
      expect(shown(label), label).to.equal(expected)
    }
  })

  it('finds system scripts in the catalogue by the hash of their normal form', async () => {
    const blocks = await decodedRecording('base')
    const own = blocks.flatMap(({ transactions }) => transactions.filter(({ isSystem }) => isSystem))
    const shown = new Set(
      own.map(({ script }) => {
        const { template, foundBy } = scriptTemplate(script, 'emulator')
        return `${template.category} / ${template.label} / ${foundBy}`
      }),
    )
    expect([...shown].toSorted()).to.deep.equal([
      'SCHEDULED / Run scheduled transaction / catalogue',
      'SYSTEM / End of block / rules',
      'SYSTEM / Find due scheduled transactions / catalogue',
    ])
  })

  it('gives variants the same template', () => {
    const template = scriptTemplate(transferTokens, 'mainnet')
    const variant = `/* payout */\n${transferTokens.replaceAll('\n', '\n\n').replace('execute', '// now\nexecute')}`
    expect(scriptTemplate(variant, 'mainnet')).to.deep.equal(template)
  })

  it('ignores comments and string literals', () => {
    const output =
      '// a.contracts.add(name: n)\n/* EVM.run( */ transaction { execute { log("keys.add( contracts.add(") } }'
    expect(scriptTemplate(output, 'mainnet')).to.deep.include({ foundBy: 'nothing' })
  })

  it('ignores contracts in other accounts with the names of core contracts', () => {
    expect(brief(transferTokens)).to.equal('FT_TRANSFER: Transfer FLOW')
    expect(brief(transferTokens.replace('0x1654653399040a61', '0x0bad'))).to.equal('FT_TRANSFER: Transfer tokens')
    expect(brief('import EVM from 0x0bad transaction { execute { EVM.look() } }')).to.equal('contract_call')
  })

  it('falls back to the highest-ranked contract if the calls match no template', () => {
    for (const [imports, expected] of [
      [['FungibleToken', 'NFTStorefrontV2'], 'marketplace'],
      [['EVM', 'NonFungibleToken'], 'nft'],
      [['Crypto', 'FlowToken'], 'token_transfer'],
      [['FlowEpoch'], 'system'],
      [['HybridCustody', 'Burner'], 'account_linking'],
      [['Crypto', 'Somewhere'], 'crypto'],
      [['Somewhere'], 'contract_call'],
      [[], ''],
    ] as const) {
      const script = `${imports.map((name) => `import ${name}`).join('\n')} transaction {}`
      expect(brief(script), script).to.equal(expected)
    }
  })

  it('reads scripts of before Cadence 1.0', () => {
    const of = (body: string): string => brief(`transaction { prepare(signer: AuthAccount) { ${body} } }`)
    expect(of('let account = AuthAccount(payer: signer) account.addPublicKey(key)')).to.equal(
      'ACCOUNT_CREATION: Create account',
    )
    expect(of('signer.addPublicKey(key)')).to.equal('ACCOUNT_SETUP: Add key')
    expect(of('signer.removePublicKey(index)')).to.equal('ACCOUNT_SETUP: Revoke key')
    expect(of('signer.contracts.update__experimental(name: n, code: c)')).to.equal('CONTRACT_DEPLOY: Update contract')
    expect(of('r.deposit(token: <-c.withdraw(withdrawID: id))')).to.equal('NFT_TRANSFER: Transfer NFT')
  })

  it('has a catalogue that maps each hash to one template in a known category', () => {
    expect(
      Object.keys(catalogue).filter((one) => !(templateCategories as readonly string[]).includes(one)),
    ).to.deep.equal([])
    const hashes = Object.values(catalogue).flatMap((labels) => Object.values(labels).flat())
    expect(hashes.length).to.be.greaterThan(1000)
    expect(new Set(hashes).size).to.equal(hashes.length)
    expect(hashes.filter((hash) => !/^[0-9a-f]{16}$/.test(hash))).to.deep.equal([])
  })

  it('terminates for scripts designed to be slow', () => {
    for (const part of ['<', 'a<', '/*', 'import a,', 'a.', '"', 'a(', '//']) {
      const hostile = part.repeat(50_000)
      expect(scriptTemplate(hostile, 'mainnet').template.label).to.equal('')
    }
    expect(
      templateRules.flatMap(({ all, none = [] }) => [...all, ...none]).filter(({ flags }) => flags.includes('g')),
    ).to.deep.equal([])
    expect(importCategories.at(-1)).to.equal('contract_call')
  })
})
