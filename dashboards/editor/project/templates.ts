export interface Template {
  readonly name: string
  readonly title: string
  readonly path: string
  readonly code: string
  readonly note?: string
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

const transaction = `/// Saves a greeting to the signer's storage.
transaction(greeting: String) {

    prepare(signer: auth(LoadValue, SaveValue) &Account) {
        let before = signer.storage.load<String>(from: /storage/greeting) ?? "nothing"
        signer.storage.save(greeting, to: /storage/greeting)
        log("\\(greeting) in place of \\(before)")
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
    note: 'Checked here, not run. Deploy it from a repository or a wallet.',
  },
  {
    name: 'transaction',
    title: 'A transaction',
    path: 'transactions/greet.cdc',
    code: transaction,
    note: 'Checked here, not run. Send it from a wallet.',
  },
  { name: 'script', title: 'A script', path: 'scripts/add.cdc', code: script },
]
