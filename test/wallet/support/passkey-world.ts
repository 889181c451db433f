import { randomBytes, randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { addressList, clientReader } from '../../../src/platform/limits/clients.ts'
import { ApiError } from '../../../src/platform/errors.ts'
import { createHttpServer } from '../../../src/platform/http/server.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import { PreparedStatements } from '../../../src/platform/db/prepared-statements.ts'
import type { AuthSessions, AuthUser, SessionToken, SignedIn } from '../../../src/wallet/auth/auth-sessions.ts'
import type { EndpointLimits, PasskeyLimits } from '../../../src/wallet/passkeys/endpoint.ts'
import { createPasskeyFunction } from '../../../src/wallet/passkeys/passkey-function.ts'
import type { PasskeyFunction, PasskeyFunctionOptions } from '../../../src/wallet/passkeys/passkey-function.ts'
import { readRelyingParty } from '../../../src/wallet/passkeys/relying-party.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { SoftAuthenticator } from './soft-authenticator.ts'
import type { CreateDeviations, CreationOptions, GetDeviations, RequestOptions } from './soft-authenticator.ts'

export const origin = 'https://wallet.example.com'
export const rpId = 'example.com'

export interface Envelope<Data = Readonly<Record<string, unknown>>> {
  readonly status: number
  readonly headers: Headers
  readonly success: boolean
  readonly data: Data
  readonly error: { readonly code: string; readonly message: string; readonly accounts?: readonly string[] }
}

export interface Started<Options> {
  readonly options: Options
  readonly challengeId: string
}

export interface ListedPasskey {
  readonly id: string
  readonly authenticatorName: string
  readonly deviceType: string
  readonly backedUp: boolean
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly publicKeySec1Hex: string
}

export interface Registered {
  readonly verified: boolean
  readonly credentialId: string
  readonly publicKeySec1Hex: string
  readonly passkey: ListedPasskey
}

export interface Audited {
  readonly event: string
  readonly is_done: boolean
  readonly user_id: string | null
  readonly credential_id: string | null
  readonly ip: string | null
  readonly origin: string | null
  readonly user_agent: string | null
  readonly reason: string | null
}

/** A signed-in user with an authenticator. */
export interface TestUser {
  readonly user: AuthUser
  readonly token: string
  readonly authenticator: SoftAuthenticator
}

const often: EndpointLimits = {
  client: { max: 100_000, periodMs: 300_000 },
  account: { max: 100_000, periodMs: 300_000 },
}
const unlimited: PasskeyLimits = { begin: often, ceremony: often, manage: often }

/** In-memory sessions of signed-in users. */
class TestSessions implements AuthSessions {
  readonly users = new Map<string, SignedIn>()
  readonly tokenHashes = new Map<string, string>()

  signIn(user: AuthUser, authenticatedAt = new Date()): string {
    const token = randomBytes(20).toString('hex')
    this.users.set(token, { user, sessionId: randomUUID(), authenticatedAt })
    return token
  }

  async authenticate(accessToken: string): Promise<SignedIn> {
    const signedIn = this.users.get(accessToken)
    if (signedIn === undefined) throw new ApiError(401, 'UNAUTHORIZED', 'Sign in first.')
    return signedIn
  }

  async createSessionToken(userId: string): Promise<SessionToken | undefined> {
    const user = await this.findUser(userId)
    if (user === undefined) return undefined
    const tokenHash = randomBytes(20).toString('hex')
    this.tokenHashes.set(tokenHash, userId)
    return { tokenHash, email: user.email }
  }

  openForClient(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  async findUser(userId: string): Promise<AuthUser | undefined> {
    return [...this.users.values()].find(({ user }) => user.id === userId)?.user
  }

  async lockUser(_client: unknown, userId: string): Promise<boolean> {
    return (await this.findUser(userId)) !== undefined
  }
}

export interface WorldOptions extends Partial<PasskeyFunctionOptions> {
  readonly trustedProxies?: readonly string[]
  readonly database?: TestDatabase
}

/**
 * The passkey function on a server with its own database, as in the wallet. Sessions are in memory.
 */
export class PasskeyWorld {
  readonly database: TestDatabase
  readonly sessions: TestSessions
  readonly passkeyFunction: PasskeyFunction
  /** All log lines. */
  readonly logged: readonly string[]
  readonly #stop: () => Promise<void>
  readonly #url: string

  constructor(
    {
      database,
      sessions,
      passkeyFunction,
      logged,
    }: Pick<PasskeyWorld, 'database' | 'sessions' | 'passkeyFunction' | 'logged'>,
    { url, stop }: { readonly url: string; readonly stop: () => Promise<void> },
  ) {
    this.database = database
    this.sessions = sessions
    this.passkeyFunction = passkeyFunction
    this.logged = logged
    this.#url = url
    this.#stop = stop
  }

  /** @param given a database that the caller drops after `stop` */
  static async create({ database: given, trustedProxies = [], ...options }: WorldOptions = {}): Promise<PasskeyWorld> {
    const database = given ?? (await createTestDatabase({ max: 20 }))
    const logged: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
    const party = readRelyingParty({
      url: origin,
      rpId,
      rpName: 'Wallet',
      origins: [origin, 'https://*.apps.example.com'],
    })
    const sessions = new TestSessions()
    const statements = new PreparedStatements(database.url, { max: 2, depth: 16, idleTimeoutMs: 60_000 })
    const passkeyFunction = createPasskeyFunction({
      pool: database.pool,
      statements,
      log,
      relyingParty: () => party,
      sessions,
      limits: unlimited,
      ...options,
    })
    const server = await createHttpServer(
      {
        service: 'wallet',
        host: '127.0.0.1',
        port: 0,
        log,
        metrics: new Metrics(),
        clientOf: clientReader(addressList(trustedProxies)),
        closeGraceMs: 500,
      },
      {
        routes: passkeyFunction.routes,
        services: undefined,
        before: [passkeyFunction.cors],
        checkResponses: true,
        retrySeconds: 1,
      },
    )
    return new PasskeyWorld(
      { database, sessions, passkeyFunction, logged },
      {
        url: `http://127.0.0.1:${server.port}/functions/v1/passkey-auth`,
        stop: async () => {
          await server.close()
          await statements.end()
          if (given === undefined) await database.drop()
        },
      },
    )
  }

  stop(): Promise<void> {
    return this.#stop()
  }

  fetch(init: RequestInit): Promise<Response> {
    return fetch(this.#url, init)
  }

  async call<Data = Readonly<Record<string, unknown>>>(
    endpoint: string,
    data?: unknown,
    {
      token,
      headers = {},
    }: { readonly token?: string | undefined; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Envelope<Data>> {
    const response = await this.fetch({
      method: 'POST',
      body: JSON.stringify({ endpoint, data }),
      headers: {
        'Content-Type': 'application/json',
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
    })
    return {
      status: response.status,
      headers: response.headers,
      ...((await response.json()) as Omit<Envelope<Data>, 'status' | 'headers'>),
    }
  }

  /** A new user who has just signed in. */
  testUser({
    email = `${randomBytes(4).toString('hex')}@example.com`,
    authenticatedAt = new Date(),
    counts = true,
  }: { readonly email?: string | null; readonly authenticatedAt?: Date; readonly counts?: boolean } = {}): TestUser {
    const user: AuthUser = {
      id: randomUUID(),
      email: email ?? undefined,
      isEmailConfirmed: email !== null,
      appMetadata: {},
      userMetadata: {},
    }
    return {
      user,
      token: this.sessions.signIn(user, authenticatedAt),
      authenticator: new SoftAuthenticator(origin, { counts }),
    }
  }

  /** The same user with an older session. */
  later(testUser: TestUser, minutes: number): TestUser {
    return { ...testUser, token: this.sessions.signIn(testUser.user, new Date(Date.now() - minutes * 60_000)) }
  }

  /** Starts a registration, confirmed by a passkey if the user has one. */
  async startRegistration(
    testUser: Pick<TestUser, 'token'> & Partial<Pick<TestUser, 'authenticator'>>,
    data: object = {},
  ): Promise<Started<CreationOptions>> {
    const { token, authenticator } = testUser
    const started = await this.call<Started<CreationOptions>>('/register/start', data, { token })
    if (started.success || started.error.code !== 'REAUTHENTICATION_REQUIRED' || authenticator === undefined)
      return dataOf(started)
    const confirmation = await this.confirm({ token, authenticator })
    return dataOf(await this.call<Started<CreationOptions>>('/register/start', { ...data, confirmation }, { token }))
  }

  /** Creates a passkey, with the given deviations. */
  async register(
    testUser: Pick<TestUser, 'token' | 'authenticator'>,
    deviations: CreateDeviations = {},
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<Envelope<Registered>> {
    const { options, challengeId } = await this.startRegistration(testUser)
    return this.call<Registered>(
      '/register/finish',
      { challengeId, response: testUser.authenticator.create(options, deviations), ...more },
      { token: testUser.token },
    )
  }

  /** A new user who has a passkey. */
  async withPasskey(
    of: Parameters<PasskeyWorld['testUser']>[0] = {},
  ): Promise<TestUser & { readonly credentialId: string }> {
    const testUser = this.testUser(of)
    const { passkey } = dataOf(await this.register(testUser))
    return { ...testUser, credentialId: passkey.id }
  }

  async startSignIn(data: unknown = {}): Promise<Started<RequestOptions>> {
    return dataOf(await this.call<Started<RequestOptions>>('/login/start', data))
  }

  /** Signs in with a passkey, with the given deviations. */
  async signIn(
    { authenticator }: Pick<TestUser, 'authenticator'>,
    deviations: GetDeviations = {},
    requested: unknown = {},
  ): Promise<Envelope> {
    const { options, challengeId } = await this.startSignIn(requested)
    return this.call('/login/finish', { challengeId, response: authenticator.get(options, deviations) })
  }

  /** The `confirmation` of a change. */
  async confirm(
    { token, authenticator }: Pick<TestUser, 'token' | 'authenticator'>,
    change: object = { action: 'add-passkey' },
    deviations: GetDeviations = {},
  ): Promise<{ readonly challengeId: string; readonly response: unknown }> {
    const { options, challengeId } = dataOf(
      await this.call<Started<RequestOptions>>('/passkeys/confirm', { change }, { token }),
    )
    return { challengeId, response: authenticator.get(options, deviations) }
  }

  async listed({ token }: Pick<TestUser, 'token'>): Promise<readonly ListedPasskey[]> {
    return dataOf(await this.call<{ passkeys: readonly ListedPasskey[] }>('/passkeys/list', undefined, { token }))
      .passkeys
  }

  /** Rows of the audit log, oldest first. */
  async audited(where = 'true', values: readonly unknown[] = []): Promise<readonly Audited[]> {
    const { rows } = await this.database.pool.query<Audited>(
      `select event, is_done, user_id, credential_id, host(ip) as ip, origin, user_agent, reason from wallet.audit_log where ${where} order by id`,
      [...values],
    )
    return rows
  }
}

/** The data of a successful response. */
export function dataOf<Data>(answer: Envelope<Data>): Data {
  if (!answer.success) throw new Error(`${answer.status} ${answer.error.code}: ${answer.error.message}`)
  return answer.data
}
