import type { StateFold } from '../worker.ts'
import { accountKeyChangeRows } from './account-keys.ts'

const position = 'block_height, tx_index, event_index'
const told = 'public_key, signing_algorithm, hashing_algorithm, weight'

/**
 * For `addresses (address)`, those of them with events of before Cadence 1.0 that do not say which key they are of, and
 * of each such event the key that it is of, as far as it can be known. Keys of an account count up without a gap. So an
 * addition that does not say its index is as many after the last one before it that does as it comes after that; or,
 * where none before it does, as many before the first one that follows. A revocation by bytes is of the key with these
 * bytes; of several such keys the first revocation is of the first.
 *
 * It reads all additions of these accounts, and of no others.
 */
const placed = `
  unplaced as (
    select address from addresses a
    where exists (select from app.account_key_changes h where h.address = a.address and h.key_index is null)
  ), additions as (
    select h.*, (row_number() over (partition by h.address order by ${position}))::integer as place
    from unplaced u join app.account_key_changes h using (address) where not h.is_removed
  ), numbered as (
    select a.*, place + coalesce(
      max(key_index - place) over (partition by address order by place),
      min(key_index - place) over (partition by address order by place rows between current row and unbounded following)
    ) as number
    from additions a
  ), placed as (
    select address, number as key_index, is_removed, ${position}, ${told}
    from numbered where key_index is null and number >= 0
    union all
    select r.address, n.number, true, r.block_height, r.tx_index, r.event_index, ${told.replace(/\w+/g, 'r.$&')}
    from (
      select h.*, row_number() over (partition by h.address, h.public_key order by ${position}) as nth
      from unplaced u join app.account_key_changes h using (address) where h.is_removed and h.key_index is null
    ) r join (
      select *, row_number() over (partition by address, public_key order by place) as nth from numbered
    ) n using (address, public_key, nth)
    where n.number >= 0
  )`

/** The first event of a key that added it, or revoked it: those that say their index are found by it. */
const firstOfKey = (isRemoved: boolean): string => `
  select ${position}, ${told} from (
    (
      select ${position}, ${told} from app.account_key_changes h
      where h.address = k.address and h.key_index = k.key_index and h.is_removed = ${isRemoved}
      order by ${position} limit 1
    )
    union all
    select ${position}, ${told} from placed p
    where p.address = k.address and p.key_index = k.key_index and p.is_removed = ${isRemoved}
  ) as events order by ${position} limit 1`

/** One row for each key of an account. Whatever said its index, and whenever that comes: all of history counts. */
export const accountKeys: StateFold = {
  kind: 'state',
  name: 'app.account_keys',
  key: [{ column: 'address', type: 'text' }, { column: 'key_index', type: 'integer' }],
  reads: [accountKeyChangeRows.name],
  touched: `
    with changes as (
      select address, key_index from app.account_key_changes where block_height >= $1 and block_height < $2
    ), addresses as (select distinct address from changes), ${placed}
    select address, key_index from changes where key_index is not null
    union select address, key_index from placed
    union select k.address, k.key_index from unplaced u join app.account_keys k using (address)`,
  fold: `
    with keys as (select * from unnest($1::text[], $2::integer[]) as k (address, key_index)),
    addresses as (select distinct address from keys), ${placed}, known as (
      select k.address, k.key_index, ${told.replace(/\w+/g, 'a.$&')}, r.block_height is not null as is_revoked,
        a.block_height as added_height, a.tx_index as added_tx_index,
        r.block_height as revoked_height, r.tx_index as revoked_tx_index
      from keys k
      left join lateral (${firstOfKey(false)}) a on true
      left join lateral (${firstOfKey(true)}) r on true
      where a.block_height is not null or r.block_height is not null
    ), gone as (
      delete from app.account_keys t using keys k
      where t.address = k.address and t.key_index = k.key_index
        and not exists (select from known n where n.address = k.address and n.key_index = k.key_index)
    )
    insert into app.account_keys as t (
      address, key_index, ${told}, is_revoked, added_height, added_tx_index, revoked_height, revoked_tx_index
    )
    select * from known order by address, key_index
    on conflict (address, key_index) do update
    set public_key = excluded.public_key, signing_algorithm = excluded.signing_algorithm,
      hashing_algorithm = excluded.hashing_algorithm, weight = excluded.weight, is_revoked = excluded.is_revoked,
      added_height = excluded.added_height, added_tx_index = excluded.added_tx_index,
      revoked_height = excluded.revoked_height, revoked_tx_index = excluded.revoked_tx_index
    where t is distinct from excluded`,
}
