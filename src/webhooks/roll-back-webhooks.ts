import type pg from 'pg'
import { query } from '../platform/db/pool.ts'
import { deliveryBody } from './delivery-body.ts'
import { insertDeliveries } from './insert-deliveries.ts'
import { rollbackLock } from './rollback-lock.ts'

/**
 * The part of webhooks in a rollback of the chain, in its transaction: every cursor above the last common block moves back to
 * just above it, and subscriptions that were told of a block that is gone, or asked for `chain.rollback`, are told that it is.
 * @param ancestor the last height that stays
 */
export async function rollBackWebhooks(client: pg.ClientBase, ancestor: number): Promise<void> {
  await query(client, `select pg_advisory_xact_lock(${rollbackLock})`)
  // Also those whose cursors are below: they were told of what is gone before their owners moved them back.
  const { rows } = await query<{ id: number; next_height: number; highest_told: number | null; has_asked: boolean }>(
    client,
    `select s.id::float8 as id, s.next_height::float8 as next_height, 'chain.rollback' = any (s.event_types) as has_asked, (
       select max(d.block_height) from app.webhook_deliveries d where d.subscription_id = s.id and d.block_height > $1
     )::float8 as highest_told
     from app.webhook_subscriptions s where s.next_height > $1::bigint + 1 or exists (
       select from app.webhook_deliveries d where d.subscription_id = s.id and d.block_height > $1
     ) order by s.id for no key update`,
    [ancestor],
  )
  if (rows.length === 0) return
  const told = rows.filter((row) => row.highest_told !== null || (row.has_asked && row.next_height > ancestor + 1))
  await query(
    client,
    'update app.webhook_subscriptions set next_height = least(next_height, $2::bigint + 1) where id = any ($1)',
    [rows.map(({ id }) => id), ancestor],
  )
  const timestamp = new Date()
  await insertDeliveries(
    client,
    told.map(({ id, next_height: end, highest_told: highest }) => ({
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
