import { ScriptFailedError, StateNotServedError } from '../../src/chain/chain-reader.ts'
import { cadence } from '../../src/chain/json-cdc/cadence-argument.ts'
import { listOf, requiredStruct, textOf, textsOf } from './answer-fields.ts'
import { askAgain } from './asking-worker.ts'
import type { AskContext, AskingWorker, Outcome, Question } from './asking-worker.ts'
import { correctOwnership } from './nft-ownership-corrections.ts'
import { tokenParts } from './token-parts.ts'
import type { TokenParts } from './token-parts.ts'

interface HolderRow {
  readonly holder: string
  readonly token: string
  readonly is_listed: boolean
  /** The highest height whose owners are derived; null while there is none. */
  readonly height: string | null
  /** For one that holds too many to list: the next of its items by their events, in order. */
  readonly known: readonly string[] | null
}

/** Ids on one page: 350 kB of answer. */
const pageIds = 10_000
/** Items of a holder that are looked up one by one in one call. */
const lookedUpAtOnce = 500

const dayMs = 86_400_000

/** All that it holds, page by page, at one height. */
async function heldAt(holder: string, part: TokenParts, height: number, context: AskContext) {
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

async function checkAll(row: HolderRow, part: TokenParts, height: number, context: AskContext): Promise<Outcome> {
  try {
    const { ids, hasCollection } = await heldAt(row.holder, part, height, context)
    if (!hasCollection)
      return { kind: 'none', code: 'no-collection', message: 'it has no collection of the contract in its storage' }
    return {
      kind: 'answered',
      values: { checked_height: height, held_count: ids.length },
      writes: correctOwnership({ holder: row.holder, token: row.token, height, held: ids, looked: undefined }),
    }
  } catch (error) {
    if (!(error instanceof ScriptFailedError)) throw error
    return { kind: 'answered', values: { is_listed: false, checked_up_to: null }, againMs: 0 }
  }
}

/** Some of the items that are known of it; at the end it is tried again to list all. */
async function checkKnown(row: HolderRow, part: TokenParts, height: number, context: AskContext): Promise<Outcome> {
  const { holder, token, known } = row
  const looked = known ?? []
  const last = looked.at(-1)
  if (last === undefined) return { kind: 'answered', values: { is_listed: true, checked_up_to: null } }
  const answer = await context.reader.executeScript(
    context.script('nft_holder_check'),
    [
      cadence.address(holder),
      cadence.string(part.contractPrefix),
      cadence.string(part.resourceType),
      cadence.array(looked.map((id) => cadence.uint64(id))),
    ],
    { height, signal: context.signal },
  )
  const isHeld = listOf(answer, looked.length)
  const held = looked.filter((_, i) => isHeld[i] === true)
  const isEnd = looked.length < lookedUpAtOnce
  return {
    kind: 'answered',
    writes: correctOwnership({ holder, token, height, held, looked }),
    values: { checked_height: height, held_count: null, is_listed: isEnd, checked_up_to: isEnd ? null : last },
    ...(isEnd ? {} : { againMs: 0 }),
  }
}

const holders: Question<HolderRow> = {
  table: 'app.nft_holder_checks',
  key: [
    { column: 'holder', type: 'text' },
    { column: 'token', type: 'text' },
  ],
  answer: [
    { column: 'checked_height', type: 'bigint' },
    { column: 'held_count', type: 'bigint' },
    { column: 'is_listed', type: 'boolean' },
    { column: 'checked_up_to', type: 'numeric' },
  ],
  batch: 4,
  again: askAgain(dayMs),
  walk: {
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
        where o.owner = k.holder and o.token = k.token and o.nft_id > coalesce(c.checked_up_to, -1) and o.block_height <= h.height
        order by o.nft_id limit ${lookedUpAtOnce}
      ) n
    ) i on not c.is_listed
    where length(k.holder) = 18
      and (exists (select from app.nft_holdings n where n.address = k.holder and n.token = k.token)
        or exists (select from app.nft_ownership_corrections n where n.owner = k.holder and n.token = k.token)
        or exists (select from app.nft_ownership_corrections n where n.not_in = k.holder and n.token = k.token))`,
  ask: (rows, context) =>
    Promise.all(
      rows.map(async (row): Promise<Outcome> => {
        if (row.height === null) throw new StateNotServedError('nothing is derived yet of who owns items', undefined)
        const part = tokenParts(row.token, 'NFT')
        if (part === undefined) return { kind: 'none', code: 'no-contract', message: 'the token has no contract' }
        const check = row.is_listed ? checkAll : checkKnown
        return check(row, part, Number(row.height), context)
      }),
    ),
}

/** Compares what accounts hold with what their events say, all holders in turn. */
export const nftOwnershipReconciler: AskingWorker = {
  name: 'nft_ownership_reconciler',
  description: 'Where the chain contradicts what events show of who owns an item; all holders in turn.',
  questions: [holders],
}
