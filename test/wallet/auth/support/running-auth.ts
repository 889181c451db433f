import { AuthClient, GoTrueAdminApi } from '@supabase/auth-js'
import type { GoTrueClient } from '@supabase/auth-js'
import { pino } from 'pino'
import { addressList, clientReader } from '../../../../src/platform/limits/clients.ts'
import { createHttpServer } from '../../../../src/platform/http/server.ts'
import { Metrics } from '../../../../src/platform/metrics.ts'
import { PreparedStatements } from '../../../../src/platform/db/prepared-statements.ts'
import { createAuth } from '../../../../src/wallet/auth/create-auth.ts'
import type { Auth, AuthOptions } from '../../../../src/wallet/auth/create-auth.ts'
import { authLimits } from '../../../../src/wallet/auth/stores/attempt-limits.ts'
import type { AuthLimits } from '../../../../src/wallet/auth/stores/attempt-limits.ts'
import type { Mail } from '../../../../src/platform/mail/mail-sender.ts'
import type { OAuthProvider } from '../../../../src/wallet/auth/providers.ts'
import type { TestDatabase } from '../../../support/database.ts'

/** A response, with its body parsed if it is JSON. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
  readonly text: string
}

export interface RunningAuth extends Auth {
  readonly origin: string
  readonly url: string
  /** Log lines of all levels. */
  readonly logged: readonly string[]
  /** Sent e-mails, oldest first. */
  readonly mails: readonly Mail[]
  call(method: string, path: string, init?: { body?: unknown; headers?: Record<string, string> }): Promise<Answered>
  /** Submits the form of the page that a link opens. */
  press(link: string, headers?: Record<string, string>): Promise<Answered>
  /** Content of the last e-mail to an address, once it is sent. */
  mailTo(email: string): Promise<{ readonly code: string; readonly link: string; readonly token: string }>
  /** A GoTrue client with its own storage. */
  client(flowType?: 'pkce' | 'implicit'): GoTrueClient
  admin(token: string): GoTrueAdminApi
  /** Token that is exchanged for a session after a passkey sign-in. */
  tokenHashOf(userId: string): Promise<string>
  stop(): Promise<void>
}

/** Limits that no test reaches by accident. */
export const noLimits: AuthLimits = Object.fromEntries(
  Object.keys(authLimits).map((name) => [name, { max: 1_000_000, periodMs: 60_000 }]),
) as unknown as AuthLimits

/** Methods that auth-js enables one by one. */
const experimental = { recoveryCodes: true }

/** Starts the auth endpoint on a port of 127.0.0.1. */
export async function runAuth(
  database: TestDatabase,
  {
    providers = () => [],
    beforeMail = () => Promise.resolve(),
    ...options
  }: Partial<Omit<AuthOptions, 'pool' | 'log' | 'providers'>> & {
    readonly providers?: (walletUrl: string) => readonly OAuthProvider[]
    readonly beforeMail?: () => Promise<void>
  } = {},
): Promise<RunningAuth> {
  const logged: string[] = []
  const mails: Mail[] = []
  const log = pino({ level: 'trace' }, { write: (line) => void logged.push(line) })
  const statements = new PreparedStatements(database.url, { max: 2, depth: 16, idleTimeoutMs: 60_000 })
  let opened: Auth | undefined
  const server = await createHttpServer(
    {
      service: 'wallet',
      metrics: new Metrics(),
      log,
      host: '127.0.0.1',
      port: 0,
      clientOf: clientReader(addressList(['127.0.0.0/8'])),
    },
    async (port) => {
      const origin = `http://127.0.0.1:${port}`
      opened = await createAuth({
        pool: database.pool,
        statements,
        log,
        walletUrl: origin,
        name: 'Test wallet',
        jwtKey: undefined,
        sessionHours: 720,
        serviceToken: 'the-token-of-services',
        sendMail: async (mail) => {
          await beforeMail()
          mails.push(mail)
        },
        providers: providers(origin),
        limits: noLimits,
        isAllowedOrigin: (given) => given === 'https://app.example.com',
        ...options,
      })
      const { routes, guards, cors } = opened.http
      return { routes, guards, services: undefined, before: [cors], retrySeconds: 1 }
    },
  )
  if (opened === undefined) throw new Error('the server has no auth')
  const auth = opened
  const origin = `http://127.0.0.1:${server.port}`
  const url = `${origin}/auth/v1`
  const call = async (path: string, init: RequestInit): Promise<Answered> => {
    const response = await fetch(path.startsWith('http') ? path : `${url}${path}`, { redirect: 'manual', ...init })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : {}) as Record<string, unknown>,
    }
  }
  return {
    ...auth,
    origin,
    url,
    logged,
    mails,
    call: (method, path, { body, headers = {} } = {}) =>
      call(path, {
        method,
        headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    press: (link, headers = { Origin: origin }) =>
      call('/verify', {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ token: new URL(link).searchParams.get('token') ?? '' }).toString(),
      }),
    mailTo: async (email) => {
      await auth.mailsSent()
      const mail = mails.findLast(({ to }) => to === email)
      if (mail === undefined) throw new Error(`nothing was sent to ${email}`)
      const [code = ''] = /\b\d{6}\b/.exec(mail.text) ?? []
      const [link = ''] = /http\S+/.exec(mail.text) ?? []
      return { code, link, token: new URL(link).searchParams.get('token') ?? '' }
    },
    client: (flowType = 'pkce') => {
      const kept = new Map<string, string>()
      const storage = {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => void kept.set(key, value),
        removeItem: (key: string) => void kept.delete(key),
      }
      return new AuthClient({
        url,
        flowType,
        storage,
        storageKey: `key-${Math.random()}`,
        autoRefreshToken: false,
        persistSession: true,
        detectSessionInUrl: false,
        experimental,
      })
    },
    tokenHashOf: async (userId) => {
      const made = await auth.sessions.createSessionToken(userId)
      if (made === undefined) throw new Error(`unknown user ${userId}`)
      return made.tokenHash
    },
    admin: (token) => new GoTrueAdminApi({ url, headers: { Authorization: `Bearer ${token}` }, experimental }),
    stop: async () => {
      await auth.close()
      await statements.end()
      await server.close()
    },
  }
}

/** Signs in by an e-mail code. */
export async function signIn(
  auth: RunningAuth,
  email: string,
): Promise<{ readonly accessToken: string; readonly refreshToken: string; readonly userId: string }> {
  await auth.call('POST', '/otp', { body: { email } })
  const { status, body, text } = await auth.call('POST', '/verify', {
    body: { email, token: (await auth.mailTo(email)).code, type: 'email' },
  })
  if (status !== 200) throw new Error(`not signed in: ${text}`)
  return {
    accessToken: String(body['access_token']),
    refreshToken: String(body['refresh_token']),
    userId: (body['user'] as { id: string }).id,
  }
}
