import { escapeIdentifier } from 'pg'
import type { EventDerivation, Fold, SqlColumn, Worker } from '../../jobs/worker.ts'
import { FatalError } from '../platform/errors.ts'
import type { LatestFold, OwnWorker, SumFold } from './declaration.ts'
import { position, tableShapes } from './own-schema.ts'
import type { TableShape } from './own-schema.ts'

/** @param derive default: throws, for processes that do not have the code */
export function farmWorkerOf(worker: OwnWorker, derive: EventDerivation['derive'] = refuse(worker.name)): Worker {
  const { name: schema, declaration, startHeight } = worker
  const shapes = tableShapes(declaration)
  const qualified = (table: string): string => `${schema}.${table}`
  return {
    name: schema,
    description: declaration.description,
    phase: 2,
    follows: ['tx_contracts_worker'],
    tables: shapes
      .filter(({ kind }) => kind === 'events')
      .map(({ name, columns }) => ({
        name: qualified(name),
        columns: columns.map((column) => column.name),
        heightColumn: 'block_height',
        partitionHeights: undefined,
      })),
    folds: declaration.folds.map((fold) => {
      const shape = shapes.find(({ name }) => name === fold.name) as TableShape
      return fold.kind === 'latest' ? latestFold(schema, fold, shape) : sumFold(schema, fold, shape)
    }),
    deriveEvents: {
      contract: declaration.contract,
      ...(declaration.events.length === 0
        ? {}
        : { types: declaration.events.map((event) => `${declaration.contract}.${event}`) }),
      startHeight,
      derive,
    },
  }
}

function refuse(name: string): EventDerivation['derive'] {
  const message =
    `Could not derive ${name}: this process has not loaded its code. ` +
    'Set WORKERS_DIR to the folder that contains the worker.'
  return async () => Promise.reject(new FatalError('own-worker-not-loaded', message))
}

const q = escapeIdentifier

function list(columns: readonly string[], alias?: string): string {
  return columns.map((column) => (alias === undefined ? q(column) : `${alias}.${q(column)}`)).join(', ')
}

function keyColumns({ key }: LatestFold | SumFold, { columns }: TableShape): SqlColumn[] {
  return key.map((column) => ({ column, type: columns.find(({ name }) => name === column)?.type ?? '' }))
}

/** Equal numbers of different scales are one key, whose scale must not depend on the order. */
function keyValue({ column, type }: SqlColumn): string {
  return type === 'numeric' ? `trim_scale(${q(column)}) as ${q(column)}` : q(column)
}

function inRange(key: readonly string[]): string {
  const isNotNull = key.map((column) => ` and ${q(column)} is not null`).join('')
  return `block_height >= $1 and block_height < $2${isNotNull}`
}

function latestFold(schema: string, fold: LatestFold, shape: TableShape): Fold {
  const { key, columns } = fold
  const [name, table] = [`${schema}.${fold.name}`, `${q(schema)}.${q(fold.of)}`]
  const keys = keyColumns(fold, shape)
  const all = list([...key, ...columns])
  const matches = (left: string, right: string): string =>
    key.map((column) => `${left}.${q(column)} = ${right}.${q(column)}`).join(' and ')
  const target = `${q(schema)}.${q(fold.name)}`
  return {
    kind: 'state',
    name,
    key: keys,
    reads: [`${schema}.${fold.of}`],
    touched: `select distinct ${keys.map(keyValue).join(', ')} from ${table} where ${inRange(key)}`,
    fold: `
    with keys as (
      select * from unnest(${keys.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ')}) as k (${list(key)})
    ), latest as (
      select ${list(key, 'k')}, ${list(columns, 'l')} from keys k cross join lateral (
        select ${list(columns, 'h')} from ${table} h where ${matches('h', 'k')}
        order by ${position.map((column) => `h.${column} desc`).join(', ')} limit 1
      ) l
    ), gone as (
      delete from ${target} o using keys k
      where ${matches('o', 'k')} and not exists (select from ${table} h where ${matches('h', 'k')})
    )
    insert into ${target} as o (${all}) select ${all} from latest
    on conflict (${list(key)}) do update
    set ${columns.map((column) => `${q(column)} = excluded.${q(column)}`).join(', ')}
    where (${list(columns, 'o')}) is distinct from (${list(columns, 'excluded')})`,
  }
}

function sumFold(schema: string, fold: SumFold, shape: TableShape): Fold {
  const { key, count, sums } = fold
  const table = `${q(schema)}.${q(fold.of)}`
  const keys = keyColumns(fold, shape)
  const values = keys.map(keyValue).join(', ')
  const summed = sums.map(({ name, of }) => `, coalesce(${q(of)}, 0)::numeric as ${q(name)}`).join('')
  return {
    kind: 'sum',
    name: `${schema}.${fold.name}`,
    key: keys,
    sums: [
      { column: count, type: 'bigint' },
      ...sums.map(({ name }) => ({ column: name, type: 'numeric', isTrimmed: true })),
    ],
    presence: count,
    of: `${schema}.${fold.of}`,
    touched: `select distinct ${values} from ${table} where ${inRange(key)}`,
    counted: `select ${values}, 1::bigint as ${q(count)}${summed} from ${table} where ${inRange(key)}`,
  }
}
