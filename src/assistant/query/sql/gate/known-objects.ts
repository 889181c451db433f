import type { Value } from './call-cost.ts'

/** Whether something of this name may be used, by schema. */
export type KnownNames = ReadonlyMap<string, ReadonlyMap<string, boolean>>

/** What a database has, as far as a statement can name it, and whether it may. Read once, see `readKnownObjects`. */
export interface KnownObjects {
  /** Schemas in which names without one are looked for, after pg_catalog. */
  readonly searchPath: readonly string[]
  /** True: every overload may be called. */
  readonly functions: KnownNames
  readonly operators: KnownNames
  readonly types: KnownNames
  readonly relations: KnownNames
  /** Columns of tables and views that may be read, by `schema.table`, with the longest values that are assumed. */
  readonly columns: ReadonlyMap<string, readonly (Value & { readonly name: string })[]>
  /** Names after a value (`value.name`) that would call a function, or cast to a type, that is not allowed. */
  readonly attributes: ReadonlySet<string>
}

export type Verdict = 'allowed' | 'refused' | 'unknown'

/**
 * What is known of a name, which may have its schema before it. A name without one is looked for as the server does it, in pg_catalog
 * and then in the search path; where several have it, all must be allowed, since which one is meant may depend on types.
 */
export function verdictOn(names: KnownNames, parts: readonly string[], searchPath: readonly string[]): Verdict {
  const [schema, name] = parts.length > 1 ? parts : [undefined, parts[0] ?? '']
  if (parts.length > 2 || name === undefined) return 'unknown'
  const bySchema = names.get(name)
  const schemas = schema === undefined ? ['pg_catalog', ...searchPath] : [schema]
  const found = schemas.flatMap((each) => bySchema?.get(each) ?? [])
  if (found.length === 0) return 'unknown'
  return found.every(Boolean) ? 'allowed' : 'refused'
}
