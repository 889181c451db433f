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

/** A hostile document may have any number; nobody writes as many. */
const mostStatements = 300

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
  return { statements: importStatements(tokens).slice(0, mostStatements), contracts: [...new Set(contracts)] }
}
