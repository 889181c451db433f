import { readFileSync } from 'node:fs'
import { cadence as argument } from '../../../clients/signing/transactions/cadence-arguments.ts'
import type { TransactionCode } from '../../../clients/signing/transactions/make-transaction.ts'
import { cadence } from '../../flow/json-cdc/cadence-argument.ts'
import { FatalError, RetryableError } from '../../platform/errors.ts'
import type { PayloadValue } from '../../flow/payload-value.ts'
import { networkSettings } from '../settings.ts'
import type { TransactionSender } from './transaction-sender.ts'

/** Seconds. Shorter ones are for emulators. */
const minDelay = 86_400

export interface ChainRecovery {
  readonly recoverer: string
  readonly user: string
  readonly announced: { readonly publicKey: string; readonly dueAt: Date; readonly expiresAt: Date } | undefined
}

type RecoverySender = Pick<TransactionSender, 'network' | 'payer' | 'account' | 'script' | 'chain'>

/** The contract FlowfarmRecovery, whose code and delay are verified before the first use. */
export class RecoveryContract {
  readonly address: string
  readonly #sender: RecoverySender
  #isVerified = false

  constructor(address: string, sender: RecoverySender) {
    this.address = address
    this.#sender = sender
  }

  /** The account that announces and completes: the payer. */
  get recoverer(): string {
    const { payer, network } = this.#sender
    if (payer === undefined) throw new FatalError('no-payer', `set ${networkSettings[network].payer}`)
    return payer.address
  }

  /**
   * Without keys and capabilities of its account, the code cannot change, so one check is enough.
   * @throws FatalError if it is another contract, can change, or is too fast; errors of the chain
   */
  async verify(signal?: AbortSignal): Promise<void> {
    if (this.#isVerified) return
    const { network } = this.#sender
    const refuse = (problem: string): FatalError =>
      new FatalError(
        'recovery-contract',
        `${networkSettings[network].recovery} ${this.address} ${problem}. Deploy the contract as docs/wallet.md says`,
      )
    const account = await this.#sender.account(this.address, signal)
    if (account === undefined) throw refuse('is not an account')
    if (account.contracts.get(contractName)?.equals(Buffer.from(contractCode)) !== true)
      throw refuse('does not have the contract FlowfarmRecovery of this version')
    if (account.keys.some(({ isRevoked }) => !isRevoked)) throw refuse('has a key, so that the contract can change')
    const [read] = await this.#read([this.address], signal)
    if (Number(read?.['capabilities']) !== 0) throw refuse('issued a capability to change the contract')
    const delay = Number(read?.['delay'])
    if (!(delay >= minDelay) && (await this.#sender.chain(signal)) !== 'emulator')
      throw refuse(`has a delay of ${delay} s (minimum ${minDelay})`)
    this.#isVerified = true
  }

  /** In the order of the accounts; undefined where it is off. @throws as `verify` */
  async read(accounts: readonly string[], signal?: AbortSignal): Promise<readonly (ChainRecovery | undefined)[]> {
    await this.verify(signal)
    const read = await this.#read(accounts, signal)
    return read.map(({ recoverer, user, publicKey, dueAt, expiresAt }) =>
      typeof recoverer !== 'string' || typeof user !== 'string'
        ? undefined
        : {
            recoverer,
            user,
            announced:
              typeof publicKey === 'string'
                ? { publicKey: publicKey.toLowerCase(), dueAt: timeOf(dueAt), expiresAt: timeOf(expiresAt) }
                : undefined,
          },
    )
  }

  announce(account: string, publicKey: string): TransactionCode {
    return {
      script: this.#script('announce_recovery'),
      arguments: [argument.address(account, 'account'), argument.string(publicKey)],
    }
  }

  cancel(account: string): TransactionCode {
    return { script: this.#script('cancel_recovery'), arguments: [argument.address(account, 'account')] }
  }

  complete(account: string): TransactionCode {
    return { script: this.#script('complete_recovery'), arguments: [argument.address(account, 'account')] }
  }

  async #read(
    accounts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Readonly<Record<string, PayloadValue>>[]> {
    const value = await this.#sender.script(
      this.#script('read_recovery'),
      [cadence.address(this.address), cadence.array(accounts.map((account) => cadence.address(account)))],
      signal,
    )
    if (!Array.isArray(value) || value.length !== accounts.length)
      throw new RetryableError('recovery-unreadable', 'the access node returned no recoveries')
    return value.map((one) => (typeof one === 'object' && one !== null && !Array.isArray(one) ? one : {}))
  }

  #script(name: ScriptName): string {
    return scripts[name].replace(`import "${contractName}"`, `import ${contractName} from ${this.address}`)
  }
}

function timeOf(seconds: PayloadValue | undefined): Date {
  return new Date(Number(seconds) * 1000)
}

const read = (name: string): string => readFileSync(new URL(`cadence/${name}.cdc`, import.meta.url), 'utf8')
const contractName = 'FlowfarmRecovery'
const contractCode = read(contractName)
const scriptNames = ['announce_recovery', 'cancel_recovery', 'complete_recovery', 'read_recovery'] as const
type ScriptName = (typeof scriptNames)[number]
const scripts = Object.fromEntries(scriptNames.map((name) => [name, read(name)])) as Readonly<
  Record<ScriptName, string>
>
