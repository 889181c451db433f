import type { SqlColumn, StateFold } from './worker.ts'

export interface LatestFoldOptions {
  /** `schema.name` of the table. */
  readonly name: string
  /** Columns that both tables have. */
  readonly key: readonly SqlColumn[]
  /** The table of heights whose rows are looked at: the worker's own, or of one that it follows. */
  readonly of: string
  /** Which row stands last: columns that both tables have, compared in this order, the height first. */
  readonly position: readonly string[]
  /** What else is taken over from the row that stands last. */
  readonly columns: readonly string[]
  /** SQL condition on a row `h` of `of`; others are not looked at. */
  readonly where?: string
}

/**
 * The row of each key that stands last: the owner of an item, a contract, a node. A key that came to an end (an item
 * burned, a contract removed) keeps its row, which says so: without it a row of older history, derived later, would count.
 *
 * Rows of a range that was not derived before are merged without a look at history; where some went, the row that counts
 * is found by an index of `of` on the key and the position.
 */
export function latestFold({ name, key, of, position, columns, where = 'true' }: LatestFoldOptions): StateFold {
  const keys = key.map(({ column }) => column)
  const all = [...keys, ...position, ...columns]
  const [height] = position
  const list = (names: readonly string[], prefix = ''): string => names.map((column) => `${prefix}${column}`).join(', ')
  const same = (a: string, b: string): string => keys.map((column) => `${a}.${column} = ${b}.${column}`).join(' and ')
  const inRange = `h.${height} >= $1 and h.${height} < $2 and (${where})`
  const descending = position.map((column) => `h.${column} desc`).join(', ')
  const assigned = [...position, ...columns].map((column) => `${column} = excluded.${column}`).join(', ')
  const arrays = key.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ')
  return {
    kind: 'state',
    name,
    key,
    reads: [of],
    touched: `select distinct ${list(keys, 'h.')} from ${of} h where ${inRange}`,
    fold: `
      with keys as (select * from unnest(${arrays}) as k (${list(keys)})),
      latest as (
        select ${list(keys, 'k.')}, ${list([...position, ...columns], 'l.')}
        from keys k cross join lateral (
          select ${list([...position, ...columns], 'h.')} from ${of} h
          where ${same('h', 'k')} and (${where})
          order by ${descending} limit 1
        ) l
      ), gone as (
        delete from ${name} t using keys k
        where ${same('t', 'k')} and not exists (select from latest l where ${same('l', 'k')})
      )
      insert into ${name} as t (${list(all)})
      select ${list(all)} from latest
      on conflict (${list(keys)}) do update set ${assigned}
      where (${list([...position, ...columns], 't.')}) is distinct from (${list([...position, ...columns], 'excluded.')})`,
    merge: `
      insert into ${name} as t (${list(all)})
      select distinct on (${list(keys, 'h.')}) ${list(all, 'h.')} from ${of} h
      where ${inRange}
      order by ${list(keys, 'h.')}, ${descending}
      on conflict (${list(keys)}) do update set ${assigned}
      where (${list(position, 't.')}) < (${list(position, 'excluded.')})`,
  }
}
