import { cadence } from '../../src/flow/json-cdc/cadence-argument.ts'
import type { PayloadFields } from '../../src/flow/payload-value.ts'
import type { SqlColumn } from '../worker.ts'
import { listOf, nonEmptyTextOf, structOf, refreshPolicy, tokenParts } from './enrichment-worker.ts'
import type { EnrichmentWorker, Outcome, EnrichmentTable } from './enrichment-worker.ts'

interface ItemRow {
  readonly token: string
  readonly nft_id: string
  /** `0x` and 16 hex digits. */
  readonly owner: string
  /** `/storage/…` */
  readonly storage_path: string | null
}

const dayMs = 86_400_000

const columns: readonly (SqlColumn & { readonly field: string })[] = [
  { column: 'name', type: 'text', field: 'name' },
  { column: 'description', type: 'text', field: 'description' },
  { column: 'thumbnail', type: 'text', field: 'thumbnail' },
  { column: 'external_url', type: 'text', field: 'externalUrl' },
  { column: 'serial_number', type: 'numeric', field: 'serialNumber' },
  { column: 'edition_name', type: 'text', field: 'editionName' },
  { column: 'edition_number', type: 'numeric', field: 'editionNumber' },
  { column: 'edition_max', type: 'numeric', field: 'editionMax' },
  { column: 'rarity_score', type: 'numeric', field: 'rarityScore' },
  { column: 'rarity_description', type: 'text', field: 'rarityDescription' },
]

function outcomeOf(item: PayloadFields | undefined): Outcome {
  if (item === undefined)
    // It may have a later owner, in blocks that are not derived yet.
    return { kind: 'failed', code: 'not-in-collection', message: 'No collection of the owner has the NFT' }
  const values = Object.fromEntries(columns.map(({ column, field }) => [column, nonEmptyTextOf(item, field)]))
  const { traits = null } = item
  const hasTraits = Array.isArray(traits) && traits.length > 0
  if (!hasTraits && Object.values(values).every((value) => value === null)) {
    return { kind: 'none', code: 'no-views', message: 'The NFT has no display' }
  }
  return { kind: 'answered', values: { ...values, traits: hasTraits ? traits : null } }
}

const items: EnrichmentTable<ItemRow> = {
  table: 'app.nft_items',
  key: [
    { column: 'token', type: 'text' },
    { column: 'nft_id', type: 'numeric(20,0)' },
  ],
  columns: [...columns, { column: 'traits', type: 'jsonb' }],
  batch: 50,
  refresh: refreshPolicy(30 * dayMs),
  scan: {
    text: `
      select token, nft_id from app.nft_ownership
      where (token, nft_id) > (coalesce($2, ''), coalesce($3::numeric, -1)) order by token, nft_id limit $1`,
  },
  // Owners are derived later than transfers; an item without an owner would count as missing.
  newest: `
    select token, nft_id from (
      select token, nft_id from app.nft_transfers where token is not null
      order by block_height desc, tx_index desc, event_index desc, leg desc limit $1
    ) moved where exists (select from app.nft_ownership o where (o.token, o.nft_id) = (moved.token, moved.nft_id)
      and length(o.owner) = 18)`,
  details: `
    select k.token, k.nft_id, w.owner, m.storage_path
    from unnest($1::text[], $2::numeric[]) as k (token, nft_id)
    left join app.nft_ownership o using (token, nft_id)
    left join app.nft_ownership_corrections c using (token, nft_id)
    left join app.nft_collection_metadata m using (token)
    cross join lateral (
      select case when c.owner is not null and c.checked_height >= coalesce(o.block_height, 0) then c.owner else
        o.owner end as owner
    ) w
    where length(w.owner) = 18`,
  query: async (rows, { reader, script, signal }) => {
    const parts = rows.map(
      (row) => tokenParts(row.token, 'NFT') ?? { contractPrefix: row.token, resourceType: row.token },
    )
    const results = await reader.executeScript(
      script('nft_items'),
      [
        cadence.array(rows.map(({ owner }) => cadence.address(owner))),
        cadence.array(rows.map(({ storage_path: path }) => cadence.string(path?.replace(/^\/storage\//, '') ?? ''))),
        cadence.array(parts.map(({ contractPrefix }) => cadence.string(contractPrefix))),
        cadence.array(parts.map(({ resourceType }) => cadence.string(resourceType))),
        cadence.array(rows.map((row) => cadence.uint64(row.nft_id))),
      ],
      { signal },
    )
    return listOf(results, rows.length).map((result) => outcomeOf(structOf(result)))
  },
}

export const nftItemMetadataWorker: EnrichmentWorker = {
  name: 'nft_item_metadata_worker',
  description: 'NFT names, images, editions and traits',
  tables: [items],
}
