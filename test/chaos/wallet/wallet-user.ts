import { pause } from '../../../src/platform/retry.ts'
import type { Random } from '../../simulation/random.ts'
import { SoftAuthenticator } from '../../wallet/support/soft-authenticator.ts'
import type { CreationOptions, RequestOptions } from '../../wallet/support/soft-authenticator.ts'
import type { Mailbox } from './mailbox.ts'
import type { Answer, WalletCalls } from './wallet-calls.ts'

/** Results reported to a user, or possible without a report. */
export interface KnownKey {
  readonly id: string
  /** 130 hex digits. */
  readonly publicKeySec1Hex: string
  /** Confirmed by the wallet; otherwise the wallet may have it. */
  isSure: boolean
}

/** A session as known to its owner. */
export interface HeldSession {
  access: string
  refresh: string
  /** Start of unanswered attempts to refresh (`performance.now()`). */
  triedSince: number | undefined
  /** Signed out, or refreshed too late. */
  isEnded: boolean
}

/** Status of an account as reported to its owner. */
interface Standing {
  readonly address?: string
  readonly error?: { readonly mayRetry: boolean; readonly message: string }
}

export interface WalletUserOptions {
  readonly number: number
  readonly calls: WalletCalls
  readonly mailbox: Mailbox
  readonly random: Random
  /**
   * Whether the wallet's clock was wrong at any time: it then rejects access tokens as not valid
   * yet or expired.
   */
  readonly wasClockStepped: () => boolean
  /** Whether short-lived data of the database, such as challenges, may have been lost recently. */
  readonly wasDatabaseAway: () => boolean
  readonly signal: AbortSignal
}

const betweenMs = 250
/** Exceeds any fault of a run, so that retried operations have completed by then. */
const doneWithinMs = 60_000
/** An accepted but unwritten e-mail is lost when the process is killed. */
const mailWithinMs = 8000
/** How long a used refresh token returns the same response, less the response time. */
const graceMs = 8500
const refreshPath = '/auth/v1/token?grant_type=refresh_token'
const passkeyFunction = '/functions/v1/passkey-auth'

/**
 * A user with an e-mail address and an authenticator. Responses are stored and compared with the
 * actual state at the end.
 */
export class WalletUser {
  readonly email: string
  readonly address: string
  readonly keys: KnownKey[] = []
  readonly sessions: HeldSession[] = []
  /** As reported; undefined without a sign-up response, when the user may or may not exist. */
  userId: string | undefined
  /** The passkey for which an account was requested. */
  wanted: KnownKey | undefined
  /** The reported account. */
  account: string | undefined
  signIns = 0
  refreshes = 0
  readonly #options: WalletUserOptions
  readonly #authenticator: SoftAuthenticator

  constructor(options: WalletUserOptions) {
    const { number, calls } = options
    this.#options = options
    this.email = `user-${number}@example.com`
    this.address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
    this.#authenticator = new SoftAuthenticator(calls.url)
  }

  get authenticator(): SoftAuthenticator {
    return this.#authenticator
  }

  /** Signs in with an e-mail code. @returns false without a confirmed result */
  async signUp(): Promise<boolean> {
    const { email, address } = this
    const { calls, mailbox, signal } = this.#options
    // Sent once: an unanswered request may have sent an e-mail, and a retry is allowed only after a
    // minute.
    const requested = await calls.ask('POST', '/auth/v1/otp', { body: { email }, address })
    if (requested !== undefined && requested.status !== 200)
      calls.complain(`a sign-up e-mail was refused: ${textOf(requested)}`)
    const code = await mailbox.codeTo(email, mailWithinMs, signal)
    if (code === undefined) return false
    for (let tries = 0; !signal.aborted; tries++) {
      const answer = await calls.ask('POST', '/auth/v1/verify', {
        body: { email, token: code, type: 'email' },
        address,
      })
      if (answer?.status === 200) return this.#begin(answer)
      // A code is valid once, and may have been used before the response was lost.
      if (answer !== undefined && tries > 0) return false
      if (answer !== undefined) {
        calls.complain(`the code of an e-mail was refused: ${textOf(answer)}`)
        return false
      }
      await pause(betweenMs)
    }
    return false
  }

  /** @returns whether a passkey is confirmed */
  async makePasskey(): Promise<boolean> {
    const { calls, signal } = this.#options
    let triedSince = performance.now()
    while (!signal.aborted) {
      const started = await this.call('/register/start', {})
      if (started === undefined) return false
      const { options, challengeId } = started as { readonly options: CreationOptions; readonly challengeId: string }
      const response = this.#authenticator.create(options)
      const { id, publicKeySec1Hex } = this.#authenticator.credentials.at(-1) ?? { id: '', publicKeySec1Hex: '' }
      const key: KnownKey = { id, publicKeySec1Hex, isSure: false }
      this.keys.push(key)
      const answer = await this.#askAs('/register/finish', { challengeId, response })
      if (answer?.status === 200) {
        key.isSure = true
        return true
      }
      if (answer !== undefined) {
        this.#refusedCeremony('a new passkey', answer)
        // Rejected: the passkey does not exist.
        this.keys.pop()
        this.#authenticator.credentials.pop()
        continue
      }
      // The list shows whether it exists.
      const listed = await this.call('/passkeys/list', {})
      if (listed === undefined) return false
      if ((listed['passkeys'] as readonly { readonly id: string }[]).some((one) => one.id === id)) {
        key.isSure = true
        return true
      }
      this.#authenticator.credentials.pop()
      if (performance.now() - triedSince > doneWithinMs) {
        calls.complain(`${this.email} could not register a passkey within ${doneWithinMs / 1000} s`)
        triedSince = performance.now()
      }
      // A full disk may have space for a challenge but not for a passkey; such attempts end
      // immediately.
      await pause(betweenMs)
    }
    return false
  }

  /** Polls until the account exists. @returns whether it does */
  async haveAccount(signal = this.#options.signal): Promise<boolean> {
    const { calls } = this.#options
    this.wanted ??= this.keys.find(({ isSure }) => isSure)
    const { wanted } = this
    if (wanted === undefined) return false
    while (!signal.aborted) {
      const answer = await this.#askAs(
        '/wallet/provision',
        { credentialId: wanted.id, networks: ['testnet'], waitSeconds: 4 },
        signal,
      )
      if (answer?.status === 200) {
        const {
          networks: { testnet },
        } = answer.body['data'] as { readonly networks: { readonly testnet: Standing } }
        if (testnet.address !== undefined) {
          const isAnother = this.account !== undefined && this.account !== testnet.address
          if (isAnother) calls.complain(`${this.email} received the account ${this.account}, then ${testnet.address}`)
          this.account = testnet.address
          return true
        }
        if (testnet.error?.mayRetry === false) {
          calls.complain(`the account of ${this.email} failed: ${testnet.error.message}`)
          return false
        }
      } else if (answer !== undefined) {
        calls.complain(`an account was refused: ${textOf(answer)}`)
        return false
      }
      await pause(betweenMs)
    }
    return false
  }

  /** Signs in with a passkey. @returns whether the user is signed in */
  async signIn(signal = this.#options.signal): Promise<boolean> {
    const { address } = this
    const { calls } = this.#options
    if (!this.keys.some(({ isSure }) => isSure)) return false
    while (!signal.aborted) {
      const started = await calls.ask('POST', passkeyFunction, {
        body: { endpoint: '/login/start', data: {} },
        address,
      })
      if (started?.status === 200) {
        const { options, challengeId } = started.body['data'] as {
          readonly options: RequestOptions
          readonly challengeId: string
        }
        const data = { challengeId, response: this.#authenticator.get(options) }
        const finished = await calls.ask('POST', passkeyFunction, {
          body: { endpoint: '/login/finish', data },
          address,
        })
        if (finished?.status === 200) {
          const { tokenHash } = finished.body['data'] as { readonly tokenHash: string }
          const traded = await calls.ask('POST', '/auth/v1/verify', {
            body: { token_hash: tokenHash, type: 'magiclink' },
            address,
          })
          if (traded?.status === 200) {
            this.signIns++
            return this.#begin(traded)
          }
          if (traded !== undefined) calls.complain(`a session was refused after a passkey sign-in: ${textOf(traded)}`)
        } else if (finished !== undefined) this.#refusedCeremony('a passkey', finished)
      } else if (started !== undefined) calls.complain(`a sign-in did not start: ${textOf(started)}`)
      await pause(betweenMs)
    }
    return false
  }

  /**
   * Refreshes a session, sometimes in two tabs at once. @returns false if the session ended, which
   * is allowed after a long outage
   */
  async refresh(session: HeldSession, signal = this.#options.signal): Promise<boolean> {
    const { calls, random } = this.#options
    while (!signal.aborted) {
      session.triedSince ??= performance.now()
      const tabs = random.chance(0.3) ? 2 : 1
      const { refresh } = session
      const answers = await Promise.all(
        Array.from({ length: tabs }, () =>
          calls.ask('POST', refreshPath, { body: { refresh_token: refresh }, address: this.address }),
        ),
      )
      const good = answers.filter((answer) => answer?.status === 200)
      const refused = answers.find((answer) => answer !== undefined && answer.status !== 200)
      const next = new Set(good.map((answer) => answer?.body['refresh_token']))
      if (next.size > 1) calls.complain(`two tabs received different tokens for the same refresh token`)
      for (const answer of good) if (answer !== undefined) this.#isMine(answer)
      if (refused !== undefined) {
        session.isEnded = true
        if (performance.now() - session.triedSince < graceMs)
          calls.complain(`a session of ${this.email} was lost: ${textOf(refused)}`)
        return false
      }
      const [first] = good
      if (first !== undefined) {
        this.refreshes++
        session.triedSince = undefined
        session.access = String(first.body['access_token'])
        session.refresh = String(first.body['refresh_token'])
        return true
      }
      await pause(betweenMs)
    }
    return false
  }

  /** Requests the current user. */
  async look(session: HeldSession): Promise<void> {
    const { calls, wasClockStepped } = this.#options
    const answer = await calls.ask('GET', '/auth/v1/user', { token: session.access, address: this.address })
    if (answer === undefined) return
    if (answer.status === 200) {
      if (answer.body['id'] !== this.userId)
        calls.complain(`${this.email} was identified as ${String(answer.body['id'])}`)
    } else if (!isRefusal(answer) || !wasClockStepped())
      calls.complain(`a session of ${this.email} ended: ${textOf(answer)}`)
    else await this.refresh(session)
  }

  /** Ends a session; final once confirmed. */
  async signOut(session: HeldSession): Promise<void> {
    const { address } = this
    const { calls } = this.#options
    const answer = await calls.ask('POST', '/auth/v1/logout?scope=local', { token: session.access, address })
    session.isEnded = true
    if (answer?.status !== 204) {
      // The session may exist, but no client holds its token.
      if (answer !== undefined && !isRefusal(answer)) calls.complain(`a sign-out was refused: ${textOf(answer)}`)
      return
    }
    const [user, refreshed] = await Promise.all([
      calls.ask('GET', '/auth/v1/user', { token: session.access, address }),
      calls.ask('POST', refreshPath, { body: { refresh_token: session.refresh }, address }),
    ])
    if (user?.status === 200 || refreshed?.status === 200)
      calls.complain(`an ended session of ${this.email} is still valid`)
  }

  /** The current session. */
  get session(): HeldSession | undefined {
    return this.sessions.findLast(({ isEnded }) => !isEnded)
  }

  /**
   * An eventually successful operation of the passkey function. @returns undefined without a
   * session, or after the end of the run
   */
  async call(endpoint: string, data: unknown): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { calls, signal, wasClockStepped } = this.#options
    while (!signal.aborted) {
      const answer = await this.#askAs(endpoint, data)
      if (answer?.status === 200) return answer.body['data'] as Readonly<Record<string, unknown>>
      // With a wrong clock the sign-in may seem too old.
      const seemsOld =
        answer !== undefined && JSON.stringify(answer.body).includes('REAUTHENTICATION_REQUIRED') && wasClockStepped()
      if (answer !== undefined && !seemsOld) {
        calls.complain(`${endpoint} was refused: ${textOf(answer)}`)
        return undefined
      }
      if (this.session === undefined && !(await this.signIn())) return undefined
      await pause(betweenMs)
    }
    return undefined
  }

  /**
   * One attempt with the current session. @returns undefined as in `WalletCalls.ask`, or if the
   * session had to be refreshed first
   */
  async #askAs(endpoint: string, data: unknown, signal = this.#options.signal): Promise<Answer | undefined> {
    const { calls, wasClockStepped } = this.#options
    const session = this.session
    if (session === undefined) {
      await this.signIn(signal)
      return undefined
    }
    const answer = await calls.ask('POST', passkeyFunction, {
      body: { endpoint, data },
      token: session.access,
      address: this.address,
    })
    if (answer?.status !== 401) return answer
    if (!wasClockStepped()) calls.complain(`a session of ${this.email} ended: ${textOf(answer)}`)
    await this.refresh(session, signal)
    return undefined
  }

  #begin(answer: Answer): boolean {
    this.userId ??= (answer.body['user'] as { readonly id: string }).id
    this.#isMine(answer)
    this.sessions.push({
      access: String(answer.body['access_token']),
      refresh: String(answer.body['refresh_token']),
      triedSince: undefined,
      isEnded: false,
    })
    return true
  }

  #isMine(answer: Answer): void {
    const { id, email } = answer.body['user'] as { readonly id: string; readonly email: string }
    if (id !== this.userId || email !== this.email)
      this.#options.calls.complain(`${this.email} (${this.userId}) received a session of ${email} (${id})`)
  }

  #refusedCeremony(what: string, answer: Answer): void {
    const { calls, wasDatabaseAway } = this.#options
    const { code } = answer.body['error'] as { readonly code: string }
    // Challenges do not survive a database crash.
    if (code.startsWith('CHALLENGE_') && wasDatabaseAway()) return
    calls.complain(`${what} of ${this.email} was refused: ${textOf(answer)}`)
  }
}

/** Response of the auth endpoint and the function for an invalid session. */
function isRefusal({ status }: Answer): boolean {
  return status === 401 || status === 403
}

function textOf({ status, body }: Answer): string {
  return `${status} ${JSON.stringify(body).slice(0, 300)}`
}
