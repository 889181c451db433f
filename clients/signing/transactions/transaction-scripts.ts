import { assetScripts } from './asset-scripts.ts'

export type FlowChain = 'mainnet' | 'testnet' | 'emulator'

export interface ContractAddresses {
  readonly fungibleToken: string
  readonly flowToken: string
  readonly nonFungibleToken: string
  readonly evm: string
}

/** 16 hex digits. Source: flow-go `fvm/systemcontracts/system_contracts.go`. */
export const flowContracts: Readonly<Record<FlowChain, ContractAddresses>> = {
  mainnet: {
    fungibleToken: 'f233dcee88fe0abe',
    flowToken: '1654653399040a61',
    nonFungibleToken: '1d7e57aa55817448',
    evm: 'e467b9dd11fa00df',
  },
  testnet: {
    fungibleToken: '9a0766d93b6608b7',
    flowToken: '7e60df042a9c0868',
    nonFungibleToken: '631e88ae7f1d7c20',
    evm: '8c5303eaa26202d6',
  },
  emulator: {
    fungibleToken: 'ee82856bf20e2aa6',
    flowToken: '0ae53cb6e3f42a79',
    nonFungibleToken: 'f8d6e0586b0a20c7',
    evm: 'f8d6e0586b0a20c7',
  },
}

export const transactionNames = [
  'create-account',
  'send-flow',
  'add-key',
  'revoke-key',
  'add-contract',
  'update-contract',
  'send-token',
  'send-nft',
  'enable-token',
  'enable-collection',
  'create-evm-account',
  'fund-evm-account',
  'withdraw-evm-account',
  'send-flow-to-evm',
  'send-erc20',
] as const
export type TransactionName = (typeof transactionNames)[number]

/** Compare scripts with `normalScript`. */
export function transactionScript(name: TransactionName, chain: FlowChain): string {
  return scripts[name](flowContracts[chain])
}

/** Without indentation, line ends and empty lines. Comments count. */
export function normalScript(script: string): string {
  return script
    .split('\n')
    .map((line) => line.replace(/^[ \t\r]+|[ \t\r]+$/g, ''))
    .filter((line) => line !== '')
    .join('\n')
}

const imports = ({
  fungibleToken,
  flowToken,
}: ContractAddresses): string => `import FungibleToken from 0x${fungibleToken}
import FlowToken from 0x${flowToken}
`

const newKey = `PublicKey(
                publicKey: publicKey.decodeHex(),
                signatureAlgorithm: SignatureAlgorithm(rawValue: signatureAlgorithm)!
            ),
            hashAlgorithm: HashAlgorithm(rawValue: hashAlgorithm)!,
            weight: weight`

const scripts: Readonly<Record<TransactionName, (contracts: ContractAddresses) => string>> = {
  // The payer is the only authorizer. The amount is in addition to the chain's minimum balance.
  'create-account': (contracts) => `${imports(contracts)}
transaction(publicKey: String, signatureAlgorithm: UInt8, hashAlgorithm: UInt8, weight: UFix64, startBalance: UFix64) {
    prepare(payer: auth(BorrowValue) &Account) {
        let account = Account(payer: payer)
        account.keys.add(
            publicKey: ${newKey}
        )
        if startBalance > 0.0 {
            let vault = payer.storage
                .borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)
                ?? panic("The payer has no FLOW vault")
            let receiver = account.capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)
                ?? panic("The new account cannot receive FLOW")
            receiver.deposit(from: <-vault.withdraw(amount: startBalance))
        }
    }
}
`,
  'send-flow': (contracts) => `${imports(contracts)}
transaction(amount: UFix64, to: Address) {
    let sent: @{FungibleToken.Vault}

    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")
        self.sent <- vault.withdraw(amount: amount)
    }

    execute {
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)
            ?? panic("The recipient cannot receive FLOW")
        receiver.deposit(from: <-self.sent)
    }
}
`,
  'add-key': () => `transaction(publicKey: String, signatureAlgorithm: UInt8, hashAlgorithm: UInt8, weight: UFix64) {
    prepare(signer: auth(AddKey) &Account) {
        signer.keys.add(
            publicKey: ${newKey}
        )
    }
}
`,
  'revoke-key': () => `transaction(keyIndex: Int) {
    prepare(signer: auth(RevokeKey) &Account) {
        signer.keys.revoke(keyIndex: keyIndex) ?? panic("The account has no such key")
    }
}
`,
  'add-contract': () => `transaction(name: String, code: String) {
    prepare(signer: auth(AddContract) &Account) {
        signer.contracts.add(name: name, code: code.utf8)
    }
}
`,
  'update-contract': () => `transaction(name: String, code: String) {
    prepare(signer: auth(UpdateContract) &Account) {
        signer.contracts.update(name: name, code: code.utf8)
    }
}
`,
  ...assetScripts,
}
