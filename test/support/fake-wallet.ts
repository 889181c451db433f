import { createHash, randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type pg from 'pg'
import { pino } from 'pino'
import { amountText } from '../../clients/signing/transactions/cadence-arguments.ts'
import { readKnownTransaction } from '../../clients/signing/transactions/known-transaction.ts'
import type { KnownTransaction } from '../../clients/signing/transactions/known-transaction.ts'
import { exactString } from '../../clients/signing/transactions/cadence-arguments.ts'
import { readRecoveryChange } from '../../clients/signing/transactions/recovery.ts'
import { encodeEnvelope } from '../../clients/signing/encode-transaction.ts'
import { verifyPasskeySignature } from '../../clients/signing/verify-signature.ts'
import { fromBinary } from '@bufbuild/protobuf'
import { SendTransactionRequestSchema } from '../../src/access/gen/flow/access/access_pb.ts'
import { TransactionRefusedError } from '../../src/access/transaction-client.ts'
import { addressList, clientReader } from '../../src/platform/limits/clients.ts'
import { ApiError } from '../../src/platform/errors.ts'
import { closeServer, listen } from '../../src/platform/http/connections.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { addressAtIndex } from '../../src/flow/address.ts'
import type { ChainAccountKey } from '../../src/flow/chain-reader.ts'
import { deleteUserData } from '../../src/services.ts'
import type { SignedIn } from '../../src/wallet/auth/auth-sessions.ts'
import { createAuth } from '../../src/wallet/auth/create-auth.ts'
import { authLimits } from '../../src/wallet/auth/stores/attempt-limits.ts'
import type { AuthLimits } from '../../src/wallet/auth/stores/attempt-limits.ts'
import type { OAuthProvider } from '../../src/wallet/auth/providers.ts'
import { ClientSignIns } from '../../src/wallet/client-routes.ts'
import type { SignInClient } from '../../src/wallet/client-routes.ts'
import { createAuthServer } from '../../src/wallet/session-cookies.ts'
import type { ChainNodes } from '../../src/wallet/chain-routes.ts'
import { createWalletServer } from '../../src/wallet/server.ts'
import type { WalletSettings } from '../../src/wallet/server.ts'
import { RateLimits } from '../../src/wallet/auth/stores/rate-limits.ts'
import { developerEndpoints } from '../../src/wallet/account/developer-access.ts'
import { securityEndpoints } from '../../src/wallet/account/security-log.ts'
import { sessionEndpoints } from '../../src/wallet/account/sessions.ts'
import { listLinkedProjects } from '../../src/editor/github/stores/connection-store.ts'
import { contactEndpoints } from '../../src/wallet/account/contacts.ts'
import { policyEndpoints } from '../../src/wallet/account/policies.ts'
import { createPasskeyFunction } from '../../src/wallet/passkeys/passkey-function.ts'
import type { PasskeyFunction } from '../../src/wallet/passkeys/passkey-function.ts'
import type { PasskeyLimits } from '../../src/wallet/passkeys/endpoint.ts'
import type { KnownPasskey } from '../../src/wallet/passkeys/passkey-store.ts'
import { readRelyingParty } from '../../src/wallet/passkeys/relying-party.ts'
import { PasskeyStore } from '../../src/wallet/passkeys/passkey-store.ts'
import { createTestDatabase } from './database.ts'

/** The wallet's view of chain and explorer. Each test overrides what differs. */
export interface WalletWorld {
  /** The result of account creation. */
  readonly provisioning: 'made' | 'refused' | 'never'
  /** The result of transactions. */
  readonly fate: 'sealed' | 'failed' | 'refused' | 'waits'
  readonly hasExplorer: boolean
  readonly nfts: readonly object[]
  /** Responses by path below `/flow/`, other than the lists. */
  readonly explorer: Readonly<Record<string, readonly object[]>>
  readonly transfers: readonly object[]
  /** The chain is unavailable. */
  readonly isChainDown: boolean
  /** The chain has the contract FlowfarmRecovery. */
  readonly hasRecovery: boolean
}

export interface FakeWallet {
  /** `http://localhost` and the port: browsers require a domain name for passkeys. */
  readonly url: string
  /** For changes that no page can make, such as time travel. */
  readonly pool: pg.Pool
  world: WalletWorld
  /** Balances by address, in units of 10^-8 FLOW. */
  readonly balances: Map<string, bigint>
  readonly accounts: ReadonlyMap<string, { readonly keys: readonly ChainAccountKey[] }>
  /** Transactions that succeeded. */
  readonly ran: readonly KnownTransaction[]
  /** Adds an existing account of a user to the chain. @returns its address */
  createAccount(publicKeySec1Hex: string): string
  /** Adds a key to an account, as its owner does in another wallet. */
  addKey(address: string, publicKeySec1Hex: string, change?: Partial<ChainAccountKey>): void
  /** Registers passkeys of recoveries that are due. */
  completeRecoveries(): Promise<void>
  /** Accounts with delayed recovery, and its user. */
  readonly recoveries: ReadonlyMap<string, string>
  /** Sent e-mails, oldest first. */
  readonly mails: readonly { readonly to: string; readonly text: string }[]
  /** Waits until all due e-mails were sent. */
  mailsSent(): Promise<void>
  /** Waits for an e-mail to an address. @returns the latest code */
  codeFor(email: string): Promise<string>
  /** @returns the latest link */
  linkFor(email: string): Promise<string>
  /** All log lines. */
  readonly logged: readonly string[]
  stop(): Promise<void>
}

/** Non-default wallet settings. */
export interface FakeWalletOptions {
  /**
   * Its host. Default: localhost, which browsers resolve to this machine without DNS.
   */
  readonly host?: string
  /** Default: the host. */
  readonly rpId?: string
  readonly cookieDomain?: string
  /** Allowed origins, if other than its own. */
  readonly origins?: (port: number) => readonly string[]
  /** OAuth clients that use it for sign-in. Default: none. */
  readonly clients?: readonly SignInClient[]
  /** External identity providers. */
  readonly providers?: readonly OAuthProvider[]
}

export const defaultWorld: WalletWorld = {
  provisioning: 'made',
  fate: 'sealed',
  hasExplorer: true,
  nfts: [],
  explorer: {},
  transfers: [],
  isChainDown: false,
  hasRecovery: false,
}

const often = { client: { max: 100_000, periodMs: 300_000 }, account: { max: 100_000, periodMs: 300_000 } }
const noPasskeyLimits: PasskeyLimits = { begin: often, ceremony: often, manage: often }
const noAuthLimits = Object.fromEntries(
  Object.keys(authLimits).map((name) => [name, { max: 1_000_000, periodMs: 60_000 }]),
) as unknown as AuthLimits
const startUnits = 10_000_000_000n
const feeUnits = 1000n

/**
 * The wallet with its own auth and passkeys on a database, over an in-memory chain that accepts
 * passkey signatures.
 */
export async function startFakeWallet(
  page: Middleware,
  first: Partial<WalletWorld> = {},
  options: FakeWalletOptions = {},
): Promise<FakeWallet> {
  const { host = 'localhost', providers = [], clients = [], cookieDomain } = options
  const database = await createTestDatabase({ max: 10 })
  const logged: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
  const state: { world: WalletWorld } = { world: { ...defaultWorld, ...first } }
  const mails: { readonly to: string; readonly text: string }[] = []
  const chain = createMemoryChain(() => state.world)
  const clientOf = clientReader(addressList(['127.0.0.0/8', '::1']))
  const passkeys = new PasskeyStore(database.pool)
  const explorer = await startExplorer(() => state.world)
  const closing: (() => Promise<void>)[] = [() => explorer.stop()]
  let mailsSent: FakeWallet['mailsSent'] = () => Promise.resolve()
  let completeRecoveries: FakeWallet['completeRecoveries'] = () => Promise.resolve()
  const server = await createWalletServer({
    host: '127.0.0.1',
    port: 0,
    log,
    metrics: new Metrics(),
    clientOf,
    open: async (port) => {
      const url = `http://${host}:${port}`
      const party = readRelyingParty({
        url,
        rpId: options.rpId,
        rpName: 'flowfarm',
        origins: options.origins?.(port) ?? [],
      })
      const auth = await createAuth({
        pool: database.pool,
        log,
        walletUrl: url,
        name: 'flowfarm',
        jwtKey: undefined,
        sessionHours: 24,
        serviceToken: undefined,
        providers,
        limits: noAuthLimits,
        sendMail: (mail) => Promise.resolve(void mails.push(mail)),
        isAllowedOrigin: party.allows,
        deleteUserData,
        isClientOrigin: (origin) => clients.some(({ redirectUri }) => new URL(redirectUri).origin === origin),
        userChanges: {
          hasPasskey: (userId) => passkeyFunction.confirmUserChange.hasPasskey(userId),
          confirm: (requested) => passkeyFunction.confirmUserChange.confirm(requested),
        },
      })
      closing.push(() => auth.close())
      mailsSent = auth.mailsSent
      const keyOf = async (signedIn: SignedIn, id: string): Promise<string> => {
        const passkey = await passkeys.find(signedIn.user.id, id)
        if (passkey === undefined) throw new ApiError(404, 'CREDENTIAL_NOT_FOUND', 'There is no such passkey.')
        return passkey.publicKeySec1Hex
      }
      const made = new Map<
        string,
        { readonly owner: string; readonly publicKeySec1Hex: string; readonly address: string }
      >()
      /** Passkeys that users named. */
      const named: { readonly owner: string; readonly credentialId: string; readonly address: string }[] = []
      /** On the current chain: which of a user's passkeys signs for an account. */
      const signerOf = async (owner: string, address: string): Promise<KnownPasskey | undefined> =>
        (await passkeys.of(owner)).find(({ publicKeySec1Hex }) =>
          chain.accounts
            .get(address)
            ?.keys.some((key) => key.publicKey === publicKeySec1Hex.slice(2) && !key.isRevoked && key.weight >= 1000),
        )
      const standing = async (signedIn: SignedIn, data: unknown): Promise<unknown> => {
        const { credentialId, networks = ['testnet'] } = data as {
          readonly credentialId: string
          readonly networks?: readonly string[]
        }
        const publicKeySec1Hex = await keyOf(signedIn, credentialId)
        if (state.world.provisioning === 'refused')
          throw new ApiError(429, 'RATE_LIMITED', 'The accounts of today are all made. Come back tomorrow.')
        if (state.world.provisioning === 'made' && !made.has(credentialId))
          made.set(credentialId, { owner: signedIn.user.id, publicKeySec1Hex, address: chain.create(publicKeySec1Hex) })
        const address = made.get(credentialId)?.address
        return {
          publicKeySec1Hex,
          networks: Object.fromEntries(
            networks.map((name) => [
              name,
              address === undefined
                ? { state: 'sent', txId: 'ab'.repeat(32) }
                : { state: 'sealed', address, keyIndex: 0 },
            ]),
          ),
        }
      }
      const fullKeys = (address: string): readonly string[] =>
        (chain.accounts.get(address)?.keys ?? [])
          .filter(({ isRevoked, weight }) => !isRevoked && weight >= 1000)
          .map(({ publicKey }) => publicKey)
      const addressesOf = (owner: string): readonly string[] =>
        [...made.values(), ...named].filter((one) => one.owner === owner).map(({ address }) => address)
      const keyDigits = ({ publicKeySec1Hex }: KnownPasskey): string => publicKeySec1Hex.slice(2)
      const passkeyFunction: PasskeyFunction = createPasskeyFunction({
        keysOnChain: {
          lostWithout: async (userId, disconnect) => {
            if (state.world.isChainDown) throw new ApiError(503, 'INTERNAL', 'The chain does not answer.')
            const unusable = new Set([...disconnect, ...(await passkeys.removedOf(userId))].map(keyDigits))
            return addressesOf(userId).filter(
              (address) =>
                disconnect.some((one) => fullKeys(address).includes(keyDigits(one))) &&
                fullKeys(address).every((key) => unusable.has(key)),
            )
          },
          isKey: (passkey) =>
            Promise.resolve(
              addressesOf(passkey.userId).some((address) => fullKeys(address).includes(keyDigits(passkey))),
            ),
        },
        outbox: auth.parts.outbox,
        pool: database.pool,
        log,
        relyingParty: () => party,
        sessions: auth.sessions,
        limits: noPasskeyLimits,
        endpoints: {
          ...contactEndpoints(database.pool, auth.sessions),
          ...policyEndpoints(database.pool, auth.sessions),
          ...securityEndpoints({
            pool: database.pool,
            rates: new RateLimits(database.pool, database.pool),
            outbox: auth.parts.outbox,
            name: 'flowfarm',
          }),
          ...sessionEndpoints(database.pool),
          ...developerEndpoints({
            pool: database.pool,
            rates: new RateLimits(database.pool, database.pool),
            sessions: auth.sessions,
            outbox: auth.parts.outbox,
            name: 'flowfarm',
            listProjects: listLinkedProjects,
          }),
          '/recovery/accounts': ({ user }) =>
            Promise.resolve({
              userId: user.id,
              accounts: (state.world.hasRecovery ? addressesOf(user.id) : []).map((address) => ({
                network: 'testnet',
                address,
                isOn: chain.recoveries.get(address) === user.id,
                dueAt: null,
                contract: otherAddress(),
                recoverer: otherAddress(),
              })),
            }),
          '/wallet/provision': standing,
          '/wallet/provision-save': async ({ user }, data) => {
            const { credentialId, address } = data as { readonly credentialId: string; readonly address: string }
            if ((await signerOf(user.id, address)) === undefined)
              throw new ApiError(422, 'PROVISION_FAILED', `${address} has no key of this passkey.`)
            named.push({ owner: user.id, credentialId, address })
            return { network: 'testnet', state: 'sealed', address, keyIndex: 0, isImported: true }
          },
          '/wallet/accounts': async ({ user }) => {
            const own = await passkeys.of(user.id)
            const mine = [
              ...[...made].map(([credentialId, one]) => ({ ...one, credentialId, isFurther: false })),
              ...named.map((one) => ({ ...one, isFurther: true })),
            ].filter(({ owner }) => owner === user.id)
            const rows = await Promise.all(
              mine.map(async ({ credentialId, address, isFurther }) => {
                const kept = own.find((one) => one.credentialId === credentialId)
                const passkey = kept ?? (await signerOf(user.id, address))
                return passkey === undefined
                  ? []
                  : [
                      {
                        credentialId: passkey.credentialId,
                        publicKeySec1Hex: passkey.publicKeySec1Hex,
                        flowAddress: null,
                        flowAddressTestnet: address,
                        networks: { testnet: { state: 'sealed', address, keyIndex: 0 } },
                        isFurther: isFurther || kept === undefined,
                      },
                    ]
              }),
            )
            return { accounts: rows.flat() }
          },
        },
      })
      completeRecoveries = passkeyFunction.completeRecoveries
      const settings = (): WalletSettings => ({
        url,
        rp_id: party.id,
        rp_name: party.name,
        gotrue_url: '/auth/v1',
        passkey_auth_url: '/functions/v1/passkey-auth',
        cookie_domain: cookieDomain ?? null,
        clients: clients.map(({ id, name, redirectUri }) => ({ client_id: id, name, redirect_uri: redirectUri })),
        networks: [
          {
            network: 'testnet',
            makes_accounts: true,
            explorer_url: state.world.hasExplorer ? 'http://explorer.example' : null,
            has_explorer_api: state.world.hasExplorer,
          },
        ],
      })
      return {
        settings,
        auth: auth.http,
        passkeys: passkeyFunction,
        nodes: { testnet: chain.node },
        explorerApi: () => explorer.url,
        session: {
          auth: createAuthServer(`http://127.0.0.1:${port}/auth/v1`),
          allows: party.allows,
          isSecure: false,
          cookieDomain,
          sessionHours: 24,
        },
        page,
        signIns: new ClientSignIns({
          pool: database.pool,
          sessions: auth.sessions,
          clients: () => clients,
          origin: url,
        }),
      }
    },
  })
  const inMail = async (email: string, part: RegExp): Promise<string> => {
    for (;;) {
      const mail = mails.findLast(({ to, text }) => to === email && part.test(text))
      if (mail !== undefined) return part.exec(mail.text)?.[0] ?? ''
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return {
    url: `http://${host}:${server.port}`,
    pool: database.pool,
    get world() {
      return state.world
    },
    set world(world) {
      state.world = world
    },
    balances: chain.balances,
    accounts: chain.accounts,
    ran: chain.ran,
    createAccount: chain.create,
    addKey: chain.addKey,
    completeRecoveries: () => completeRecoveries(),
    recoveries: chain.recoveries,
    logged,
    mails,
    mailsSent: () => mailsSent(),
    codeFor: (email) => inMail(email, /\b\d{6}\b/),
    linkFor: (email) => inMail(email, /http\S+/),
    stop: async () => {
      await server.close()
      for (const close of closing) await close()
      await database.drop()
    },
  }
}

/** The explorer API, as far as the wallet calls it. */
async function startExplorer(
  world: () => WalletWorld,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const { server, port } = await listen(
    (request, response) => {
      const [, list] = /^\/flow\/account\/0x[0-9a-f]{16}\/(nft|transfer)\?limit=\d+$/.exec(request.url ?? '') ?? []
      const path = /^\/flow\/([^?]*)/.exec(request.url ?? '')?.[1]?.replace(/0x[0-9a-f]{16}(?![0-9a-f])/, '{address}')
      const data =
        list === 'nft' ? world().nfts : list === 'transfer' ? world().transfers : world().explorer[path ?? '']
      const isAlone = request.headers.cookie === undefined && request.headers.authorization === undefined
      response.writeHead(data === undefined || !isAlone ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ data: data ?? [], has_more: false, cursor: '' }))
    },
    { host: '127.0.0.1', port: 0 },
  )
  return { url: `http://127.0.0.1:${port}`, stop: () => closeServer(server, 0) }
}

type Node = NonNullable<ChainNodes['testnet']>

interface MemoryChain {
  readonly node: Node
  readonly balances: Map<string, bigint>
  readonly ran: readonly KnownTransaction[]
  readonly accounts: ReadonlyMap<string, { readonly keys: readonly ChainAccountKey[] }>
  readonly recoveries: ReadonlyMap<string, string>
  /** An account with a passkey's key. @returns its address */
  create(publicKeySec1Hex: string): string
  addKey(address: string, publicKeySec1Hex: string, change?: Partial<ChainAccountKey>): void
}

/** A chain like the emulator's: it verifies passkey signatures by the signing library's rules. */
function createMemoryChain(world: () => WalletWorld): MemoryChain {
  const accounts = new Map<string, { keys: ChainAccountKey[] }>([[otherAddress(), { keys: [] }]])
  const balances = new Map<string, bigint>()
  const results = new Map<string, string>()
  const ran: KnownTransaction[] = []
  const recoveries = new Map<string, string>()
  let height = 1000
  const requireUp = (): void => {
    if (world().isChainDown)
      throw new ApiError(503, 'chain-unavailable', 'No access node of this network answers at the moment.')
  }
  const keyOf = (publicKeySec1Hex: string, index: number): ChainAccountKey => ({
    index,
    publicKey: publicKeySec1Hex.replace(/^04(?=.{128}$)/, ''),
    signatureAlgorithm: 2,
    hashAlgorithm: 1,
    weight: 1000,
    sequenceNumber: 0,
    isRevoked: false,
  })
  const run = async (request: Uint8Array): Promise<Buffer> => {
    const { transaction } = fromBinary(SendTransactionRequestSchema, request)
    const [signature] = transaction?.envelopeSignatures ?? []
    if (transaction?.proposalKey === undefined || signature === undefined)
      throw new TransactionRefusedError('no signature', undefined)
    const id = createHash('sha3-256').update(request).digest()
    if (results.has(id.toString('hex'))) return id
    if (world().fate === 'refused')
      throw new TransactionRefusedError('invalid transaction: the reference block is too old', undefined)
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
    const address = `0x${hex(transaction.payer)}`
    const account = accounts.get(address)
    const key = account?.keys[signature.keyId]
    if (account === undefined || key === undefined)
      throw new TransactionRefusedError(`no account ${address}`, undefined)
    const { proposalKey } = transaction
    const code = {
      script: hex(transaction.script),
      arguments: transaction.arguments.map((one) => Buffer.from(one).toString('utf8')),
    }
    const script = Buffer.from(code.script, 'hex').toString('utf8')
    await verifyPasskeySignature({
      domain: 'transaction',
      signature: signature.signature,
      extensionData: signature.extensionData,
      publicKey: Buffer.from(key.publicKey, 'hex'),
      message: encodeEnvelope({
        script,
        arguments: code.arguments,
        referenceBlockId: hex(transaction.referenceBlockId),
        computeLimit: Number(transaction.gasLimit),
        payer: address,
        authorizers: transaction.authorizers.map(hex),
        proposalKey: {
          address: hex(proposalKey.address),
          keyIndex: proposalKey.keyId,
          sequenceNumber: proposalKey.sequenceNumber,
        },
        payloadSignatures: [],
        envelopeSignatures: [],
      }),
    })
    if (proposalKey.sequenceNumber !== BigInt(key.sequenceNumber) || key.isRevoked)
      throw new TransactionRefusedError('the key is revoked, or its sequence number is another one', undefined)
    account.keys[key.index] = { ...key, sequenceNumber: key.sequenceNumber + 1 }
    results.set(
      id.toString('hex'),
      world().fate === 'failed'
        ? '[Error Code: 1101] error caused by: panic: The recipient cannot receive FLOW'
        : act(account, address, { script, arguments: code.arguments }),
    )
    height++
    return id
  }
  const act = (
    account: { keys: ChainAccountKey[] },
    address: string,
    code: { readonly script: string; readonly arguments: readonly string[] },
  ): string => {
    const known = readKnownTransaction(code, 'emulator')
    const recovery = readRecoveryChange(code)
    if (recovery?.name === 'enable-recovery') recoveries.set(address, exactString(code.arguments[1] ?? '') ?? '')
    if (recovery?.name === 'disable-recovery') recoveries.delete(address)
    if (recovery !== undefined) return ''
    const balance = (of: string): bigint => balances.get(of) ?? 0n
    if (known?.name === 'send-flow') {
      balances.set(address, balance(address) - known.amount - feeUnits)
      balances.set(known.to, balance(known.to) + known.amount)
    } else if (known?.name === 'add-key')
      account.keys.push({
        ...keyOf(known.key.publicKey, account.keys.length),
        weight: Number(known.key.weight / 100_000_000n),
      })
    else if (known?.name === 'revoke-key')
      account.keys = account.keys.map((key) => (key.index === known.keyIndex ? { ...key, isRevoked: true } : key))
    else if (known === undefined) return 'this chain runs only what the wallet sends'
    if (known !== undefined) ran.push(known)
    return ''
  }
  return {
    accounts,
    balances,
    ran,
    recoveries,
    create: (publicKeySec1Hex) => {
      const address = addressAtIndex(100 + accounts.size, 'emulator')
      accounts.set(address, { keys: [keyOf(publicKeySec1Hex, 0)] })
      balances.set(address, startUnits)
      return address
    },
    addKey: (address, publicKeySec1Hex, change = {}) => {
      const { keys = [] } = accounts.get(address) ?? {}
      keys.push({ ...keyOf(publicKeySec1Hex, keys.length), ...change })
    },
    node: {
      chainId: () => Promise.resolve('flow-emulator'),
      latestSealed: async () => {
        requireUp()
        return {
          id: createHash('sha256').update(String(height)).digest(),
          parentId: Buffer.alloc(32),
          height,
          timestampUs: Date.now() * 1000,
        }
      },
      account: async (address) => {
        requireUp()
        const account = accounts.get(address)
        return account === undefined
          ? undefined
          : { address, balance: amountText(balances.get(address) ?? 0n), keys: account.keys, contracts: new Map() }
      },
      send: run,
      result: async (id) => {
        const error = results.get(Buffer.from(id).toString('hex'))
        if (error === undefined || world().fate === 'waits') return undefined
        return {
          transactionId: Buffer.from(id),
          status: 'SEALED' as const,
          statusCode: error === '' ? 0 : 1,
          errorMessage: error,
          events: [],
          collectionId: Buffer.alloc(0),
          computationUsage: 1n,
        }
      },
    },
  }
}

/** An address for recipients. */
export function otherAddress(): string {
  return addressAtIndex(7, 'emulator')
}

/** A unique e-mail address. */
export function newEmail(): string {
  return `${randomUUID().slice(0, 8)}@example.com`
}
