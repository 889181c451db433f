import type { z } from 'zod'
import { cursorParameter } from '../parameters/parameters.ts'

/** Forms of what sort keys are made of; none holds a colon. */
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

/** The cursor of a list: the sort key of the last item of a page, its parts joined by colons. */
export interface KeyCursor<Name extends string> {
  /** `cursor` among the parameters of a route. */
  readonly parameter: z.ZodOptional<z.ZodString>
  /** @param cursor a text that `parameter` accepts; empty and undefined ask for the first page */
  readonly parse: (cursor: string | undefined) => Readonly<Record<Name, string>> | undefined
  readonly format: (key: Readonly<Record<Name, string | number>>) => string
}

/** @param parts the columns of the key in their order, with the forms of their values */
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
