import type pg from 'pg'
import { query } from '../platform/db/pool.ts'

export interface DeliveryLease {
  readonly subscriptionId: number
  readonly keyId: number
  /** Fencing number: a newer claim is left untouched. */
  readonly generation: number
}

export interface ReleasedLease {
  readonly lease: DeliveryLease
  readonly retryMs: number
}

export const deliveriesChannel = 'flowfarm_webhook_turns'

/**
 * Each subscription has one row in app.webhook_turns, the lease for sending, so that its deliveries
 * are sequential across processes:
 *
 *   idle (due_at null) ──deliveries──► due ──claimed──► held until due_at ──released──► idle, due, deferred
 *                          ▲           │
 *                          └── expired ─┘
 *
 * Lock order, rows of one kind by ascending id: developer keys, subscriptions, usage, leases,
 * deliveries, endpoints.
 */

const lockText =
  'select 1 from app.webhook_turns where subscription_id = any ($1) order by subscription_id for no key update'

/**
 * Must run in the transaction that inserts the deliveries. Releasing locks the lease before
 * checking for pending deliveries, so either the check sees them or this sees the released lease.
 */
export async function scheduleDeliveries(client: pg.ClientBase, subscriptionIds: readonly number[]): Promise<void> {
  await query(client, lockText, [subscriptionIds])
  await query(
    client,
    'update app.webhook_turns set due_at = now() where subscription_id = any ($1) and due_at is null',
    [subscriptionIds],
  )
  await query(client, `select pg_notify('${deliveriesChannel}', '')`)
}

/** Also makes deferred deliveries due now. */
export async function scheduleNow(client: pg.ClientBase, subscriptionIds: readonly number[]): Promise<void> {
  await query(client, lockText, [subscriptionIds])
  await query(client, 'update app.webhook_turns set due_at = now() where subscription_id = any ($1) and not is_held', [
    subscriptionIds,
  ])
  await query(client, `select pg_notify('${deliveriesChannel}', '')`)
}

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

export async function claimLeases(
  pool: pg.Pool,
  max: number,
  leaseMs: number,
  exceptKeys: readonly number[],
): Promise<DeliveryLease[]> {
  const { rows } = await query<DeliveryLease>(
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

/** @returns subscriptions whose leases are still held */
export async function renewLeases(
  pool: pg.Pool,
  leases: readonly DeliveryLease[],
  leaseMs: number,
): Promise<ReadonlySet<number>> {
  const { rows } = await query<{ id: number }>(
    pool,
    `with own as (
       select t.subscription_id from app.webhook_turns t
       join unnest($1::bigint[], $2::bigint[]) as g (subscription_id, generation) using (subscription_id, generation)
       where t.is_held order by t.subscription_id for no key update of t
     )
     update app.webhook_turns t set due_at = clock_timestamp() + make_interval(secs => $3 / 1000.0)
     from own where t.subscription_id = own.subscription_id returning t.subscription_id::float8 as id`,
    [leases.map((one) => one.subscriptionId), leases.map((one) => one.generation), leaseMs],
  )
  return new Set(rows.map(({ id }) => id))
}

/** @returns subscriptions whose leases are still held */
export async function lockLeases(
  client: pg.ClientBase,
  leases: readonly DeliveryLease[],
): Promise<ReadonlySet<number>> {
  const { rows } = await query<{ id: number }>(
    client,
    `select t.subscription_id::float8 as id from app.webhook_turns t
     join unnest($1::bigint[], $2::bigint[]) as g (subscription_id, generation) using (subscription_id, generation)
     where t.is_held order by t.subscription_id for no key update of t`,
    [leases.map((one) => one.subscriptionId), leases.map((one) => one.generation)],
  )
  return new Set(rows.map(({ id }) => id))
}

/**
 * Requires `lockLeases`. A lease becomes idle without pending deliveries or while sending is not
 * allowed.
 */
export async function releaseLeases(client: pg.ClientBase, ended: readonly ReleasedLease[]): Promise<void> {
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
    [ended.map(({ lease }) => lease.subscriptionId), ended.map(({ retryMs }) => retryMs)],
  )
}
