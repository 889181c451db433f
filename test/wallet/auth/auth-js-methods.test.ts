import { readFile } from 'node:fs/promises'
import type { GoTrueAdminApi, GoTrueClient } from '@supabase/auth-js'
import { expect } from 'chai'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { githubProvider } from '../../../src/wallet/auth/providers.ts'
import { startMockProviders } from './support/mock-providers.ts'
import type { MockProviders } from './support/mock-providers.ts'
import { runAuth, signIn } from './support/running-auth.ts'
import type { RunningAuth } from './support/running-auth.ts'

interface Tested {
  readonly auth: RunningAuth
  /** Signed in. */
  readonly client: GoTrueClient
  readonly admin: GoTrueAdminApi
  readonly email: string
  readonly userId: string
  readonly accessToken: string
  readonly refreshToken: string
}

type Outcome = { readonly error?: unknown } | undefined | void
type Use = (tested: Tested) => Promise<Outcome> | Outcome
/** One use per public method: the compiler reports methods of a new release. */
type Uses<Api> = {
  readonly [
    Name in keyof Api as Name extends `_${string}`
      ? never
      : Required<Api>[Name] extends (...given: never[]) => unknown
        ? Name
        : never
  ]-?: Use
}

const id = '7b1ab0b3-7d3c-4d55-9d0e-0c4b6a1b0f11'
const passkeyUse = {
  rpId: 'example.com',
  rpOrigins: ['https://example.com'],
}

/** Serialized before it is sent. */
const credential = { toJSON: () => ({}) } as never

/** Has the globals that auth-js requires before it calls the server. */
async function inBrowser(run: () => Promise<Outcome>): Promise<Outcome> {
  const credentials = { create: () => undefined, get: () => undefined }
  const added = { PublicKeyCredential: {}, document: {}, window: globalThis }
  Object.assign(globalThis, added)
  Object.defineProperty(navigator, 'credentials', { value: credentials, configurable: true })
  try {
    return await run()
  } finally {
    for (const name of Object.keys(added)) Reflect.deleteProperty(globalThis, name)
    Reflect.deleteProperty(navigator, 'credentials')
  }
}

const clientUses: Uses<GoTrueClient> = {
  isThrowOnErrorEnabled: ({ client }) => void expect(client.isThrowOnErrorEnabled()).to.equal(false),
  initialize: ({ client }) => client.initialize(),
  signInAnonymously: ({ client }) => client.signInAnonymously(),
  signUp: ({ client }) => client.signUp({ email: 'new@example.com', password: 'a password' }),
  signInWithPassword: ({ client, email }) => client.signInWithPassword({ email, password: 'a password' }),
  signInWithOAuth: async ({ client }) => {
    const { data, error } = await client.signInWithOAuth({
      provider: 'github',
      options: { skipBrowserRedirect: true, redirectTo: 'https://app.example.com/' },
    })
    const { status, headers } = await fetch(data.url ?? '', { redirect: 'manual' })
    expect([status, headers.get('location')]).to.deep.include(302)
    expect(headers.get('location')).to.include('/github/authorize')
    return { error }
  },
  exchangeCodeForSession: async ({ auth, email, client }) => {
    await client.signInWithOtp({ email, options: { emailRedirectTo: 'https://app.example.com/' } })
    const back = new URL((await auth.press((await auth.mailTo(email)).link)).headers.get('location') ?? '')
    return client.exchangeCodeForSession(back.searchParams.get('code') ?? '')
  },
  signInWithWeb3: ({ client }) => client.signInWithWeb3({ chain: 'ethereum', message: 'a message', signature: '0x00' }),
  signInWithIdToken: ({ client }) => client.signInWithIdToken({ provider: 'google', token: 'a.b.c' }),
  signInWithOtp: ({ client, email }) => client.signInWithOtp({ email }),
  verifyOtp: async ({ auth, client, email }) => {
    await client.signInWithOtp({ email })
    return client.verifyOtp({ email, token: (await auth.mailTo(email)).code, type: 'email' })
  },
  signInWithSSO: ({ client }) => client.signInWithSSO({ domain: 'example.com' }),
  reauthenticate: ({ client }) => client.reauthenticate(),
  resend: ({ client, email }) => client.resend({ type: 'signup', email }),
  getSession: ({ client }) => client.getSession(),
  getUser: ({ client }) => client.getUser(),
  updateUser: ({ client }) => client.updateUser({ data: { name: 'A' } }),
  setSession: ({ auth, accessToken, refreshToken }) =>
    auth.client().setSession({ access_token: accessToken, refresh_token: refreshToken }),
  refreshSession: ({ client }) => client.refreshSession(),
  signOut: ({ client }) => client.signOut(),
  onAuthStateChange: async ({ client }) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { data } = client.onAuthStateChange((event) => resolve(event))
    expect(await promise).to.equal('INITIAL_SESSION')
    data.subscription.unsubscribe()
    return undefined
  },
  resetPasswordForEmail: ({ client, email }) => client.resetPasswordForEmail(email),
  getUserIdentities: async ({ client }) => {
    const { data, error } = await client.getUserIdentities()
    expect(data?.identities.map(({ provider }) => provider)).to.deep.equal(['email'])
    return { error }
  },
  linkIdentity: ({ client }) => client.linkIdentity({ provider: 'github', options: { skipBrowserRedirect: true } }),
  unlinkIdentity: async ({ client }) => {
    const [identity] = (await client.getUserIdentities()).data?.identities ?? []
    if (identity === undefined) throw new Error('the user has no identity')
    return client.unlinkIdentity(identity)
  },
  startAutoRefresh: ({ client }) => client.startAutoRefresh(),
  stopAutoRefresh: ({ client }) => client.stopAutoRefresh(),
  dispose: ({ client }) => client.dispose(),
  getClaims: ({ client }) => client.getClaims(),
  signInWithPasskey: ({ client }) => inBrowser(() => client.signInWithPasskey()),
  registerPasskey: ({ client }) => inBrowser(() => client.registerPasskey()),
}

const mfaUses: Uses<GoTrueClient['mfa']> = {
  enroll: ({ client }) => client.mfa.enroll({ factorType: 'totp' }),
  challenge: ({ client }) => client.mfa.challenge({ factorId: id }),
  verify: ({ client }) => client.mfa.verify({ factorId: id, challengeId: id, code: '123456' }),
  unenroll: ({ client }) => client.mfa.unenroll({ factorId: id }),
  challengeAndVerify: ({ client }) => client.mfa.challengeAndVerify({ factorId: id, code: '123456' }),
  listFactors: ({ client }) => client.mfa.listFactors(),
  getAuthenticatorAssuranceLevel: ({ client }) => client.mfa.getAuthenticatorAssuranceLevel(),
}

const mfaWebauthnUses: Uses<GoTrueClient['mfa']['webauthn']> = {
  enroll: ({ client }) => client.mfa.webauthn.enroll({ friendlyName: 'A' }),
  challenge: ({ client }) => client.mfa.webauthn.challenge({ factorId: id, webauthn: passkeyUse }),
  verify: ({ client }) =>
    client.mfa.webauthn.verify({
      factorId: id,
      challengeId: id,
      webauthn: { ...passkeyUse, type: 'request', credential_response: credential },
    }),
  authenticate: ({ client }) =>
    inBrowser(() => client.mfa.webauthn.authenticate({ factorId: id, webauthn: passkeyUse })),
  register: ({ client }) => inBrowser(() => client.mfa.webauthn.register({ friendlyName: 'A', webauthn: passkeyUse })),
}

const mfaCodeUses: Uses<GoTrueClient['mfa']['recoveryCodes']> = {
  getStatus: ({ client }) => client.mfa.recoveryCodes.getStatus(),
  generate: ({ client }) => client.mfa.recoveryCodes.generate(),
  verify: ({ client }) => client.mfa.recoveryCodes.verify({ code: 'a code' }),
  regenerate: ({ client }) => client.mfa.recoveryCodes.regenerate(),
  unenroll: ({ client }) => client.mfa.recoveryCodes.unenroll(),
}

const oauthUses: Uses<GoTrueClient['oauth']> = {
  getAuthorizationDetails: ({ client }) => client.oauth.getAuthorizationDetails(id),
  approveAuthorization: ({ client }) => client.oauth.approveAuthorization(id, { skipBrowserRedirect: true }),
  denyAuthorization: ({ client }) => client.oauth.denyAuthorization(id, { skipBrowserRedirect: true }),
  listGrants: ({ client }) => client.oauth.listGrants(),
  revokeGrant: ({ client }) => client.oauth.revokeGrant({ clientId: id }),
}

const passkeyUses: Uses<GoTrueClient['passkey']> = {
  startRegistration: ({ client }) => client.passkey.startRegistration(),
  verifyRegistration: ({ client }) => client.passkey.verifyRegistration({ challengeId: id, credential: {} as never }),
  startAuthentication: ({ client }) => client.passkey.startAuthentication(),
  verifyAuthentication: ({ client }) =>
    client.passkey.verifyAuthentication({ challengeId: id, credential: {} as never }),
  list: ({ client }) => client.passkey.list(),
  update: ({ client }) => client.passkey.update({ passkeyId: id, friendlyName: 'A' }),
  delete: ({ client }) => client.passkey.delete({ passkeyId: id }),
}

const adminUses: Uses<GoTrueAdminApi> = {
  signOut: ({ admin, accessToken }) => admin.signOut(accessToken),
  inviteUserByEmail: ({ admin }) => admin.inviteUserByEmail('invited@example.com'),
  generateLink: ({ admin, email }) => admin.generateLink({ type: 'magiclink', email }),
  createUser: ({ admin }) => admin.createUser({ email: 'made@example.com' }),
  listUsers: async ({ admin, userId }) => {
    const { data, error } = await admin.listUsers({ perPage: 200 })
    expect(data.users.map((user) => user.id)).to.include(userId)
    expect((await admin.listUsers({ page: 2, perPage: 200 })).data.users).to.deep.equal([])
    return { error: error ?? (await admin.listUsers()).error }
  },
  getUserById: ({ admin, userId }) => admin.getUserById(userId),
  updateUserById: ({ admin, userId }) => admin.updateUserById(userId, { ban_duration: '1h' }),
  deleteUser: ({ admin, userId }) => admin.deleteUser(userId),
}

const adminMfaUses: Uses<GoTrueAdminApi['mfa']> = {
  listFactors: ({ admin, userId }) => admin.mfa.listFactors({ userId }),
  deleteFactor: ({ admin, userId }) => admin.mfa.deleteFactor({ userId, id }),
}

const adminOauthUses: Uses<GoTrueAdminApi['oauth']> = {
  listClients: ({ admin }) => admin.oauth.listClients(),
  createClient: ({ admin }) => admin.oauth.createClient({ client_name: 'A', redirect_uris: ['https://example.com'] }),
  getClient: ({ admin }) => admin.oauth.getClient(id),
  updateClient: ({ admin }) => admin.oauth.updateClient(id, { client_name: 'B' }),
  deleteClient: ({ admin }) => admin.oauth.deleteClient(id),
  regenerateClientSecret: ({ admin }) => admin.oauth.regenerateClientSecret(id),
}

const adminProviderUses: Uses<GoTrueAdminApi['customProviders']> = {
  listProviders: ({ admin }) => admin.customProviders.listProviders(),
  createProvider: ({ admin }) =>
    admin.customProviders.createProvider({
      provider_type: 'oidc',
      identifier: 'custom:a',
      name: 'A',
      client_id: 'a',
      client_secret: 'b',
    }),
  getProvider: ({ admin }) => admin.customProviders.getProvider('custom:a'),
  updateProvider: ({ admin }) => admin.customProviders.updateProvider('custom:a', { name: 'B' }),
  deleteProvider: ({ admin }) => admin.customProviders.deleteProvider('custom:a'),
}

const adminPasskeyUses: Uses<GoTrueAdminApi['passkey']> = {
  listPasskeys: ({ admin, userId }) => admin.passkey.listPasskeys({ userId }),
  deletePasskey: ({ admin, userId }) => admin.passkey.deletePasskey({ userId, passkeyId: id }),
}

const uses: readonly (readonly [prefix: string, uses: Readonly<Record<string, Use>>])[] = [
  ['', clientUses],
  ['mfa.', mfaUses],
  ['mfa.webauthn.', mfaWebauthnUses],
  ['mfa.recoveryCodes.', mfaCodeUses],
  ['oauth.', oauthUses],
  ['passkey.', passkeyUses],
  ['admin.', adminUses],
  ['admin.mfa.', adminMfaUses],
  ['admin.oauth.', adminOauthUses],
  ['admin.customProviders.', adminProviderUses],
  ['admin.passkey.', adminPasskeyUses],
]

/** Methods of the table in docs/wallet.md, with their results. */
async function documented(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(new URL('../../../docs/wallet.md', import.meta.url), 'utf8')
  const [, table = ''] = /\| `auth-js` methods \| Result \|\n\| --- \| --- \|\n((?:\|.*\n)+)/.exec(text) ?? []
  const rows = new Map<string, string>()
  for (const [, methods = '', result = ''] of table.matchAll(/^\| (.*) \| (.*) \|$/gm)) {
    for (const [, name = ''] of methods.matchAll(/`([^`]+)`/g)) {
      // `passkey.*` stands for all methods of the namespace.
      const prefix = name.endsWith('.*') ? name.slice(0, -1) : undefined
      const [, all] = uses.find(([known]) => known === prefix) ?? []
      const names = all === undefined ? [name] : Object.keys(all).map((one) => `${prefix ?? ''}${one}`)
      for (const one of names) {
        expect(rows.has(one), `${one} is in the table twice`).to.equal(false)
        rows.set(one, result)
      }
    }
  }
  return rows
}

describe('the methods of auth-js', function () {
  this.timeout(60_000)
  let db: TestDatabase
  let providers: MockProviders
  let auth: RunningAuth
  before(async () => {
    db = await createTestDatabase()
    providers = await startMockProviders()
    auth = await runAuth(db, {
      providers: () => [
        githubProvider({ clientId: 'github-app', clientSecret: 'the-secret-of-the-application' }, providers.github),
      ],
    })
  })
  after(async () => {
    await auth.stop()
    await providers.close()
    await db.drop()
  })

  const resultOf = async (name: string, use: Use): Promise<string> => {
    const email = `${name.toLowerCase()}@example.com`
    const { accessToken, refreshToken, userId } = await signIn(auth, email)
    const client = auth.client()
    await client.setSession({ access_token: accessToken, refresh_token: refreshToken })
    const admin = auth.admin('the-token-of-services')
    const outcome = await use({ auth, client, admin, email, userId, accessToken, refreshToken })
    await client.stopAutoRefresh()
    const error = outcome?.error
    if (error === undefined || error === null) return 'supported'
    const { status, code, message } = error as { status?: number; code?: string; message: string }
    return status === undefined ? message : `\`${code ?? 'none'}\` (${status})`
  }

  it('match the table in docs/wallet.md', async () => {
    const found: Record<string, string> = {}
    for (const [prefix, all] of uses)
      for (const [method, use] of Object.entries(all)) found[prefix + method] = await resultOf(prefix + method, use)
    expect(Object.fromEntries(await documented())).to.deep.equal(found)
  })
})
