import { posix } from 'node:path'
import type { DefinitionPlace, TextRange } from '../import-workspace.ts'
import type { DocumentImports } from './document-imports.ts'
import { contractFolder } from './document-path.ts'
import type { ContractFile } from './lay-out-contracts.ts'

export interface NameQuestion {
  /** The document that was asked about, and where in it. */
  readonly path: string
  readonly at: TextRange['start']
  /** Where the name is declared, in a file that is not known. */
  readonly range: TextRange
  readonly documents: ReadonlyMap<string, DocumentImports>
  /** Files of contracts, and all that these import. */
  readonly files: (paths: readonly string[]) => Promise<readonly ContractFile[]>
  /** The imports of a document as servers were given them. */
  readonly imported: (path: string) => readonly string[]
}

/** Finds the file in which a name stands at a range: the document itself, other documents that it imports, or contracts of the chain. */
export async function locateName({ path, at, range, documents, files, imported }: NameQuestion): Promise<DefinitionPlace | undefined> {
  const own = documents.get(path)
  const name = own === undefined ? undefined : wordAt(own.text.split(lineEnd)[at.line] ?? '', at.character)
  if (name === undefined || range.start.line !== range.end.line) return undefined
  const seen = new Set<string>()
  const left = [path]
  const contractPaths: string[] = []
  for (let document = left.shift(); document !== undefined; document = left.shift()) {
    const text = documents.get(document)?.text
    if (text === undefined || seen.has(document)) continue
    seen.add(document)
    if (standsAt(text, range, name)) return { document, range }
    for (const location of imported(document)) {
      const target = posix.join(posix.dirname(document), location)
      if (posix.dirname(target) === contractFolder) contractPaths.push(target)
      else left.push(target)
    }
  }
  for (const { text, parts } of await files(contractPaths)) {
    if (!standsAt(text, range, name)) continue
    const part = parts.findLast(({ firstLine }) => firstLine <= range.start.line)
    if (part === undefined) continue
    const { start, end } = range
    const up = (place: TextRange['start']) => ({ line: place.line - part.firstLine, character: place.character })
    return { contract: { address: part.address, name: part.name }, range: { start: up(start), end: up(end) } }
  }
  return undefined
}

/** Go and LSP agree on these alone. */
const lineEnd = /\r?\n/

function standsAt(text: string, { start, end }: TextRange, name: string): boolean {
  return text.split(lineEnd)[start.line]?.slice(start.character, end.character) === name
}

/** The word that a place is in, or right behind. */
function wordAt(line: string, character: number): string | undefined {
  for (const match of line.matchAll(/\w+/g)) if (match.index <= character && character <= match.index + match[0].length) return match[0]
  return undefined
}
