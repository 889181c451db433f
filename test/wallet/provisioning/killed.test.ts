import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { TransactionNode } from '../support/transaction-node.ts'
import { fundPayer, PasskeyList, provision, signedIn, startProvisioning } from './support/provisioning-world.ts'

/** When the process is killed: at its nth call, before or after the node has processed it. */
const points: readonly {
  readonly name: string
  readonly method: string
  readonly nth: number
  readonly when: 'onCall' | 'onAnswer'
}[] = [
  { name: 'before a transaction is made', method: 'GetLatestBlockHeader', nth: 1, when: 'onCall' },
  { name: 'when a transaction was written down and not sent', method: 'SendTransaction', nth: 1, when: 'onCall' },
  { name: 'when a transaction was sent and no answer came', method: 'SendTransaction', nth: 1, when: 'onAnswer' },
  { name: 'while it looks at what became of a transaction', method: 'GetTransactionResult', nth: 1, when: 'onCall' },
  // The first two reads are of the payer, at startup and before signing.
  { name: 'while it looks at the account that was made', method: 'GetAccountAtLatestBlock', nth: 3, when: 'onAnswer' },
]

describe('accounts for passkeys after the process is killed', () => {
  let database: TestDatabase
  let node: TransactionNode
  let child: ChildProcess | undefined

  before(async () => {
    database = await createTestDatabase()
  })
  beforeEach(async () => {
    node = await TransactionNode.start()
  })
  afterEach(async () => {
    child?.kill('SIGKILL')
    await node.stop()
    await database.pool.query('truncate wallet.accounts, wallet.payer_transactions')
    await database.pool.query('delete from pgboss.job')
  })
  after(() => database.drop())

  for (const { name, method, nth, when } of points) {
    it(`are created once by the next process: ${name}`, async () => {
      const { payer, text } = fundPayer(node)
      const passkeys = new PasskeyList()
      const ann = signedIn()
      const passkey = passkeys.add(ann.user.id)
      const killed = Promise.withResolvers<void>()
      let count = 0
      node[when] = async (called) => {
        if (called !== method || ++count !== nth || child === undefined) return
        const exited = once(child, 'exit')
        child.kill('SIGKILL')
        await exited
        killed.resolve()
      }
      child = spawn(
        process.execPath,
        [
          join(import.meta.dirname, 'support/provisioning-process.ts'),
          database.url,
          node.endpoint,
          text,
          JSON.stringify(passkey),
        ],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      const ended = once(child, 'exit')
      await Promise.race([killed.promise, ended.then(() => killed.promise)])
      node[when] = undefined
      expect(await ended).to.deep.equal([null, 'SIGKILL'])
      const {
        rows: [left],
      } = await database.pool.query<{ state: string }>('select state from wallet.accounts')
      expect(left?.state).to.equal(method === 'GetLatestBlockHeader' ? 'wanted' : 'sent')

      const world = await startProvisioning(database.url, node.endpoint, payer, { passkeys })
      try {
        // Without another request, the job that was left is resumed.
        const state = async (): Promise<string | undefined> =>
          (await database.pool.query<{ state: string }>('select state from wallet.accounts')).rows[0]?.state
        while ((await state()) !== 'sealed') await delay(20)
        const { networks } = await provision(world, ann, passkey.credentialId)
        expect(networks['testnet']).to.include({ state: 'sealed', address: `0x${node.created[0]}` })
        expect(node.created).to.have.length(1)
        expect(node.transactions.size).to.equal(1)
      } finally {
        await world.stop()
      }
    })
  }
})
