import type pg from 'pg'
import { query, withTransaction } from '../../platform/db/pool.ts'
import type { WalletNetwork } from '../settings.ts'
import { freeProposal, lockNetwork, storable } from './account-store.ts'
import type { OpenTransaction, Outcome } from './account-store.ts'
import type { PayerState, PreparedTransaction, Proposal } from './transaction-sender.ts'

export interface AccountToRecover {
  readonly userId: string
  readonly network: WalletNetwork
  readonly address: string
  /** 128 hex digits. */
  readonly publicKey: string
  readonly state: 'announce' | 'announced' | 'ready' | 'complete' | 'cancel'
  readonly attempts: number
  readonly transactionId: Buffer | null
}

type Foreign = Pick<AccountToRecover, 'userId' | 'network' | 'address' | 'publicKey'>

interface ScannedAccount {
  readonly userId: string
  /** Null: the user has none on the network. */
  readonly address: string | null
  /** Read before the chain. */
  readonly isBegun: boolean
}

/** Longer than a step. */
const leaseSeconds = 60
const maxAccounts = 20

/** Changes apply only while the row still has the state and the key that were read. */
const same = `user_id = $1 and network = $2 and address = $3 and state = $4 and public_key = decode($5, 'hex')`
const valuesOf = ({ userId, network, address, state, publicKey }: AccountToRecover): unknown[] => [
  userId,
  network,
  address,
  state,
  publicKey,
]

export class RecoveryStore {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Leases rows whose time has come. */
  async take(networks: readonly WalletNetwork[], max: number): Promise<readonly AccountToRecover[]> {
    const { rows } = await query<AccountToRecover>(
      this.#pool,
      `update wallet.account_recoveries set next_at = now() + make_interval(secs => $3)
       where (user_id, network, address) in (
         select user_id, network, address from wallet.account_recoveries
         where next_at <= now() and network = any($1) order by next_at limit $2 for update skip locked)
       returning user_id as "userId", network, address, encode(public_key, 'hex') as "publicKey", state, attempts,
         transaction_id as "transactionId"`,
      [networks, max, leaseSeconds],
    )
    return rows
  }

  /** Of networks whose contract is no longer set: they would wait forever. */
  async deleteOther(networks: readonly WalletNetwork[]): Promise<void> {
    await query(this.#pool, 'delete from wallet.account_recoveries where network <> all($1)', [networks])
  }

  async later(row: AccountToRecover, seconds: number): Promise<void> {
    await query(
      this.#pool,
      `update wallet.account_recoveries set next_at = now() + make_interval(secs => $6) where ${same}`,
      [...valuesOf(row), seconds],
    )
  }

  async delete(row: AccountToRecover): Promise<void> {
    await query(
      this.#pool,
      `delete from wallet.account_recoveries where ${same} and transaction_id is null`,
      valuesOf(row),
    )
  }

  /** The passkey is registered when all announcements are due. */
  async announced(row: AccountToRecover, dueAt: Date): Promise<void> {
    await query(
      this.#pool,
      `with a as (
         update wallet.account_recoveries set state = 'announced', attempts = 0, next_at = $6 where ${same} returning 1
       ) update wallet.recoveries set due_at = greatest(due_at, $6)
         where user_id = $1 and due_at is not null and exists (select from a)`,
      [...valuesOf(row), dueAt],
    )
  }

  async ready(row: AccountToRecover): Promise<void> {
    await query(this.#pool, `update wallet.account_recoveries set state = 'ready' where ${same}`, valuesOf(row))
  }

  /** @returns undefined: no free key of the payer, or the row has changed */
  async begin(
    row: AccountToRecover,
    { payer, sequenceNumbers }: PayerState,
    prepare: (proposal: Proposal) => PreparedTransaction,
  ): Promise<PreparedTransaction | undefined> {
    return withTransaction(this.#pool, async (client) => {
      await lockNetwork(client, row.network)
      const { rowCount } = await query(
        client,
        `select from wallet.account_recoveries where ${same} and transaction_id is null for update`,
        valuesOf(row),
      )
      const proposal = await freeProposal(client, row.network, payer.address, sequenceNumbers)
      if (rowCount !== 1 || proposal === undefined) return undefined
      const prepared = prepare(proposal)
      await query(
        client,
        `insert into wallet.payer_transactions (id, network, user_id, payer, key_index, sequence_number,
          reference_height, submission) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          prepared.id,
          row.network,
          row.userId,
          payer.address,
          proposal.keyIndex,
          String(proposal.sequenceNumber),
          prepared.reference.height,
          prepared.submission,
        ],
      )
      await query(client, `update wallet.account_recoveries set transaction_id = $6 where ${same}`, [
        ...valuesOf(row),
        prepared.id,
      ])
      return prepared
    })
  }

  async openTransaction(id: Buffer): Promise<OpenTransaction | undefined> {
    const {
      rows: [row],
    } = await query<Omit<OpenTransaction, 'sequenceNumber'> & { readonly sequenceNumber: string }>(
      this.#pool,
      `select id, submission, payer, key_index as "keyIndex", sequence_number::text as "sequenceNumber",
        reference_height::float8 as "referenceHeight", made_at as "madeAt"
       from wallet.payer_transactions where id = $1 and outcome is null`,
      [id],
    )
    return row === undefined ? undefined : { ...row, sequenceNumber: BigInt(row.sequenceNumber) }
  }

  async endTransaction(id: Buffer, outcome: Outcome, detail: string | undefined): Promise<void> {
    await query(
      this.#pool,
      'update wallet.payer_transactions set outcome = $2, detail = $3, ended_at = now(), submission = null ' +
        'where id = $1 and outcome is null',
      [id, outcome, detail === undefined ? null : storable(detail)],
    )
  }

  /** In any state: a cancel may have come meanwhile. */
  async ended({ userId, network, address }: AccountToRecover, isGood: boolean, seconds: number): Promise<void> {
    await query(
      this.#pool,
      `update wallet.account_recoveries set transaction_id = null, next_at = now() + make_interval(secs => $5),
         attempts = case when $4 then 0 else attempts + 1 end
       where user_id = $1 and network = $2 and address = $3`,
      [userId, network, address, isGood, seconds],
    )
  }

  /** The next users who may have switched a recovery on, with their accounts. */
  async scan(network: WalletNetwork, after: string, max: number): Promise<readonly ScannedAccount[]> {
    const { rows } = await query<ScannedAccount>(
      this.#pool,
      `select u.user_id as "userId", a.address,
         exists (select from wallet.account_recoveries r
           where r.user_id = u.user_id and r.network = $1 and r.address = a.address) as "isBegun"
       from (select user_id from wallet.recoveries where user_id > $2 order by user_id limit $3) as u
       left join lateral (
         select a.address from wallet.passkeys p join wallet.accounts a using (credential_id)
           where p.user_id = u.user_id and a.user_id = u.user_id and a.network = $1 and a.state = 'sealed'
         union select address from wallet.further_accounts where user_id = u.user_id and network = $1
         order by 1 limit $4) as a on true
       order by u.user_id, a.address`,
      [network, after, max, maxAccounts],
    )
    return rows
  }

  /** @returns false if a recovery of the user began meanwhile */
  async cancelForeign({ userId, network, address, publicKey }: Foreign): Promise<boolean> {
    const { rowCount } = await query(
      this.#pool,
      `insert into wallet.account_recoveries (user_id, network, address, public_key, state)
       values ($1, $2, $3, decode($4, 'hex'), 'cancel') on conflict do nothing`,
      [userId, network, address, publicKey],
    )
    return rowCount === 1
  }

  /** Existing accounts of the user, also of removed passkeys. */
  async accountsOf(userId: string, network: WalletNetwork): Promise<readonly string[]> {
    const { rows } = await query<{ address: string }>(
      this.#pool,
      `select a.address from wallet.accounts a join wallet.passkeys p using (credential_id)
         where p.user_id = $1 and a.user_id = $1 and a.network = $2 and a.state = 'sealed'
       union select address from wallet.further_accounts where user_id = $1 and network = $2
       order by 1 limit $3`,
      [userId, network, maxAccounts],
    )
    return rows.map(({ address }) => address)
  }
}
