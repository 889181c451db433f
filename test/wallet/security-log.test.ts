import { expect } from 'chai'
import { RateLimits } from '../../src/wallet/auth/stores/rate-limits.ts'
import type { Mail } from '../../src/platform/mail/mail-sender.ts'
import { pruneSignatures, securityEndpoints, signatureLimit } from '../../src/wallet/account/security-log.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { dataOf, PasskeyWorld } from './support/passkey-world.ts'
import type { Envelope, TestUser } from './support/passkey-world.ts'

interface LogPage {
  readonly events: readonly {
    readonly source: string
    readonly event: string
    readonly detail: string | null
    readonly from: string | null
    readonly origin: string | null
  }[]
  readonly cursor: string | null
}

const address = '0x1d7e57aa55817448'

describe('security log', () => {
  let world: PasskeyWorld
  let database: TestDatabase
  const mails: Mail[] = []
  before(async () => {
    database = await createTestDatabase({ max: 20 })
    const outbox = { store: async (_: unknown, mail: Mail) => void mails.push(mail), deliver: () => undefined }
    const rates = new RateLimits(database.pool, database.pool)
    const endpoints = securityEndpoints({ pool: database.pool, rates, outbox, name: 'flowfarm' })
    world = await PasskeyWorld.create({ database, endpoints })
  })
  after(async () => {
    await world.stop()
    await database.drop()
  })

  type Owner = TestUser & { readonly credentialId: string }
  const report = ({ token, credentialId }: Owner, more: object = {}): Promise<Envelope> =>
    world.call(
      '/security/signed',
      { kind: 'transaction', network: 'testnet', address, credentialId, summary: 'Send flow: −1 FLOW', ...more },
      { token },
    )
  const read = async ({ token }: TestUser, cursor?: string): Promise<LogPage> =>
    dataOf(await world.call<LogPage>('/security/log', cursor === undefined ? {} : { cursor }, { token }))

  it('has passkeys, sign-ins and signatures of one user, newest first', async () => {
    const [owner, other] = [await world.withPasskey(), await world.withPasskey()]
    await database.pool.query(
      `insert into wallet_auth.audit_log (event, user_id, ip, detail) values ('signed_in', $1, '192.0.2.7', $2)`,
      [owner.user.id, { method: 'otp' }],
    )
    dataOf(await report(owner, { origin: 'https://app.example' }))
    const { events } = await read(owner)
    expect(events.map(({ source, event, detail }) => [source, event, detail])).to.deep.equal([
      ['signature', 'transaction', 'Send flow: −1 FLOW'],
      ['session', 'signed_in', 'otp'],
      ['passkey', 'registration_completed', null],
    ])
    expect(events[0]).to.include({ origin: 'https://app.example', from: '127.0.0.0/24' })
    expect((await read(other)).events.map(({ source }) => source)).to.deep.equal(['passkey'])
  })

  it('takes no signature of another user’s passkey, and none without a form', async () => {
    const [owner, other] = [await world.withPasskey(), await world.withPasskey()]
    await report({ ...owner, credentialId: other.credentialId })
    for (const more of [{ summary: 'x'.repeat(301) }, { summary: 'a\u0007' }, { address: '0x1' }, { kind: 'other' }])
      expect((await report(owner, more)).success, JSON.stringify(more)).to.equal(false)
    expect((await read(owner)).events.some(({ source }) => source === 'signature')).to.equal(false)
  })

  it('mails changes of keys, a bounded number of times', async () => {
    const owner = await world.withPasskey()
    mails.length = 0
    for (let i = 0; i < 14; i++) dataOf(await report(owner, { action: i % 2 === 0 ? 'add-key' : 'revoke-key' }))
    await report(owner, { action: 'send-flow' })
    expect(mails).to.have.length(10)
    expect(mails[0]?.text).to.include(`a key was added to your Flow account ${address}`)
  })

  it('is read in pages, without gaps or repetitions', async () => {
    const owner = await world.withPasskey()
    await database.pool.query(
      `insert into wallet.signatures (at, user_id, kind, network, address, credential_id, summary, client)
       select now() - i * interval '1 s', $1, 'message', 'testnet', $2, $3, 'n' || i, '192.0.2.0/24'
       from generate_series(1, 120) as i`,
      [owner.user.id, address, owner.credentialId],
    )
    const details: (string | null)[] = []
    let cursor: string | null | undefined
    do {
      const page: LogPage = await read(owner, cursor ?? undefined)
      details.push(...page.events.filter(({ source }) => source === 'signature').map(({ detail }) => detail))
      ;({ cursor } = page)
    } while (cursor !== null)
    expect(details).to.deep.equal(Array.from({ length: 120 }, (_, i) => `n${i + 1}`))
  })

  it('is bounded a day, and kept for 90 days', async () => {
    const owner = await world.withPasskey()
    expect(signatureLimit.max).to.equal(300)
    await report(owner)
    await database.pool.query(`update wallet.signatures set at = now() - interval '91 days' where user_id = $1`, [
      owner.user.id,
    ])
    await pruneSignatures(database.pool)
    expect((await read(owner)).events.some(({ source }) => source === 'signature')).to.equal(false)
  })
})

describe('passkeys for the signal API', () => {
  it('are the registered ones, and removed ones that are keys of an account', async () => {
    const onChain = new Set<string>()
    const world = await PasskeyWorld.create({
      keysOnChain: {
        lostWithout: () => Promise.resolve([]),
        isKey: ({ credentialId }) => Promise.resolve(onChain.has(credentialId)),
      },
    })
    try {
      const owner = await world.withPasskey()
      await world.register(owner)
      const [first, second] = await world.listed(owner)
      const credentialId = second?.id ?? ''
      await world.call(
        '/passkeys/remove',
        { credentialId, confirmation: await world.confirm(owner, { action: 'remove-passkey', credentialId }) },
        { token: owner.token },
      )
      const accepted = async (): Promise<readonly string[]> =>
        dataOf(await world.call<{ credentialIds: readonly string[] }>('/passkeys/accepted', {}, { token: owner.token }))
          .credentialIds
      expect(await accepted()).to.deep.equal([first?.id])
      onChain.add(credentialId)
      expect(await accepted()).to.deep.equal([first?.id, credentialId])
    } finally {
      await world.stop()
    }
  })
})
