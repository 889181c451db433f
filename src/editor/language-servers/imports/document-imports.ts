import { importStatements } from './import-statements.ts'
import type { ImportStatement } from './import-statements.ts'
import { declaringTokens } from './source-tokens.ts'
import type { SourceToken } from './source-tokens.ts'

/** A document with what it imports. */
export interface DocumentImports {
  readonly text: string
  readonly statements: readonly ImportStatement[]
  /** Names of the contracts that it declares, contract interfaces too. */
  readonly contracts: readonly string[]
}

/** A hostile document may have any number; nobody writes as many. All documents of a connection are gone through at each change. */
const [mostStatements, mostNames, mostContracts] = [300, 500, 300]

/** Reads a document as far as imports are concerned, whether it parses or not. */
export function readDocument(text: string): DocumentImports {
  return { text, ...declarationsIn(declaringTokens(text)) }
}

/** What tokens of a document declare. */
export function declarationsIn(tokens: readonly SourceToken[]): Omit<DocumentImports, 'text'> {
  const contracts = tokens.flatMap(({ kind, text: word }, at) => {
    if (kind !== 'word' || word !== 'contract') return []
    const next = tokens[at + 1]
    const name = next?.text === 'interface' ? tokens[at + 2] : next
    return name?.kind === 'word' ? [name.text] : []
  })
  return { statements: firstOf(importStatements(tokens)), contracts: [...new Set(contracts)].slice(0, mostContracts) }
}

/** Imports up to what a source may have; those behind it are left as they are, and lead nowhere. */
export function firstOf(statements: readonly ImportStatement[]): ImportStatement[] {
  let names = 0
  const within = statements.slice(0, mostStatements)
  const end = within.findIndex((statement) => (names += statement.names.length) > mostNames)
  return end < 0 ? within : within.slice(0, end)
}
