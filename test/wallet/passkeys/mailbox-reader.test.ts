import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { pino } from 'pino'
import { RetryableError } from '../../../src/platform/errors.ts'
import type { ChainAccount, ChainAccountKey } from '../../../src/flow/chain-reader.ts'
import { deleteUserData } from '../../../src/services.ts'
import type { ConfirmUserChange } from '../../../src/wallet/auth/user-changes.ts'
import type { Mail } from '../../../src/platform/mail/mail-sender.ts'
import { Outbox } from '../../../src/platform/mail/outbox.ts'
import { PasskeyStore } from '../../../src/wallet/passkeys/passkey-store.ts'
import { AccountKeys } from '../../../src/wallet/provisioning/account-keys.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { runAuth, signIn } from '../auth/support/running-auth.ts'
import type { Answered, RunningAuth } from '../auth/support/running-auth.ts'
import { dataOf, origin, PasskeyWorld } from '../support/passkey-world.ts'
import type { Envelope, TestUser } from '../support/passkey-world.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'

type Owner = Pick<TestUser, 'token' | 'authenticator'> & { readonly email: string; readonly userId: string }

describe('an e-mail session of a user who has a passkey', () => {
  let database: TestDatabase
  let auth: RunningAuth
  let world: PasskeyWorld
  const chain = new Map<string, ChainAccount>()
  let isChainDown = false
  let users = 0
  /** Resolves when the mail server responds. */
  let mailServer = Promise.resolve()
  before(async () => {
    database = await createTestDatabase({ max: 20 })
    const userChanges: ConfirmUserChange = {
      hasPasskey: (userId) => world.passkeyFunction.confirmUserChange.hasPasskey(userId),
      confirm: (requests) => world.passkeyFunction.confirmUserChange.confirm(requests),
    }
    auth = await runAuth(database, { userChanges, deleteUserData, beforeMail: () => mailServer })
    const account = (address: string): Promise<ChainAccount | undefined> =>
      isChainDown
        ? Promise.reject(new RetryableError('node-away', 'the node does not answer'))
        : Promise.resolve(chain.get(address))
    const keysOnChain = new AccountKeys({
      pool: database.pool,
      passkeys: new PasskeyStore(database.pool),
      senders: new Map([['testnet' as const, { account }]]),
      log: pino({ level: 'silent' }),
    })
    world = await PasskeyWorld.create({ database, sessions: auth.sessions, keysOnChain, outbox: auth.parts.outbox })
  })
  after(async () => {
    await world.stop()
    await auth.stop()
    await database.drop()
  })

  const key = (
    authenticator: SoftAuthenticator,
    index: number,
    change: Partial<ChainAccountKey> = {},
  ): ChainAccountKey => ({
    index,
    publicKey: authenticator.credentials[0]?.publicKeySec1Hex.slice(2) ?? '',
    signatureAlgorithm: 2,
    hashAlgorithm: 1,
    weight: 1000,
    sequenceNumber: 0,
    isRevoked: false,
    ...change,
  })
  /**
   * Creates a user with a passkey on each device. The first one is the only key of a funded
   * account.
   */
  const owner = async (
    devices = 1,
  ): Promise<Owner & { readonly others: readonly SoftAuthenticator[]; readonly address: string }> => {
    const email = `owner${++users}@example.com`
    const { accessToken: token, userId } = await signIn(auth, email)
    // Without counters, since the tests use assertions out of order.
    const authenticator = new SoftAuthenticator(origin, { counts: false })
    dataOf(await world.register({ token, authenticator }))
    const others: SoftAuthenticator[] = []
    for (let device = 1; device < devices; device++) {
      const started = await world.startRegistration({ token, authenticator })
      const other = new SoftAuthenticator(origin)
      dataOf(
        await world.call(
          '/register/finish',
          { challengeId: started.challengeId, response: other.create(started.options) },
          { token },
        ),
      )
      others.push(other)
    }
    const address = `0x${String(users).padStart(16, '0')}`
    chain.set(address, { address, balance: '50.00000000', keys: [key(authenticator, 0)], contracts: new Map() })
    await database.pool.query(
      `insert into wallet.accounts (credential_id, network, user_id, public_key, state, address, key_index) values ($1, 'testnet', $2, decode($3, 'hex'), 'sealed', $4, 0)`,
      [idOf(authenticator), userId, key(authenticator, 0).publicKey, address],
    )
    return { email, userId, token, authenticator, others, address }
  }
  const idOf = ({ credentials }: SoftAuthenticator): string => credentials[0]?.id ?? ''
  /** A new session of an attacker who reads the owner's mailbox. */
  const reader = async ({ email }: Owner): Promise<string> => (await signIn(auth, email)).accessToken
  const remove = (token: string, credentialId: string, more: object = {}): Promise<Envelope> =>
    world.call('/passkeys/remove', { credentialId, ...more }, { token })
  const user = (method: string, token: string, body?: object): Promise<Answered> =>
    auth.call(method, '/user', {
      headers: { Authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body }),
    })
  const reported = async (email: string): Promise<readonly string[]> => {
    await auth.mailsSent()
    return auth.mails
      .filter(({ to, subject }) => to === email && subject.startsWith('Passkey '))
      .map(({ subject }) => subject.split(' ')[1] ?? '')
  }

  it('cannot change passkeys, the address or the user, however new it is', async () => {
    const one = await owner(2)
    const token = await reader(one)
    const [second] = one.others
    if (second === undefined) throw new Error('no second passkey')
    for (const authenticator of [one.authenticator, second]) {
      for (const abandon of [[], [one.address]]) {
        const { status, error } = await remove(token, idOf(authenticator), { abandon })
        expect([status, error.code]).to.be.deep.oneOf([
          [403, 'REAUTHENTICATION_REQUIRED'],
          [409, 'ONLY_KEY'],
        ])
      }
    }
    expect((await world.call('/register/start', {}, { token })).error.code).to.equal('REAUTHENTICATION_REQUIRED')
    expect((await user('PUT', token, { email: 'thief@example.com' })).body['error_code']).to.equal(
      'reauthentication_needed',
    )
    expect((await user('DELETE', token, { abandon: [one.address] })).body['error_code']).to.equal(
      'reauthentication_needed',
    )
    expect((await user('DELETE', token)).status).to.equal(409)
    // An assertion by another user's passkey confirms nothing for this user.
    const thief = await owner()
    const confirmation = await world.confirm(thief, { action: 'delete-user', abandon: [one.address] })
    expect((await user('DELETE', token, { confirmation, abandon: [one.address] })).status).to.equal(400)
    expect(await world.listed({ token: one.token })).to.have.length(2)
    expect((await world.signIn(one)).status).to.equal(200)
    expect(await reported(one.email)).to.deep.equal(['added', 'added'])
  })

  it('cannot finish a change of address that was requested before the first passkey', async () => {
    const email = `late${++users}@example.com`
    const { accessToken } = await signIn(auth, email)
    expect((await user('PUT', accessToken, { email: `thief${users}@example.com` })).status).to.equal(200)
    const { code } = await auth.mailTo(`thief${users}@example.com`)
    dataOf(await world.register({ token: accessToken, authenticator: new SoftAuthenticator(origin) }))
    const verified = await auth.call('POST', '/verify', {
      headers: { Authorization: `Bearer ${accessToken}` },
      body: { type: 'email_change', email: `thief${users}@example.com`, token: code },
    })
    expect(verified.body['error_code']).to.equal('otp_expired')
    expect((await user('GET', accessToken)).body['email']).to.equal(email)
  })

  it('cannot remove passkeys of another relying party, which cannot confirm', async () => {
    const one = await owner(2)
    await database.pool.query("update wallet.passkeys set rp_id = 'old.example' where user_id = $1", [one.userId])
    for (const { authenticator } of [one, { authenticator: one.others[0] ?? one.authenticator }]) {
      expect((await remove(await reader(one), idOf(authenticator), { abandon: [one.address] })).error.code).to.equal(
        'REAUTHENTICATION_REQUIRED',
      )
    }
  })

  it('can make each change with a passkey, one per assertion', async () => {
    const one = await owner(2)
    const email = `new-${one.email}`
    const requests = await user('PUT', one.token, {
      email,
      confirmation: await world.confirm(one, { action: 'change-email', email }),
    })
    expect([requests.status, requests.body['new_email']]).to.deep.equal([200, email])
    const { code } = await auth.mailTo(email)
    const changed = await auth.call('POST', '/verify', {
      headers: { Authorization: `Bearer ${one.token}` },
      body: { type: 'email_change', email, token: code },
    })
    expect(changed.body['email']).to.equal(email)
    const other = await user('PUT', one.token, {
      email: 'x@example.com',
      confirmation: await world.confirm(one, { action: 'change-email', email: 'y@example.com' }),
    })
    expect([other.status, other.body['error_code']]).to.deep.equal([400, 'challenge_mismatch'])
    const abandon = [one.address]
    const confirmation = await world.confirm(one, { action: 'delete-user', abandon })
    expect((await user('DELETE', one.token, { confirmation })).body).to.deep.include({
      error_code: 'only_key',
      accounts: abandon,
    })
    expect((await user('DELETE', one.token, { confirmation, abandon })).status).to.equal(204)
    expect((await world.signIn(one)).error.code).to.equal('CREDENTIAL_NOT_FOUND')
  })

  it('notifies the owner of each change, even if the process ends before the e-mail is sent', async () => {
    const one = await owner(2)
    const email = `new-${one.email}`
    const abandon = [one.address]
    const credentialId = idOf(one.others[0] ?? one.authenticator)
    const change = await world.confirm(one, { action: 'change-email', email })
    await user('PUT', one.token, { email, confirmation: change })
    const { code } = await auth.mailTo(email)
    const hanging = Promise.withResolvers<void>()
    mailServer = hanging.promise
    try {
      const removal = await world.confirm(one, { action: 'remove-passkey', credentialId })
      dataOf(await remove(one.token, credentialId, { confirmation: removal }))
      await auth.call('POST', '/verify', {
        headers: { Authorization: `Bearer ${one.token}` },
        body: { type: 'email_change', email, token: code },
      })
      dataOf(await world.register(one))
      const confirmation = await world.confirm(one, { action: 'delete-user', abandon })
      expect((await user('DELETE', one.token, { confirmation, abandon })).status).to.equal(204)
      const sent: Mail[] = []
      const next = new Outbox({
        table: 'wallet_auth.outgoing_mails',
        pool: database.pool,
        log: pino({ level: 'silent' }),
        send: (mail) => Promise.resolve(void sent.push(mail)),
      })
      await database.pool.query('update wallet_auth.outgoing_mails set next_attempt_at = now()')
      await next.settled()
      await next.close()
      // A row that the other process has locked is skipped, and sent after the others.
      expect(sent.map(({ to, subject }) => [to, subject.replace(/ at .*/, '')])).to.have.deep.members([
        [one.email, 'Passkey removed'],
        [one.email, 'E-mail address changed'],
        [email, 'Passkey added'],
        [email, 'Account deleted'],
      ])
    } finally {
      hanging.resolve()
      mailServer = Promise.resolve()
    }
  })

  it('cannot remove the only passkey of an account unless the confirmation names the account', async () => {
    const one = await owner(2)
    const change = { action: 'remove-passkey', credentialId: idOf(one.authenticator), abandon: [] as string[] }
    const refused = await remove(one.token, change.credentialId, { confirmation: await world.confirm(one, change) })
    expect([refused.status, refused.error.code, refused.error.accounts]).to.deep.equal([409, 'ONLY_KEY', [one.address]])
    const abandon = [one.address]
    expect(
      (await remove(one.token, change.credentialId, { abandon, confirmation: await world.confirm(one, change) })).error
        .code,
    ).to.equal('CHALLENGE_MISMATCH')
    isChainDown = true
    try {
      expect(
        (await remove(one.token, change.credentialId, { confirmation: await world.confirm(one, change) })).status,
      ).to.equal(503)
    } finally {
      isChainDown = false
    }
    // A key does not count if it is revoked, below full weight, or of a removed passkey.
    for (const more of [{ isRevoked: true }, { weight: 999 }]) {
      chain.set(one.address, {
        address: one.address,
        balance: '50.00000000',
        contracts: new Map(),
        keys: [key(one.authenticator, 0), key(one.others[0] ?? one.authenticator, 1, more)],
      })
      expect((await remove(one.token, change.credentialId)).error.code, JSON.stringify(more)).to.equal('ONLY_KEY')
    }
    expect(
      (
        await remove(one.token, change.credentialId, {
          abandon,
          confirmation: await world.confirm(one, { ...change, abandon }),
        })
      ).status,
    ).to.equal(200)
  })

  it('can remove a passkey if another passkey or wallet is a key of the account', async () => {
    for (const other of ['passkey', 'wallet'] as const) {
      const one = await owner(2)
      const second = other === 'passkey' ? one.others[0] : new SoftAuthenticator(origin)
      if (second === undefined) throw new Error('no second passkey')
      const more = other === 'passkey' ? {} : { publicKey: 'ab'.repeat(64), signatureAlgorithm: 3, hashAlgorithm: 3 }
      chain.set(one.address, {
        address: one.address,
        balance: '50.00000000',
        contracts: new Map(),
        keys: [key(one.authenticator, 0), key(second, 1, more)],
      })
      const change = { action: 'remove-passkey', credentialId: idOf(one.authenticator) }
      expect(
        (await remove(one.token, change.credentialId, { confirmation: await world.confirm(one, change) })).status,
        other,
      ).to.equal(200)
    }
  })

  it('restores a removed passkey that is a key of an account when it signs in, and no other passkey', async () => {
    const one = await owner(2)
    const [second] = one.others
    if (second === undefined) throw new Error('no second passkey')
    const abandon = [one.address]
    const removal = { action: 'remove-passkey', credentialId: idOf(one.authenticator), abandon }
    expect(
      (await remove(one.token, removal.credentialId, { abandon, confirmation: await world.confirm(one, removal) }))
        .status,
    ).to.equal(200)
    // A signature by another key restores nothing.
    expect(
      (await world.signIn(one, { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey })).status,
    ).to.equal(401)
    expect(await world.listed({ token: one.token })).to.have.length(1)
    expect((await world.signIn(one)).status).to.equal(200)
    expect(await world.listed({ token: one.token })).to.have.length(2)
    expect(await reported(one.email)).to.deep.equal(['added', 'added', 'removed', 'restored'])
    const { rows } = await database.pool.query(
      "select 1 from wallet.audit_log where user_id = $1 and event = 'passkey_restored' and is_done",
      [one.userId],
    )
    expect(rows).to.have.length(1)
    // The passkey stays removed once its key is revoked on the chain.
    chain.set(one.address, {
      address: one.address,
      balance: '50.00000000',
      contracts: new Map(),
      keys: [key(one.authenticator, 0, { isRevoked: true }), key(second, 1)],
    })
    expect(
      (
        await remove(one.token, removal.credentialId, {
          confirmation: await world.confirm(one, { ...removal, abandon: [] }),
        })
      ).status,
    ).to.equal(200)
    const late = await world.signIn(one)
    expect([late.status, late.error.code]).to.deep.equal([403, 'PASSKEY_REMOVED'])
    expect(await world.listed({ token: one.token })).to.have.length(1)
  })

  it('keeps an account usable after two concurrent removals that are each allowed', async () => {
    for (let time = 0; time < 3; time++) {
      const one = await owner(3)
      const [second] = one.others
      if (second === undefined) throw new Error('no second passkey')
      chain.set(one.address, {
        address: one.address,
        balance: '50.00000000',
        contracts: new Map(),
        keys: [key(one.authenticator, 0), key(second, 1)],
      })
      const ids = [idOf(one.authenticator), idOf(second)]
      const confirmations: unknown[] = []
      for (const credentialId of ids)
        confirmations.push(await world.confirm(one, { action: 'remove-passkey', credentialId }))
      const answers = await Promise.all(
        ids.map((credentialId, at) => remove(one.token, credentialId, { confirmation: confirmations[at] })),
      )
      expect(answers.filter(({ status }) => status === 200).length).to.be.at.most(1)
      const left = (await world.listed({ token: one.token })).map(({ id }) => id)
      expect(ids.some((id) => left.includes(id))).to.equal(true)
    }
  })
})
