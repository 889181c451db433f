import type pg from 'pg'
import { query } from '../../platform/db/pool.ts'
import { announceChangedRows } from '../../platform/db/announce-farm-work.ts'

/** A template that an operator gave a script. */
export interface OwnTemplate {
  /** SHA-256 of the script's normal form, 64 hex digits. */
  readonly normalHash: string
  readonly category: string
  readonly label: string
}

/** All of them. There are few: people write them. */
export async function listTemplates(pool: pg.Pool): Promise<readonly OwnTemplate[]> {
  const { rows } = await query<{ normalHash: string; category: string; label: string }>(
    pool,
    `
    select encode(normal_hash, 'hex') as "normalHash", category, label from app.script_templates
    order by category, label, normal_hash`,
  )
  return rows
}

/** Gives a script a template, in the place of an earlier one. */
export async function putTemplate(pool: pg.Pool, { normalHash, category, label }: OwnTemplate): Promise<void> {
  await query(
    pool,
    `
    insert into app.script_templates (normal_hash, category, label) values (decode($1, 'hex'), $2, $3)
    on conflict (normal_hash) do update set category = excluded.category, label = excluded.label`,
    [normalHash, category, label],
  )
  await announceChangedRows(pool)
}

/** @returns whether there was one */
export async function removeTemplate(pool: pg.Pool, normalHash: string): Promise<boolean> {
  const { rowCount } = await query(pool, "delete from app.script_templates where normal_hash = decode($1, 'hex')", [
    normalHash,
  ])
  if (rowCount === 1) await announceChangedRows(pool)
  return rowCount === 1
}
