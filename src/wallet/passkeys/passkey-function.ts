import type { Middleware } from 'koa'
import type pg from 'pg'
import { z } from 'zod'
import { clientNetwork } from '../../platform/limits/clients.ts'
import type { StatementRunner } from '../../platform/db/named-query.ts'
import { withTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import { functionAnswer, functionCall, functionCors, functionErrors } from '../../platform/http/functions.ts'
import type { RequestState } from '../../platform/http/requests.ts'
import { bindRoutes, routesOf } from '../../platform/http/route.ts'
import type { Call, Route } from '../../platform/http/route.ts'
import type { Logger } from '../../platform/log.ts'
import type { AuthSessions } from '../auth/auth-sessions.ts'
import { foreignRecoveryMail, passkeyMail, recoveryMail } from '../auth/mail.ts'
import type { Outbox } from '../../platform/mail/outbox.ts'
import type { ConfirmUserChange, UserChange } from '../auth/user-changes.ts'
import { RateLimits } from '../auth/stores/rate-limits.ts'
import {
  confirmation,
  requireAbandoned,
  requireConfirmed,
  requireConfirmedOrRecent,
  startConfirmation,
} from './confirm.ts'
import {
  DeviceRequests,
  acceptDevice,
  cancelDevice,
  deviceStatus,
  finishDevice,
  joinDevice,
  startDevice,
} from './devices.ts'
import {
  EmailRecovery,
  beginRecovery,
  cancelRecovery,
  cancelRecoveryOf,
  completeRecoveries,
  enableRecovery,
  recoveryStatus,
  startRecovery,
} from './email-recovery.ts'
import { readData, functionError, passkeyLimits } from './endpoint.ts'
import type { ClientAttempt, Endpoint, OpenCall, PasskeyParts, SessionEndpoint, PasskeyLimits } from './endpoint.ts'
import { listAccepted, listActivity, listPasskeys, removePasskey, updatePasskey } from './manage.ts'
import { finishRegistration, startRegistration } from './register.ts'
import { finishSignIn, startSignIn, SignInStore } from './sign-in.ts'
import { noKeysOnChain, PasskeyStore } from './passkey-store.ts'
import type { KeysOnChain } from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'
import type { WalletNetwork } from '../settings.ts'
import { PasskeyAudit } from './passkey-audit.ts'
import type { Caller, PasskeyNote } from './passkey-audit.ts'
import { ChallengeStore } from './challenges.ts'

export interface PasskeyFunctionOptions {
  readonly pool: pg.Pool
  readonly statements?: StatementRunner
  readonly log: Logger
  /** The port may be known only later. */
  readonly relyingParty: () => RelyingParty
  readonly sessions: AuthSessions
  readonly endpoints?: Readonly<Record<string, SessionEndpoint>>
  readonly keysOnChain?: KeysOnChain | undefined
  readonly outbox?: Pick<Outbox, 'store' | 'deliver'> | undefined
  readonly onNote?: ((note: PasskeyNote) => void) | undefined
  readonly limits?: PasskeyLimits
  /** Networks with the contract FlowfarmRecovery. */
  readonly recoveryNetworks?: readonly WalletNetwork[]
}

export interface PasskeyFunction {
  readonly routes: readonly Route<unknown>[]
  readonly cors: Middleware<RequestState>
  readonly confirmUserChange: ConfirmUserChange
  /** Registers passkeys of recoveries that are due. */
  completeRecoveries(): Promise<void>
  cancelRecovery(userId: string): Promise<void>
  /** Mails about a key that was announced for the account without a recovery. */
  notifyForeignRecovery(userId: string, address: string): Promise<void>
  prune(): Promise<void>
}

export const passkeyFunctionPath = '/functions/v1/passkey-auth'

const errorForm = functionErrors({ 401: 'UNAUTHORIZED', 404: 'NOT_FOUND', 429: 'RATE_LIMITED' })

interface PasskeyServices {
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly parts: () => PasskeyParts
}

const route = routesOf<PasskeyServices>()

export const passkeyRoutes: readonly Route<PasskeyServices>[] = [
  route({
    method: 'POST',
    path: passkeyFunctionPath,
    operationId: 'callPasskeys',
    tag: 'Passkeys',
    summary: 'Run an endpoint of the passkeys and accounts',
    errorForm,
    problems: {
      401: 'No valid access token or assertion.',
      403: 'The access token, relying party or assertion does not allow it.',
      404: 'Unknown endpoint, passkey or challenge.',
      409: 'The passkey or account exists already, or has changed.',
      410: 'The challenge has expired.',
      422: 'The authenticator returned no public key.',
      429: 'Too many requests. Retry after `Retry-After`.',
      503: 'The auth server or the chain is unavailable.',
    },
    // Several times the largest authenticator response.
    maxBodyBytes: 64 * 1024,
    body: functionCall,
    response: functionAnswer,
    handler: async (input, services) => ({ body: { success: true as const, data: await answer(input, services) } }),
  }),
]

export function createPasskeyFunction(options: PasskeyFunctionOptions): PasskeyFunction {
  const { pool, statements = pool, log, sessions, limits = passkeyLimits, recoveryNetworks = [] } = options
  const rates = new RateLimits(pool, statements)
  const stores = {
    passkeys: new PasskeyStore(pool, statements),
    challenges: new ChallengeStore(pool),
    audit: new PasskeyAudit(pool, options.onNote),
    signIns: new SignInStore(statements, rates),
    pool,
    devices: new DeviceRequests(pool),
    recovery: new EmailRecovery(pool, recoveryNetworks),
    rates,
  }
  const partsNow = (): PasskeyParts => {
    const relyingParty = options.relyingParty()
    const { outbox, keysOnChain = noKeysOnChain } = options
    const notifyOwner: PasskeyParts['notifyOwner'] = async (client, email, event, { address }) => {
      if (email === undefined) return
      await outbox?.store(client, passkeyMail({ to: email, name: relyingParty.name, event, from: address }))
    }
    const notifyRecovery: PasskeyParts['notifyRecovery'] = async (client, email, event, { address }) => {
      if (email === undefined) return
      await outbox?.store(client, recoveryMail({ to: email, name: relyingParty.name, event, from: address }))
    }
    return {
      relyingParty,
      sessions,
      ...stores,
      limits,
      log,
      notifyOwner,
      notifyRecovery,
      deliverMails: () => outbox?.deliver(),
      keysOnChain,
    }
  }
  return {
    confirmUserChange: confirmUserChange(partsNow),
    routes: bindRoutes(passkeyRoutes, { endpoints: allEndpoints(options.endpoints ?? {}), parts: partsNow }),
    cors: functionCors(passkeyFunctionPath, {
      errorForm,
      allows: (origin) => options.relyingParty().allows(origin),
      refusal: () => functionError('ORIGIN_NOT_ALLOWED', 'This origin may not use the passkeys.'),
    }),
    completeRecoveries: () => completeRecoveries(partsNow()),
    cancelRecovery: (userId) => cancelRecoveryOf(userId, partsNow()),
    notifyForeignRecovery: async (userId, address) => {
      const { outbox } = options
      const to = (await sessions.findUser(userId))?.email
      if (outbox === undefined || to === undefined) return
      const mail = foreignRecoveryMail({ to, name: options.relyingParty().name, address })
      await withTransaction(pool, (client) => outbox.store(client, mail))
      outbox.deliver()
    },
    prune: async () => {
      await stores.challenges.prune()
      await stores.devices.prune()
      await stores.rates.prune()
      await stores.audit.prune()
    },
  }
}

interface AnswerInput {
  readonly body: z.output<typeof functionCall>
  readonly bearer: string | undefined
  readonly call: Call
}

async function answer(
  { body: { endpoint: name, data }, bearer, call: { client, header, signal } }: AnswerInput,
  { endpoints, parts }: PasskeyServices,
): Promise<unknown> {
  const endpoint = endpoints.get(name)
  if (endpoint === undefined)
    throw functionError('NOT_FOUND', 'Unknown endpoint (field "endpoint").', { field: 'endpoint' })
  const caller: Caller = {
    address: client.address,
    origin: header('Origin') || undefined,
    userAgent: header('User-Agent') || undefined,
  }
  return await call(endpoint, name, { caller, data, parts: parts(), token: bearer, signal })
}

interface Called {
  readonly caller: Caller
  readonly data: unknown
  readonly parts: PasskeyParts
  readonly token: string | undefined
  readonly signal: AbortSignal
}

async function call(endpoint: Endpoint, name: string, { token, ...called }: Called): Promise<unknown> {
  const {
    caller,
    parts: { rates, limits, audit, sessions },
  } = called
  const limit = limits[endpoint.limits]
  let userId: string | undefined
  try {
    const attempt: ClientAttempt = {
      action: `passkey ${name}`,
      subject: clientNetwork(caller.address),
      limit: limit.client,
      isCounted: false,
    }
    if (endpoint.access === 'open') return await runOpen(endpoint, { ...called, attempt })
    await rates.take(attempt.action, attempt.subject, attempt.limit)
    attempt.isCounted = true
    if (token === undefined)
      throw functionError(
        'UNAUTHORIZED',
        'Authentication required. Send the access token as `Authorization: Bearer <token>`.',
      )
    const signedIn = await sessions.authenticate(token)
    userId = signedIn.user.id
    if (signedIn.clientId !== undefined)
      throw functionError(
        'CLIENT_NOT_ALLOWED',
        'A session of another program has no access to passkeys and accounts. Use the wallet.',
      )
    await rates.take(`passkey ${name} of account`, userId, limit.account)
    return await endpoint.run({ ...called, attempt, signedIn })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMITED') await audit.noteLimited(caller, name, userId)
    throw error
  }
}

async function runOpen(endpoint: Extract<Endpoint, { readonly access: 'open' }>, call: OpenCall): Promise<unknown> {
  try {
    return await endpoint.run(call)
  } catch (error) {
    const {
      attempt,
      parts: { rates },
    } = call
    if (!attempt.isCounted) await rates.take(attempt.action, attempt.subject, attempt.limit)
    throw error
  }
}

const input = z.object({ confirmation })

function confirmUserChange(partsNow: () => PasskeyParts): ConfirmUserChange {
  return {
    hasPasskey: (userId) => {
      const { passkeys, relyingParty } = partsNow()
      return passkeys.hasAny(userId, relyingParty.id)
    },
    confirm: async ({ userId, change, given, client: { address, userAgent }, signal }) => {
      const parts = partsNow()
      const { confirmation: read } = readData(input, { confirmation: given ?? undefined })
      if (change.action === 'delete-user')
        await requireAbandoned(userId, await parts.passkeys.of(userId), change.abandon, { parts, signal })
      return requireConfirmed({ userId, change, given: read, caller: { address, userAgent, origin: undefined }, parts })
    },
  }
}

const own: readonly (readonly [string, Endpoint])[] = [
  ['/register/start', { access: 'session', limits: 'ceremony', run: startRegistration }],
  ['/register/finish', { access: 'session', limits: 'ceremony', run: finishRegistration }],
  ['/login/start', { access: 'open', limits: 'begin', run: startSignIn }],
  ['/login/finish', { access: 'open', limits: 'ceremony', run: finishSignIn }],
  ['/recovery/status', { access: 'session', limits: 'manage', run: recoveryStatus }],
  ['/recovery/enable', { access: 'session', limits: 'ceremony', run: enableRecovery }],
  ['/recovery/start', { access: 'session', limits: 'ceremony', run: startRecovery }],
  ['/recovery/begin', { access: 'session', limits: 'ceremony', run: beginRecovery }],
  ['/recovery/cancel', { access: 'session', limits: 'ceremony', run: cancelRecovery }],
  ['/devices/start', { access: 'session', limits: 'ceremony', run: startDevice }],
  ['/devices/status', { access: 'session', limits: 'manage', run: deviceStatus }],
  ['/devices/accept', { access: 'session', limits: 'ceremony', run: acceptDevice }],
  ['/devices/cancel', { access: 'session', limits: 'manage', run: cancelDevice }],
  ['/devices/join', { access: 'open', limits: 'ceremony', run: joinDevice }],
  ['/devices/finish', { access: 'open', limits: 'ceremony', run: finishDevice }],
  ['/passkeys/list', { access: 'session', limits: 'manage', run: listPasskeys }],
  ['/passkeys/accepted', { access: 'session', limits: 'ceremony', run: listAccepted }],
  ['/passkeys/activity', { access: 'session', limits: 'manage', run: listActivity }],
  ['/passkeys/confirm', { access: 'session', limits: 'ceremony', run: startConfirmation }],
  ['/passkeys/remove', { access: 'session', limits: 'ceremony', run: removePasskey }],
  ['/passkeys/update', { access: 'session', limits: 'manage', run: updatePasskey }],
]

function allEndpoints(added: Readonly<Record<string, SessionEndpoint>>): ReadonlyMap<string, Endpoint> {
  const more = Object.entries(added).map(([name, handle]): readonly [string, Endpoint] => [
    name,
    {
      access: 'session',
      limits: 'manage',
      run: (called) => {
        const { signedIn, data, signal, caller } = called
        const network = clientNetwork(caller.address)
        const client = { address: caller.address, network, userAgent: caller.userAgent?.slice(0, 300) ?? '' }
        const confirm = (change: UserChange, given: unknown): Promise<boolean> =>
          requireConfirmedOrRecent(called, change, readData(input, { confirmation: given }).confirmation)
        return handle(signedIn, data, { signal, network, client, confirm })
      },
    },
  ])
  return new Map([...more, ...own])
}
