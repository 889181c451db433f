import type { Pool } from 'pg'
import { pino } from 'pino'
import { contractCodeWorker } from '../../jobs/enrichment/contract-code-worker.ts'
import { networkStateWorker } from '../../jobs/enrichment/network-state-worker.ts'
import { nftItemMetadataWorker } from '../../jobs/enrichment/nft-item-metadata-worker.ts'
import { tokenMetadataWorker } from '../../jobs/enrichment/token-metadata-worker.ts'
import { createChainReader } from '../../src/access/create-chain-reader.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { EnrichmentLoop } from '../../src/farm/enrichment/enrichment-loop.ts'
import { loadScripts, readJson } from '../../src/farm/enrichment/service.ts'
import { quiet } from './chain-source.ts'
import type { TestDatabase } from './database.ts'
import { deriveRecording } from './explored-chain.ts'
import type { ExploredChain } from './explored-chain.ts'
import { startRecordedNode } from './replay.ts'
import { runApi } from './running-api.ts'
import type { RunOptions } from './running-api.ts'

export interface EnrichedChain extends ExploredChain, AsyncDisposable {}

/**
 * The derived recording `base` with the enrichment data recorded at its end. Prices are made up.
 *
 * @param server API options for the database that differ from the default
 */
export async function enrichedChain(
  server: (database: TestDatabase) => RunOptions['server'] = () => ({}),
): Promise<EnrichedChain> {
  const database = await deriveRecording()
  const node = await startRecordedNode('base')
  await runEnrichment(database.pool, node.endpoint)
  await insertPrices(database.pool)
  const api = await runApi(database.url, {
    server: { network: () => 'emulator', ...server(database) },
    nodes: [node.endpoint],
  })
  return {
    database,
    api,
    [Symbol.asyncDispose]: async () => {
      await api.stop()
      await node.stop()
      await database.drop()
    },
  }
}

/** Runs all enrichment workers until they have no work. */
async function runEnrichment(pool: Pool, endpoint: string): Promise<void> {
  const reader = createChainReader({ liveEndpoints: [endpoint], log: quiet })
  const context = { reader, network: 'emulator', script: await loadScripts('emulator'), readJson } as const
  for (const worker of [tokenMetadataWorker, nftItemMetadataWorker, contractCodeWorker, networkStateWorker]) {
    const loop = new EnrichmentLoop({
      pool,
      worker,
      concurrency: 1,
      range: 1000,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      roundMs: 0,
      context,
    })
    while (await loop.round(new AbortController().signal)) continue
  }
  await reader.close()
}

async function insertPrices(pool: Pool): Promise<void> {
  await pool.query(`
    insert into app.prices (token, currency, price_time, price, symbol)
    select token, 'USD', hour, 0.75, upper(left(split_part(token, '.', 3), 4))
    from (select token from app.ft_token_totals order by transfer_count desc, token limit 2) t,
      (select min(timestamp) - interval '2 days' as first, max(timestamp) + interval '1 hour' as last from raw.blocks) b,
      lateral (
        select generate_series(date_trunc('hour', first), last, interval '1 hour')
        union select date_trunc('hour', now()) - hours * interval '1 hour' from generate_series(0, 48, 24) hours
      ) h (hour)`)
}
