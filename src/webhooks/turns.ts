import type pg from 'pg'
import { query } from '../platform/db/pool.ts'

/** The right to send to a subscription, as this process has taken it. */
export interface Turn {
  readonly subscriptionId: number
  readonly keyId: number
  /** Which taking of it this is: one that somebody else took meanwhile is left alone. */
  readonly generation: number
}

/** A turn that ends. */
export interface EndedTurn {
  readonly turn: Turn
  /** After how long the next delivery may be sent; by the clock of the database, as all is here. */
  readonly retryMs: number
}

/** Heard by senders: something is to be sent. */
export const turnsChannel = 'flowfarm_webhook_turns'

/**
 * Each subscription has one row in app.webhook_turns, which says whether it is to be sent to and by whom it is, so
 * that its deliveries go one after the other in all processes together:
 *
 *     nothing waits (due_at null) ──deliveries──► due ──taken──► held until due_at ──ended──► nothing waits, due,
 * or put off
 *                                                  ▲                   │
 *                                                  └──its process is silent until due_at──┘
 *
 * Locks are taken in this order, rows of one kind by rising number: developer keys, subscriptions, usage, turns,
 * deliveries, endpoints.
 */

const lockText =
  'select 1 from app.webhook_turns where subscription_id = any ($1) order by subscription_id for no key update'

/**
 * In the transaction that writes deliveries, after them. Whoever ends a turn locks it before looking for what
 * waits, so either that look finds the deliveries or this finds the turn ended.
 */
export async function wakeTurns(client: pg.ClientBase, subscriptionIds: readonly number[]): Promise<void> {
  await query(client, lockText, [subscriptionIds])
  await query(
    client,
    'update app.webhook_turns set due_at = now() where subscription_id = any ($1) and due_at is null',
    [subscriptionIds],
  )
  await query(client, `select pg_notify('${turnsChannel}', '')`)
}

/** The same; those that were put off are due now. */
export async function hurryTurns(client: pg.ClientBase, subscriptionIds: readonly number[]): Promise<void> {
  await query(client, lockText, [subscriptionIds])
  await query(client, 'update app.webhook_turns set due_at = now() where subscription_id = any ($1) and not is_held', [
    subscriptionIds,
  ])
  await query(client, `select pg_notify('${turnsChannel}', '')`)
}

/** Locks subscriptions that are about to be removed, with their turns, in the order in which everybody does. */
export async function lockForRemoval(
  client: pg.ClientBase,
  idsText: string,
  values: readonly unknown[],
): Promise<void> {
  await query(client, `select 1 from app.webhook_subscriptions where id in (${idsText}) order by id for update`, [
    ...values,
  ])
  await query(
    client,
    `select 1 from app.webhook_turns where subscription_id in (${idsText}) order by subscription_id for update`,
    [...values],
  )
}

/** Takes up to `max` turns that are due, for so long; none of those keys. */
export async function takeTurns(
  pool: pg.Pool,
  max: number,
  leaseMs: number,
  exceptKeys: readonly number[],
): Promise<Turn[]> {
  const { rows } = await query<Turn>(
    pool,
    `with due as (
       select subscription_id from app.webhook_turns where due_at <= clock_timestamp() and key_id <> all ($3::bigint[])
       order by due_at limit $1 for no key update skip locked
     )
     update app.webhook_turns t set due_at = clock_timestamp() + make_interval(secs => $2 / 1000.0), generation =
       generation + 1, is_held = true
     from due where t.subscription_id = due.subscription_id
     returning t.subscription_id::float8 as "subscriptionId", t.key_id::float8 as "keyId", t.generation::float8 as
       generation`,
    [max, leaseMs, exceptKeys],
  )
  return rows
}

/** A sign of life. @returns the subscriptions whose turns are still ours */
export async function renewTurns(pool: pg.Pool, turns: readonly Turn[], leaseMs: number): Promise<ReadonlySet<number>> {
  const { rows } = await query<{ id: number }>(
    pool,
    `with own as (
       select t.subscription_id from app.webhook_turns t
       join unnest($1::bigint[], $2::bigint[]) as g (subscription_id, generation) using (subscription_id, generation)
       where t.is_held order by t.subscription_id for no key update of t
     )
     update app.webhook_turns t set due_at = clock_timestamp() + make_interval(secs => $3 / 1000.0)
     from own where t.subscription_id = own.subscription_id returning t.subscription_id::float8 as id`,
    [turns.map((one) => one.subscriptionId), turns.map((one) => one.generation), leaseMs],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Locks turns until the end of the transaction. @returns the subscriptions whose turns are still ours */
export async function lockTurns(client: pg.ClientBase, turns: readonly Turn[]): Promise<ReadonlySet<number>> {
  const { rows } = await query<{ id: number }>(
    client,
    `select t.subscription_id::float8 as id from app.webhook_turns t
     join unnest($1::bigint[], $2::bigint[]) as g (subscription_id, generation) using (subscription_id, generation)
     where t.is_held order by t.subscription_id for no key update of t`,
    [turns.map((one) => one.subscriptionId), turns.map((one) => one.generation)],
  )
  return new Set(rows.map(({ id }) => id))
}

/**
 * Ends turns that the transaction has locked. Nothing waits where no delivery does, and while nothing may be sent:
 * whoever lets an endpoint go on hurries its turns.
 */
export async function endTurns(client: pg.ClientBase, ended: readonly EndedTurn[]): Promise<void> {
  await query(
    client,
    `update app.webhook_turns t set is_held = false, due_at = case when exists (
       select from app.webhook_deliveries d where d.subscription_id = t.subscription_id and d.status = 'pending'
     ) and exists (
       select from app.webhook_subscriptions s join app.webhook_endpoints e on e.id = s.endpoint_id join
         app.developer_keys k on k.id = e.key_id
       where s.id = t.subscription_id and e.paused_at is null and k.revoked_at is null
     ) then now() + make_interval(secs => g.retry_ms / 1000.0) end
     from unnest($1::bigint[], $2::float8[]) as g (subscription_id, retry_ms) where t.subscription_id =
       g.subscription_id`,
    [ended.map(({ turn }) => turn.subscriptionId), ended.map(({ retryMs }) => retryMs)],
  )
}
