import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { publishedPayerSetting } from '../../../simnode/ledger/world/account.ts'
import { PayerAccount } from './payer-account.ts'
import type { PreparedTransaction, Proposal, PayerState } from './transaction-sender.ts'
import { AccountStore } from './account-store.ts'
import type { AccountKey, Outcome } from './account-store.ts'

const payer = PayerAccount.parse(publishedPayerSetting, 'WALLET_TESTNET_PAYER')
const reference = { id: Buffer.alloc(32, 1), height: 100 }

/** A payer with these keys and their next sequence numbers on the chain. */
function stateOf(...numbers: readonly bigint[]): PayerState {
  return {
    payer,
    chain: 'emulator',
    reference,
    sequenceNumbers: new Map(numbers.map((number, index) => [index, number])),
  }
}

function prepare(proposal: Proposal): PreparedTransaction {
  return { id: randomBytes(32), submission: Buffer.from('signed'), reference, proposal, payer: payer.address }
}

describe('start of an account transaction', () => {
  let database: TestDatabase
  let store: AccountStore
  before(async () => {
    database = await createTestDatabase({ max: 12 })
    store = new AccountStore(database.pool)
  })
  afterEach(() => database.pool.query('truncate wallet.accounts, wallet.payer_transactions'))
  after(() => database.drop())

  async function wanted(): Promise<AccountKey> {
    const key = { credentialId: randomBytes(32).toString('base64url'), network: 'testnet' } as const
    await store.want(
      {
        ...key,
        userId: randomUUID(),
        publicKey: randomBytes(64).toString('hex'),
        requester: { mailbox: undefined, network: '192.0.2.1' },
      },
      { all: 1000, ofUser: 1000, ofMailbox: 1000, ofNetwork: 1000 },
      () => Promise.resolve(),
    )
    return key
  }

  async function started(key: AccountKey, state = stateOf(5n)): Promise<PreparedTransaction> {
    const prepared = await store.begin(key, state, prepare)
    if (typeof prepared === 'string') throw new Error(prepared)
    return prepared
  }

  async function end(key: AccountKey, outcome: Outcome): Promise<PreparedTransaction> {
    const prepared = await started(key)
    expect(await store.end(key, prepared, outcome, undefined, { state: 'wanted' })).to.equal(true)
    return prepared
  }

  it('stores the transaction with its account before it is sent', async () => {
    const key = await wanted()
    const prepared = await started(key, stateOf(5n))
    expect(prepared.proposal).to.deep.equal({ keyIndex: 0, sequenceNumber: 5n })
    expect(await store.find(key)).to.deep.include({ state: 'sent', transactionId: prepared.id, attempts: 1 })
    expect(await store.openTransaction(key)).to.deep.include({
      id: prepared.id,
      submission: prepared.submission,
      keyIndex: 0,
      sequenceNumber: 5n,
      referenceHeight: 100,
    })
  })

  it('succeeds in one of two concurrent calls, and only that one signs', async () => {
    for (let round = 0; round < 10; round++) {
      const key = await wanted()
      let signed = 0
      const answers = await Promise.all(
        [1, 2].map(() =>
          store.begin(key, stateOf(5n, 7n), (proposal) => {
            signed++
            return prepare(proposal)
          }),
        ),
      )
      expect(answers.filter((answer) => answer === 'moved')).to.have.length(1)
      expect(signed).to.equal(1)
      const [made] = answers.filter((answer) => typeof answer !== 'string')
      expect((await store.openTransaction(key))?.id).to.deep.equal(made?.id)
      await database.pool.query('truncate wallet.accounts, wallet.payer_transactions')
    }
  })

  it('assigns distinct payer keys to concurrent accounts, and reports busy above their number', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, wanted))
    const answers = await Promise.all(keys.map((key) => store.begin(key, stateOf(1n, 2n, 3n), prepare)))
    const proposals = answers.flatMap((answer) => (typeof answer === 'string' ? [] : [answer.proposal]))
    expect(proposals.toSorted((a, b) => a.keyIndex - b.keyIndex)).to.deep.equal(
      [1n, 2n, 3n].map((sequenceNumber, keyIndex) => ({ keyIndex, sequenceNumber })),
    )
    expect(answers.filter((answer) => answer === 'busy')).to.have.length(5)
    for (const [at, key] of keys.entries())
      expect((await store.find(key))?.state).to.equal(typeof answers[at] === 'string' ? 'wanted' : 'sent')
  })

  it('increments the sequence number after an executed transaction only, even if a node lags', async () => {
    const key = await wanted()
    expect((await end(key, 'failed')).proposal.sequenceNumber).to.equal(5n)
    expect((await end(key, 'refused')).proposal.sequenceNumber).to.equal(6n)
    expect((await end(key, 'expired')).proposal.sequenceNumber).to.equal(6n)
    expect((await end(key, 'out-of-turn')).proposal.sequenceNumber).to.equal(6n)
    expect((await started(key, stateOf(9n))).proposal.sequenceNumber).to.equal(9n)
  })

  it('changes nothing if signing fails or the account is unknown', async () => {
    const key = await wanted()
    const failed = await store
      .begin(key, stateOf(5n), () => {
        throw new Error('the key was removed')
      })
      .catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(Error)
    expect((await store.find(key))?.state).to.equal('wanted')
    expect(await store.openTransaction(key)).to.equal(undefined)
    expect(await store.begin({ credentialId: 'nobody', network: 'testnet' }, stateOf(5n), prepare)).to.equal('moved')
    expect(await store.begin(key, stateOf(), prepare)).to.equal('busy')
    expect((await started(key)).proposal).to.deep.equal({ keyIndex: 0, sequenceNumber: 5n })
  })
})
