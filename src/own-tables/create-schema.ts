import { escapeIdentifier, escapeLiteral } from 'pg'
import type pg from 'pg'
import { readKnownObjects } from '../assistant/query/sql/gate/known-objects.ts'
import { SqlGate } from '../assistant/query/sql/gate/sql-gate.ts'
import { asDatabaseError } from '../platform/db/errors.ts'
import { asError, FatalError, RetryableError } from '../platform/errors.ts'
import { columnTypes } from './declaration.ts'
import type { OwnDeclaration, OwnView } from './declaration.ts'
import { tableShapes } from './own-schema.ts'

/**
 * In a transaction. The schema must not exist.
 *
 * @returns the declaration with the columns of its views
 *
 * @throws FatalError `bad-own-worker` for a view
 */
export async function createOwnSchema(
  client: pg.ClientBase,
  schema: string,
  declaration: OwnDeclaration,
): Promise<OwnDeclaration> {
  await client.query(schemaTexts(schema, declaration).join(';\n'))
  const { views = [] } = declaration
  if (views.length === 0) return declaration
  const readable = tableShapes(declaration).map(({ name }) => name)
  const created: OwnView[] = []
  // Statements name tables without their schema, which is renamed when it replaces another one.
  await client.query(`set local search_path to ${escapeIdentifier(schema)}`)
  for (const view of views) {
    try {
      created.push(await createView(client, schema, view, readable))
    } catch (error) {
      // The database failed, not the statement.
      if (asDatabaseError(error) instanceof RetryableError) throw error
      throw bad(`Invalid declaration: views.${view.name}: ${asError(error).message}`, error)
    }
    readable.push(view.name)
  }
  await client.query('set local search_path to default')
  return { ...declaration, views: created }
}

/**
 * The gate refuses statements that read anything else, and functions that could run for long
 * without a check for cancellation.
 */
async function createView(
  client: pg.ClientBase,
  schema: string,
  view: OwnView,
  readable: readonly string[],
): Promise<OwnView> {
  const { name, sql, comment } = view
  const known = await readKnownObjects(client, {
    searchPath: [schema],
    readable: readable.map((table) => `${schema}.${table}`),
  })
  const gate = await SqlGate.open(known)
  await gate.check(sql)
  const qualified = `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`
  await client.query(`create view ${qualified} with (security_invoker = true) as ${sql}`)
  if (comment !== '') await client.query(`comment on view ${qualified} is ${escapeLiteral(comment)}`)
  return { ...view, columns: await readViewColumns(client, schema, name) }
}

async function readViewColumns(client: pg.ClientBase, schema: string, view: string): Promise<OwnView['columns']> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname as name, replace(format_type(atttypid, null), 'timestamp with time zone', 'timestamptz') as type
     from pg_attribute where attrelid = format('%I.%I', $1::text, $2::text)::regclass and attnum > 0 order by attnum`,
    [schema, view],
  )
  return rows.map(({ name, type }) => {
    if (!/^[a-z][a-z0-9_]{0,49}$/.test(name))
      throw bad(`Column ${name} has no usable name. Name it with "as", in lower-case letters, digits and _.`)
    const known = viewTypes.find((one) => one === type)
    if (known !== undefined) return { name, type: known }
    throw bad(`Column ${name} has the type ${type}. Cast it to one of ${viewTypes.join(', ')}.`)
  })
}

const viewTypes = [...columnTypes, 'bytea'] as const

function bad(message: string, cause?: unknown): FatalError {
  return new FatalError('bad-own-worker', message, { cause })
}

function schemaTexts(schema: string, declaration: OwnDeclaration): string[] {
  const quotedSchema = escapeIdentifier(schema)
  return [
    `create schema ${quotedSchema}`,
    `comment on schema ${quotedSchema} is ${escapeLiteral(declaration.description)}`,
    ...tableShapes(declaration).flatMap((table) => {
      const name = `${quotedSchema}.${escapeIdentifier(table.name)}`
      const columns = table.columns.map(
        (column) => `${escapeIdentifier(column.name)} ${column.type}${column.isOptional ? '' : ' not null'}`,
      )
      return [
        `create table ${name} (${[...columns, `primary key (${list(table.key)})`].join(', ')})`,
        ...table.indexes.map((index) => `create index on ${name} (${list(index)})`),
        ...(table.comment === '' ? [] : [`comment on table ${name} is ${escapeLiteral(table.comment)}`]),
        ...table.columns
          .filter(({ comment }) => comment !== '')
          .map(
            (column) =>
              `comment on column ${name}.${escapeIdentifier(column.name)} is ${escapeLiteral(column.comment)}`,
          ),
      ]
    }),
  ]
}

function list(columns: readonly string[]): string {
  return columns.map(escapeIdentifier).join(', ')
}
