export interface Template {
  readonly name: string
  readonly title: string
  readonly path: string
  readonly code: string
}

const contract = `/// A counter that anyone can read and only its account can increment.
access(all) contract Counter {

    access(all) event Incremented(count: Int)

    /// Number of increments.
    access(all) var count: Int

    /// Adds one.
    access(account) fun increment() {
        self.count = self.count + 1
        emit Incremented(count: self.count)
    }

    init() {
        self.count = 0
    }
}
`

const transaction = `import "FungibleToken"
import "FlowToken"

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
`

const script = `/// Adds two numbers. Run it with Ctrl+Enter, or ⌘ Enter.
access(all) fun main(a: Int, b: Int): Int {
    return a + b
}
`

export const templates: readonly Template[] = [
  {
    name: 'contract',
    title: 'A contract',
    path: 'contracts/Counter.cdc',
    code: contract,
  },
  {
    name: 'transaction',
    title: 'A transaction: send FLOW',
    path: 'transactions/send-flow.cdc',
    code: transaction,
  },
  { name: 'script', title: 'A script', path: 'scripts/add.cdc', code: script },
]
