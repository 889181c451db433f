import { liveEndpoints } from '../../access/settings.ts'
import { asError } from '../../platform/errors.ts'
import { PayerAccount } from './payer-account.ts'
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
): Promise<Provisioning> {
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
  return provisioning
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
