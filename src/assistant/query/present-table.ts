import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import type { CatalogTable } from './knowledge.ts'

const column = z
  .strictObject({
    name: z.string(),
    type: z.string(),
    is_nullable: z.boolean(),
    comment: z.string().nullable(),
  })
  .meta({ id: 'SchemaColumn' })

export const tableFields = {
  schema: z.string(),
  name: z.string(),
  kind: z.enum(['table', 'view']),
  comment: z.string().nullable(),
  approximate_rows: z.number().nullable().describe("PostgreSQL's estimate; null if unknown."),
  columns: z.array(column),
  keys: z.array(z.string()).describe('Primary key and unique constraints.'),
  indexes: z.array(z.string()),
}

export type TableFields = z.output<z.ZodObject<typeof tableFields>>

export function presentTable({ approximateRows, columns, ...same }: CatalogTable): TableFields {
  return {
    ...same,
    columns: columns.map(({ name, type, isNullable, comment }) => ({ name, type, is_nullable: isNullable, comment })),
    keys: [...same.keys],
    indexes: [...same.indexes],
    approximate_rows: approximateRows === null || approximateRows < 0 ? null : approximateRows,
  }
}

/** @param name with its schema @throws ApiError 404 `unknown-table` */
export function findTable(catalog: readonly CatalogTable[], name: string): CatalogTable {
  const found = catalog.find((table) => `${table.schema}.${table.name}` === name)
  if (found !== undefined) return found
  const detail = 'The table does not exist or is not readable. Use a listed name with its schema, such as raw.blocks.'
  throw new ApiError(404, 'unknown-table', detail, { field: 'table' })
}
