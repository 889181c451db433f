import type { Statement } from './asking-worker.ts'

/** What an account holds of a collection, as the chain says. */
export interface HeldItems {
  readonly holder: string
  readonly token: string
  /** The state that was looked at. */
  readonly height: number
  /** Ids of those that it holds. */
  readonly held: readonly string[]
  /** Ids that were looked for; undefined: all that there are were listed. */
  readonly looked: readonly string[] | undefined
}

/*
 * What readers take for the owner: that of app.nft_ownership, unless a correction was checked at or above the height of
 * its last event. Then it is the correction's, or nobody known. Events above the height that was looked at always win.
 *
 * In the statements: $1 holder, $2 token, $3 ids that it holds, $4 height, $5 ids that were looked for or null for all.
 */

/** Corrections that are of no use any more: events came after them, the events agree with the chain, or the item moved on. */
const removeVoid = `
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
    or (n.owner = $1 and n.block_height <= $4 and n.nft_id = any ($3::numeric[]))
    or (c.owner = $1 and not n.nft_id = any ($3::numeric[]) and coalesce(n.owner, $1) = $1)
  )`

/** Items that it was found to have, against their events, and has no more: nobody is known to have them. */
const forgetLost = `
  update app.nft_ownership_corrections c set owner = null, not_in = null, checked_height = $4::bigint, corrected_at = now()
  where c.owner = $1 and c.token = $2 and not c.nft_id = any ($3::numeric[]) and ($5::numeric[] is null or c.nft_id = any ($5::numeric[]))`

/** Items that it holds, and that are another's or nobody's by their events. */
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
  on conflict (token, nft_id) do update set owner = excluded.owner, not_in = null, checked_height = excluded.checked_height,
    corrected_at = case when c.owner = excluded.owner then c.corrected_at else now() end`

/** Items that are its by their events, and that it does not hold. Who was found to have one since is left in peace. */
const addGone = `
  insert into app.nft_ownership_corrections as c (token, nft_id, owner, not_in, checked_height)
  select $2, o.nft_id, null, $1, $4::bigint
  from app.nft_ownership o
  where o.owner = $1 and o.token = $2 and o.block_height <= $4
    and ($5::numeric[] is null or o.nft_id = any ($5::numeric[])) and not o.nft_id = any ($3::numeric[])
  on conflict (token, nft_id) do update set owner = null, not_in = excluded.not_in, checked_height = excluded.checked_height,
    corrected_at = case when c.not_in = excluded.not_in then c.corrected_at else now() end
  where c.owner is null
    or c.checked_height < (select o.block_height from app.nft_ownership o where o.token = c.token and o.nft_id = c.nft_id)`

/** The statements that keep what the chain says of a holder where it differs from what its events say. */
export function correctOwnership({ holder, token, height, held, looked }: HeldItems): Statement[] {
  const values = [holder, token, held, height, looked ?? null]
  return [removeVoid, forgetLost, addFound, addGone].map((text) => ({ text, values }))
}
