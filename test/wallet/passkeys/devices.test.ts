import { expect } from 'chai'
import { dataOf, origin, PasskeyWorld } from '../support/passkey-world.ts'
import type { Envelope, TestUser } from '../support/passkey-world.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'
import type { CreationOptions } from '../support/soft-authenticator.ts'

interface Joined {
  readonly state: string
  readonly credentialId: string
  readonly check: string
}
interface Begun {
  readonly options: CreationOptions
  readonly challengeId: string
}

const errorOf = (answer: Envelope): string => (answer.success ? 'no error' : answer.error.code)

describe('a passkey of another device', () => {
  let world: PasskeyWorld
  before(async () => {
    world = await PasskeyWorld.create()
  })
  after(() => world.stop())

  const start = async ({ token }: Pick<TestUser, 'token'>): Promise<string> =>
    dataOf(await world.call<{ code: string }>('/devices/start', {}, { token })).code
  const join = async (code: string): Promise<Begun> => dataOf(await world.call<Begun>('/devices/join', { code }))
  const propose = async (code: string, device: SoftAuthenticator): Promise<Envelope<{ check: string }>> => {
    const { options, challengeId } = await join(code)
    return world.call('/devices/finish', { code, challengeId, response: device.create(options) })
  }
  const statusOf = async ({ token }: Pick<TestUser, 'token'>): Promise<Joined> =>
    dataOf(await world.call<Joined>('/devices/status', {}, { token }))
  const accept = (
    { token }: Pick<TestUser, 'token'>,
    credentialId: string,
    confirmation?: unknown,
  ): Promise<Envelope> => world.call('/devices/accept', { credentialId, confirmation }, { token })
  const newDevice = (): SoftAuthenticator => new SoftAuthenticator(origin)

  it('is added after an assertion of the first one, and signs in', async () => {
    const owner = await world.withPasskey()
    const device = newDevice()
    const code = await start(owner)
    expect(await statusOf(owner)).to.include({ state: 'waiting' })
    const { check } = dataOf(await propose(`${code.slice(0, 4)}-${code.slice(4).toLowerCase()}`, device))
    const status = await statusOf(owner)
    expect(status).to.include({ state: 'joined', check })
    expect(check).to.match(/^\d{6}$/)
    const { credentialId } = status
    expect(errorOf(await accept(owner, credentialId))).to.equal('REAUTHENTICATION_REQUIRED')
    dataOf(await accept(owner, credentialId, await world.confirm(owner, { action: 'accept-device', credentialId })))
    dataOf(await world.signIn({ authenticator: device }))
    expect(await statusOf(owner)).to.deep.equal({ state: 'none' })
    expect(await world.listed(owner)).to.have.length(2)
  })

  it('cannot be accepted by a reader of the mailbox, who has a session but no passkey', async () => {
    const owner = await world.withPasskey()
    const thief = newDevice()
    dataOf(await propose(await start(owner), thief))
    const { credentialId } = await statusOf(owner)
    expect(errorOf(await accept(owner, credentialId))).to.equal('REAUTHENTICATION_REQUIRED')
    // Assertions for other changes and by other passkeys do not count.
    const other = await world.withPasskey()
    for (const confirmation of [
      await world.confirm(owner, { action: 'add-passkey' }),
      await world.confirm(owner, { action: 'accept-device', credentialId: 'A'.repeat(30) }),
      await world.confirm(other, { action: 'accept-device', credentialId }),
    ])
      expect((await accept(owner, credentialId, confirmation)).success).to.equal(false)
    expect(await world.listed(owner)).to.have.length(1)
    expect((await world.signIn({ authenticator: thief })).success).to.equal(false)
  })

  it('cannot be finished as a registration of the session, which needs a confirmation', async () => {
    const owner = await world.withPasskey()
    const device = newDevice()
    const { options, challengeId } = await join(await start(owner))
    const answer = await world.call(
      '/register/finish',
      { challengeId, response: device.create(options) },
      { token: owner.token },
    )
    expect(errorOf(answer)).to.equal('REAUTHENTICATION_REQUIRED')
    expect(await world.listed(owner)).to.have.length(1)
  })

  it('cannot replace the one that joined first', async () => {
    const owner = await world.withPasskey()
    const [device, thief] = [newDevice(), newDevice()]
    const code = await start(owner)
    const late = await join(code)
    dataOf(await propose(code, device))
    const before = await statusOf(owner)
    const answer = await world.call('/devices/finish', {
      code,
      challengeId: late.challengeId,
      response: thief.create(late.options),
    })
    expect(errorOf(answer)).to.equal('CHALLENGE_MISMATCH')
    expect(errorOf(await world.call('/devices/join', { code }))).to.equal('CHALLENGE_MISMATCH')
    expect(await statusOf(owner)).to.deep.equal(before)
  })

  it('needs a live code: expired, replaced, cancelled and wrong ones are refused', async () => {
    const owner = await world.withPasskey()
    const replaced = await start(owner)
    const cancelled = await start(owner)
    expect(errorOf(await world.call('/devices/join', { code: replaced }))).to.equal('CHALLENGE_MISMATCH')
    await world.call('/devices/cancel', {}, { token: owner.token })
    expect(errorOf(await world.call('/devices/join', { code: cancelled }))).to.equal('CHALLENGE_MISMATCH')
    const expired = await start(owner)
    await world.database.pool.query('update wallet.device_requests set expires_at = now() where user_id = $1', [
      owner.user.id,
    ])
    expect(errorOf(await world.call('/devices/join', { code: expired }))).to.equal('CHALLENGE_MISMATCH')
    expect(errorOf(await world.call('/devices/join', { code: 'AAAAAAAA' }))).to.equal('CHALLENGE_MISMATCH')
    for (const code of ['', 'AAAA', 'AAAA0000', 7, 'A'.repeat(300)])
      expect(errorOf(await world.call('/devices/join', { code })), String(code)).to.equal('INVALID_INPUT')
  })

  it('is refused to users without a passkey, and ends with the user’s request only', async () => {
    const newcomer = world.testUser()
    expect(errorOf(await world.call('/devices/start', {}, { token: newcomer.token }))).to.equal('CREDENTIAL_NOT_FOUND')
    const owner = await world.withPasskey()
    dataOf(await propose(await start(owner), newDevice()))
    await world.call('/devices/cancel', {}, { token: newcomer.token })
    expect((await statusOf(owner)).state).to.equal('joined')
  })

  it('has codes that cannot be guessed by a flood', async () => {
    const limited = await PasskeyWorld.create({
      limits: {
        begin: { client: { max: 5, periodMs: 300_000 }, account: { max: 5, periodMs: 300_000 } },
        ceremony: { client: { max: 5, periodMs: 300_000 }, account: { max: 5, periodMs: 300_000 } },
        manage: { client: { max: 5, periodMs: 300_000 }, account: { max: 5, periodMs: 300_000 } },
      },
    })
    try {
      const answers = []
      for (let i = 0; i < 8; i++) answers.push(errorOf(await limited.call('/devices/join', { code: 'AAAAAAAA' })))
      expect(answers).to.deep.equal([
        ...Array<string>(5).fill('CHALLENGE_MISMATCH'),
        ...Array<string>(3).fill('RATE_LIMITED'),
      ])
    } finally {
      await limited.stop()
    }
  })
})
