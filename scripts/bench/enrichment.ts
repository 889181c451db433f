import { setTimeout as delay } from 'node:timers/promises'
import { allEnrichmentWorkers } from '../../jobs/enrichment/index.ts'
import { nftItemMetadataWorker } from '../../jobs/enrichment/nft-item-metadata-worker.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { openBenchDatabase, startFlowfarm } from './bench-programs.ts'
import type { Sheet } from './sheet.ts'

const latencyMs = 500
const callsPerSecond = 5
const onlyItems = Object.fromEntries(
  allEnrichmentWorkers
    .filter((worker) => worker !== nftItemMetadataWorker)
    .map(({ name }) => [`ENABLE_${name.toUpperCase()}`, 'false']),
)

/** Each process has one call of 50 NFTs in flight. */
export async function enrichmentScaling(sheet: Sheet, items: number): Promise<void> {
  sheet.heading(`${items} NFTs of ${nftItemMetadataWorker.name}, ${latencyMs} ms a call`)
  for (const processes of [1, 2, 4]) {
    const perSecond = await enrich(processes, items)
    sheet.figure(`${processes} processes`, perSecond, 'NFTs/s')
  }
  const perSecond = await enrich(4, items, callsPerSecond)
  sheet.figure(`4 processes, node limited to ${callsPerSecond} calls/s`, perSecond, 'NFTs/s')
}

async function enrich(processes: number, items: number, limit?: number): Promise<number> {
  const database = await openBenchDatabase()
  const node = await startLedgerNode()
  const methods = ['ExecuteScriptAtLatestBlock']
  node.inject({ kind: 'latency', ms: latencyMs, methods })
  if (limit !== undefined) node.inject({ kind: 'rate-limit', perSecond: limit, methods })
  const variables = {
    ...onlyItems,
    CHAIN_SCRIPT_RPS: '0',
    DB_URL: database.url,
    CHAIN_ACCESS_NODE: node.endpoint,
    METRICS_PORT: '0',
  }
  const { pool } = database
  const done = async (): Promise<number> => {
    const { rows } = await pool.query<{ done: number }>(
      `select count(*)::int as done from app.nft_items where status <> 'new'`,
    )
    return rows[0]?.done ?? 0
  }
  try {
    const programs = await Promise.all(
      Array.from({ length: processes }, () => startFlowfarm(['farm'], variables, { ready: 'All services started' })),
    )
    await pool.query(
      `insert into app.nft_ownership (token, nft_id, block_height, tx_index, event_index, leg, is_burned, owner)
       select 'A.179b6b1cb6755e31.RiverStones', i, 1, 0, 0, 0, false, '0x179b6b1cb6755e31'
        from generate_series(1, $1) i`,
      [items],
    )
    await pool.query(`insert into app.chain (chain_id) values ('flow-emulator')`)
    while ((await done()) < items / 10) await delay(20)
    const [before, startedAt] = [await done(), performance.now()]
    while ((await done()) < items) await delay(20)
    const seconds = (performance.now() - startedAt) / 1000
    await Promise.all(programs.map((program) => program.end()))
    return (items - before) / seconds
  } finally {
    await node.stop()
    await database.close()
  }
}
