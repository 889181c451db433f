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
    const sum = (of: (testUser: WalletUser) => number): number =>
      this.users.reduce((all, testUser) => all + of(testUser), 0)
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
        for (let testUser = waiting.pop(); testUser !== undefined; testUser = waiting.pop())
          await this.#settleOne(testUser)
      }),
    )
  }

  async #settleOne(testUser: WalletUser): Promise<void> {
    const signal = AbortSignal.timeout(settleMs)
    const { findings } = this.#options
    for (const session of testUser.sessions.filter(({ isEnded }) => !isEnded)) {
      if (!(await testUser.refresh(session, signal)) && !session.isEnded)
        findings.add('wallet', `a session of ${testUser.email} cannot be refreshed after the run`)
    }
    if (testUser.keys.some(({ isSure }) => isSure) && !(await testUser.signIn(signal)))
      findings.add('wallet', `${testUser.email} cannot sign in by passkey after the run`)
    if (testUser.wanted !== undefined && !(await testUser.haveAccount(signal)))
      findings.add('wallet', `${testUser.email} requested an account and has none after the run`)
  }

  #comer(random: Random): WalletUser {
    const { wasClockStepped, wasDatabaseAway } = this.#options
    const testUser = new WalletUser({
      number: this.users.length + 1,
      calls: this.calls,
      mailbox: this.#mailbox,
      random,
      wasClockStepped,
      wasDatabaseAway,
      signal: this.#stop.signal,
    })
    this.users.push(testUser)
    return testUser
  }

  async #live(testUser: WalletUser, random: Random): Promise<void> {
    const { signal } = this.#stop
    if (!(await testUser.signUp()) || !(await testUser.makePasskey()) || !(await testUser.haveAccount())) return
    for (let act = 0; act < actsEach && !signal.aborted; act++) {
      await pause(betweenMs)
      const { session } = testUser
      const what =
        session === undefined
          ? 'signIn'
          : random.weighted({ signIn: 2, refresh: 3, look: 3, signOut: 1, send: 3, again: 1 })
      if (what === 'signIn' || session === undefined) await testUser.signIn()
      else if (what === 'refresh') await testUser.refresh(session)
      else if (what === 'look') await testUser.look(session)
      else if (what === 'signOut') await testUser.signOut(session)
      else if (what === 'again') await testUser.haveAccount()
      else await sendSome(testUser, this.calls, this.sent, signal)
    }
  }
}
