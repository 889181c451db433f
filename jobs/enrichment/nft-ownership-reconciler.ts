import { ScriptFailedError, StateNotServedError } from '../../src/flow/chain-reader.ts'
import { cadence } from '../../src/flow/json-cdc/cadence-argument.ts'
import { listOf, requiredStruct, textOf, textsOf, refreshPolicy, tokenParts } from './enrichment-worker.ts'
import type {
  QueryContext,
  EnrichmentWorker,
  Outcome,
  EnrichmentTable,
  Statement,
  TokenParts,
} from './enrichment-worker.ts'

interface HolderRow {
  readonly holder: string
  readonly token: string
  readonly is_listed: boolean
  /** Highest height with derived owners. */
  readonly height: string | null
  /** Next items by events, for holders with too many items to list. */
  readonly known: readonly string[] | null
}

/** 350 kB of response. */
const pageIds = 10_000
const maxLookups = 500

const dayMs = 86_400_000

async function holdingsAt(holder: string, part: TokenParts, height: number, context: QueryContext) {
  const ids: string[] = []
  for (;;) {
    const page = requiredStruct(
      await context.reader.executeScript(
        context.script('nft_holder_ids'),
        [
          cadence.address(holder),
          cadence.string(part.contractPrefix),
          cadence.string(part.resourceType),
          cadence.int(ids.length),
          cadence.int(pageIds),
        ],
        { height, signal: context.signal },
      ),
    )
    const found = textsOf(page['ids'])
    ids.push(...found)
    if (found.length === 0 || ids.length >= Number(textOf(page, 'total'))) {
      return { ids, hasCollection: textOf(page, 'collections') !== '0' }
    }
  }
}

async function checkAll(row: HolderRow, part: TokenParts, height: number, context: QueryContext): Promise<Outcome> {
  try {
    const { ids, hasCollection } = await holdingsAt(row.holder, part, height, context)
    if (!hasCollection)
      return {
        kind: 'none',
        code: 'no-collection',
        message: 'The account has no collection of the contract in its storage',
      }
    return {
      kind: 'answered',
      values: { checked_height: height, held_count: ids.length },
      writes: correctOwnership({ holder: row.holder, token: row.token, height, held: ids, queried: undefined }),
    }
  } catch (error) {
    if (!(error instanceof ScriptFailedError)) throw error
    return { kind: 'answered', values: { is_listed: false, checked_up_to: null }, refreshMs: 0 }
  }
}

/** Tries to list the collection again after its last item. */
async function checkKnown(row: HolderRow, part: TokenParts, height: number, context: QueryContext): Promise<Outcome> {
  const { holder, token, known } = row
  const queried = known ?? []
  const last = queried.at(-1)
  if (last === undefined) return { kind: 'answered', values: { is_listed: true, checked_up_to: null } }
  const result = await context.reader.executeScript(
    context.script('nft_holder_check'),
    [
      cadence.address(holder),
      cadence.string(part.contractPrefix),
      cadence.string(part.resourceType),
      cadence.array(queried.map((id) => cadence.uint64(id))),
    ],
    { height, signal: context.signal },
  )
  const isHeld = listOf(result, queried.length)
  const held = queried.filter((_, i) => isHeld[i] === true)
  const isEnd = queried.length < maxLookups
  return {
    kind: 'answered',
    writes: correctOwnership({ holder, token, height, held, queried }),
    values: { checked_height: height, held_count: null, is_listed: isEnd, checked_up_to: isEnd ? null : last },
    ...(isEnd ? {} : { refreshMs: 0 }),
  }
}

const holders: EnrichmentTable<HolderRow> = {
  table: 'app.nft_holder_checks',
  key: [
    { column: 'holder', type: 'text' },
    { column: 'token', type: 'text' },
  ],
  columns: [
    { column: 'checked_height', type: 'bigint' },
    { column: 'held_count', type: 'bigint' },
    { column: 'is_listed', type: 'boolean' },
    { column: 'checked_up_to', type: 'numeric' },
  ],
  batch: 4,
  refresh: refreshPolicy(dayMs),
  scan: {
    text: `
      select address as holder, token from app.nft_holdings
      where (address, token) > (coalesce($2, ''), coalesce($3, '')) order by address, token limit $1`,
  },
  details: `
    select k.holder, k.token, c.is_listed, h.height, i.known
    from unnest($1::text[], $2::text[]) as k (holder, token)
    join app.nft_holder_checks c using (holder, token)
    cross join (
      select max(upper(r)) - 1 as height
      from app.coverage s cross join unnest(s.covered) as r where s.service_name = 'nft_ownership_worker'
    ) h
    left join lateral (
      select array_agg(nft_id::text order by nft_id) as known from (
        select o.nft_id from app.nft_ownership o
        where o.owner = k.holder and o.token = k.token and o.nft_id > coalesce(c.checked_up_to, -1) and
          o.block_height <= h.height
        order by o.nft_id limit ${maxLookups}
      ) n
    ) i on not c.is_listed
    where length(k.holder) = 18
      and (exists (select from app.nft_holdings n where n.address = k.holder and n.token = k.token)
        or exists (select from app.nft_ownership_corrections n where n.owner = k.holder and n.token = k.token)
        or exists (select from app.nft_ownership_corrections n where n.not_in = k.holder and n.token = k.token))`,
  query: (rows, context) =>
    Promise.all(
      rows.map(async (row): Promise<Outcome> => {
        if (row.height === null) throw new StateNotServedError('No NFT owners are derived yet', undefined)
        const part = tokenParts(row.token, 'NFT')
        if (part === undefined) return { kind: 'none', code: 'no-contract', message: 'The token has no contract' }
        const check = row.is_listed ? checkAll : checkKnown
        return check(row, part, Number(row.height), context)
      }),
    ),
}

export const nftOwnershipReconciler: EnrichmentWorker = {
  name: 'nft_ownership_reconciler',
  description: 'Corrections of NFT owners where the chain contradicts the events',
  tables: [holders],
}

interface HeldItems {
  readonly holder: string
  readonly token: string
  /** Height of the queried state. */
  readonly height: number
  readonly held: readonly string[]
  /** Undefined if all were listed. */
  readonly queried: readonly string[] | undefined
}

/*
 * A correction overrides the owner of app.nft_ownership if it was checked at or above the height of
 * its last event. Checks of two holders run concurrently, so a check at a lower height changes no
 * correction of a higher one.
 *
 * Parameters: $1 holder, $2 token, $3 ids held, $4 height, $5 ids checked or null for all.
 */

/** Later events exist, the events agree with the chain, or the item moved. */
const deleteOutdated = `
  delete from app.nft_ownership_corrections c
  using (
    select n.nft_id, o.owner, o.block_height
    from (
      select nft_id from app.nft_ownership_corrections where owner = $1 and token = $2
      union select nft_id from app.nft_ownership_corrections where not_in = $1 and token = $2
      union select unnest($3::numeric[])
    ) n left join app.nft_ownership o on o.token = $2 and o.nft_id = n.nft_id
    where $5::numeric[] is null or n.nft_id = any ($5::numeric[])
  ) n
  where c.token = $2 and c.nft_id = n.nft_id and (
    n.block_height > c.checked_height
    or (c.checked_height <= $4 and n.owner = $1 and n.block_height <= $4 and n.nft_id = any ($3::numeric[]))
    or (c.checked_height <= $4 and c.owner = $1 and not n.nft_id = any ($3::numeric[]) and coalesce(n.owner, $1) = $1)
  )`

/** The holder no longer has items that it once had against their events. */
const clearLost = `
  update app.nft_ownership_corrections c set owner = null, not_in = null, checked_height = $4::bigint, corrected_at
    = now()
  where c.owner = $1 and c.token = $2 and c.checked_height <= $4 and not c.nft_id = any ($3::numeric[])
    and ($5::numeric[] is null or c.nft_id = any ($5::numeric[]))`

/** The events name another owner, or none. */
const addFound = `
  with found as (
    select h.nft_id from unnest($3::numeric[]) as h (nft_id)
    left join app.nft_ownership o on o.token = $2 and o.nft_id = h.nft_id
    where o.owner is distinct from $1 and (o.block_height is null or o.block_height <= $4)
  ), items as (
    insert into app.nft_items (token, nft_id) select $2, nft_id from found on conflict do nothing
  )
  insert into app.nft_ownership_corrections as c (token, nft_id, owner, not_in, checked_height)
  select $2, nft_id, $1, null, $4::bigint from found where $5::numeric[] is null or nft_id = any ($5::numeric[])
  on conflict (token, nft_id) do update set owner = excluded.owner, not_in = null, checked_height =
    excluded.checked_height,
    corrected_at = case when c.owner = excluded.owner then c.corrected_at else now() end
  where c.checked_height <= excluded.checked_height`

/** The holder lacks them despite their events; another holder was not found since. */
const addMissing = `
  insert into app.nft_ownership_corrections as c (token, nft_id, owner, not_in, checked_height)
  select $2, o.nft_id, null, $1, $4::bigint
  from app.nft_ownership o
  where o.owner = $1 and o.token = $2 and o.block_height <= $4
    and ($5::numeric[] is null or o.nft_id = any ($5::numeric[])) and not o.nft_id = any ($3::numeric[])
  on conflict (token, nft_id) do update set owner = null, not_in = excluded.not_in, checked_height =
    excluded.checked_height,
    corrected_at = case when c.not_in = excluded.not_in then c.corrected_at else now() end
  where (c.owner is null and c.checked_height <= excluded.checked_height)
    or c.checked_height < (select o.block_height from app.nft_ownership o where o.token = c.token and o.nft_id =
      c.nft_id)`

function correctOwnership({ holder, token, height, held, queried }: HeldItems): Statement[] {
  const values = [holder, token, held, height, queried ?? null]
  return [deleteOutdated, clearLost, addFound, addMissing].map((text) => ({ text, values }))
}
