import type pg from 'pg'
import { knownAccounts } from '../../flow/core-contracts.ts'
import type { LabelCategory } from '../../flow/core-contracts.ts'
import type { Network } from '../../flow/network.ts'
import { query } from '../../platform/db/pool.ts'
import { announceChangedRows } from '../../platform/db/listen.ts'

export interface AccountLabel {
  readonly address: string
  readonly tag: string
  readonly label: string
  readonly category: LabelCategory
  /** False: created by an operator. */
  readonly isBuiltIn: boolean
}

/** Labels of operators with the same tag take precedence. Safe in several processes. */
export async function writeBuiltInLabels(pool: pg.Pool, network: Network): Promise<void> {
  const known = knownAccounts(network)
  await query(
    pool,
    `with known as (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as k (address, tag, label,
      category)),
     gone as (
       delete from app.account_labels l
       where l.is_built_in and not exists (select from known k where k.address = l.address and k.tag = l.tag)
     )
     insert into app.account_labels as l (address, tag, label, category, is_built_in)
     select address, tag, label, category, true from known order by address, tag
     on conflict (address, tag) do update set label = excluded.label, category = excluded.category
     where l.is_built_in and (l.label, l.category) is distinct from (excluded.label, excluded.category)`,
    [
      known.map((one) => one.address),
      known.map((one) => one.tag),
      known.map((one) => one.label),
      known.map((one) => one.category),
    ],
  )
}

/** Replaces a label with the same tag. */
export async function putLabel(
  pool: pg.Pool,
  { address, tag, label, category }: Omit<AccountLabel, 'isBuiltIn'>,
): Promise<void> {
  await query(
    pool,
    `insert into app.account_labels (address, tag, label, category) values ($1, $2, $3, $4)
     on conflict (address, tag) do update set label = excluded.label, category = excluded.category, is_built_in =
     false`,
    [address, tag, label, category],
  )
  await announceChangedRows(pool)
}

/**
 * A built-in label reappears at the next start of the farm.
 *
 * @param tag undefined: all labels
 */
export async function removeLabels(pool: pg.Pool, address: string, tag?: string): Promise<number> {
  const { rowCount } = await query(
    pool,
    'delete from app.account_labels where address = $1 and ($2::text is null or tag = $2)',
    [address, tag ?? null],
  )
  if (rowCount !== 0) await announceChangedRows(pool)
  return rowCount ?? 0
}

/** Operators create them, so there are few. */
export async function listLabels(pool: pg.Pool, address?: string): Promise<readonly AccountLabel[]> {
  const { rows } = await query<{
    address: string
    tag: string
    label: string
    category: LabelCategory
    isBuiltIn: boolean
  }>(
    pool,
    `select address, tag, label, category, is_built_in as "isBuiltIn" from app.account_labels
     where $1::text is null or address = $1 order by address, tag`,
    [address ?? null],
  )
  return rows
}
