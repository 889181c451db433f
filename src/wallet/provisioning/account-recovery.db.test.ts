import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { pino } from 'pino'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import { ChainUnavailableError } from '../../flow/chain-reader.ts'
import type { AccountRecovery as Recovery } from './account-recovery.ts'
import { AccountRecovery } from './account-recovery.ts'
import { PayerAccount } from './payer-account.ts'
import type { ChainRecovery, RecoveryContract } from './recovery-contract.ts'
import { RecoveryStore } from './recovery-store.ts'
import { prepareTransaction } from './transaction-sender.ts'
import type { TransactionSender } from './transaction-sender.ts'

const network = 'testnet' as const
const hourMs = 3_600_000
const log = pino({ level: 'silent' })
const payer = PayerAccount.parse(`0x1d7e57aa55817448/0/ECDSA_P256/SHA3_256/${'7c'.repeat(32)}`, 'payer')

/** The contract and its chain. The emulator test has the real ones. */
class Chain {
  readonly recoveries = new Map<string, ChainRecovery>()
  readonly sent: string[] = []
  /** Result of the next transaction. */
  fate: 'succeeded' | 'failed' | 'unknown' = 'succeeded'
  isDown = false
  #sequence = 0n
  readonly #fates = new Map<string, Awaited<ReturnType<TransactionSender['fate']>>>()
  readonly #codes = new Map<string, TransactionCode>()

  enable(address: string, user: string, recoverer = payer.address): void {
    this.recoveries.set(address, { recoverer, user, announced: undefined })
  }

  announce(address: string, publicKey: string, dueMs = -1000): void {
    const recovery = this.recoveries.get(address)
    if (recovery === undefined) throw new Error('off')
    const dueAt = new Date(Date.now() + dueMs)
    const announced = { publicKey, dueAt, expiresAt: new Date(Date.now() + 48 * hourMs) }
    this.recoveries.set(address, { ...recovery, announced })
  }

  end(address: string): void {
    const recovery = this.recoveries.get(address)
    if (recovery !== undefined) this.recoveries.set(address, { ...recovery, announced: undefined })
  }

  readonly contract = {
    address: '0xf3fcd2c1a78f5eee',
    recoverer: payer.address,
    read: (accounts: readonly string[]) =>
      this.isDown
        ? Promise.reject(new ChainUnavailableError('down', undefined))
        : Promise.resolve(accounts.map((address) => this.recoveries.get(address))),
    announce: (address: string, key: string) => ({ script: 'announce', arguments: [address, key] }),
    cancel: (address: string) => ({ script: 'cancel', arguments: [address] }),
    complete: (address: string) => ({ script: 'complete', arguments: [address] }),
  } as unknown as RecoveryContract

  readonly sender = {
    network,
    payer,
    payerState: () =>
      Promise.resolve({
        payer,
        chain: 'testnet' as const,
        sequenceNumbers: new Map([[0, this.#sequence]]),
        reference: { id: Buffer.alloc(32), height: 1 },
      }),
    prepare: (...[code, state, proposal]: Parameters<TransactionSender['prepare']>) => {
      const prepared = prepareTransaction(code, state.payer, state.reference, proposal)
      this.#codes.set(prepared.id.toString('hex'), code)
      return prepared
    },
    send: ({ id }: { readonly id: Buffer }) => {
      const name = id.toString('hex')
      const { script = '', arguments: [address = '', key = ''] = [] } = this.#codes.get(name) ?? {}
      if (this.fate === 'unknown') return Promise.reject(new ChainUnavailableError('lost', undefined))
      this.sent.push(script)
      this.#sequence++
      if (this.fate === 'succeeded') {
        if (script === 'announce') this.announce(address, key)
        else this.end(address)
        this.#fates.set(name, { kind: 'succeeded', events: [] })
      } else this.#fates.set(name, { kind: 'failed', message: 'panic', isOutOfTurn: false })
      return Promise.resolve(undefined)
    },
    fate: ({ id }: { readonly id: Buffer }) =>
      Promise.resolve(this.#fates.get(id.toString('hex')) ?? { kind: 'open' as const, isKnown: false }),
    sequenceNumber: () => Promise.resolve(this.#sequence),
  } as unknown as TransactionSender
}

describe('recovery of accounts', () => {
  let database: TestDatabase
  let chain: Chain
  let events: string[]
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())
  beforeEach(async () => {
    await database.pool.query('truncate wallet.account_recoveries, wallet.payer_transactions, wallet.recoveries')
    chain = new Chain()
    events = []
  })

  const create = (): Recovery =>
    new AccountRecovery({
      store: new RecoveryStore(database.pool),
      senders: new Map([[network, chain.sender]]),
      contracts: new Map([[network, chain.contract]]),
      log,
    })
  /** By another process, after the lease and every pause. */
  const round = async (): Promise<void> => {
    await database.pool.query('update wallet.account_recoveries set next_at = now()')
    await create().round({
      onCancelled: async (userId) => void events.push(`cancelled ${userId}`),
      onRound: () => Promise.resolve(),
    })
  }
  const row = async (): Promise<{ state: string; attempts: number; isSent: boolean } | undefined> => {
    const { rows } = await database.pool.query<{ state: string; attempts: number; isSent: boolean }>(
      'select state, attempts, transaction_id is not null as "isSent" from wallet.account_recoveries',
    )
    return rows[0]
  }
  const begin = async (state = 'announce'): Promise<{ userId: string; address: string; publicKey: string }> => {
    const [userId, address, publicKey] = [randomUUID(), `0x${randomBytes(8).toString('hex')}`, 'ab'.repeat(64)]
    await database.pool.query(
      `insert into wallet.account_recoveries (user_id, network, address, public_key, state)
       values ($1, $2, $3, decode($4, 'hex'), $5)`,
      [userId, network, address, publicKey, state],
    )
    chain.enable(address, userId)
    return { userId, address, publicKey }
  }
  const setState = (state: string): Promise<unknown> =>
    database.pool.query('update wallet.account_recoveries set state = $1', [state])

  it('announces, waits, and completes after the passkey was registered', async () => {
    await begin()
    for (const state of ['announce', 'announce', 'announced', 'ready', 'ready']) {
      await round()
      expect((await row())?.state).to.equal(state)
    }
    await setState('complete')
    for (let i = 0; i < 3; i++) await round()
    expect(await row()).to.equal(undefined)
    expect(chain.sent).to.deep.equal(['announce', 'complete'])
  })

  it('sends a stored transaction again whose arrival is unknown, and no second one', async () => {
    await begin()
    chain.fate = 'unknown'
    await round()
    expect(await row()).to.include({ state: 'announce', isSent: true })
    chain.fate = 'succeeded'
    await round()
    expect(chain.sent).to.deep.equal([])
    await database.pool.query("update wallet.payer_transactions set made_at = made_at - interval '1 minute'")
    for (let i = 0; i < 3; i++) await round()
    expect(chain.sent).to.deep.equal(['announce'])
    expect(await row()).to.include({ state: 'announced', isSent: false })
  })

  it('leases each row to one process, and shares the keys of the payer', async () => {
    await begin()
    await begin()
    const [first, second] = [create(), create()]
    const none = { onCancelled: () => Promise.resolve(), onRound: () => Promise.resolve() }
    await Promise.all([first.round(none), second.round(none)])
    expect(chain.sent).to.deep.equal(['announce'])
    const { rows } = await database.pool.query('select from wallet.payer_transactions where outcome is null')
    expect(rows).to.have.length(1)
  })

  it('changes nothing where it is off, for another user, or for another recoverer', async () => {
    for (const change of [
      (address: string) => chain.recoveries.delete(address),
      (address: string) => chain.enable(address, randomUUID()),
      (address: string, userId: string) => chain.enable(address, userId, '0x0000000000000001'),
    ]) {
      const { address, userId } = await begin()
      change(address, userId)
      await round()
      expect(await row()).to.equal(undefined)
    }
    expect(chain.sent).to.deep.equal([])
  })

  it('ends with the announcement that the owner ended, also when all else is ready', async () => {
    for (const state of ['announced', 'ready']) {
      const { userId } = await begin(state)
      await round()
      expect(events.at(-1)).to.equal(`cancelled ${userId}`)
      await database.pool.query('truncate wallet.account_recoveries')
    }
    await begin('complete')
    await round()
    expect(await row()).to.equal(undefined)
    expect(chain.sent).to.deep.equal([])
  })

  it('ends an announcement that is cancelled here, after the transaction in flight', async () => {
    const { address, publicKey } = await begin()
    await round()
    await setState('cancel')
    for (let i = 0; i < 4; i++) await round()
    expect(chain.sent).to.deep.equal(['announce', 'cancel'])
    expect([await row(), chain.recoveries.get(address)?.announced]).to.deep.equal([undefined, undefined])
    const other = await begin('cancel')
    chain.announce(other.address, publicKey.replaceAll('ab', 'cd'))
    await round()
    expect(chain.sent.at(-1), 'of an earlier begin').to.equal('cancel')
  })

  it('waits while the chain fails, and gives an announcement up after 30 failed transactions', async () => {
    await begin()
    chain.isDown = true
    await round()
    expect(await row()).to.deep.equal({ state: 'announce', attempts: 0, isSent: false })
    chain.isDown = false
    chain.fate = 'failed'
    await round()
    await round()
    expect(await row()).to.deep.equal({ state: 'announce', attempts: 1, isSent: false })
    await database.pool.query('update wallet.account_recoveries set attempts = 29')
    await round()
    await round()
    expect((await row())?.attempts).to.equal(30)
    await round()
    expect(await row()).to.equal(undefined)
  })

  it('cancels and reports a key that no recovery announced', async () => {
    const recovery = create()
    const watch = (): Promise<void> =>
      recovery.watch({ onForeign: async (userId, address) => void events.push(`foreign ${userId} ${address}`) })
    const userId = randomUUID()
    const addresses = Array.from({ length: 20 }, (_, at) => `0x${String(at).padStart(16, '0')}`)
    for (const user of [userId, ...Array.from({ length: 120 }, () => randomUUID())])
      await database.pool.query('insert into wallet.recoveries (user_id, is_enabled) values ($1, true)', [user])
    for (const address of addresses) {
      await database.pool.query(
        `insert into wallet.further_accounts (user_id, network, address, credential_id, public_key, key_index,
           is_imported) values ($1, $2, $3, 'credential', decode($4, 'hex'), 0, true)`,
        [userId, network, address, 'ef'.repeat(64)],
      )
      chain.enable(address, userId)
    }
    const [own = '', foreign = '', others = '', expired = ''] = addresses
    for (const address of [own, foreign, others, expired]) chain.announce(address, 'cd'.repeat(64))
    chain.recoveries.set(others, { ...(chain.recoveries.get(others) as ChainRecovery), user: randomUUID() })
    const old = chain.recoveries.get(expired) as ChainRecovery
    const announced = { publicKey: 'cd'.repeat(64), dueAt: new Date(0), expiresAt: new Date(Date.now() - 1) }
    chain.recoveries.set(expired, { ...old, announced })
    await database.pool.query(
      `insert into wallet.account_recoveries (user_id, network, address, public_key, state)
       values ($1, $2, $3, decode($4, 'hex'), 'announced')`,
      [userId, network, own, 'cd'.repeat(64)],
    )
    await watch()
    expect(events).to.deep.equal([])
    await watch()
    await watch()
    expect(events).to.deep.equal([`foreign ${userId} ${foreign}`])
    for (let i = 0; i < 2; i++) await round()
    expect(chain.sent).to.deep.equal(['cancel'])
    expect(chain.recoveries.get(own)?.announced).to.not.equal(undefined)
  })
})
