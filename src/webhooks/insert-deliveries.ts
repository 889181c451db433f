import type pg from 'pg'
import { query } from '../platform/db/pool.ts'
import { wakeTurns } from './turns.ts'

export interface NewDelivery {
  readonly subscriptionId: number
  readonly blockHeight: number
  readonly eventType: string
  readonly body: string
}

/** Rows of one statement: the bodies of all would be copied for it at once. */
const rowsAtOnce = 5000

/**
 * Writes deliveries down, those of a subscription in the order given, counts them and has them sent. The rows of the subscriptions
 * must be locked by the transaction, so that numbers are given out in the order of the commits.
 */
export async function insertDeliveries(client: pg.ClientBase, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return
  for (let from = 0; from < deliveries.length; from += rowsAtOnce)
    await insertSome(client, deliveries.slice(from, from + rowsAtOnce))
  await wakeTurns(client, [...new Set(deliveries.map((one) => one.subscriptionId))])
}

async function insertSome(client: pg.ClientBase, deliveries: readonly NewDelivery[]): Promise<void> {
  await query(
    client,
    `with given as (
       select d.*, row_number() over (partition by d.subscription_id order by d.place) as nth
       from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) with ordinality as d (subscription_id, block_height, event_type, body, place)
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
