import { createECDH, randomUUID } from 'node:crypto'
import { pino } from 'pino'
import type { Logger } from '../../../../src/platform/log.ts'
import { addressAtIndex } from '../../../../src/flow/address.ts'
import type { AuthUser, SignedIn } from '../../../../src/wallet/auth/auth-sessions.ts'
import { PayerAccount } from '../../../../src/wallet/provisioning/payer-account.ts'
import { TransactionSender } from '../../../../src/wallet/provisioning/transaction-sender.ts'
import type { KnownPasskey, KnownPasskeys } from '../../../../src/wallet/passkeys/passkey-store.ts'
import { Provisioning } from '../../../../src/wallet/provisioning/provisioning.ts'
import type { ProvisioningOptions } from '../../../../src/wallet/provisioning/provisioning.ts'
import { provisioningEndpoints } from '../../../../src/wallet/provisioning/provisioning-endpoints.ts'
import type { AccountResponse } from '../../../../src/wallet/provisioning/provisioning-endpoints.ts'
import { createPool } from '../../../../src/platform/db/pool.ts'
import { privateKeyDigits } from '../../support/transaction-node.ts'
import type { TransactionNode } from '../../support/transaction-node.ts'

/** Passkeys by owner, as the passkey function provides them. */
export class PasskeyList implements KnownPasskeys {
  readonly passkeys: KnownPasskey[] = []
  readonly removed: KnownPasskey[] = []

  add(userId: string, options: Partial<KnownPasskey> = {}): KnownPasskey {
    const pair = createECDH('prime256v1')
    const passkey = {
      credentialId: Buffer.from(randomUUID()).toString('base64url'),
      userId,
      publicKeySec1Hex: pair.generateKeys('hex'),
      ...options,
    }
    this.passkeys.push(passkey)
    return passkey
  }

  find(userId: string, credentialId: string): Promise<KnownPasskey | undefined> {
    return Promise.resolve(this.passkeys.find((one) => one.userId === userId && one.credentialId === credentialId))
  }

  of(userId: string): Promise<readonly KnownPasskey[]> {
    return Promise.resolve(this.passkeys.filter((one) => one.userId === userId))
  }

  removedOf(userId: string): Promise<readonly KnownPasskey[]> {
    return Promise.resolve(this.removed.filter((one) => one.userId === userId))
  }

  remove(passkey: KnownPasskey): void {
    this.passkeys.splice(this.passkeys.indexOf(passkey), 1)
    this.removed.push(passkey)
  }
}

export function signedIn(options: Partial<AuthUser> = {}): SignedIn {
  const user = {
    id: randomUUID(),
    email: `${randomUUID()}@example.com`,
    isEmailConfirmed: true,
    appMetadata: {},
    userMetadata: {},
    ...options,
  }
  return { user, sessionId: randomUUID(), authenticatedAt: new Date() }
}

export interface PayerOptions {
  readonly keys?: number
  readonly algorithm?: 'ECDSA_P256' | 'ECDSA_secp256k1'
  readonly hash?: 'SHA2_256' | 'SHA3_256'
}

/** Funds a payer on the node. `text` is its setting. */
export function fundPayer(
  node: TransactionNode,
  { keys = 1, algorithm = 'ECDSA_P256', hash = 'SHA3_256' }: PayerOptions = {},
): { readonly text: string; readonly secret: string; readonly payer: PayerAccount } {
  const secret = privateKeyDigits()
  const pair = createECDH(algorithm === 'ECDSA_P256' ? 'prime256v1' : 'secp256k1')
  pair.setPrivateKey(secret, 'hex')
  const address = addressAtIndex(9, 'emulator')
  const key = {
    publicKey: pair.getPublicKey('hex').slice(2),
    signatureAlgorithm: algorithm === 'ECDSA_P256' ? 2 : 3,
    hashAlgorithm: hash === 'SHA2_256' ? 1 : 3,
    weight: 1000,
  }
  node.accounts.set(
    address.slice(2),
    Array.from({ length: keys }, (_, index) => ({ ...key, sequenceNumber: 5 * index })),
  )
  const text = `${address}/0-${keys - 1}/${algorithm}/${hash}/${secret}`
  return { text, secret, payer: PayerAccount.parse(text, 'WALLET_TESTNET_PAYER') }
}

export interface World {
  readonly provisioning: Provisioning
  readonly endpoints: ReturnType<typeof provisioningEndpoints>
  readonly stop: () => Promise<void>
}

export interface Provisioned {
  readonly networks: Readonly<Record<string, AccountResponse>>
  readonly publicKeySec1Hex: string
}

/**
 * Requests an account on testnet and waits for it.
 * @throws the errors of the operation
 */
export async function provision(
  world: World,
  who: SignedIn,
  credentialId: string,
  data: object = {},
  signal?: AbortSignal,
  network?: string,
): Promise<Provisioned> {
  return (await call(
    world,
    '/wallet/provision',
    who,
    { credentialId, networks: ['testnet'], ...data },
    signal,
    network,
  )) as Provisioned
}

let clients = 0

/**
 * Calls one operation of the function.
 * @param network of the client. Default: a different one each time
 */
export async function call(
  world: World,
  endpoint: string,
  who: SignedIn,
  data: unknown,
  signal?: AbortSignal,
  network = `192.0.2.${++clients % 250}`,
): Promise<unknown> {
  const handler = world.endpoints[endpoint]
  if (handler === undefined) throw new Error(`no ${endpoint}`)
  return handler(who, data, { signal, network })
}

export const silent: Logger = pino({ level: 'silent' })

/** Provisioning on testnet over a node, with its own connections. */
export async function startProvisioning(
  databaseUrl: string,
  endpoint: string,
  payer: PayerAccount | undefined,
  options: Partial<ProvisioningOptions> & Pick<ProvisioningOptions, 'passkeys'>,
): Promise<World> {
  const log = options.log ?? silent
  const pool = createPool(databaseUrl, { max: 8 })
  const sender = new TransactionSender({ network: 'testnet', endpoint, payer, log })
  const provisioning = new Provisioning({
    pool,
    senders: [sender],
    dailyLimit: 100,
    isOpen: true,
    log,
    pollMs: 20,
    resendMs: 100,
    jobPollSeconds: 0.5,
    ...options,
  })
  const stop = async (): Promise<void> => {
    await provisioning.stop()
    await sender.close()
    await pool.end()
  }
  try {
    await provisioning.start()
  } catch (error) {
    await stop()
    throw error
  }
  return { provisioning, endpoints: provisioningEndpoints(provisioning), stop }
}

/** The user's accounts: passkey, address, and whether it is a further one of the passkey. */
export async function addressesOf(world: World, who: SignedIn): Promise<unknown> {
  const { accounts } = (await call(world, '/wallet/accounts', who, {})) as {
    readonly accounts: readonly { credentialId: string; flowAddressTestnet: string | null; isFurther: boolean }[]
  }
  return accounts.map(({ credentialId, flowAddressTestnet, isFurther }) => [
    credentialId,
    flowAddressTestnet,
    isFurther,
  ])
}
