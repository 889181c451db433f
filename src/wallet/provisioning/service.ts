import { liveEndpoints } from '../../access/settings.ts'
import { parseAddress } from '../../flow/address.ts'
import { asError, FatalError, RetryableError } from '../../platform/errors.ts'
import { AccountRecovery } from './account-recovery.ts'
import { PayerAccount } from './payer-account.ts'
import { RecoveryContract } from './recovery-contract.ts'
import { RecoveryStore } from './recovery-store.ts'
import { TransactionSender } from './transaction-sender.ts'
import type { TransactionSenderOptions } from './transaction-sender.ts'
import { networkSettings, walletNetworks } from '../settings.ts'
import type { WalletConfig, WalletNetwork } from '../settings.ts'
import type { KnownPasskeys } from '../passkeys/passkey-store.ts'
import { Provisioning } from './provisioning.ts'
import type { ProvisioningOptions } from './provisioning.ts'
import type { Logger } from '../../platform/log.ts'
import type { ServiceContext } from '../../platform/service.ts'
import { createPool, logIdleErrors, connectionLimits } from '../../platform/db/pool.ts'

const balanceEveryMs = 180_000

/**
 * The followed chain serves its network if that has no node. @throws FatalError for an invalid or
 * insufficient payer, and for an invalid node
 */
export async function openProvisioning(
  { config, databaseUrl, lifecycle }: Pick<ServiceContext<WalletConfig>, 'config' | 'databaseUrl' | 'lifecycle'>,
  passkeys: KnownPasskeys,
  log: Logger,
  {
    onPayerBalance,
    ...options
  }: Pick<ProvisioningOptions, 'startBalances' | 'onAccount'> & Pick<TransactionSenderOptions, 'onPayerBalance'> = {},
): Promise<{ readonly provisioning: Provisioning; readonly recovery: AccountRecovery }> {
  const payers = walletNetworks.map((network) => readPayer(config, network))
  const senders = walletNetworks.flatMap((network, at) => {
    const endpoint = config[networkSettings[network].node] ?? liveEndpoints(config)[0]
    return endpoint === undefined
      ? []
      : [new TransactionSender({ network, endpoint, payer: payers[at], log, onPayerBalance })]
  })
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: 8,
    applicationName: 'flowfarm wallet accounts',
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('connections: flowfarm wallet accounts', async () => {
    await Promise.all(senders.map((sender) => sender.close()))
    await pool.end()
  })
  const provisioning = new Provisioning({
    pool,
    passkeys,
    senders,
    dailyLimit: config.WALLET_PROVISION_LIMIT,
    isOpen: config.WALLET_PROVISION_OPEN,
    log,
    ...options,
  })
  lifecycle.onStop('account creation', () => provisioning.stop())
  await provisioning.start(lifecycle.signal)
  if (onPayerBalance !== undefined) readBalances(senders, lifecycle, log)
  const recovery = new AccountRecovery({
    store: new RecoveryStore(pool),
    senders: new Map(senders.map((sender) => [sender.network, sender])),
    contracts: await openContracts(config, senders, lifecycle.signal, log),
    log,
  })
  lifecycle.onStop('recovery of accounts', () => recovery.stop())
  return { provisioning, recovery }
}

/** @throws FatalError without a payer, and for a contract that is not safe */
async function openContracts(
  config: WalletConfig,
  senders: readonly TransactionSender[],
  signal: AbortSignal,
  log: Logger,
): Promise<ReadonlyMap<WalletNetwork, RecoveryContract>> {
  const contracts = new Map<WalletNetwork, RecoveryContract>()
  for (const network of walletNetworks) {
    const { recovery: variable, payer } = networkSettings[network]
    const text = config[variable]
    if (text === undefined) continue
    const [address, sender] = [parseAddress(text), senders.find((one) => one.network === network)]
    if (address === undefined)
      throw new FatalError('recovery-contract', `${variable} ${text} must be an address: 0x and 16 hex digits`)
    if (sender?.payer === undefined) throw new FatalError('recovery-contract', `${variable} needs ${payer}. Set both`)
    const contract = new RecoveryContract(address, sender)
    await contract.verify(signal).catch((error: unknown) => {
      if (!(error instanceof RetryableError) || signal.aborted) throw error
      log.warn({ err: error, network }, 'Could not read the recovery contract yet')
    })
    contracts.set(network, contract)
  }
  return contracts
}

/** Reads also while idle, because others may use the payer. */
function readBalances(
  senders: readonly TransactionSender[],
  lifecycle: ServiceContext<WalletConfig>['lifecycle'],
  log: Logger,
): void {
  const { signal } = lifecycle
  const reading = setInterval(() => {
    for (const sender of senders) {
      sender.readPayerBalance(signal).catch((error: unknown) => {
        if (!signal.aborted)
          log.debug({ err: asError(error), network: sender.network }, 'Could not read the balance of the payer')
      })
    }
  }, balanceEveryMs)
  reading.unref()
  lifecycle.onStop('payer balances', () => clearInterval(reading))
}

/** @throws FatalError without any of the key */
function readPayer(config: WalletConfig, network: WalletNetwork): PayerAccount | undefined {
  const { payer: variable } = networkSettings[network]
  const text = config[variable]
  return text === undefined ? undefined : PayerAccount.parse(text, variable)
}
