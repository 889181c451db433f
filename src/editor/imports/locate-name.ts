import { posix } from 'node:path'
import { contractFolder } from './import-workspace.ts'
import { sourceTokens } from './import-statements.ts'
import type { DocumentImports, SourceToken } from './import-statements.ts'
import type { DefinitionPlace, TextRange } from './import-workspace.ts'
import type { ContractFile } from './lay-out-contracts.ts'

interface NameQuestion {
  readonly path: string
  readonly at: TextRange['start']
  readonly range: TextRange | undefined
  readonly documents: ReadonlyMap<string, DocumentImports>
  readonly files: (paths: readonly string[]) => Promise<readonly ContractFile[]>
  /** As sent to servers. */
  readonly imported: (path: string) => readonly string[]
}

/** The first declaration with the name at the server's range, else an imported declaration. */
export async function locateName({
  path,
  at,
  range,
  documents,
  files,
  imported,
}: NameQuestion): Promise<DefinitionPlace | undefined> {
  const names = namesAt(documents.get(path)?.text.split(lineEnd)[at.line] ?? '', at.character)
  const name = names.at(-1)
  if (name === undefined) return undefined
  const seen = new Set<string>()
  const left = [path]
  const contractPaths: string[] = []
  for (let document = left.shift(); document !== undefined; document = left.shift()) {
    const text = documents.get(document)?.text
    if (text === undefined || seen.has(document)) continue
    seen.add(document)
    if (range !== undefined && isAt(text, range, name)) return { document, range }
    for (const location of imported(document)) {
      const target = posix.join(posix.dirname(document), location)
      if (posix.dirname(target) === contractFolder) contractPaths.push(target)
      else left.push(target)
    }
  }
  const contracts = await files(contractPaths)
  const file = range === undefined ? undefined : contracts.find(({ text }) => isAt(text, range, name))
  if (file !== undefined && range !== undefined) return inContract(file, range)
  const byName = [...seen]
    .slice(1)
    .map((document) => ({ document, range: findDeclaration(documents.get(document)?.text ?? '', names) }))
    .find((place) => place.range !== undefined)
  if (byName?.range !== undefined) return { document: byName.document, range: byName.range }
  for (const contract of contracts) {
    const declared = contract.parts.some((part) => part.name === names[0])
      ? findDeclaration(contract.text, names)
      : undefined
    if (declared !== undefined) return inContract(contract, declared)
  }
  return undefined
}

function inContract({ parts }: ContractFile, { start, end }: TextRange): DefinitionPlace | undefined {
  const part = parts.findLast(({ firstLine }) => firstLine <= start.line)
  if (part === undefined) return undefined
  const up = ({ line, character }: TextRange['start']) => ({ line: line - part.firstLine, character })
  return { contract: { address: part.address, name: part.name }, range: { start: up(start), end: up(end) } }
}

/** Line ends on which Go and LSP agree. */
const lineEnd = /\r?\n/

function isAt(text: string, { start, end }: TextRange, name: string): boolean {
  return start.line === end.line && text.split(lineEnd)[start.line]?.slice(start.character, end.character) === name
}

const keywords: ReadonlySet<string> = new Set([
  'contract',
  'interface',
  'resource',
  'struct',
  'enum',
  'event',
  'attachment',
  'entitlement',
  'mapping',
  'fun',
  'let',
  'var',
  'case',
])

/** `['FungibleToken', 'Vault']` is the Vault directly in FungibleToken. */
function findDeclaration(code: string, names: readonly string[]): TextRange | undefined {
  const tokens = sourceTokens(code)
  let from = 0
  let to = tokens.length
  let found: SourceToken | undefined
  for (const name of names) {
    const at = declaredAt(tokens, name, from, to)
    found = at === undefined ? undefined : tokens[at]
    if (at === undefined) return undefined
    from = tokens.findIndex(({ text }, index) => index > at && text === '{') + 1
    if (from === 0) from = tokens.length
    to = endOfBlock(tokens, from)
  }
  if (found === undefined) return undefined
  const before = code.slice(0, found.start).split('\n')
  const start = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
  return { start, end: { line: start.line, character: start.character + found.text.length } }
}

function declaredAt(tokens: readonly SourceToken[], name: string, from: number, to: number): number | undefined {
  for (let at = from, depth = 0; at < to; at++) {
    const { kind, text } = tokens[at] ?? { kind: 'mark', text: '' }
    if (text === '{' || text === '(') depth++
    else if (text === '}' || text === ')') depth--
    else if (depth === 0 && kind === 'word' && text === name && keywords.has(tokens[at - 1]?.text ?? '')) return at
  }
  return undefined
}

function endOfBlock(tokens: readonly SourceToken[], from: number): number {
  for (let at = from, depth = 0; at < tokens.length; at++) {
    const text = tokens[at]?.text
    if (text === '{') depth++
    if (text === '}' && --depth < 0) return at
  }
  return tokens.length
}

/** `FungibleToken.Vault` at Vault returns both. */
function namesAt(line: string, character: number): string[] {
  for (const match of line.matchAll(/[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*/g)) {
    if (match.index > character || character > match.index + match[0].length) continue
    const rest = /^\w*/.exec(match[0].slice(character - match.index))?.[0].length ?? 0
    return match[0]
      .slice(0, character - match.index + rest)
      .split('.')
      .map((name) => name.trim())
  }
  return []
}
