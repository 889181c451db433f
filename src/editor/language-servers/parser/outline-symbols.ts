import { SymbolKind } from 'vscode-languageserver-protocol'
import type { DocumentSymbol, FoldingRange } from 'vscode-languageserver-protocol'
import type { Declaration } from '../../../tool-servers/script/declaration.ts'
import type { ParsedSource } from './parse-source.ts'
import type { TextPlaces } from './text-places.ts'

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

const mostSymbols = 5000

/** The declarations of a source, types with what is in them. */
export function symbolsOf({ outline, places }: ParsedSource): DocumentSymbol[] {
  const budget = { left: mostSymbols }
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
  // A client refuses a name that lies outside of what it names.
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

/** What can be folded: declarations over several lines. */
export function foldsOf({ outline, places }: ParsedSource): FoldingRange[] {
  const all = outline.uses.flatMap(({ declares }) => (declares === undefined ? [] : [declares]))
  const folds = new Map<number, number>()
  for (const { start, end } of all) {
    const { start: from, end: to } = places.rangeOfBytes(start, end)
    if (to.line > from.line) folds.set(from.line, Math.max(folds.get(from.line) ?? 0, to.line))
  }
  return [...folds].map(([startLine, endLine]) => ({ startLine, endLine }))
}
