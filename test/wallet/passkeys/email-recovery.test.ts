import { createPublicKey } from 'node:crypto'
import { expect } from 'chai'
import type { Mail } from '../../../src/platform/mail/mail-sender.ts'
import { dataOf, origin, PasskeyWorld } from '../support/passkey-world.ts'
import type { Envelope, TestUser } from '../support/passkey-world.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'

type Owner = TestUser & { readonly credentialId: string }
interface Status {
  readonly isEnabled: boolean
  readonly dueAt: string | null
  readonly addresses: readonly string[]
}

const errorOf = (answer: Envelope): string => (answer.success ? 'no error' : answer.error.code)

describe('recovery by e-mail', () => {
  let world: PasskeyWorld
  const mails: Mail[] = []
  const account = '0x1d7e57aa55817448'
  before(async () => {
    world = await PasskeyWorld.create({
      recoveryNetworks: ['testnet'],
      outbox: { store: async (_, mail) => void mails.push(mail), deliver: () => undefined },
      // One account, whose only key is the first passkey of its user.
      keysOnChain: {
        lostWithout: async (userId, removing) => {
          const { rows } = await world.database.pool.query<{ id: string }>(
            'select credential_id as id from wallet.passkeys where user_id = $1 order by created_at limit 1',
            [userId],
          )
          return removing.some(({ credentialId }) => credentialId === rows[0]?.id) ? [account] : []
        },
        isKey: () => Promise.resolve(true),
      },
    })
  })
  after(() => world.stop())

  const enable = async (owner: Owner, isEnabled = true): Promise<Envelope> =>
    world.call(
      '/recovery/enable',
      { isEnabled, confirmation: await world.confirm(owner, { action: 'email-recovery', isEnabled }) },
      { token: owner.token },
    )
  const begin = async ({ token, authenticator }: TestUser): Promise<Envelope> => {
    const started = await world.call<{ options: never; challengeId: string }>('/recovery/start', {}, { token })
    if (!started.success) return started
    const { options, challengeId } = started.data
    return world.call('/recovery/begin', { challengeId, response: authenticator.create(options) }, { token })
  }
  const statusOf = async ({ token }: TestUser): Promise<Status> =>
    dataOf(await world.call<Status>('/recovery/status', {}, { token }))
  /** Session of an attacker who reads the mailbox: without passkeys. */
  const mailboxOf = (owner: TestUser): TestUser => ({ ...owner, authenticator: new SoftAuthenticator(origin) })
  const letPass = (owner: TestUser, hours: number): Promise<unknown> =>
    world.database.pool.query(
      'update wallet.recoveries set due_at = due_at - make_interval(hours => $2) where user_id = $1',
      [owner.user.id, hours],
    )
  const complete = (): Promise<void> => world.passkeyFunction.completeRecoveries()
  interface Begun {
    readonly owner: Owner
    /** Began the recovery, and has its passkey. */
    readonly reader: TestUser
  }
  const begun = async (): Promise<Begun> => {
    const owner = await world.withPasskey()
    dataOf(await enable(owner))
    const reader = mailboxOf(owner)
    dataOf(await begin(reader))
    return { owner, reader }
  }
  const subjects = (owner: TestUser): readonly string[] =>
    mails.filter(({ to }) => to === owner.user.email).map(({ subject }) => subject.replace(/ at .*/, ''))

  it('registers one passkey after 24 hours, and is mailed at each step', async () => {
    const { owner, reader } = await begun()
    await letPass(owner, 23)
    await complete()
    expect((await world.signIn(reader)).success).to.equal(false)
    await letPass(owner, 1)
    await Promise.all([complete(), complete()])
    expect(await statusOf(owner)).to.deep.equal({ isEnabled: true, dueAt: null, addresses: [] })
    dataOf(await world.signIn(reader))
    expect(await world.listed(owner)).to.have.length(2)
    expect(subjects(owner)).to.deep.equal([
      'Passkey added',
      'Recovery by e-mail enabled',
      'Recovery by e-mail began',
      'Recovery by e-mail was used',
      'Passkey added',
    ])
  })

  it('announces its key for accounts of networks with a contract, until any other passkey is used', async () => {
    const { owner, reader } = await begun()
    const stateOf = async (): Promise<unknown> => {
      const { rows } = await world.database.pool.query<{ state: string }>(
        'select state from wallet.account_recoveries where user_id = $1 order by network',
        [owner.user.id],
      )
      return rows.map(({ state }) => state)
    }
    dataOf(await world.call('/recovery/cancel', {}, { token: owner.token }))
    await world.database.pool.query(
      `insert into wallet.accounts (credential_id, network, user_id, public_key, state, address, key_index)
       select credential_id, n, user_id, substring(public_key_sec1 from 2), 'sealed', $2, 0
       from wallet.passkeys, unnest(array['mainnet', 'testnet']) n where user_id = $1`,
      [owner.user.id, account],
    )
    dataOf(await begin(reader))
    expect(await stateOf()).to.deep.equal(['announce'])
    await letPass(owner, 24)
    await complete()
    expect((await world.signIn(reader)).success, 'not announced yet').to.equal(false)
    const set = (state: string): Promise<unknown> =>
      world.database.pool.query('update wallet.account_recoveries set state = $2 where user_id = $1', [
        owner.user.id,
        state,
      ])
    await set('announced')
    await complete()
    expect((await statusOf(owner)).addresses).to.deep.equal([account])
    expect((await world.signIn(reader)).success, 'not due on the chain yet').to.equal(false)
    await set('ready')
    await Promise.all([complete(), complete()])
    expect(await stateOf()).to.deep.equal(['complete'])
    dataOf(await world.signIn(reader))
    expect(await stateOf(), 'its own use').to.deep.equal(['complete'])
    dataOf(await world.signIn(owner))
    expect(await stateOf()).to.deep.equal(['cancel'])
  })

  it('keeps others from registering the announced key, which is public', async () => {
    const { reader } = await begun()
    const [announced] = reader.authenticator.credentials
    if (announced === undefined) throw new Error('no passkey')
    const other = world.testUser()
    const { options, challengeId } = await world.startRegistration(other)
    const response = other.authenticator.create(options, { publicKey: createPublicKey(announced.privateKey) })
    const stolen = await world.call('/register/finish', { challengeId, response }, { token: other.token })
    expect(errorOf(stolen)).to.equal('CREDENTIAL_EXISTS')
  })

  it('mails the owner of an account about a key that was announced without a recovery', async () => {
    const owner = await world.withPasskey()
    await world.passkeyFunction.notifyForeignRecovery(owner.user.id, account)
    expect(subjects(owner).at(-1)).to.equal(`Key announced for ${account} without a recovery`)
  })

  it('is off until a passkey switches it on, and needs one to be switched off', async () => {
    const owner = await world.withPasskey()
    expect(errorOf(await begin(owner))).to.equal('RECOVERY_UNAVAILABLE')
    const without = { isEnabled: true }
    const asReader = await world.call('/recovery/enable', without, { token: owner.token })
    expect(errorOf(asReader)).to.equal('REAUTHENTICATION_REQUIRED')
    const off = await world.confirm(owner, { action: 'email-recovery', isEnabled: false })
    const mixed = await world.call('/recovery/enable', { ...without, confirmation: off }, { token: owner.token })
    expect(mixed.success).to.equal(false)
    dataOf(await enable(owner))
    expect(errorOf(await world.call('/recovery/enable', { isEnabled: false }, { token: owner.token }))).to.equal(
      'REAUTHENTICATION_REQUIRED',
    )
    expect(await statusOf(owner)).to.include({ isEnabled: true })
    dataOf(await enable(owner, false))
    expect(errorOf(await begin(owner))).to.equal('RECOVERY_UNAVAILABLE')
  })

  it('is cancelled by a session, and by any use of a passkey', async () => {
    for (const cancel of [
      (owner: Owner) => world.call('/recovery/cancel', {}, { token: owner.token }),
      (owner: Owner) => world.signIn(owner),
    ]) {
      const { owner, reader } = await begun()
      expect(dataOf(await world.call('/passkeys/accepted', {}, { token: owner.token }))).to.deep.equal({
        isComplete: false,
      })
      await letPass(owner, 24)
      dataOf(await cancel(owner))
      await complete()
      expect(await statusOf(owner)).to.deep.equal({ isEnabled: true, dueAt: null, addresses: [] })
      expect((await world.signIn(reader)).success).to.equal(false)
    }
  })

  it('takes its challenges for nothing else, and no others', async () => {
    const owner = await world.withPasskey()
    dataOf(await enable(owner))
    const { token } = owner
    const started = dataOf(await world.call<{ options: never; challengeId: string }>('/recovery/start', {}, { token }))
    const response = mailboxOf(owner).authenticator.create(started.options)
    const { challengeId } = started
    expect(errorOf(await world.call('/register/finish', { challengeId, response }, { token }))).to.equal(
      'REAUTHENTICATION_REQUIRED',
    )
    const added = await world.startRegistration(owner)
    const other = mailboxOf(owner).authenticator.create(added.options)
    const mixed = await world.call('/recovery/begin', { challengeId: added.challengeId, response: other }, { token })
    expect(errorOf(mixed)).to.equal('CHALLENGE_MISMATCH')
  })

  it('expires, needs a recent sign-in, and cannot flood the mailbox', async () => {
    const { owner, reader } = await begun()
    await letPass(owner, 24 + 48)
    await complete()
    expect((await statusOf(owner)).dueAt).to.equal(null)
    expect((await world.signIn(reader)).success).to.equal(false)
    expect(errorOf(await begin(world.later(owner, 16)))).to.equal('REAUTHENTICATION_REQUIRED')
    const answers: string[] = []
    for (let i = 0; i < 4; i++) {
      answers.push(errorOf(await begin(mailboxOf(owner))))
      await world.call('/recovery/cancel', {}, { token: owner.token })
    }
    expect(answers).to.deep.equal(['no error', 'no error', 'RATE_LIMITED', 'RATE_LIMITED'])
  })

  it('lets a mailbox reader give up no account of the owner, who signs in again', async () => {
    const { owner, reader: thief } = await begun()
    await letPass(owner, 24)
    await complete()
    // Nor with a passkey that the first one confirms, nor after switching the recovery off.
    const second = mailboxOf(owner)
    const { options, challengeId } = dataOf(
      await world.call<{ options: never; challengeId: string }>(
        '/register/start',
        { confirmation: await world.confirm(thief) },
        { token: owner.token },
      ),
    )
    dataOf(
      await world.call(
        '/register/finish',
        { challengeId, response: second.authenticator.create(options) },
        { token: owner.token },
      ),
    )
    dataOf(await enable({ ...thief, credentialId: '' }, false))
    const { credentialId } = owner
    const change = { action: 'remove-passkey', credentialId, abandon: [account] }
    for (const by of [thief, second]) {
      const confirmation = await world.confirm(by, change)
      const data = { credentialId, abandon: [account], confirmation }
      expect(errorOf(await world.call('/passkeys/remove', data, { token: owner.token }))).to.equal('RECOVERED_PASSKEY')
    }
    dataOf(await world.signIn(owner))
    const data = { credentialId, abandon: [account], confirmation: await world.confirm(owner, change) }
    dataOf(await world.call('/passkeys/remove', data, { token: owner.token }))
  })
})
