import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { createAccount, sendFlow } from '../../clients/signing/transactions/make-transaction.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { emulatorProgram, startFlowEmulator } from '../support/flow-emulator.ts'
import type { FlowEmulator } from '../support/flow-emulator.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { NodeClient, passkeyKey, testKey } from '../support/node-client.ts'
import type { TestKey, TestSigner, TestTransaction } from '../support/node-client.ts'
import { untilSealed } from '../support/until-sealed.ts'

interface Payment {
  readonly id: string
  readonly height: number
  readonly isDone: boolean
}

const unit = 100_000_000n

/**
 * Numbers of a fixed sequence, so that a failing run can be repeated. Source: the linear congruence
 * of Numerical Recipes.
 */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('indexing a Flow emulator with user payments', function (this: Mocha.Suite) {
  let emulator: FlowEmulator
  let database: TestDatabase | undefined
  let client: NodeClient
  let program: FlowfarmProcess
  let api: string
  const signers: TestSigner[] = []
  const next = numbers(20_261_122)

  before(async function (this: Mocha.Context) {
    const path = emulatorProgram()
    if (path === undefined) this.skip()
    emulator = await startFlowEmulator(path)
    client = new NodeClient(emulator.endpoint)
    database = await createTestDatabase()
    program = new FlowfarmProcess(['ingest', 'farm', 'api'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: emulator.endpoint,
      HOST: '127.0.0.1',
      PORT: '0',
    })
    api = String((await program.logged(/API listening/))['url'])
    for (let i = 0; i < 5; i++)
      signers.push(await newAccount(i % 2 === 0 ? passkeyKey() : testKey('ECDSA_secp256k1', 'SHA3_256')))
  })

  after(async () => {
    if (database === undefined) return
    await program.end('SIGTERM')
    await client.close()
    await emulator.stop()
    await database.drop()
  })

  async function newAccount(key: TestKey): Promise<TestSigner> {
    const id = await client.send(
      await client.signed({
        code: createAccount('emulator', { ...key, startBalance: 10n * unit }),
        proposer: emulator.service,
      }),
    )
    const { error, createdAddress = '' } = await untilSealed(client, id)
    expect(error).to.equal('')
    return { address: createdAddress, keyIndex: 0, key }
  }

  const randomSigner = (): TestSigner => signers[next(signers.length)] ?? emulator.service

  /** Some exceed the balance, and fail with a fee. Some have another payer. */
  async function pay(): Promise<Payment> {
    const [from, to, payer] = [randomSigner(), randomSigner(), randomSigner()]
    const amount = BigInt(next(20) === 0 ? 1_000_000_000_000 : 1 + next(50_000_000))
    const wanted: TestTransaction = {
      code: sendFlow('emulator', { amount, to: to.address }),
      proposer: from,
      ...(next(3) === 0 && payer !== from ? { payer } : {}),
    }
    const id = await client.send(await client.signed(wanted))
    const { height, error } = await untilSealed(client, id)
    return { id, height, isDone: error === '' }
  }

  async function payOften(times: number): Promise<Payment[]> {
    const done: Payment[] = []
    for (let i = 0; i < times; i++) done.push(await pay())
    return done
  }

  async function listOf<Data>(path: string): Promise<readonly Data[]> {
    const response = await fetch(`${api}${path}`)
    if (response.status === 404) return []
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return ((await response.json()) as { readonly data: readonly Data[] }).data
  }

  /** Resolves when every worker has processed the current chain height that has a transaction. */
  async function untilDerived({ id, height }: Payment): Promise<void> {
    for (;;) {
      const { checkpoints } = (await (await fetch(`${api}/status`)).json()) as {
        readonly checkpoints: Readonly<Record<string, number>>
      }
      const [transaction] = await listOf<{ readonly block_height: number }>(`/flow/transaction/${id}`)
      if (transaction?.block_height === height && Object.values(checkpoints).every((done) => done >= height)) return
      await delay(100)
    }
  }

  /** Balances derived from events, beside those of the chain. */
  async function expectBalances(): Promise<void> {
    for (const { address } of signers) {
      const [flow] = await listOf<{ readonly balance: string }>(`/flow/account/${address}/ft`)
      expect([address, flow?.balance]).to.deep.equal([address, (await client.account(address)).balance])
    }
  }

  async function expectPayments(payments: readonly Payment[]): Promise<void> {
    for (const { id, height, isDone } of payments) {
      const [transaction] = await listOf<{ readonly block_height: number; readonly execution_status: string }>(
        `/flow/transaction/${id}`,
      )
      expect([id, transaction?.block_height, transaction?.execution_status]).to.deep.equal([
        id,
        height,
        isDone ? 'SUCCESS' : 'FAILURE',
      ])
    }
  }

  it('is exact to the last unit of FLOW, even after the emulator replaced blocks', async () => {
    const [retained, forgotten] = [await payOften(20), await payOften(12)]
    const [last, lastForgotten] = [retained.at(-1), forgotten.at(-1)]
    if (last === undefined || lastForgotten === undefined) throw new Error('no payments were sent')
    await untilDerived(lastForgotten)
    await expectPayments([...retained, ...forgotten])
    await expectBalances()

    await emulator.rollBack(last.height)
    const further = await payOften(15)
    const lastOfAll = further.at(-1)
    if (lastOfAll === undefined) throw new Error('no payments were sent')
    await program.logged(/Rolled back to the last common block/)
    await untilDerived(lastOfAll)
    await expectPayments([...retained, ...further])
    const ids = new Set(further.map(({ id }) => id))
    for (const { id } of forgotten.filter((one) => !ids.has(one.id)))
      expect(await listOf(`/flow/transaction/${id}`), id).to.deep.equal([])
    await expectBalances()
    expect(program.log.filter(({ level }) => ['error', 'fatal'].includes(level))).to.deep.equal([])
  })
})
