import { expect } from 'chai'
import type { ApiError } from '../../../src/platform/errors.ts'
import type { SignedIn } from '../../../src/wallet/auth/auth-sessions.ts'
import type { KnownPasskey } from '../../../src/wallet/passkeys/passkey-store.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { TransactionNode } from '../support/transaction-node.ts'
import {
  addressesOf,
  call as callOf,
  fundPayer,
  PasskeyList,
  provision as provisionOf,
  signedIn,
  startProvisioning,
} from './support/provisioning-world.ts'
import type { Provisioned, World } from './support/provisioning-world.ts'

describe('accounts for passkeys', () => {
  let database: TestDatabase
  let node: TransactionNode
  let passkeys: PasskeyList
  let ann: SignedIn
  const worlds: World[] = []

  before(async () => {
    database = await createTestDatabase()
  })
  beforeEach(async () => {
    node = await TransactionNode.start()
    passkeys = new PasskeyList()
    ann = signedIn()
  })
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map(({ stop }) => stop()))
    await node.stop()
    await database.pool.query('truncate wallet.accounts, wallet.payer_transactions, wallet.further_accounts')
    await database.pool.query('delete from pgboss.job')
  })
  after(() => database.drop())

  const start = async (options: Partial<Parameters<typeof startProvisioning>[3]> = {}, keys = 1): Promise<World> => {
    const { payer } = fundPayer(node, { keys })
    return open(payer, options)
  }
  const open = async (
    payer: Parameters<typeof startProvisioning>[2],
    options: Partial<Parameters<typeof startProvisioning>[3]> = {},
  ): Promise<World> => {
    const world = await startProvisioning(database.url, node.endpoint, payer, { passkeys, ...options })
    worlds.push(world)
    return world
  }
  const call = (world: World, endpoint: string, data: unknown, who = ann): Promise<unknown> =>
    callOf(world, endpoint, who, data)
  const provision = (
    world: World,
    credentialId: string,
    data: object = {},
    who = ann,
    signal?: AbortSignal,
    network?: string,
  ): Promise<Provisioned> => provisionOf(world, who, credentialId, data, signal, network)
  const refused = async (
    world: World,
    endpoint: string,
    data: unknown,
    who = ann,
  ): Promise<Pick<ApiError, 'status' | 'code' | 'message'>> => {
    const error = (await call(world, endpoint, data, who).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )) as ApiError | undefined
    return { status: error?.status ?? 200, code: error?.code ?? '', message: error?.message ?? '' }
  }
  const outcomes = async (): Promise<(string | null)[]> => {
    const { rows } = await database.pool.query<{ outcome: string | null }>(
      'select outcome from wallet.payer_transactions order by made_at',
    )
    return rows.map(({ outcome }) => outcome)
  }

  it('creates an account with the passkey as its only key, with the required weight and algorithms', async () => {
    const world = await start()
    const { credentialId, publicKeySec1Hex } = passkeys.add(ann.user.id)
    const { networks, publicKeySec1Hex: reported } = await provision(world, credentialId)
    expect(reported).to.equal(publicKeySec1Hex)
    const { testnet } = networks
    expect(testnet).to.include({ state: 'sealed', keyIndex: 0, isImported: false })
    const [address] = node.created
    expect(testnet?.address).to.equal(`0x${address}`)
    expect(node.accounts.get(address ?? '')).to.deep.equal([
      {
        publicKey: publicKeySec1Hex.slice(2),
        signatureAlgorithm: 2,
        hashAlgorithm: 1,
        weight: 1000,
        sequenceNumber: 0,
      },
    ])
    expect(node.transactions.has(testnet?.txId ?? '')).to.equal(true)
    const { accounts } = (await call(world, '/wallet/accounts', null)) as {
      readonly accounts: readonly Record<string, unknown>[]
    }
    expect(accounts).to.have.length(1)
    expect(accounts[0]).to.include({
      credentialId,
      publicKeySec1Hex,
      flowAddress: null,
      flowAddressTestnet: `0x${address}`,
    })
  })

  it('creates one account per passkey for repeated and concurrent requests', async () => {
    const { payer } = fundPayer(node, { keys: 3 })
    const both = [await open(payer), await open(payer)] as const
    const { credentialId } = passkeys.add(ann.user.id)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => provision(both[at % 2] as World, credentialId)),
    )
    expect(new Set(answers.map(({ networks }) => networks['testnet']?.address))).to.have.property('size', 1)
    expect(node.created).to.have.length(1)
    expect(node.transactions.size).to.equal(1)
  })

  it('creates accounts in parallel with all keys of the payer, with consecutive sequence numbers', async () => {
    const world = await start({}, 3)
    node.fate = 'waits'
    const all = Array.from({ length: 5 }, () => passkeys.add(ann.user.id).credentialId)
    const made = Promise.all(all.map((credentialId) => provision(world, credentialId)))
    while (node.transactions.size < 3) await node.nextCall()
    expect(
      [...node.transactions.values()].map(({ keyIndex, sequenceNumber }) => `${keyIndex}:${sequenceNumber}`),
    ).to.have.members(['0:0', '1:5', '2:10'])
    node.release()
    const answers = await made
    expect(answers.map(({ networks }) => networks['testnet']?.state)).to.deep.equal(
      Array.from({ length: 5 }, () => 'sealed'),
    )
    expect(new Set(node.created)).to.have.property('size', 5)
    expect(await outcomes()).to.deep.equal(Array.from({ length: 5 }, () => 'succeeded'))
  })

  it('does not store an address before the chain has the key', async () => {
    const world = await start()
    const { credentialId } = passkeys.add(ann.user.id)
    node.hidesKeys = true
    const { networks } = await provision(world, credentialId)
    expect(networks['testnet']).to.deep.include({ state: 'failed' })
    expect(networks['testnet']?.error).to.include({ code: 'PROVISION_FAILED', mayRetry: false })
    expect((await database.pool.query('select address from wallet.accounts')).rows).to.deep.equal([{ address: null }])
  })

  it('reports a failed transaction, and creates another one on retry', async () => {
    const world = await start()
    const { credentialId } = passkeys.add(ann.user.id)
    node.error = '[Error Code: 1103] the account does not have enough FLOW for its storage'
    const { networks: failed } = await provision(world, credentialId)
    expect(failed['testnet']?.state).to.equal('failed')
    expect(failed['testnet']?.error?.message).to.contain('have enough FLOW')
    node.error = undefined
    const { networks: made } = await provision(world, credentialId)
    expect(made['testnet']?.state).to.equal('sealed')
    expect(await outcomes()).to.deep.equal(['failed', 'succeeded'])
  })

  it('reports a transaction that the node rejected, and releases the key', async () => {
    const world = await start()
    const { credentialId } = passkeys.add(ann.user.id)
    node.refusal = 'invalid transaction: payer has insufficient balance'
    expect((await provision(world, credentialId)).networks['testnet']?.error?.message).to.contain(
      'insufficient balance',
    )
    node.refusal = undefined
    expect((await provision(world, credentialId)).networks['testnet']?.state).to.equal('sealed')
    expect(await outcomes()).to.deep.equal(['refused', 'succeeded'])
    expect(node.created).to.have.length(1)
  })

  it('resends a lost transaction unchanged', async () => {
    const world = await start()
    const { credentialId } = passkeys.add(ann.user.id)
    node.fate = 'is lost'
    const made = provision(world, credentialId)
    while (node.sent < 3) await node.nextCall()
    node.fate = 'runs'
    expect((await made).networks['testnet']?.state).to.equal('sealed')
    expect(node.transactions.size).to.equal(1)
    expect(await outcomes()).to.deep.equal(['succeeded'])
  })

  it('creates another transaction only after the first one expired', async () => {
    const world = await start()
    const { credentialId } = passkeys.add(ann.user.id)
    node.fate = 'is lost'
    const made = provision(world, credentialId)
    while (node.sent < 2) await node.nextCall()
    expect(await outcomes()).to.deep.equal([null])
    node.height += 610
    for (const sent = node.sent; node.sent < sent + 2;) await node.nextCall()
    expect(await outcomes()).to.deep.equal([null])
    node.height += 200
    node.fate = 'runs'
    expect((await made).networks['testnet']?.state).to.equal('sealed')
    expect(await outcomes()).to.deep.equal(['expired', 'succeeded'])
    expect(node.created).to.have.length(1)
  })

  it('creates no second transaction if the sequence number of a lost one was used', async () => {
    const world = await start()
    const { credentialId } = passkeys.add(ann.user.id)
    node.fate = 'is lost'
    const made = provision(world, credentialId)
    while (node.sent < 1) await node.nextCall()
    for (const [key] of node.accounts.values()) if (key !== undefined) key.sequenceNumber++
    node.height += 800
    const { networks } = await made
    expect(networks['testnet']?.error).to.include({ mayRetry: false })
    node.fate = 'runs'
    expect((await provision(world, credentialId)).networks['testnet']?.state).to.equal('failed')
    expect(await outcomes()).to.deep.equal(['lost'])
    expect(node.created).to.have.length(0)
  })

  it('uses its own sequence number if the node returns a stale one', async () => {
    const world = await start()
    node.lag = 1
    for (let count = 1; count <= 3; count++) {
      expect((await provision(world, passkeys.add(ann.user.id).credentialId)).networks['testnet']?.state).to.equal(
        'sealed',
      )
    }
    expect(await outcomes()).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
  })

  it("uses the chain's sequence number if its own was wrong", async () => {
    const world = await start()
    await provision(world, passkeys.add(ann.user.id).credentialId)
    await database.pool.query('update wallet.payer_transactions set sequence_number = 70')
    expect((await provision(world, passkeys.add(ann.user.id).credentialId)).networks['testnet']?.state).to.equal(
      'sealed',
    )
    expect(await outcomes()).to.deep.equal(['succeeded', 'out-of-turn', 'succeeded'])
  })

  it('gives up after five failed transactions', async () => {
    const world = await start()
    node.fate = 'is lost'
    const { credentialId } = passkeys.add(ann.user.id)
    const made = provision(world, credentialId)
    node.onCall = (method) => {
      if (method === 'GetTransactionResult') node.height += 800
    }
    expect((await made).networks['testnet']?.error?.message).to.contain('5 transactions')
    expect(await outcomes()).to.deep.equal(Array.from({ length: 5 }, () => 'expired'))
  })

  it('responds immediately that an account is being created, and continues without the caller', async () => {
    const world = await start()
    node.fate = 'waits'
    const { credentialId } = passkeys.add(ann.user.id)
    const { networks } = (await call(world, '/wallet/provision-start', {
      credentialId,
      networks: ['testnet'],
    })) as Provisioned
    expect(networks['testnet']?.state).to.equal('wanted')
    while (node.transactions.size < 1) await node.nextCall()
    expect((await provision(world, credentialId, { waitSeconds: 0 })).networks['testnet']).to.deep.equal({
      state: 'sent',
      txId: [...node.transactions.keys()][0],
    })
    node.release()
    expect((await provision(world, credentialId)).networks['testnet']?.state).to.equal('sealed')
  })

  it('limits the waiting requests of a user, and responds to the others immediately', async () => {
    const world = await start()
    node.fate = 'waits'
    const { credentialId } = passkeys.add(ann.user.id)
    const states: (string | undefined)[] = []
    const waiting = Array.from({ length: 10 }, async () =>
      states.push((await provision(world, credentialId)).networks['testnet']?.state),
    )
    while (states.length < 4 || node.transactions.size < 1) await node.nextCall()
    expect(states.every((state) => state === 'wanted' || state === 'sent')).to.equal(true)
    node.release()
    await Promise.all(waiting)
    expect(states.slice(4)).to.deep.equal(Array.from({ length: 6 }, () => 'sealed'))
  })

  it('stops waiting when the caller disconnects, but continues the work', async () => {
    const world = await start()
    node.fate = 'waits'
    const { credentialId } = passkeys.add(ann.user.id)
    const gone = new AbortController()
    const waiting = provision(world, credentialId, {}, ann, gone.signal).then(
      () => 'answered',
      (error: unknown) => error,
    )
    while (node.transactions.size < 1) await node.nextCall()
    const reason = new Error('gone')
    gone.abort(reason)
    expect(await waiting).to.equal(reason)
    node.release()
    expect((await provision(world, credentialId)).networks['testnet']?.state).to.equal('sealed')
  })

  it('creates at most the daily limit of accounts, also with concurrent requests', async () => {
    const world = await start({ dailyLimit: 3 }, 4)
    const testUsers = Array.from({ length: 6 }, () => signedIn())
    const answers = await Promise.all(
      testUsers.map((who) =>
        provision(world, passkeys.add(who.user.id).credentialId, {}, who).then(
          ({ networks }) => networks['testnet']?.state,
          (error: unknown) => `${(error as ApiError).status} ${(error as ApiError).code}`,
        ),
      ),
    )
    expect(answers).to.have.members([
      '429 RATE_LIMITED',
      '429 RATE_LIMITED',
      '429 RATE_LIMITED',
      'sealed',
      'sealed',
      'sealed',
    ])
    expect(node.created).to.have.length(3)
    await database.pool.query("update wallet.payer_transactions set made_at = made_at - interval '24 hours'")
    const late = signedIn()
    expect(
      (await provision(world, passkeys.add(late.user.id).credentialId, {}, late)).networks['testnet']?.state,
    ).to.equal('sealed')
  })

  it('reserves part of the daily limit for other users', async () => {
    const world = await start({}, 4)
    for (let count = 1; count <= 5; count++) await provision(world, passkeys.add(ann.user.id).credentialId)
    expect(
      await refused(world, '/wallet/provision', {
        credentialId: passkeys.add(ann.user.id).credentialId,
        networks: ['testnet'],
      }),
    ).to.include({ status: 429, code: 'RATE_LIMITED' })
    const bob = signedIn()
    expect(
      (await provision(world, passkeys.add(bob.user.id).credentialId, {}, bob)).networks['testnet']?.state,
    ).to.equal('sealed')
  })

  it('limits users of the same mailbox together, and users of the same network', async () => {
    const world = await start({}, 4)
    const outcome = (email: string | undefined, network?: string): Promise<unknown> => {
      const who = signedIn({ email })
      return provision(world, passkeys.add(who.user.id).credentialId, {}, who, undefined, network).then(
        ({ networks }) => networks['testnet']?.state,
        (error: unknown) => (error as ApiError).code,
      )
    }
    for (let count = 1; count <= 5; count++) expect(await outcome(`eve+${count}@example.com`)).to.equal('sealed')
    for (const email of ['eve+6@example.com', 'eve@example.com'])
      expect(await outcome(email), email).to.equal('RATE_LIMITED')
    for (const email of [
      'mal.lory@gmail.com',
      'mallory@gmail.com',
      'm.allory+1@googlemail.com',
      'mallor.y@gmail.com',
      'm.a.l.l.o.r.y@gmail.com',
    ])
      expect(await outcome(email), email).to.equal('sealed')
    expect(await outcome('ma.llory+x@googlemail.com')).to.equal('RATE_LIMITED')
    expect(await outcome('bob@example.com')).to.equal('sealed')
    for (let count = 1; count <= 20; count++)
      expect(await outcome(`p${count}@example.org`, '2001:db8:1:2::')).to.equal('sealed')
    expect(await outcome('p21@example.org', '2001:db8:1:2::')).to.equal('RATE_LIMITED')
    expect(await outcome(undefined, '2001:db8:1:3::')).to.equal('sealed')
  })

  it('does not count expired transactions', async () => {
    const world = await start({}, 4)
    for (let count = 1; count <= 5; count++) await provision(world, passkeys.add(ann.user.id).credentialId)
    await database.pool.query(
      "update wallet.payer_transactions set outcome = 'expired' where id in (select id from wallet.payer_transactions where user_id = $1 limit 1)",
      [ann.user.id],
    )
    expect((await provision(world, passkeys.add(ann.user.id).credentialId)).networks['testnet']?.state).to.equal(
      'sealed',
    )
    expect(
      await refused(world, '/wallet/provision', {
        credentialId: passkeys.add(ann.user.id).credentialId,
        networks: ['testnet'],
      }),
    ).to.include({ status: 429 })
  })

  it('creates accounts only for users with the role if so configured, and ignores user metadata', async () => {
    const world = await start({ isOpen: false })
    const { credentialId } = passkeys.add(ann.user.id)
    for (const who of [
      ann,
      { ...ann, user: { ...ann.user, userMetadata: { role: 'wallet', roles: ['wallet'] } } },
      { ...ann, user: { ...ann.user, appMetadata: { roles: ['wallets'] } } },
    ]) {
      expect(await refused(world, '/wallet/provision', { credentialId }, who)).to.include({
        status: 403,
        code: 'FORBIDDEN',
      })
    }
    expect(node.sent).to.equal(0)
    const member = { ...ann, user: { ...ann.user, appMetadata: { roles: ['wallet'] } } }
    expect((await provision(world, credentialId, {}, member)).networks['testnet']?.state).to.equal('sealed')
  })

  it("reports an unknown passkey and another user's passkey as not found", async () => {
    const world = await start()
    const { credentialId } = passkeys.add(signedIn().user.id)
    for (const endpoint of ['/wallet/provision-start', '/wallet/provision']) {
      expect(await refused(world, endpoint, { credentialId })).to.deep.equal({
        status: 404,
        code: 'CREDENTIAL_NOT_FOUND',
        message: 'This passkey does not exist.',
      })
      expect(await refused(world, endpoint, { credentialId: 'AAAA' })).to.deep.equal({
        status: 404,
        code: 'CREDENTIAL_NOT_FOUND',
        message: 'This passkey does not exist.',
      })
    }
    expect(
      (
        await refused(world, '/wallet/provision-save', {
          credentialId,
          network: 'testnet',
          address: '0x01cf0e2f2f715450',
        })
      ).status,
    ).to.equal(404)
    expect(await call(world, '/wallet/accounts', {})).to.deep.equal({ accounts: [] })
    expect(node.sent).to.equal(0)
  })

  it('rejects passkeys that no account can use', async () => {
    const world = await start()
    const { credentialId } = passkeys.add(ann.user.id, { publicKeySec1Hex: '' })
    expect(await refused(world, '/wallet/provision', { credentialId })).to.include({
      status: 422,
      code: 'NO_PUBLIC_KEY',
    })
  })

  it("does not return a passkey's account for another key with the same ID", async () => {
    const world = await start()
    const { credentialId } = passkeys.add(ann.user.id)
    await provision(world, credentialId)
    passkeys.passkeys.pop()
    const bob = signedIn()
    passkeys.add(bob.user.id, { credentialId })
    expect(await call(world, '/wallet/accounts', null, bob)).to.deep.equal({ accounts: [] })
    expect(await refused(world, '/wallet/provision', { credentialId }, bob)).to.include({
      status: 409,
      code: 'PROVISION_FAILED',
    })
  })

  it('names the invalid field of a request', async () => {
    const world = await start()
    const { credentialId } = passkeys.add(ann.user.id)
    const bad: readonly (readonly [string, unknown, string])[] = [
      ['/wallet/provision-start', undefined, ''],
      ['/wallet/provision-start', {}, 'credentialId'],
      ['/wallet/provision-start', { credentialId: 7 }, 'credentialId'],
      ['/wallet/provision-start', { credentialId: 'a b' }, 'credentialId'],
      ['/wallet/provision-start', { credentialId: 'A'.repeat(1401) }, 'credentialId'],
      ['/wallet/provision-start', { credentialId, networks: ['canary'] }, 'networks[0]'],
      ['/wallet/provision-start', { credentialId, networks: ['__proto__'] }, 'networks[0]'],
      ['/wallet/provision-start', { credentialId, networks: [] }, 'networks'],
      ['/wallet/provision-start', { credentialId, address: '0x1' }, 'address'],
      ['/wallet/provision', { credentialId, waitSeconds: 61 }, 'waitSeconds'],
      ['/wallet/provision', { credentialId, waitSeconds: -1 }, 'waitSeconds'],
      ['/wallet/provision-save', { credentialId, network: 'testnet' }, 'address'],
      ['/wallet/provision-save', { credentialId, network: 'testnet', address: '0x12' }, 'address'],
      ['/wallet/provision-save', { credentialId, network: 'testnet', address: "0x01cf0e2f2f71545' " }, 'address'],
      ['/wallet/accounts', { all: true }, 'all'],
    ]
    for (const [endpoint, data, field] of bad) {
      const { status, code, message } = await refused(world, endpoint, data)
      expect([status, code], JSON.stringify(data)).to.deep.equal([400, 'INVALID_INPUT'])
      if (field !== '') expect(message).to.contain(`data.${field}"`)
    }
  })

  it('reports the missing setting of a network without a payer or node, and creates the account on the other', async () => {
    const world = await start()
    const { credentialId } = passkeys.add(ann.user.id)
    const { networks } = (await call(world, '/wallet/provision', { credentialId })) as Provisioned
    expect(networks['testnet']?.state).to.equal('sealed')
    expect(networks['mainnet']).to.deep.include({ state: 'refused' })
    expect(networks['mainnet']?.error?.message).to.contain('WALLET_MAINNET_NODE')
    expect(await refused(world, '/wallet/provision', { credentialId, networks: ['mainnet'] })).to.include({
      status: 503,
      code: 'PROVISION_FAILED',
    })
    const poor = await open(undefined)
    expect(
      (
        await refused(poor, '/wallet/provision', {
          credentialId: passkeys.add(ann.user.id).credentialId,
          networks: ['testnet'],
        })
      ).message,
    ).to.contain('WALLET_TESTNET_PAYER')
    expect((await provision(poor, credentialId)).networks['testnet']?.address).to.equal(networks['testnet']?.address)
  })

  describe('of a removed passkey', () => {
    const keyOf = (publicKeySec1Hex: string): Parameters<typeof node.accounts.set>[1][number] => ({
      publicKey: publicKeySec1Hex.slice(2),
      signatureAlgorithm: 2,
      hashAlgorithm: 1,
      weight: 1000,
      sequenceNumber: 0,
    })

    it('stay with their owner if another passkey is a key, and with no other user', async () => {
      const world = await start()
      const [first, second] = [passkeys.add(ann.user.id), passkeys.add(ann.user.id)]
      const ben = signedIn()
      const foreign = passkeys.add(ben.user.id)
      const address = (await provision(world, first.credentialId)).networks['testnet']?.address ?? ''
      const keys = node.accounts.get(address.slice(2)) ?? []
      passkeys.remove(first)
      expect(await addressesOf(world, ann), 'no key').to.deep.equal([])
      keys.push(
        { ...keyOf(second.publicKeySec1Hex), weight: 999 },
        { ...keyOf(second.publicKeySec1Hex), isRevoked: true },
        keyOf(foreign.publicKeySec1Hex),
      )
      expect(await addressesOf(world, ann), 'no key that is good').to.deep.equal([])
      keys.push(keyOf(second.publicKeySec1Hex))
      expect(await addressesOf(world, ann)).to.deep.equal([[second.credentialId, address, true]])
      expect(await addressesOf(world, ben)).to.deep.equal([])
      const looks = node.calls.length
      expect(await addressesOf(world, ann)).to.have.length(1)
      expect(node.calls.length, 'what is known is not asked again').to.equal(looks)
    })

    it('move to the next passkey that is a key, if any', async () => {
      const world = await start()
      const [first, second, third, fourth] = [1, 2, 3, 4].map(() => passkeys.add(ann.user.id)) as [
        KnownPasskey,
        KnownPasskey,
        KnownPasskey,
        KnownPasskey,
      ]
      const address = (await provision(world, first.credentialId)).networks['testnet']?.address ?? ''
      const own = (await provision(world, third.credentialId)).networks['testnet']?.address ?? ''
      node.accounts.get(address.slice(2))?.push(keyOf(second.publicKeySec1Hex), keyOf(third.publicKeySec1Hex))
      passkeys.remove(first)
      expect(await addressesOf(world, ann)).to.deep.equal([
        [second.credentialId, address, true],
        [third.credentialId, own, false],
      ])
      passkeys.remove(second)
      expect(await addressesOf(world, ann)).to.deep.equal([
        [third.credentialId, own, false],
        [third.credentialId, address, true],
      ])
      passkeys.remove(third)
      expect(await addressesOf(world, ann)).to.deep.equal([])
      node.accounts.get(own.slice(2))?.push(keyOf(fourth.publicKeySec1Hex))
      expect(await addressesOf(world, ann)).to.deep.equal([[fourth.credentialId, own, true]])
    })

    it('are found once the chain is reachable again', async () => {
      const world = await start()
      const [first, second] = [passkeys.add(ann.user.id), passkeys.add(ann.user.id)]
      const address = (await provision(world, first.credentialId)).networks['testnet']?.address ?? ''
      node.accounts.get(address.slice(2))?.push(keyOf(second.publicKeySec1Hex))
      passkeys.remove(first)
      node.onCall = (method) => {
        if (method === 'GetAccountAtLatestBlock') throw new Error('away')
      }
      expect(await addressesOf(world, ann)).to.deep.equal([])
      node.onCall = undefined
      expect(await addressesOf(world, ann)).to.have.length(1)
    })
  })
})
