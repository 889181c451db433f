/** A file to begin with. */
export interface Template {
  readonly name: string
  readonly title: string
  readonly path: string
  readonly code: string
  /** Why it cannot be run in the page. */
  readonly note?: string
}

const contract = `/// A counter that anybody may read, and that its account alone may move.
access(all) contract Counter {

    access(all) event Incremented(count: Int)

    /// How often it was moved.
    access(all) var count: Int

    /// Moves it by one.
    access(account) fun increment() {
        self.count = self.count + 1
        emit Incremented(count: self.count)
    }

    init() {
        self.count = 0
    }
}
`

const transaction = `/// Keeps a greeting in the storage of whoever signs.
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

/** What a new file may begin with. */
export const templates: readonly Template[] = [
  {
    name: 'contract',
    title: 'A contract',
    path: 'contracts/Counter.cdc',
    code: contract,
    note: 'Checked here, not run: deploy it from a repository or a wallet.',
  },
  {
    name: 'transaction',
    title: 'A transaction',
    path: 'transactions/greet.cdc',
    code: transaction,
    note: 'Checked here, not run: send it from a wallet.',
  },
  { name: 'script', title: 'A script', path: 'scripts/add.cdc', code: script },
]
