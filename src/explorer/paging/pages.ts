import { z } from 'zod'
import { cursorParameter } from '../parameters.ts'

const meta = z
  .strictObject({
    limit: z.int().optional().describe('Page size; absent if the list is not paged.'),
    count: z.int().describe('Number of items in this page.'),
    has_more: z.boolean().optional().describe('Same as `has_more` beside `data`.'),
  })
  .meta({ id: 'PageInfo' })

export interface List<Item> {
  data: Item[]
  has_more: boolean
  cursor: string
  _meta: z.output<typeof meta>
}

const lists = new WeakSet<z.ZodType>()

export function isList(response: z.ZodType): boolean {
  return lists.has(response)
}

export function listOf<Item extends z.ZodType>(item: Item, name: string): z.ZodType<List<z.output<Item>>> {
  const schema = z
    .strictObject({
      data: z.array(item),
      has_more: z.boolean().describe('Whether there is a next page.'),
      cursor: z.string().describe('Cursor of the next page; empty on the last page.'),
      _meta: meta,
    })
    .meta({ id: `${name}List` })
  lists.add(schema)
  return schema
}

/** As Flow explorer clients expect. */
export function singleOf<Item extends z.ZodType>(item: Item, name: string): z.ZodType<{ data: z.output<Item>[] }> {
  return z.strictObject({ data: z.array(item).length(1) }).meta({ id: `${name}Answer` })
}

/** @param rows includes one more if there is a next page */
export function page<Row, Item>(
  rows: readonly Row[],
  limit: number,
  present: (row: Row) => Item,
  cursorOf: (row: Row) => string,
): List<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit
  return {
    data: shown.map(present),
    has_more: hasMore,
    cursor: hasMore && last !== undefined ? cursorOf(last) : '',
    _meta: { limit, count: shown.length, has_more: hasMore },
  }
}

/** @param cursor empty on the last page */
export function pageUpTo<Item>(data: Item[], limit: number, cursor: string): List<Item> {
  const hasMore = cursor !== ''
  return { data, has_more: hasMore, cursor, _meta: { limit, count: data.length, has_more: hasMore } }
}

export function wholeList<Item>(data: Item[]): List<Item> {
  return { data, has_more: false, cursor: '', _meta: { count: data.length, has_more: false } }
}

export const keyParts = {
  height: /\d{1,15}/,
  index: /\d{1,9}/,
  id: /\d{1,18}/,
  amount: /-?\d{1,78}(?:\.\d{1,18})?/,
  hash: /[0-9a-f]{64}/,
  address: /0x[0-9a-f]{16}/,
  evmAddress: /0x[0-9a-f]{40}/,
  contract: /A\.[0-9a-f]{16}\.\w{1,200}(?:\.\w{1,200})?/,
} as const

interface KeyCursor<Name extends string> {
  readonly parameter: z.ZodOptional<z.ZodString>
  /** Empty or undefined for the first page. */
  readonly parse: (cursor: string | undefined) => Readonly<Record<Name, string>> | undefined
  readonly format: (key: Readonly<Record<Name, string | number>>) => string
}

export function keyCursor<const Parts extends Readonly<Record<string, RegExp>>>(
  parts: Parts,
): KeyCursor<Extract<keyof Parts, string>> {
  type Name = Extract<keyof Parts, string>
  const names = Object.keys(parts) as Name[]
  const pattern = new RegExp(`^(?:${names.map((name) => parts[name]?.source ?? '').join(':')})?$`)
  return {
    parameter: cursorParameter(pattern, names.map((name) => `<${name}>`).join(':')),
    parse: (cursor) => {
      if (cursor === undefined || cursor === '') return undefined
      const values = cursor.split(':')
      return Object.fromEntries(names.map((name, i) => [name, values[i] ?? ''])) as Record<Name, string>
    },
    format: (key) => names.map((name) => key[name]).join(':'),
  }
}
