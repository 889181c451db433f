import { pino } from 'pino'
import { DeveloperKeys } from '../../../src/platform/auth/developer-keys.ts'
import type { KeyTier } from '../../../src/platform/auth/developer-keys.ts'
import { ensurePartitions } from '../../../src/platform/db/partitions.ts'
import { createPool, withTransaction, connectionLimits } from '../../../src/platform/db/pool.ts'
import type { NewSubscription } from '../../../src/webhooks/subscription-store.ts'
import type { WebhookOwner } from '../../../src/webhooks/webhook-limits.ts'
import { WebhookService } from '../../../src/webhooks/service.ts'
import { webhookStores } from '../../../src/webhooks/webhook-stores.ts'
import type { WebhookServiceOptions } from '../../../src/webhooks/service.ts'
import type { TestDatabase } from '../../support/database.ts'

export const flow = 'A.1654653399040a61.FlowToken'
export const alice = '0x00000000000000a1'
export const bob = '0x00000000000000b2'

/** Test settings: every loopback target is allowed. */
export const loopback = ['127.0.0.0/8']

export interface Transfer {
  readonly from?: string
  readonly to?: string
  readonly amount?: string
}

/**
 * Writes blocks like ingester and token worker, in one transaction with its notification. Another
 * `fork` has other ids.
 */
export async function commitTransfers(
  { pool }: Pick<TestDatabase, 'pool'>,
  first: number,
  blocks: readonly (readonly Transfer[])[],
  { fork = 1, services = ['main_ingester', 'token_worker'] } = {},
): Promise<void> {
  const range = { from: first, to: first + blocks.length }
  for (const table of ['raw.blocks', 'raw.transactions', 'app.ft_transfers'])
    await ensurePartitions(pool, table, 1_000_000, range)
  await withTransaction(pool, async (client) => {
    await client.query(
      `insert into raw.blocks (height, id, parent_id, "timestamp", collection_count, tx_count, event_count, collection_ids)
       select h, sha256(('block ' || h || $3)::bytea), sha256(('block ' || h - 1 || $3)::bytea), now(), 0, 1, 1, '{}' from generate_series($1::bigint, $2::bigint - 1) h`,
      [range.from, range.to, fork],
    )
    await client.query(
      `insert into raw.transactions (block_height, gas_limit, gas_used, tx_index, event_count, status_code, is_evm, id, status, payer_address, proposer_address, authorizers, script_hash)
       select h, 100, 10, 0, 1, 0, false, sha256(('tx ' || h || $3)::bytea), 'SEALED', $4, $4, array[$4::text], '\\x00' from generate_series($1::bigint, $2::bigint - 1) h`,
      [range.from, range.to, fork, alice],
    )
    const rows = blocks.flatMap((transfers, i) =>
      transfers.map((one, nth) => ({ height: first + i, nth, from: alice, to: bob, amount: '1.5', ...one })),
    )
    await client.query(
      `insert into app.ft_transfers (block_height, tx_index, event_index, leg, token, from_address, to_address, amount, transfer_type)
       select h, 0, nth, 0, $6, f, t, a, 'transfer' from unnest($1::int[], $2::int[], $3::text[], $4::text[], $5::numeric[]) as r (h, nth, f, t, a)`,
      [
        rows.map((r) => r.height),
        rows.map((r) => r.nth),
        rows.map((r) => r.from),
        rows.map((r) => r.to),
        rows.map((r) => r.amount),
        flow,
      ],
    )
    for (const service of services) {
      await client.query(
        `insert into app.indexing_checkpoints (service_name, covered) values ($1, int8multirange(int8range($2, $3)))
         on conflict (service_name) do update set covered = app.indexing_checkpoints.covered + excluded.covered`,
        [service, range.from, range.to],
      )
    }
    await client.query("select pg_notify('flowfarm_farm', '')")
  })
}

export async function makeOwner(
  { pool }: Pick<TestDatabase, 'pool'>,
  tier: KeyTier = 'unlimited',
): Promise<WebhookOwner & { readonly text: string }> {
  const { key, text } = await new DeveloperKeys(pool).create({ name: 'test', tier })
  return { keyId: key.id, tier, text }
}

/** An endpoint with one subscription. */
export async function subscribe(
  { pool }: Pick<TestDatabase, 'pool'>,
  owner: WebhookOwner,
  url: string,
  requested: Partial<NewSubscription> = {},
): Promise<{ readonly id: number; readonly endpointId: number; readonly secret: string }> {
  const {
    subscription: { id, endpointId },
    secret = '',
  } = await webhookStores(pool, loopback).subscriptions.create(owner, {
    endpoint: { url, description: '' },
    eventTypes: ['ft.transfer'],
    conditions: {},
    fromHeight: undefined,
    ...requested,
  })
  return { id, endpointId, secret }
}

export interface RunningHooks {
  /** Idempotent. */
  stop(): Promise<void>
}

/** Webhooks like in the program, with short delays. */
export async function runHooks(url: string, options: Partial<WebhookServiceOptions> = {}): Promise<RunningHooks> {
  const pool = createPool(url, { ...connectionLimits, max: 8, applicationName: 'test hooks' })
  const service = new WebhookService({
    databaseUrl: url,
    pool,
    log: pino({ level: 'silent' }),
    allowedNetworks: loopback,
    relay: undefined,
    concurrency: 500,
    timeoutMs: 2000,
    retry: { maxTries: 4, baseMs: 40, capMs: 200, pauseAfter: 1000 },
    ...options,
  })
  service.start()
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    await service.stop()
    await pool.end()
  }
  return { stop: () => (stopped ??= stop()) }
}
