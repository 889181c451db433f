import { pause } from '../../../src/platform/retry.ts'
import { Random } from '../../simulation/random.ts'
import type { Findings } from '../report/findings.ts'
import type { SupervisedProcess } from '../world/supervised-process.ts'
import { Mailbox } from './mailbox.ts'
import { WalletUser } from './wallet-user.ts'
import type { WalletUserOptions } from './wallet-user.ts'
import { sendSome } from './send-flow.ts'
import type { SentTransaction } from './send-flow.ts'
import { WalletCalls } from './wallet-calls.ts'

export interface WalletUsersOptions extends Pick<WalletUserOptions, 'wasClockStepped' | 'wasDatabaseAway'> {
  /** Base URL of the wallet, without a trailing slash. */
  readonly url: string
  readonly process: SupervisedProcess
  readonly mailFolder: string
  readonly seed: number
  readonly findings: Findings
}

/** Operations confirmed to users. */
export interface WalletCounts {
  /** Signed-up users. */
  readonly users: number
  readonly accounts: number
  /** By passkey. */
  readonly signIns: number
  readonly refreshes: number
  /** Transactions. */
  readonly sent: number
}

/** Number of concurrent users. When one is finished, the next starts. */
const atOnce = 4
const actsEach = 12
/** Concurrent sign-ins at the end. */
const inTheEndAtOnce = 8
const betweenMs = 300
/** Time limit for pending operations after the last fault. */
const settleMs = 60_000

/**
 * Users who use the wallet continuously: sign up, create passkeys and accounts, sign in and out,
 * and send FLOW.
 */
export class WalletUsers {
  readonly calls: WalletCalls
  readonly users: WalletUser[] = []
  readonly sent: SentTransaction[] = []
  readonly #options: WalletUsersOptions
  readonly #mailbox: Mailbox
  readonly #stop = new AbortController()
  #running: Promise<unknown> | undefined

  constructor(options: WalletUsersOptions) {
    const { url, process, findings, mailFolder } = options
    this.#options = options
    this.calls = new WalletCalls({ url, process, findings })
    this.#mailbox = new Mailbox(mailFolder)
  }

  start(): void {
    const random = new Random(this.#options.seed + 2)
    this.#running = Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (!this.#stop.signal.aborted) await this.#live(this.#comer(random), random)
      }),
    )
  }

  /** Resolves when no requests are pending. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /** The wallet is stopped; no responses are expected. */
  end(): void {
    this.calls.end()
  }

  get counts(): WalletCounts {
    const sum = (of: (person: WalletUser) => number): number => this.users.reduce((all, person) => all + of(person), 0)
    return {
      users: sum(({ userId }) => (userId === undefined ? 0 : 1)),
      accounts: sum(({ account }) => (account === undefined ? 0 : 1)),
      signIns: sum(({ signIns }) => signIns),
      refreshes: sum(({ refreshes }) => refreshes),
      sent: this.sent.filter(({ isDone }) => isDone).length,
    }
  }

  /**
   * After the last fault: every requested account must exist, every open session must be valid and
   * every user must be able to sign in by passkey. Call after `stop`.
   */
  async settle(): Promise<void> {
    const waiting = this.users.filter(({ userId }) => userId !== undefined)
    await Promise.all(
      Array.from({ length: inTheEndAtOnce }, async () => {
        for (let person = waiting.pop(); person !== undefined; person = waiting.pop()) await this.#settleOne(person)
      }),
    )
  }

  async #settleOne(person: WalletUser): Promise<void> {
    const signal = AbortSignal.timeout(settleMs)
    const { findings } = this.#options
    for (const session of person.sessions.filter(({ isEnded }) => !isEnded)) {
      if (!(await person.refresh(session, signal)) && !session.isEnded)
        findings.add('wallet', `a session of ${person.email} cannot be refreshed after the run`)
    }
    if (person.keys.some(({ isSure }) => isSure) && !(await person.signIn(signal)))
      findings.add('wallet', `${person.email} cannot sign in by passkey after the run`)
    if (person.wanted !== undefined && !(await person.haveAccount(signal)))
      findings.add('wallet', `${person.email} requested an account and has none after the run`)
  }

  #comer(random: Random): WalletUser {
    const { wasClockStepped, wasDatabaseAway } = this.#options
    const person = new WalletUser({
      number: this.users.length + 1,
      calls: this.calls,
      mailbox: this.#mailbox,
      random,
      wasClockStepped,
      wasDatabaseAway,
      signal: this.#stop.signal,
    })
    this.users.push(person)
    return person
  }

  async #live(person: WalletUser, random: Random): Promise<void> {
    const { signal } = this.#stop
    if (!(await person.signUp()) || !(await person.makePasskey()) || !(await person.haveAccount())) return
    for (let act = 0; act < actsEach && !signal.aborted; act++) {
      await pause(betweenMs)
      const { session } = person
      const what =
        session === undefined
          ? 'signIn'
          : random.weighted({ signIn: 2, refresh: 3, look: 3, signOut: 1, send: 3, again: 1 })
      if (what === 'signIn' || session === undefined) await person.signIn()
      else if (what === 'refresh') await person.refresh(session)
      else if (what === 'look') await person.look(session)
      else if (what === 'signOut') await person.signOut(session)
      else if (what === 'again') await person.haveAccount()
      else await sendSome(person, this.calls, this.sent, signal)
    }
  }
}
