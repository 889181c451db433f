import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import {
  createAccount,
  createEvmAccount,
  enableCollection,
  enableToken,
  fundEvmAccount,
  sendErc20,
  sendFlow,
  sendFlowToEvm,
  sendNft,
  sendToken,
  withdrawEvmAccount,
} from '../../clients/signing/transactions/make-transaction.ts'
import type { TransactionCode } from '../../clients/signing/transactions/make-transaction.ts'
import { emulatorProgram, startFlowEmulator } from '../support/flow-emulator.ts'
import { NodeClient, passkeyKey } from '../support/node-client.ts'
import type { TestSigner, TransactionStatusResult } from '../support/node-client.ts'

const unit = 100_000_000n
const service = 'f8d6e0586b0a20c7'
const flowVault = 'A.0ae53cb6e3f42a79.FlowToken.Vault'

const nftContract = `
import NonFungibleToken from 0x${service}
import MetadataViews from 0x${service}

access(all) contract Herons: NonFungibleToken {
    access(all) resource NFT: NonFungibleToken.NFT {
        access(all) let id: UInt64
        init() { self.id = 7 }
        access(all) view fun getViews(): [Type] { return [] }
        access(all) fun resolveView(_ view: Type): AnyStruct? { return nil }
        access(all) fun createEmptyCollection(): @{NonFungibleToken.Collection} { return <-create Collection() }
    }
    access(all) resource Collection: NonFungibleToken.Collection {
        access(all) var ownedNFTs: @{UInt64: {NonFungibleToken.NFT}}
        init() { self.ownedNFTs <- {} }
        access(all) view fun getSupportedNFTTypes(): {Type: Bool} { return {Type<@NFT>(): true} }
        access(all) view fun isSupportedNFTType(type: Type): Bool { return type == Type<@NFT>() }
        access(all) view fun borrowNFT(_ id: UInt64): &{NonFungibleToken.NFT}? { return &self.ownedNFTs[id] }
        access(all) fun createEmptyCollection(): @{NonFungibleToken.Collection} { return <-create Collection() }
        access(all) fun deposit(token: @{NonFungibleToken.NFT}) {
            let old <- self.ownedNFTs[token.id] <- token
            destroy old
        }
        access(NonFungibleToken.Withdraw) fun withdraw(withdrawID: UInt64): @{NonFungibleToken.NFT} {
            return <-self.ownedNFTs.remove(key: withdrawID)!
        }
    }
    access(all) fun createEmptyCollection(nftType: Type): @{NonFungibleToken.Collection} { return <-create Collection() }
    access(all) view fun getContractViews(resourceType: Type?): [Type] { return [Type<MetadataViews.NFTCollectionData>()] }
    access(all) fun resolveContractView(resourceType: Type?, viewType: Type): AnyStruct? {
        return MetadataViews.NFTCollectionData(
            storagePath: /storage/herons,
            publicPath: /public/herons,
            publicCollection: Type<&Collection>(),
            publicLinkedType: Type<&Collection>(),
            createEmptyCollectionFunction: fun(): @{NonFungibleToken.Collection} { return <-create Collection() }
        )
    }
    access(all) fun mint(_ to: &{NonFungibleToken.Receiver}) {
        to.deposit(token: <-create NFT())
    }
}
`

/** Names the vault of FLOW as its own. */
const hostileToken = `
import FungibleToken from 0xee82856bf20e2aa6
import FungibleTokenMetadataViews from 0xee82856bf20e2aa6
import FlowToken from 0x0ae53cb6e3f42a79

access(all) contract Free: FungibleToken {
    access(all) fun createEmptyVault(vaultType: Type): @{FungibleToken.Vault} {
        return <-FlowToken.createEmptyVault(vaultType: Type<@FlowToken.Vault>())
    }
    access(all) view fun getContractViews(resourceType: Type?): [Type] { return [] }
    access(all) fun resolveContractView(resourceType: Type?, viewType: Type): AnyStruct? {
        return FungibleTokenMetadataViews.FTVaultData(
            storagePath: /storage/flowTokenVault,
            receiverPath: /public/flowTokenReceiver,
            metadataPath: /public/flowTokenBalance,
            receiverLinkedType: Type<&FlowToken.Vault>(),
            metadataLinkedType: Type<&FlowToken.Vault>(),
            createEmptyVaultFunction: fun(): @{FungibleToken.Vault} {
                return <-FlowToken.createEmptyVault(vaultType: Type<@FlowToken.Vault>())
            }
        )
    }
}
`

const [stableCoinCode = ''] = readFileSync(
  new URL('../../simnode/ledger/evm/contracts/stable-coin.hex', import.meta.url),
  'utf8',
).split('\n')

/** 100 of the smallest unit for the account's EVM account. */
const deployErc20 = `
import EVM from 0x${service}

transaction(code: String) {
    prepare(signer: auth(BorrowValue, SaveValue) &Account) {
        let owned = signer.storage.borrow<auth(EVM.Deploy) &EVM.CadenceOwnedAccount>(from: /storage/evm)!
        let result = owned.deploy(
            code: code.decodeHex().concat(EVM.encodeABI([[owned.address()], 100 as UInt256])),
            gasLimit: 5_000_000,
            value: EVM.Balance(attoflow: 0)
        )
        assert(result.status == EVM.Status.successful, message: result.errorMessage)
        signer.storage.save(result.deployedContract!.toString(), to: /storage/erc20)
    }
}
`

const showErc20 = `transaction {
    prepare(signer: auth(CopyValue) &Account) { panic("token ".concat(signer.storage.copy<String>(from: /storage/erc20)!)) }
}`

const deploy = (name: string, code: string): TransactionCode => ({
  script: `transaction(name: String, code: String) {
    prepare(signer: auth(AddContract) &Account) { signer.contracts.add(name: name, code: code.utf8) }
}`,
  arguments: [JSON.stringify({ type: 'String', value: name }), JSON.stringify({ type: 'String', value: code })],
})

describe('wallet transactions on a Flow emulator', function (this: Mocha.Suite) {
  it('move tokens, NFTs and FLOW on EVM, and refuse hostile contracts', async function (this: Mocha.Context) {
    const program = emulatorProgram()
    if (program === undefined) this.skip()
    const emulator = await startFlowEmulator(program)
    const client = new NodeClient(emulator.endpoint)
    const run = async (code: TransactionCode, proposer: TestSigner): Promise<TransactionStatusResult> =>
      client.result(await client.send(await client.signed({ code, proposer, computeLimit: 9999 })))
    const done = async (code: TransactionCode, proposer: TestSigner): Promise<TransactionStatusResult> => {
      const result = await run(code, proposer)
      expect(result.error).to.equal('')
      return result
    }
    const balance = async ({ address }: TestSigner): Promise<number> => Number((await client.account(address)).balance)
    const newUser = async (): Promise<TestSigner> => {
      const key = passkeyKey()
      const code = createAccount('emulator', { publicKey: key.publicKey, startBalance: 20n * unit })
      const { createdAddress } = await done(code, emulator.service)
      return { address: createdAddress ?? '', keyIndex: 0, key }
    }
    try {
      const [sender, receiver] = [await newUser(), await newUser()]
      await done(sendToken('emulator', { type: flowVault, amount: unit, to: receiver.address }), sender)
      expect(await balance(receiver)).to.equal(21.001)

      await done(deploy('Free', hostileToken), emulator.service)
      const free = { type: `A.${service}.Free.Vault` }
      expect(
        (await run(sendToken('emulator', { ...free, amount: unit, to: receiver.address }), sender)).error,
      ).to.match(/The contract names the vault of another token/)
      expect((await run(enableToken('emulator', free), sender)).error).to.match(/its place is taken/)
      expect(await balance(receiver)).to.equal(21.001)

      await done(deploy('Herons', nftContract), emulator.service)
      const herons = { type: `A.${service}.Herons.NFT` }
      const mint: TransactionCode = {
        script: `import Herons from 0x${service}
import NonFungibleToken from 0x${service}
transaction(to: Address) {
    prepare(signer: &Account) {
        Herons.mint(getAccount(to).capabilities.borrow<&{NonFungibleToken.Receiver}>(/public/herons)!)
    }
}`,
        arguments: [JSON.stringify({ type: 'Address', value: sender.address })],
      }
      await done(enableCollection('emulator', herons), sender)
      expect((await run(enableCollection('emulator', herons), sender)).error).to.match(/has this collection/)
      await done(mint, emulator.service)
      const gift = sendNft('emulator', { ...herons, id: 7n, to: receiver.address })
      expect((await run(gift, sender)).error).to.match(/The recipient cannot receive this NFT/)
      await done(enableCollection('emulator', herons), receiver)
      await done(gift, sender)
      await done(sendNft('emulator', { ...herons, id: 7n, to: sender.address }), receiver)

      expect((await run(fundEvmAccount('emulator', unit), sender)).error).to.match(/has no EVM account/)
      await done(createEvmAccount('emulator'), sender)
      expect((await run(createEvmAccount('emulator'), sender)).error).to.match(/has an EVM account/)
      const before = await balance(sender)
      await done(fundEvmAccount('emulator', 5n * unit), sender)
      expect((await balance(sender)) - before).to.be.closeTo(-5, 0.01)
      await done(withdrawEvmAccount('emulator', 2n * unit), sender)
      expect((await balance(sender)) - before).to.be.closeTo(-3, 0.01)
      expect((await run(withdrawEvmAccount('emulator', 4n * unit), sender)).error).to.match(/insufficient/i)
      await done(sendFlowToEvm('emulator', { amount: unit, to: `0x${'ab'.repeat(20)}` }), sender)
      expect((await balance(sender)) - before).to.be.closeTo(-4, 0.01)
      await done(sendFlow('emulator', { amount: unit, to: receiver.address }), sender)

      await done(
        { script: deployErc20, arguments: [JSON.stringify({ type: 'String', value: stableCoinCode })] },
        sender,
      )
      const { error: shown } = await run({ script: showErc20, arguments: [] }, sender)
      const token = `0x${/token (?:0x)?([0-9a-f]{40})/i.exec(shown)?.[1]?.toLowerCase() ?? shown}`
      const payment = { token, decimals: 6, amount: 5n, to: `0x${'ab'.repeat(20)}` }
      await done(sendErc20('emulator', payment), sender)
      await done(sendErc20('emulator', { ...payment, amount: 95n }), sender)
      expect((await run(sendErc20('emulator', { ...payment, amount: 1n }), sender)).error).to.match(
        /The token refuses the transfer/,
      )
      expect((await run(sendErc20('emulator', { ...payment, decimals: 18 }), sender)).error).to.match(
        /has other decimals/,
      )
      expect((await run(sendErc20('emulator', { ...payment, token: `0x${'cd'.repeat(20)}` }), sender)).error).to.match(
        /not an ERC-20 token with decimals/,
      )
      expect((await run(sendErc20('emulator', payment), receiver)).error).to.match(/has no EVM account/)
    } finally {
      await client.close()
      await emulator.stop()
    }
  })
})
