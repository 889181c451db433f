import { declarationLimits, reservedColumns } from '../../src/own-tables/read-declaration.ts'

const maxNameLength = 40
export const maxFolderLength = declarationLimits.workerNameLength

/** `MomentPurchased` → `moment_purchased`, `fromUUID` → `from_uuid`, `NFTMinted` → `nft_minted`. */
export function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
}

export interface NameRules {
  /** For a name without letters. */
  readonly fallback: string
  /** Added to reserved names. */
  readonly ending: (name: string) => string
}

/** Distinct names in snake case that SQL needs no quotes for, by the given names. */
export function columnNames(names: readonly string[], { fallback, ending }: NameRules): ReadonlyMap<string, string> {
  const taken = new Set<string>(reserved)
  const found = new Map<string, string>()
  for (const name of names) {
    const snake = snakeCase(name)
    const base = /^[a-z]/.test(snake) ? snake : `${fallback}${snake === '' ? '' : `_${snake}`}`
    const free = reserved.has(base) ? `${base}_${ending(name)}` : base
    let chosen = free.slice(0, maxNameLength).replace(/_+$/, '')
    for (let nth = 2; taken.has(chosen); nth++) {
      chosen = `${free.slice(0, maxNameLength - String(nth).length - 1).replace(/_+$/, '')}_${nth}`
    }
    taken.add(chosen)
    found.set(name, chosen)
  }
  return found
}

/** `A.0b2a3299cc857e29.TopShot` → `top-shot`. */
export function folderName(contract: string): string {
  const name = snakeCase(contract.split('.').at(-1) ?? '').replaceAll('_', '-')
  return (/^[a-z]/.test(name) ? name : `contract-${name}`).slice(0, maxFolderLength).replace(/-+$/, '')
}

/** Source: PostgreSQL 18, appendix C: reserved, also those that may name functions or types. */
const keywords = `all analyse analyze and any array as asc asymmetric authorization between binary both case cast check
  collate collation column concurrently constraint create cross current_catalog current_date current_role
  current_schema current_time current_timestamp current_user default deferrable desc distinct do else end except false
  fetch for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral
  leading left like limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps
  placing primary references returning right select session_user similar some symmetric system_user table tablesample
  then to trailing true union unique user using variadic verbose when where window with`

/** `constructor` exists on every object in JavaScript. */
const reserved: ReadonlySet<string> = new Set([...keywords.split(/\s+/), ...reservedColumns, 'constructor'])
