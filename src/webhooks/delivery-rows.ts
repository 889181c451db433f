import type pg from 'pg'
import { query } from '../platform/db/pool.ts'
import { scheduleDeliveries } from './leases.ts'
import { deliveryBody } from './events.ts'

export interface NewDelivery {
  readonly subscriptionId: number
  readonly blockHeight: number
  readonly eventType: string
  readonly body: string
}

/** Limit per statement, which copies all bodies. */
const rowsAtOnce = 5000

/**
 * The transaction must have locked the subscriptions, so that sequence numbers follow commit order.
 */
export async function insertDeliveries(client: pg.ClientBase, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  for (let from = 0; from < deliveries.length; from += rowsAtOnce)
    await insertSome(client, deliveries.slice(from, from + rowsAtOnce))
  await scheduleDeliveries(client, [...new Set(deliveries.map((one) => one.subscriptionId))])
}

async function insertSome(client: pg.ClientBase, deliveries: readonly NewDelivery[]): Promise<void> {
  await query(
    client,
    `with given as (
       select d.*, row_number() over (partition by d.subscription_id order by d.place) as nth
       from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) with ordinality as d (subscription_id,
         block_height, event_type, body, place)
     ), inserted as (
       insert into app.webhook_deliveries (subscription_id, sequence, block_height, event_type, body)
       select g.subscription_id, s.last_sequence + g.nth, g.block_height, g.event_type, g.body
       from given g join app.webhook_subscriptions s on s.id = g.subscription_id
     )
     update app.webhook_subscriptions s set last_sequence = s.last_sequence + c.count
     from (select subscription_id, count(*) from given group by subscription_id) c where s.id = c.subscription_id`,
    [
      deliveries.map((one) => one.subscriptionId),
      deliveries.map((one) => one.blockHeight),
      deliveries.map((one) => one.eventType),
      deliveries.map((one) => one.body),
    ],
  )
}

/** Also deletes failures and usage counts. Skips locked rows. */
export async function pruneDeliveries(pool: pg.Pool, days: number): Promise<number> {
  await query(pool, 'delete from app.webhook_usage where hour < now() - make_interval(days => $1)', [days])
  let pruned = 0
  for (let removed = rowsAtOnce; removed === rowsAtOnce; pruned += removed) {
    const { rowCount } = await query(
      pool,
      `delete from app.webhook_deliveries where ctid = any (array(
         select ctid from app.webhook_deliveries where finished_at < now() - make_interval(days => $1)
         order by finished_at limit $2 for update skip locked
       ))`,
      [days, rowsAtOnce],
    )
    removed = rowCount ?? 0
  }
  return pruned
}

/**
 * Advisory lock: shared by dispatching transactions, exclusive for a reorg. So each height is read
 * entirely before or after the reorg, and every cursor beyond it is moved back.
 */
export const rollbackLock = 7_364_832

/**
 * Moves every cursor above the common ancestor back to just above it, and notifies subscriptions
 * that received removed blocks or subscribed to `chain.rollback`.
 *
 * @param ancestor highest remaining height
 */
export async function rollBackWebhooks(client: pg.ClientBase, ancestor: number): Promise<void> {
  await query(client, `select pg_advisory_xact_lock(${rollbackLock})`)
  // Lower cursors may have received removed blocks before their owners moved them back.
  const { rows } = await query<{
    id: number
    next_height: number
    highest_delivered: number | null
    has_asked: boolean
  }>(
    client,
    `select s.id::float8 as id, s.next_height::float8 as next_height, 'chain.rollback' = any (s.event_types) as
      has_asked, (
       select max(d.block_height) from app.webhook_deliveries d where d.subscription_id = s.id and d.block_height > $1
     )::float8 as highest_delivered
     from app.webhook_subscriptions s where s.next_height > $1::bigint + 1 or exists (
       select from app.webhook_deliveries d where d.subscription_id = s.id and d.block_height > $1
     ) order by s.id for no key update`,
    [ancestor],
  )
  if (rows.length === 0) return
  const affected = rows.filter(
    (row) => row.highest_delivered !== null || (row.has_asked && row.next_height > ancestor + 1),
  )
  await query(
    client,
    'update app.webhook_subscriptions set next_height = least(next_height, $2::bigint + 1) where id = any ($1)',
    [rows.map(({ id }) => id), ancestor],
  )
  const timestamp = new Date()
  await insertDeliveries(
    client,
    affected.map(({ id, next_height: end, highest_delivered: highest }) => ({
      subscriptionId: id,
      blockHeight: ancestor + 1,
      eventType: 'chain.rollback',
      body: deliveryBody(
        'chain.rollback',
        {
          place: { height: ancestor + 1, txIndex: -1, eventIndex: -1, leg: timestamp.getTime() },
          data: { from_height: ancestor + 1, to_height: Math.max(end - 1, highest ?? 0) },
        },
        { height: ancestor + 1, id: null, timestamp },
      ),
    })),
  )
}
