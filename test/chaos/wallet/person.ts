import { pause } from '../../../src/platform/retry.ts'
import type { Random } from '../../simulation/random.ts'
import { SoftAuthenticator } from '../../wallet/support/soft-authenticator.ts'
import type { CreationOptions, RequestOptions } from '../../wallet/support/soft-authenticator.ts'
import type { Mailbox } from './mailbox.ts'
import type { Answer, WalletCalls } from './wallet-calls.ts'

/** What somebody was told, or may have happened without their being told. */
export interface KnownKey {
  readonly id: string
  /** 130 hex digits. */
  readonly publicKeySec1Hex: string
  /** The wallet said that it has it; else it may have it. */
  isSure: boolean
}

/** A session as its owner has it. */
export interface HeldSession {
  access: string
  refresh: string
  /** Since when they try to trade the refresh token and get no answer (`performance.now()`). */
  triedSince: number | undefined
  /** They signed out, or came too late with a refresh token. */
  isEnded: boolean
}

/** How far an account is, as its owner is told. */
interface Standing {
  readonly address?: string
  readonly error?: { readonly mayRetry: boolean; readonly message: string }
}

export interface PersonOptions {
  readonly number: number
  readonly calls: WalletCalls
  readonly mailbox: Mailbox
  readonly random: Random
  /**
   * Whether the clock of the wallet was wrong at any time: then it refuses access tokens that seem to be of another
   * time.
   */
  readonly wasClockStepped: () => boolean
  /**
   * Whether what the database keeps no longer than its own life, such as challenges, may have been lost a moment ago.
   */
  readonly wasDatabaseAway: () => boolean
  readonly signal: AbortSignal
}

const betweenMs = 250
/** Longer than any trouble of a run: what was asked for again and again is done by then. */
const doneWithinMs = 60_000
/** A mail that was taken on and not written is lost when the process is killed. */
const mailWithinMs = 8000
/** As long as a refresh token that was traded gives the same answer again, less what an answer may take. */
const graceMs = 8500
const refreshPath = '/auth/v1/token?grant_type=refresh_token'
const passkeyFunction = '/functions/v1/passkey-auth'

/**
 * Somebody with an e-mail address and an authenticator. What they are told is kept, to be compared with what is there
 * in the end.
 */
export class Person {
  readonly email: string
  readonly address: string
  readonly keys: KnownKey[] = []
  readonly sessions: HeldSession[] = []
  /** As they were told; undefined: they have no answer to their sign-up, and may be there or not. */
  userId: string | undefined
  /** The passkey for which an account was asked. */
  wanted: KnownKey | undefined
  /** The account that they were told of. */
  account: string | undefined
  signIns = 0
  refreshes = 0
  readonly #options: PersonOptions
  readonly #authenticator: SoftAuthenticator

  constructor(options: PersonOptions) {
    const { number, calls } = options
    this.#options = options
    this.email = `person-${number}@example.com`
    this.address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
    this.#authenticator = new SoftAuthenticator(calls.url)
  }

  get authenticator(): SoftAuthenticator {
    return this.#authenticator
  }

  /** By the code of an e-mail. @returns false where that came to nothing that they know of */
  async signUp(): Promise<boolean> {
    const { email, address } = this
    const { calls, mailbox, signal } = this.#options
    // Asked once: whoever was not answered may have been sent one, and may ask again only after a minute.
    const asked = await calls.ask('POST', '/auth/v1/otp', { body: { email }, address })
    if (asked !== undefined && asked.status !== 200)
      calls.complain(`who signs up was refused an e-mail: ${textOf(asked)}`)
    const code = await mailbox.codeTo(email, mailWithinMs, signal)
    if (code === undefined) return false
    for (let tries = 0; !signal.aborted; tries++) {
      const answer = await calls.ask('POST', '/auth/v1/verify', {
        body: { email, token: code, type: 'email' },
        address,
      })
      if (answer?.status === 200) return this.#begin(answer)
      // It is good once, and may have been used before the answer was lost.
      if (answer !== undefined && tries > 0) return false
      if (answer !== undefined) {
        calls.complain(`the code of an e-mail was refused: ${textOf(answer)}`)
        return false
      }
      await pause(betweenMs)
    }
    return false
  }

  /** @returns whether they have one that they know of */
  async makePasskey(): Promise<boolean> {
    const { calls, signal } = this.#options
    let triedSince = performance.now()
    while (!signal.aborted) {
      const begun = await this.call('/register/start', {})
      if (begun === undefined) return false
      const { options, challengeId } = begun as { readonly options: CreationOptions; readonly challengeId: string }
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
        // Refused: it is not there.
        this.keys.pop()
        this.#authenticator.credentials.pop()
        continue
      }
      // Whether it is there tells the list.
      const listed = await this.call('/passkeys/list', {})
      if (listed === undefined) return false
      if ((listed['passkeys'] as readonly { readonly id: string }[]).some((one) => one.id === id)) {
        key.isSure = true
        return true
      }
      this.#authenticator.credentials.pop()
      if (performance.now() - triedSince > doneWithinMs) {
        calls.complain(`${this.email} has tried for ${doneWithinMs / 1000} s to make a passkey, and was not answered`)
        triedSince = performance.now()
      }
      // A full disk takes a challenge on, in room that it had, and no passkey: a try takes no time then.
      await pause(betweenMs)
    }
    return false
  }

  /** Asks until the account is there. @returns whether it is */
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
          if (isAnother)
            calls.complain(`${this.email} was told of the account ${this.account}, and then of ${testnet.address}`)
          this.account = testnet.address
          return true
        }
        if (testnet.error?.mayRetry === false) {
          calls.complain(`${this.email} was told that there will be no account: ${testnet.error.message}`)
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

  /** By passkey. @returns whether they are in */
  async signIn(signal = this.#options.signal): Promise<boolean> {
    const { address } = this
    const { calls } = this.#options
    if (!this.keys.some(({ isSure }) => isSure)) return false
    while (!signal.aborted) {
      const begun = await calls.ask('POST', passkeyFunction, { body: { endpoint: '/login/start', data: {} }, address })
      if (begun?.status === 200) {
        const { options, challengeId } = begun.body['data'] as {
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
          if (traded !== undefined) calls.complain(`who has shown a passkey was refused a session: ${textOf(traded)}`)
        } else if (finished !== undefined) this.#refusedCeremony('a passkey', finished)
      } else if (begun !== undefined) calls.complain(`a sign-in was not begun: ${textOf(begun)}`)
      await pause(betweenMs)
    }
    return false
  }

  /**
   * Trades the refresh token of a session, maybe in two tabs at once. @returns false where the session ended, as it may
   * when nobody answered for long
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
      if (next.size > 1) calls.complain(`two tabs that came with the same refresh token were given different ones`)
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

  /** Asks who they are. */
  async look(session: HeldSession): Promise<void> {
    const { calls, wasClockStepped } = this.#options
    const answer = await calls.ask('GET', '/auth/v1/user', { token: session.access, address: this.address })
    if (answer === undefined) return
    if (answer.status === 200) {
      if (answer.body['id'] !== this.userId) calls.complain(`${this.email} was taken for ${String(answer.body['id'])}`)
    } else if (!isRefusal(answer) || !wasClockStepped())
      calls.complain(`a session of ${this.email} is no more: ${textOf(answer)}`)
    else await this.refresh(session)
  }

  /** Ends a session; once that is said it is so. */
  async signOut(session: HeldSession): Promise<void> {
    const { address } = this
    const { calls } = this.#options
    const answer = await calls.ask('POST', '/auth/v1/logout?scope=local', { token: session.access, address })
    session.isEnded = true
    if (answer?.status !== 204) {
      // It may be there or not, and nobody holds it any more.
      if (answer !== undefined && !isRefusal(answer)) calls.complain(`a sign-out was refused: ${textOf(answer)}`)
      return
    }
    const [user, refreshed] = await Promise.all([
      calls.ask('GET', '/auth/v1/user', { token: session.access, address }),
      calls.ask('POST', refreshPath, { body: { refresh_token: session.refresh }, address }),
    ])
    if (user?.status === 200 || refreshed?.status === 200)
      calls.complain(`a session of ${this.email} that was ended is good`)
  }

  /** The session that they use. */
  get session(): HeldSession | undefined {
    return this.sessions.findLast(({ isEnded }) => !isEnded)
  }

  /**
   * An operation of the passkey function that is done sooner or later. @returns undefined where there is no session, or
   * the run is over
   */
  async call(endpoint: string, data: unknown): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { calls, signal, wasClockStepped } = this.#options
    while (!signal.aborted) {
      const answer = await this.#askAs(endpoint, data)
      if (answer?.status === 200) return answer.body['data'] as Readonly<Record<string, unknown>>
      // By a wrong clock the sign-in was long ago.
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
   * One try, by the session of now. @returns undefined as `WalletCalls.ask`, or where the session had to be made good
   * first
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
    if (!wasClockStepped()) calls.complain(`a session of ${this.email} is no more: ${textOf(answer)}`)
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
      this.#options.calls.complain(`${this.email}, who is ${this.userId}, was given a session of ${email}, ${id}`)
  }

  #refusedCeremony(what: string, answer: Answer): void {
    const { calls, wasDatabaseAway } = this.#options
    const { code } = answer.body['error'] as { readonly code: string }
    // Challenges do not outlive a crash of the database.
    if (code.startsWith('CHALLENGE_') && wasDatabaseAway()) return
    calls.complain(`${what} of ${this.email} was refused: ${textOf(answer)}`)
  }
}

/** As the auth endpoint and the function say that a session is none. */
function isRefusal({ status }: Answer): boolean {
  return status === 401 || status === 403
}

function textOf({ status, body }: Answer): string {
  return `${status} ${JSON.stringify(body).slice(0, 300)}`
}
