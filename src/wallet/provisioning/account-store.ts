import { createHash } from 'node:crypto'
import type pg from 'pg'
import { query, withTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import type { WalletNetwork } from '../settings.ts'
import type { PreparedTransaction, Proposal, PayerState } from './transaction-sender.ts'

interface RequestedAccount extends AccountKey {
  readonly userId: string
  /** Hex, 128 digits. */
  readonly publicKey: string
  readonly requester: Requester
}

/** For limits, stored as hashes. */
export interface Requester {
  readonly mailbox: string | undefined
  readonly network: string
}

/** In 24 hours per network. */
interface ProvisionLimits {
  readonly all: number
  readonly ofUser: number
  readonly ofMailbox: number
  readonly ofNetwork: number
}

interface AccountRow {
  readonly credentialId: string
  readonly network: WalletNetwork
  readonly userId: string
  readonly publicKey: Buffer
  readonly state: StoredAccount['state']
  readonly isImported: boolean
  readonly address: string | null
  readonly keyIndex: number | null
  readonly transactionId: Buffer | null
  readonly attempts: number
  readonly failureCode: string | null
  readonly failure: string | null
  readonly mayRetry: boolean | null
  readonly createdAt: Date
}

const accountColumns = `credential_id as "credentialId", network, user_id as "userId", public_key as "publicKey",
  state, is_imported as "isImported", address,
  key_index as "keyIndex", transaction_id as "transactionId", attempts, failure_code as "failureCode", failure,
    may_retry as "mayRetry", created_at as "createdAt"`

/** Expired transactions cost nothing. */
const usedOf = (user: string): string => `(select count(*) from wallet.payer_transactions
    where network = $1 and made_at > now() - interval '24 hours' and outcome is distinct
      from 'expired' and outcome is distinct from 'refused' and credential_id is not null ${user})
  + (select count(*) from wallet.accounts where network = $1 and state = 'wanted' ${user})`

/** Each state change is one database transaction. */
export class AccountStore {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async find({ credentialId, network }: AccountKey): Promise<StoredAccount | undefined> {
    return findIn(this.#pool, { credentialId, network }, '')
  }

  async of(credentialIds: readonly string[]): Promise<readonly StoredAccount[]> {
    const { rows } = await query<AccountRow>(
      this.#pool,
      `select ${accountColumns} from wallet.accounts where credential_id = any($1)
        order by created_at, credential_id, network`,
      [credentialIds],
    )
    return rows.map(storedAccount)
  }

  async open(): Promise<readonly AccountKey[]> {
    const { rows } = await query<AccountKey>(
      this.#pool,
      `select credential_id as "credentialId", network from wallet.accounts where state in ('wanted', 'sent')
        order by changed_at`,
    )
    return rows
  }

  /**
   * Once; a failed account that may be retried is requested again. @param onRequested in the
   * transaction. @throws ApiError 409 if the passkey id has another key, 429 at the limits
   */
  async want(
    wanted: RequestedAccount,
    limits: ProvisionLimits,
    onRequested: (client: pg.ClientBase) => Promise<void>,
  ): Promise<StoredAccount> {
    const { credentialId, network, userId, publicKey } = wanted
    return withTransaction(this.#pool, async (client) => {
      await lockNetwork(client, network)
      const known = await findIn(client, wanted, 'for update')
      if (known !== undefined) requireKey(known, publicKey)
      if (known !== undefined && (known.state !== 'failed' || !known.failure.mayRetry)) return known
      await requireLimits(client, wanted, limits)
      const { rows } = await query<AccountRow>(
        client,
        `insert into wallet.accounts (credential_id, network, user_id, public_key, state, asked_by)
          values ($1, $2, $3, decode($4, 'hex'), 'wanted', $5)
         on conflict (credential_id, network) do update
           set user_id = excluded.user_id, asked_by = excluded.asked_by, state = 'wanted', attempts = 0,
           failure_code = null, failure = null, may_retry = null, changed_at = now()
         returning ${accountColumns}`,
        [credentialId, network, userId, publicKey, digestsOf(wanted.requester)],
      )
      await onRequested(client)
      return storedAccount(only(rows))
    })
  }

  /** @returns the account of the passkey: another one if it has or is creating one */
  async import(
    wanted: Omit<RequestedAccount, 'requester'>,
    { address, keyIndex }: { readonly address: string; readonly keyIndex: number },
  ): Promise<StoredAccount> {
    const { credentialId, network, userId, publicKey } = wanted
    return withTransaction(this.#pool, async (client) => {
      await lockNetwork(client, network)
      const known = await findIn(client, wanted, 'for update')
      if (known !== undefined) requireKey(known, publicKey)
      if (known !== undefined && known.state !== 'failed') return known
      const { rows } = await query<AccountRow>(
        client,
        `insert into wallet.accounts (credential_id, network, user_id, public_key, state, is_imported, address,
          key_index) values ($1, $2, $3, decode($4, 'hex'), 'sealed', true, $5, $6)
         on conflict (credential_id, network) do update
           set user_id = excluded.user_id, state = 'sealed', is_imported = true, address = excluded.address,
           key_index = excluded.key_index, transaction_id = null, failure_code = null, failure = null,
             may_retry = null, changed_at = now()
         returning ${accountColumns}`,
        [credentialId, network, userId, publicKey, address, keyIndex],
      )
      return storedAccount(only(rows))
    })
  }

  /**
   * @param prepare signs while the payer key is locked. @returns `busy`: no free key; `moved`: no
   * longer requested
   */
  async begin(
    key: AccountKey,
    { payer, sequenceNumbers }: PayerState,
    prepare: (proposal: Proposal) => PreparedTransaction,
  ): Promise<PreparedTransaction | 'busy' | 'moved'> {
    return withTransaction(this.#pool, async (client) => {
      await lockNetwork(client, key.network)
      const account = await findIn(client, key, 'for update')
      if (account?.state !== 'wanted') return 'moved'
      const proposal = await freeProposal(client, key.network, payer.address, sequenceNumbers)
      if (proposal === undefined) return 'busy'
      const prepared = prepare(proposal)
      await query(
        client,
        `insert into wallet.payer_transactions (id, credential_id, network, user_id, payer, key_index,
          sequence_number, reference_height, submission, asked_by)
         select $1, $2, $3, $4, $5, $6, $7, $8, $9, asked_by from wallet.accounts
           where credential_id = $2 and network = $3`,
        [
          prepared.id,
          key.credentialId,
          key.network,
          account.userId,
          payer.address,
          proposal.keyIndex,
          String(proposal.sequenceNumber),
          prepared.reference.height,
          prepared.submission,
        ],
      )
      await query(
        client,
        `update wallet.accounts set state = 'sent', transaction_id = $3, attempts = attempts + 1, changed_at = ` +
          'now() where credential_id = $1 and network = $2',
        [key.credentialId, key.network, prepared.id],
      )
      return prepared
    })
  }

  async openTransaction({ credentialId, network }: AccountKey): Promise<OpenTransaction | undefined> {
    const {
      rows: [row],
    } = await query<Omit<OpenTransaction, 'sequenceNumber'> & { readonly sequenceNumber: string }>(
      this.#pool,
      `select id, submission, payer, key_index as "keyIndex", sequence_number::text as "sequenceNumber",
        reference_height::float8 as "referenceHeight", made_at as "madeAt"
       from wallet.payer_transactions where credential_id = $1 and network = $2 and outcome is null`,
      [credentialId, network],
    )
    return row === undefined ? undefined : { ...row, sequenceNumber: BigInt(row.sequenceNumber) }
  }

  async end(
    { credentialId, network }: AccountKey,
    { id }: Pick<OpenTransaction, 'id'>,
    outcome: Outcome,
    detail: string | undefined,
    next: NextState,
  ): Promise<boolean> {
    return withTransaction(this.#pool, async (client) => {
      await lockNetwork(client, network)
      const { rowCount } = await query(
        client,
        'update wallet.payer_transactions set outcome = $2, detail = $3, ended_at = now(), submission = null ' +
          'where id = $1 and outcome is null',
        [id, outcome, detail === undefined ? null : storable(detail)],
      )
      if (rowCount === 0) return false
      await setState(client, { credentialId, network }, next)
      return true
    })
  }

  async giveUp(key: AccountKey, next: NextState & { readonly state: 'failed' }): Promise<boolean> {
    return withTransaction(this.#pool, async (client) => {
      await lockNetwork(client, key.network)
      const account = await findIn(client, key, 'for update')
      if (account?.state !== 'wanted') return false
      await setState(client, key, next)
      return true
    })
  }
}

export async function lockNetwork(client: pg.ClientBase, network: WalletNetwork): Promise<void> {
  await query(client, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`wallet:payer:${network}`])
}

async function findIn(
  runner: pg.Pool | pg.ClientBase,
  { credentialId, network }: AccountKey,
  lock: '' | 'for update',
): Promise<StoredAccount | undefined> {
  const {
    rows: [row],
  } = await query<AccountRow>(
    runner,
    `select ${accountColumns} from wallet.accounts where credential_id = $1 and network = $2 ${lock}`,
    [credentialId, network],
  )
  return row === undefined ? undefined : storedAccount(row)
}

async function setState(client: pg.ClientBase, { credentialId, network }: AccountKey, next: NextState): Promise<void> {
  const sealed = next.state === 'sealed' ? next : undefined
  const failure = next.state === 'failed' ? next.failure : undefined
  await query(
    client,
    `update wallet.accounts set state = $3, address = $4, key_index = $5, failure_code = $6, failure = $7,
       may_retry = $8, changed_at = now()
     where credential_id = $1 and network = $2`,
    [
      credentialId,
      network,
      next.state,
      sealed?.address ?? null,
      sealed?.keyIndex ?? null,
      failure?.code ?? null,
      failure === undefined ? null : storable(failure.text),
      failure?.mayRetry ?? null,
    ],
  )
}

/** A key without a pending transaction. The next number is the chain's, or after the last known one. */
export async function freeProposal(
  client: pg.ClientBase,
  network: WalletNetwork,
  payer: string,
  sequenceNumbers: ReadonlyMap<number, bigint>,
): Promise<Proposal | undefined> {
  const { rows: held } = await query<{ keyIndex: number }>(
    client,
    `select key_index as "keyIndex" from wallet.payer_transactions
      where network = $1 and payer = $2 and outcome is null`,
    [network, payer],
  )
  const [free] = [...sequenceNumbers].filter(([index]) => !held.some(({ keyIndex }) => keyIndex === index))
  if (free === undefined) return undefined
  const [keyIndex, onChain] = free
  const {
    rows: [last],
  } = await query<{ sequenceNumber: string; outcome: Outcome }>(
    client,
    `select sequence_number::text as "sequenceNumber", outcome from wallet.payer_transactions
     where network = $1 and payer = $2 and key_index = $3 and outcome in ('succeeded', 'failed', 'out-of-turn')
       order by made_at desc limit 1`,
    [network, payer, keyIndex],
  )
  // After a wrong number the stored one is invalid: another chain, or another user of the key.
  const known = last === undefined || last.outcome === 'out-of-turn' ? 0n : BigInt(last.sequenceNumber) + 1n
  return { keyIndex, sequenceNumber: known > onChain ? known : onChain }
}

async function requireLimits(
  client: pg.ClientBase,
  { network, userId, requester }: RequestedAccount,
  limits: ProvisionLimits,
): Promise<void> {
  const [ofNetwork, mailbox = null] = digestsOf(requester)
  const { rows } = await query<{ all: number; user: number; mailbox: number; network: number }>(
    client,
    `select (${usedOf('')})::int as all, (${usedOf('and user_id = $2')})::int as user,
      (${usedOf('and $3::bytea = any(asked_by)')})::int as mailbox,
       (${usedOf('and $4::bytea = any(asked_by)')})::int as network`,
    [network, userId, mailbox, ofNetwork],
  )
  const used = only(rows)
  const refuse = (of: string, max: number): never => {
    throw new ApiError(
      429,
      'RATE_LIMITED',
      `No account requested on ${network}: ${of} has reached the limit of ${max} accounts in 24 hours. ` +
        'Try again tomorrow.',
    )
  }
  if (used.mailbox >= limits.ofMailbox) refuse('your mailbox', limits.ofMailbox)
  if (used.network >= limits.ofNetwork) refuse('your network', limits.ofNetwork)
  if (used.user >= limits.ofUser)
    throw new ApiError(
      429,
      'RATE_LIMITED',
      `Limit reached: ${limits.ofUser} new accounts on ${network} in 24 hours. Try again tomorrow.`,
    )
  if (used.all >= limits.all)
    throw new ApiError(
      429,
      'RATE_LIMITED',
      `The daily limit of new accounts on ${network} is reached. Try again tomorrow.`,
    )
}

function digestsOf({ network, mailbox }: Requester): readonly Buffer[] {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return [digest(`network ${network}`), ...(mailbox === undefined ? [] : [digest(`mailbox ${mailbox}`)])]
}

function requireKey(known: StoredAccount, publicKey: string): void {
  if (known.publicKey === publicKey) return
  throw new ApiError(409, 'PROVISION_FAILED', 'Another passkey with the same id has an account. Create a new passkey.')
}

function storedAccount(row: AccountRow): StoredAccount {
  const { credentialId, network, userId, attempts, createdAt, isImported } = row
  const transactionId = row.transactionId ?? undefined
  const all = { credentialId, network, userId, publicKey: row.publicKey.toString('hex'), attempts, createdAt }
  switch (row.state) {
    case 'wanted':
      return { ...all, state: 'wanted' }
    case 'sent':
      return { ...all, state: 'sent', transactionId: present(transactionId) }
    case 'sealed':
      return {
        ...all,
        state: 'sealed',
        address: present(row.address),
        keyIndex: present(row.keyIndex),
        transactionId,
        isImported,
      }
    case 'failed':
  }
  return {
    ...all,
    state: 'failed',
    failure: { code: present(row.failureCode), text: present(row.failure), mayRetry: row.mayRetry === true },
    transactionId,
  }
}

function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined)
    throw new TypeError('a row of wallet.accounts is missing a column of its state')
  return value
}

function only<T>(rows: readonly T[]): T {
  return present(rows[0])
}

/** PostgreSQL rejects some characters. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', ' ').toWellFormed().slice(0, 2000)
}

export interface AccountKey {
  /** base64url. */
  readonly credentialId: string
  readonly network: WalletNetwork
}

export interface AccountFailure {
  /** Lower case, dashes. */
  readonly code: string
  readonly text: string
  /** A new request creates another transaction. */
  readonly mayRetry: boolean
}

/** wanted → sent → sealed or failed; after an expired transaction, wanted again. */
type AccountState =
  | { readonly state: 'wanted' }
  | { readonly state: 'sent'; readonly transactionId: Buffer }
  /** `address` in text form. Without `transactionId` the account existed before. */
  | {
      readonly state: 'sealed'
      readonly address: string
      readonly keyIndex: number
      readonly transactionId: Buffer | undefined
      readonly isImported: boolean
    }
  | { readonly state: 'failed'; readonly failure: AccountFailure; readonly transactionId: Buffer | undefined }

export type StoredAccount = AccountKey &
  AccountState & {
    readonly userId: string
    /** Hex, 128 digits. */
    readonly publicKey: string
    readonly attempts: number
    readonly createdAt: Date
  }

export interface OpenTransaction {
  readonly id: Buffer
  readonly submission: Buffer
  readonly payer: string
  readonly keyIndex: number
  readonly sequenceNumber: bigint
  readonly referenceHeight: number
  readonly madeAt: Date
}

/** As in wallet.payer_transactions. */
export type Outcome = 'succeeded' | 'failed' | 'out-of-turn' | 'refused' | 'expired' | 'lost'

export type NextState =
  | { readonly state: 'wanted' }
  | { readonly state: 'sealed'; readonly address: string; readonly keyIndex: number }
  | { readonly state: 'failed'; readonly failure: AccountFailure }
