import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { parseBody } from '../../platform/http/parse-input.ts'
import { parseAddress } from '../../flow/address.ts'
import type { SignedIn } from '../auth/auth-sessions.ts'
import { walletNetworks } from '../settings.ts'
import type { WalletNetwork } from '../settings.ts'
import type { AccountStanding, PasskeyAccounts, Provisioning } from './provisioning.ts'

export type FunctionHandler = (
  signedIn: SignedIn,
  data: unknown,
  from: { readonly signal?: AbortSignal | undefined; readonly network: string },
) => Promise<unknown>

export interface AccountResponse {
  readonly state: AccountStanding['state']
  readonly address?: string
  readonly keyIndex?: number
  readonly isImported?: boolean
  /** 64 hex digits. */
  readonly txId?: string
  readonly error?: { readonly code: string; readonly message: string; readonly mayRetry: boolean }
}

const maxWaitSeconds = 60

const credentialId = z.string('must be a string').regex(/^[\w-]{1,1400}$/, 'must be the id of a passkey, base64url')
const network = z.enum(walletNetworks, `must be ${walletNetworks.join(' or ')}`)
const startSchema = z.strictObject({
  credentialId,
  networks: z.array(network).min(1, 'must name a network').max(walletNetworks.length).optional(),
})
const waitSchema = startSchema.extend({
  waitSeconds: z
    .number()
    .min(0, 'must be at least 0')
    .max(maxWaitSeconds, `must be at most ${maxWaitSeconds}`)
    .optional(),
})
const saveSchema = z.strictObject({
  credentialId,
  network,
  address: z.string('must be a string').regex(/^(?:0x)?[0-9a-f]{16}$/i, 'must be an address: 16 hex digits'),
})
const nothingSchema = z.strictObject({}).nullish()

export function provisioningEndpoints(provisioning: Provisioning): Readonly<Record<string, FunctionHandler>> {
  const answer = async (
    signedIn: SignedIn,
    id: string,
    standings: ReadonlyMap<WalletNetwork, AccountStanding>,
  ): Promise<unknown> => {
    requireAny(standings)
    return {
      networks: Object.fromEntries([...standings].map(([name, standing]) => [name, presentStanding(standing)])),
      publicKeySec1Hex: await provisioning.publicKey(signedIn, id),
    }
  }
  return {
    '/wallet/provision-start': async (signedIn, data, { network: client }) => {
      const { credentialId: id, networks = walletNetworks } = parsed(startSchema, data)
      return answer(signedIn, id, await provisioning.want(signedIn, id, [...new Set(networks)], client))
    },
    '/wallet/provision': async (signedIn, data, { network: client, signal }) => {
      const { credentialId: id, networks = walletNetworks, waitSeconds = maxWaitSeconds } = parsed(waitSchema, data)
      return answer(
        signedIn,
        id,
        await provisioning.requestAndWait(signedIn, id, [...new Set(networks)], waitSeconds * 1000, client, signal),
      )
    },
    '/wallet/provision-save': async (signedIn, data) => {
      const { credentialId: id, network: name, address } = parsed(saveSchema, data)
      const {
        address: saved,
        keyIndex,
        isImported,
      } = await provisioning.import(signedIn, id, name, parseAddress(address) ?? address)
      return { network: name, state: 'sealed', address: saved, keyIndex, isImported }
    },
    '/wallet/accounts': async (signedIn, data, { signal }) => {
      parsed(nothingSchema, data)
      return { accounts: (await provisioning.accountsOf(signedIn, signal)).flatMap(accountRows) }
    },
  }
}

function accountRows({
  passkey: { credentialId: id, publicKeySec1Hex },
  accounts,
  further,
}: PasskeyAccounts): readonly object[] {
  const address = (name: WalletNetwork): string | null =>
    accounts.flatMap((one) => (one.network === name && one.state === 'sealed' ? [one.address] : []))[0] ?? null
  const own = {
    credentialId: id,
    publicKeySec1Hex,
    flowAddress: address('mainnet'),
    flowAddressTestnet: address('testnet'),
    networks: Object.fromEntries(accounts.map((one) => [one.network, presentStanding(one)])),
    createdAt: accounts[0]?.createdAt.toISOString(),
    isFurther: false,
  }
  const others = further.map((one) => ({
    credentialId: id,
    publicKeySec1Hex,
    flowAddress: one.network === 'mainnet' ? one.address : null,
    flowAddressTestnet: one.network === 'testnet' ? one.address : null,
    networks: {
      [one.network]: { state: 'sealed', address: one.address, keyIndex: one.keyIndex, isImported: one.isImported },
    },
    createdAt: one.addedAt.toISOString(),
    isFurther: true,
  }))
  return accounts.length === 0 ? others : [own, ...others]
}

/** Throws if no network succeeded; rate limits first, because waiting helps. */
function requireAny(standings: ReadonlyMap<WalletNetwork, AccountStanding>): void {
  const errors = [...standings.values()].flatMap((standing) => (standing.state === 'refused' ? [standing.error] : []))
  if (errors.length < standings.size) return
  const error = errors.find(({ status }) => status === 429) ?? errors.find(({ status }) => status === 409) ?? errors[0]
  if (error !== undefined) throw error
}

function presentStanding(standing: AccountStanding): AccountResponse {
  const transaction = (id: Buffer | undefined): Pick<AccountResponse, 'txId'> =>
    id === undefined ? {} : { txId: id.toString('hex') }
  switch (standing.state) {
    case 'wanted':
      return { state: 'wanted' }
    case 'sent':
      return { state: 'sent', ...transaction(standing.transactionId) }
    case 'sealed':
      return {
        state: 'sealed',
        address: standing.address,
        keyIndex: standing.keyIndex,
        isImported: standing.isImported,
        ...transaction(standing.transactionId),
      }
    case 'failed': {
      const { text, mayRetry } = standing.failure
      return {
        state: 'failed',
        ...transaction(standing.transactionId),
        error: { code: 'PROVISION_FAILED', message: text, mayRetry },
      }
    }
    case 'refused':
  }
  return {
    state: 'refused',
    error: { code: standing.error.code, message: standing.error.message, mayRetry: standing.error.status !== 409 },
  }
}

/** @throws ApiError 400 INVALID_INPUT */
function parsed<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  try {
    return parseBody(schema, data)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new ApiError(400, 'INVALID_INPUT', error.message.replace('Field "', 'Field "data.'), {
      cause: error,
      ...(error.field === undefined ? {} : { field: `data.${error.field}` }),
    })
  }
}
