import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { CadenceParser } from '@onflow/cadence-parser'

/** The result of the Cadence 1.0 parser for a text. */
export interface ParsedCadence {
  readonly program?: { readonly Declarations?: readonly { readonly Type: string }[] | null }
  readonly error?: { readonly Errors: readonly { readonly Message: string }[] }
}

/** Parses Cadence 1.0 without type checks. */
export async function cadenceParser(): Promise<(code: string) => ParsedCadence> {
  const wasm = createRequire(import.meta.url)
    .resolve('@onflow/cadence-parser')
    .replace(/cjs\/index\.js$/, 'cadence-parser.wasm')
  const parser = await CadenceParser.create(readFileSync(wasm))
  return (code) => parser.parse(code) as ParsedCadence
}
