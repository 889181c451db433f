import type { Metrics } from '../platform/metrics.ts'
import type { SignInMethod } from './auth/stores/sessions.ts'
import type { MailResult } from '../platform/mail/outbox.ts'
import type { WalletNetwork } from './settings.ts'
import type { PasskeyNote } from './passkeys/passkey-audit.ts'
import type { AccountResult } from './provisioning/account-creator.ts'

/** Clients never choose label values. */
export class WalletMetrics {
  readonly #metrics: Metrics

  constructor(metrics: Metrics) {
    this.#metrics = metrics
  }

  readonly account = (network: WalletNetwork, result: AccountResult): void => {
    this.#metrics.walletAccounts.inc({ network, result })
  }

  /** @param balance FLOW, decimal text */
  readonly payerBalance = (network: WalletNetwork, balance: string): void => {
    this.#metrics.walletPayerBalance.set({ network }, Number(balance))
  }

  readonly passkey = ({ event, isDone }: Pick<PasskeyNote, 'event' | 'isDone'>): void => {
    this.#metrics.walletPasskeyEvents.inc({ event, result: isDone ? 'done' : 'refused' })
  }

  readonly signIn = (method: SignInMethod): void => {
    this.#metrics.walletSignIns.inc({ method })
  }

  readonly mail = (result: MailResult): void => {
    this.#metrics.walletMails.inc({ result })
  }
}
