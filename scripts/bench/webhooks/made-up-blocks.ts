import type pg from 'pg'
import { DeveloperKeys } from '../../../src/auth/developer-keys.ts'
import { ensurePartitions } from '../../../src/db/partitions.ts'
import { withTransaction } from '../../../src/db/pool.ts'
import { webhookStores } from '../../../src/webhooks/webhook-stores.ts'

/** Writes blocks of one transaction with so many transfers, as ingest and the token worker do, in one transaction that announces them. */
export async function commitBlocks(pool: pg.Pool, from: number, to: number, transfers: number): Promise<void> {
  for (const table of ['raw.blocks', 'raw.transactions', 'app.ft_transfers'])
    await ensurePartitions(pool, table, 1_000_000, { from, to })
  await withTransaction(pool, async (client) => {
    await client.query(
      `insert into raw.blocks (height, id, parent_id, "timestamp", collection_count, tx_count, event_count, collection_ids)
       select h, sha256(('block ' || h)::bytea), sha256(('block ' || h - 1)::bytea), now(), 0, 1, 1, '{}' from generate_series($1::bigint, $2::bigint - 1) h`,
      [from, to],
    )
    await client.query(
      `insert into raw.transactions (block_height, gas_limit, gas_used, tx_index, event_count, status_code, is_evm, id, status, payer_address, proposer_address, authorizers, script_hash)
       select h, 100, 10, 0, 1, 0, false, sha256(('tx ' || h)::bytea), 'SEALED', '0x1', '0x1', '{0x1}', '\\x00' from generate_series($1::bigint, $2::bigint - 1) h`,
      [from, to],
    )
    await client.query(
      `insert into app.ft_transfers (block_height, tx_index, event_index, leg, token, from_address, to_address, amount, transfer_type)
       select h, 0, n, 0, 'A.1654653399040a61.FlowToken', '0x00000000000000a1', '0x00000000000000b2', 1.5, 'transfer'
       from generate_series($1::bigint, $2::bigint - 1) h, generate_series(1, $3::int) n`,
      [from, to, transfers],
    )
    for (const service of ['main_ingester', 'token_worker']) {
      await client.query(
        `insert into app.indexing_checkpoints (service_name, covered) values ($1, int8multirange(int8range($2, $3)))
         on conflict (service_name) do update set covered = app.indexing_checkpoints.covered + excluded.covered`,
        [service, from, to],
      )
    }
    await client.query("select pg_notify('flowfarm_farm', '')")
  })
}

/** Subscriptions of a key of their own to all transfers from height 1 on, each with an endpoint of its own below a URL. */
export async function subscribeAll(pool: pg.Pool, url: string, count: number): Promise<void> {
  const stores = webhookStores(pool, ['127.0.0.0/8'])
  const { key } = await new DeveloperKeys(pool).create({ name: 'bench', tier: 'unlimited' })
  const owner = { keyId: key.id, tier: key.tier }
  for (let i = 0; i < count; i++) {
    await stores.subscriptions.create(owner, {
      endpoint: { url: `${url}/${i}`, description: '' },
      eventTypes: ['ft.transfer'],
      conditions: {},
      fromHeight: 1,
    })
  }
}
