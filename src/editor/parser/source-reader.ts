import { DocumentHighlightKind, MarkupKind, SymbolKind } from 'vscode-languageserver-protocol'
import type {
  CompletionItem,
  Diagnostic,
  DocumentHighlight,
  DocumentSymbol,
  FoldingRange,
  Hover,
  Location,
  Range,
  TextEdit,
} from 'vscode-languageserver-protocol'
import { completeAt, placeholder } from './complete-source.ts'
import { LinkedSource } from './linked-source.ts'
import type { ImportedFile } from './linked-source.ts'
import { diagnose, parseAround, parseSource } from './parse-source.ts'
import type { Parse, ParsedSource } from './parse-source.ts'
import type { TextPlaces } from './text-places.ts'
import { builtIn } from '../../flow/cadence/resolve-name.ts'
import type { Declaration } from '../../flow/cadence/syntax-tree.ts'

/** Offsets in UTF-16 units. */
export type SourceQuestion = {
  readonly uri: string
  readonly code: string
  readonly imports: readonly ImportedFile[]
  readonly offset: number
} & (
  | { readonly kind: 'check' | 'symbols' | 'folds' | 'hover' | 'definition' | 'highlights' | 'completion' }
  | { readonly kind: 'rename'; readonly newName: string }
)

export interface SourceAnswers {
  readonly check: readonly Diagnostic[]
  /** Undefined for an invalid source. */
  readonly symbols: readonly DocumentSymbol[] | undefined
  readonly folds: readonly FoldingRange[] | undefined
  readonly hover: Hover | undefined
  readonly definition: Location | undefined
  readonly highlights: readonly DocumentHighlight[]
  readonly completion: readonly CompletionItem[]
  /** Undefined if the name cannot be renamed. */
  readonly rename: readonly TextEdit[] | undefined
}

/** In UTF-16 units. */
const maxCached = 32
const maxCachedCharacters = 150_000

export class SourceReader {
  readonly #parse: Parse
  readonly #cache = new Map<string, ParsedSource>()
  #characters = 0

  constructor(parse: Parse) {
    this.#parse = parse
  }

  /** @throws RangeError for a source nested too deeply */
  answer(question: SourceQuestion): SourceAnswers[keyof SourceAnswers] {
    const { kind, code, offset } = question
    if (kind === 'check') return diagnose(this.#source(code))
    if (kind === 'symbols' || kind === 'folds') {
      const source = this.#source(code)
      if (!source.isWhole) return undefined
      return kind === 'symbols' ? symbolsOf(source) : foldsOf(source)
    }
    if (kind === 'completion') {
      const source = parseAround(code, { offset, inserted: placeholder, name: offset }, this.#parse)
      return completeAt(code, offset, source === undefined ? undefined : this.#linked(question, source))
    }
    const lineEnd = /[\n\r]/.exec(code.slice(offset))?.index ?? code.length - offset
    const whole = this.#source(code)
    const source = whole.isWhole
      ? whole
      : kind === 'rename'
        ? undefined
        : parseAround(code, { offset: offset + lineEnd, inserted: '', name: offset }, this.#parse)
    if (source === undefined) return kind === 'highlights' ? [] : undefined
    const linked = this.#linked(question, source)
    if (kind === 'hover') return hoverAt(linked, offset)
    if (kind === 'definition') return definitionAt(linked, offset)
    if (kind === 'rename') return rename(linked, offset, question.newName)
    return sameNames(linked, offset).map((range) => ({ range, kind: DocumentHighlightKind.Text }))
  }

  #linked({ uri, imports }: SourceQuestion, source: ParsedSource): LinkedSource {
    return new LinkedSource(uri, source, imports, (imported) => this.#source(imported))
  }

  #source(code: string): ParsedSource {
    const known = this.#cache.get(code)
    const source = known ?? parseSource(code, this.#parse)
    this.#cache.delete(code)
    this.#cache.set(code, source)
    if (known === undefined) this.#characters += code.length
    for (const oldest of this.#cache.keys()) {
      if ((this.#cache.size <= maxCached && this.#characters <= maxCachedCharacters) || oldest === code) break
      this.#cache.delete(oldest)
      this.#characters -= oldest.length
    }
    return source
  }
}

function hoverAt(linked: LinkedSource, offset: number): Hover | undefined {
  const use = linked.useAt(offset)
  if (use === undefined) return undefined
  const range = linked.source.places.rangeOfBytes(use.start, use.end)
  const declaration = linked.declarationOf(use)
  if (declaration === undefined) {
    const known = use.memberOf === undefined ? builtIn(use.name) : undefined
    return known === undefined ? undefined : { contents: { kind: MarkupKind.PlainText, value: known }, range }
  }
  return { contents: { kind: MarkupKind.Markdown, value: shown(linked.target(declaration), declaration) }, range }
}

function shown(target: Declaration, declaration: Declaration): string {
  const head = target.kind === 'parameter' ? `parameter ${target.signature}` : target.signature
  const from =
    declaration.kind === 'import' && declaration.location !== undefined && target === declaration
      ? `\n\nimported from ${declaration.location}`
      : ''
  // Backticks must not end the code block.
  const doc = target.doc === '' ? '' : `\n\n${target.doc.slice(0, 4000)}`
  return `\`\`\`\`cadence\n${head.replaceAll('````', '')}\n\`\`\`\`${from}${doc}`
}

function definitionAt(linked: LinkedSource, offset: number): Location | undefined {
  const use = linked.useAt(offset)
  const declaration = use === undefined ? undefined : linked.declarationOf(use)
  return declaration === undefined ? undefined : linked.locationOf(declaration)
}

function sameNames(linked: LinkedSource, offset: number): Range[] {
  const use = linked.useAt(offset)
  const declaration = use === undefined ? undefined : linked.declarationOf(use)
  if (use === undefined || declaration === undefined || use.name === 'self') return []
  const { outline, places } = linked.source
  return outline.uses
    .filter((other) => other.name === use.name && linked.declarationOf(other) === declaration)
    .map(({ start, end }) => places.rangeOfBytes(start, end))
}

function rename(linked: LinkedSource, offset: number, newText: string): TextEdit[] | undefined {
  const use = linked.useAt(offset)
  const declaration = use === undefined ? undefined : linked.declarationOf(use)
  // Imported names and exports are used elsewhere.
  if (
    declaration === undefined ||
    !linked.isOwn(declaration) ||
    declaration.kind === 'import' ||
    declaration.kind === 'special function' ||
    declaration.kind === 'transaction'
  )
    return undefined
  return sameNames(linked, offset).map((range) => ({ range, newText }))
}

const kinds: Readonly<Record<string, SymbolKind>> = {
  contract: SymbolKind.Class,
  'contract interface': SymbolKind.Interface,
  resource: SymbolKind.Class,
  'resource interface': SymbolKind.Interface,
  struct: SymbolKind.Struct,
  'struct interface': SymbolKind.Interface,
  attachment: SymbolKind.Class,
  enum: SymbolKind.Enum,
  case: SymbolKind.EnumMember,
  event: SymbolKind.Event,
  entitlement: SymbolKind.Key,
  'entitlement mapping': SymbolKind.Key,
  transaction: SymbolKind.Module,
  function: SymbolKind.Function,
  'special function': SymbolKind.Constructor,
  field: SymbolKind.Field,
  'variable field': SymbolKind.Field,
  constant: SymbolKind.Constant,
  variable: SymbolKind.Variable,
}

const maxSymbols = 5000

function symbolsOf({ outline, places }: ParsedSource): DocumentSymbol[] {
  const budget = { left: maxSymbols }
  return outline.declarations.flatMap((declaration) => symbolOf(declaration, places, budget))
}

function symbolOf(declaration: Declaration, places: TextPlaces, budget: { left: number }): DocumentSymbol[] {
  const { kind, name, signature, start, end, nameStart, members } = declaration
  const symbol = kinds[kind]
  budget.left--
  if (symbol === undefined || name.trim() === '' || budget.left < 0) return []
  const range = places.rangeOfBytes(start, end)
  const selectionRange = places.rangeOfBytes(nameStart, nameStart + Buffer.byteLength(name) - 1)
  const children = members.toSorted((a, b) => a.start - b.start).flatMap((member) => symbolOf(member, places, budget))
  // Clients reject a selection range outside of the range.
  const isWithin = nameStart >= start && nameStart <= end
  return [
    {
      name,
      kind: symbol,
      detail: signature.slice(0, 120),
      range,
      selectionRange: isWithin ? selectionRange : { start: range.start, end: range.start },
      children,
    },
  ]
}

function foldsOf({ outline, places }: ParsedSource): FoldingRange[] {
  const all = outline.uses.flatMap(({ declares }) => (declares === undefined ? [] : [declares]))
  const folds = new Map<number, number>()
  for (const { start, end } of all) {
    const { start: from, end: to } = places.rangeOfBytes(start, end)
    if (to.line > from.line) folds.set(from.line, Math.max(folds.get(from.line) ?? 0, to.line))
  }
  return [...folds].map(([startLine, endLine]) => ({ startLine, endLine }))
}
