import { expect } from 'chai'
import type { Mail } from '../../../src/wallet/auth/mail.ts'
import { dataOf, origin, PasskeyWorld } from '../support/passkey-world.ts'
import type { Envelope, TestUser } from '../support/passkey-world.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'

type Owner = TestUser & { readonly credentialId: string }
interface Status {
  readonly isEnabled: boolean
  readonly dueAt: string | null
  readonly isDue: boolean
}

const errorOf = (answer: Envelope): string => (answer.success ? 'no error' : answer.error.code)

describe('recovery by e-mail', () => {
  let world: PasskeyWorld
  const mails: Mail[] = []
  const account = '0x1d7e57aa55817448'
  before(async () => {
    world = await PasskeyWorld.create({
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
  const begin = ({ token }: TestUser): Promise<Envelope> => world.call('/recovery/begin', {}, { token })
  const statusOf = async ({ token }: TestUser): Promise<Status> =>
    dataOf(await world.call<Status>('/recovery/status', {}, { token }))
  /** Session of an attacker who reads the mailbox: without passkeys. */
  const mailboxOf = (owner: TestUser): TestUser => ({ ...owner, authenticator: new SoftAuthenticator(origin) })
  const letPass = (owner: TestUser, hours: number): Promise<unknown> =>
    world.database.pool.query(
      'update wallet.recoveries set due_at = due_at - make_interval(hours => $2) where user_id = $1',
      [owner.user.id, hours],
    )
  const register = async ({ token, authenticator }: TestUser): Promise<Envelope> => {
    const started = await world.call<{ options: never; challengeId: string }>('/register/start', {}, { token })
    if (!started.success) return started
    const { options, challengeId } = started.data
    return world.call('/register/finish', { challengeId, response: authenticator.create(options) }, { token })
  }
  const ready = async (): Promise<Owner> => {
    const owner = await world.withPasskey()
    dataOf(await enable(owner))
    dataOf(await begin(owner))
    return owner
  }
  const subjects = (owner: TestUser): readonly string[] =>
    mails.filter(({ to }) => to === owner.user.email).map(({ subject }) => subject.replace(/ at .*/, ''))

  it('registers one passkey after 24 hours, and is mailed at each step', async () => {
    const owner = await ready()
    const lost = mailboxOf(owner)
    expect(errorOf(await register(lost))).to.equal('REAUTHENTICATION_REQUIRED')
    await letPass(owner, 23)
    expect(errorOf(await register(lost))).to.equal('REAUTHENTICATION_REQUIRED')
    await letPass(owner, 1)
    dataOf(await register(lost))
    dataOf(await world.signIn(lost))
    expect(errorOf(await register(mailboxOf(owner)))).to.equal('REAUTHENTICATION_REQUIRED')
    expect(subjects(owner)).to.deep.equal([
      'Passkey added',
      'Recovery by e-mail enabled',
      'Recovery by e-mail began',
      'Recovery by e-mail was used',
      'Passkey added',
    ])
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
      const owner = await ready()
      await letPass(owner, 24)
      dataOf(await cancel(owner))
      expect(await statusOf(owner)).to.deep.equal({ isEnabled: true, dueAt: null, isDue: false })
      expect(errorOf(await register(mailboxOf(owner)))).to.equal('REAUTHENTICATION_REQUIRED')
    }
  })

  it('registers nothing if it is cancelled between start and finish', async () => {
    const owner = await ready()
    await letPass(owner, 24)
    const { token, authenticator } = mailboxOf(owner)
    const { options, challengeId } = dataOf(
      await world.call<{ options: never; challengeId: string }>('/register/start', {}, { token }),
    )
    await world.call('/recovery/cancel', {}, { token })
    const answer = await world.call(
      '/register/finish',
      { challengeId, response: authenticator.create(options) },
      { token },
    )
    expect(errorOf(answer)).to.equal('RECOVERY_UNAVAILABLE')
    expect(await world.listed(owner)).to.have.length(1)
  })

  it('expires, needs a recent sign-in, and cannot flood the mailbox', async () => {
    const owner = await ready()
    await letPass(owner, 24 + 48)
    expect(errorOf(await register(mailboxOf(owner)))).to.equal('REAUTHENTICATION_REQUIRED')
    expect(errorOf(await begin(world.later(owner, 16)))).to.equal('REAUTHENTICATION_REQUIRED')
    const answers: string[] = []
    for (let i = 0; i < 4; i++) {
      answers.push(errorOf(await begin(owner)))
      await world.call('/recovery/cancel', {}, { token: owner.token })
    }
    expect(answers).to.deep.equal(['no error', 'no error', 'RATE_LIMITED', 'RATE_LIMITED'])
  })

  it('lets a mailbox reader give up no account of the owner, who signs in again', async () => {
    const owner = await ready()
    await letPass(owner, 24)
    const thief = mailboxOf(owner)
    dataOf(await register(thief))
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
