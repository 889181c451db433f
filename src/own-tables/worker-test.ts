import { z } from 'zod'
import { CopyWriter } from '../platform/db/copy-writer.ts'
import { FatalError } from '../platform/errors.ts'
import type { OwnTable } from './declaration.ts'
import type { ContractEvent, RowOf, TableDefinitions, WorkerDefinition, Write } from './define-worker.ts'
import { declaredWriter } from './host/rows.ts'
import { readDeclaration } from './read-declaration.ts'

type RowsOf<Tables extends TableDefinitions> = { readonly [Name in keyof Tables]: RowOf<Tables[Name]['columns']>[] }

const eventSchema = z.object({
  name: z.string(),
  // A record would lose a field named __proto__.
  fields: z.custom<object>((fields) => typeof fields === 'object' && fields !== null, 'Give the fields of the event.'),
  type: z.string().optional(),
  height: z.int().default(1),
  timestamp: z.coerce.date().default(new Date('2026-01-01T00:00:00Z')),
  txIndex: z.int().default(0),
  transactionId: z.string().default('00'.repeat(32)),
  index: z.int().default(0),
})

/**
 * For unit tests: the rows that a worker writes for events, by table, checked as in production.
 *
 * @param events as in events.json; only `name` and `fields` are required
 *
 * @throws FatalError for an invalid declaration or row; the error of `derive`
 */
export async function deriveRows<Events, Tables extends TableDefinitions>(
  worker: WorkerDefinition<Events, Tables>,
  events: readonly unknown[],
): Promise<RowsOf<Tables>> {
  const { derive, ...definition } = worker
  const declaration = readDeclaration(definition)
  const rows = new Map<string, unknown[]>(declaration.tables.map(({ name }) => [name, []]))
  const writers = declaration.tables.map((table) => {
    const writer = declaredWriter(declaration.contract, declaration, table)
    const write = (row: Readonly<Record<string, unknown>>): void => {
      const stored = storedRow(table, row)
      const values = Object.values(stored)
      const oversize = writer.oversize(values)
      if (oversize !== undefined) throw new FatalError('own-value-oversize', `${oversize}. The row is left out`)
      writer.write(new CopyWriter(64), values)
      rows.get(table.name)?.push(stored)
    }
    return [table.name, write] as const
  })
  const write = Object.fromEntries(writers) as Write<Tables>
  for (const given of events) {
    const event = eventSchema.parse(given)
    derive({ type: `${declaration.contract}.${event.name}`, ...event } as ContractEvent<Events>, write)
  }
  return Object.fromEntries(rows) as RowsOf<Tables>
}

/** The values that the host receives. */
function storedRow({ name, columns }: OwnTable, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = columns.map((column) => column.name)
  const unknown = Object.keys(row).find((column) => !known.includes(column))
  if (unknown !== undefined) throw new TypeError(`${name} has no column ${unknown}. Columns: ${known.join(', ')}`)
  return Object.fromEntries(columns.map((column) => [column.name, storedValue(row[column.name], column.type)]))
}

function storedValue(value: unknown, type: string): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Date) return type === 'date' ? value.toISOString().slice(0, 10) : value.toISOString()
  return value ?? null
}
