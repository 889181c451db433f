import { coreContractAddress } from '../core-contracts.ts'
import { networks } from '../network.ts'
import type { Network } from '../network.ts'
import { builtIn, meaningOf, useAt } from './resolve-name.ts'
import { checkProgram } from './check-program.ts'
import type { ScriptCheck } from './check-program.ts'
import type { Declaration, ParsedProgram } from './syntax-tree.ts'
import { hideNewerSyntax } from './newer-syntax.ts'
import { outlineOf } from './program-outline.ts'
import { SourceText } from './source-text.ts'
import type { Place } from './source-text.ts'

export type ScriptRequest = { readonly code: string } & (
  | { readonly kind: 'check'; readonly network: Network }
  | { readonly kind: 'symbols' }
  | { readonly kind: 'name'; readonly at: NamePlace; readonly network: Network }
)

/** A position, or a name, which selects its first use (on `line`, if given). */
export interface NamePlace {
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly name?: string | undefined
}

interface SymbolAnswer {
  readonly kind: string
  readonly name: string
  readonly access: string | null
  readonly signature: string
  readonly doc: string | null
  readonly line: number
  readonly end_line: number
  readonly members?: readonly SymbolAnswer[]
}

export interface NameAnswer {
  readonly name: string
  readonly line: number
  readonly column: number
  readonly meaning: string
  readonly declared:
    | (SymbolAnswer & { readonly column: number; readonly container: string | null; readonly source: string })
    | null
}

export interface ScriptAnswers {
  readonly check: ScriptCheck
  readonly symbols: {
    readonly symbols: readonly SymbolAnswer[]
    readonly truncated: boolean
    readonly has_errors: boolean
  }
  readonly name: NameAnswer
}

export type ScriptAnswer =
  | {
      [Kind in keyof ScriptAnswers]: { readonly kind: Kind; readonly answer: ScriptAnswers[Kind] }
    }[keyof ScriptAnswers]
  | { readonly kind: 'nothing'; readonly reason: string }

/** Limit for model input. */
const maxSymbols = 400
const maxDocCharacters = 400

/** @throws RangeError if the source is nested too deeply */
export function readScript(request: ScriptRequest, parse: (code: string) => ParsedProgram): ScriptAnswer {
  const source = new SourceText(request.code)
  const parsed = parse(hideNewerSyntax(request.code))
  const outline = outlineOf(parsed, source)
  const hasErrors = (parsed.error?.Errors ?? []).length > 0 || typeof parsed.error?.Message === 'string'
  if (request.kind === 'check')
    return {
      kind: 'check',
      answer: checkProgram({ parsed, outline, source, code: request.code, network: request.network }),
    }
  if (request.kind === 'symbols') {
    const budget = { left: maxSymbols }
    const symbols = outline.declarations
      .filter(({ kind }) => kind !== 'parameter')
      .flatMap((declaration) => symbolsWithin(declaration, source, budget))
    return { kind: 'symbols', answer: { symbols, truncated: budget.left < 0, has_errors: hasErrors } }
  }
  const { line, column, name } = request.at
  const offset = column === undefined ? undefined : source.offsetOf({ line: line ?? 1, column })
  const use =
    name === undefined
      ? offset === undefined
        ? undefined
        : useAt(outline, offset)
      : outline.uses
          .toSorted((a, b) => a.start - b.start)
          .find((use) => use.name === name && (line === undefined || source.placeOf(use.start).line === line))
  if (use === undefined)
    return { kind: 'nothing', reason: explainMissing(request.at, outline.uses.length === 0 && hasErrors) }
  const meaning = meaningOf(use, outline)
  const place = source.placeOf(use.start)
  if (meaning.kind === 'declared') {
    const { declaration, isCertain } = meaning
    return {
      kind: 'name',
      answer: {
        name: use.name,
        ...place,
        meaning: describeDeclaration(declaration, isCertain, source, request.network),
        declared: declaredAs(declaration, source),
      },
    }
  }
  if (meaning.kind === 'foreign') {
    return {
      kind: 'name',
      answer: {
        name: use.name,
        ...place,
        declared: declaredAs(meaning.contract, source),
        meaning:
          `${meaning.member} of the imported contract ${meaning.contract.name}: ` +
          `${whereImported(meaning.contract, request.network)} Its source is not available here.`,
      },
    }
  }
  const known = use.memberOf === undefined ? builtIn(use.name) : undefined
  return {
    kind: 'name',
    answer: {
      name: use.name,
      ...place,
      declared: null,
      meaning:
        known ??
        (use.memberOf === undefined
          ? `${use.name} is not declared in this source.`
          : 'A member of a value whose type is unknown without type checking. No declaration in this source ' +
            'matches it clearly.'),
    },
  }
}

function explainMissing({ line, column, name }: NamePlace, isBroken: boolean): string {
  if (isBroken) return 'The source has syntax errors before any name: see script_check.'
  if (name !== undefined)
    return (
      `Name ${name} was not found ${line === undefined ? 'in this source' : `on line ${line}`}; ` +
      'comments and strings are not searched.'
    )
  return (
    `No name found at line ${line ?? 1}, column ${column ?? 1}. Lines and columns start at 1. You can also give ` +
    'the name itself.'
  )
}

function describeDeclaration(
  declaration: Declaration,
  isCertain: boolean,
  source: SourceText,
  network: Network,
): string {
  if (declaration.kind === 'import')
    return `The imported contract ${declaration.name}: ${whereImported(declaration, network)}`
  const { line } = source.placeOf(declaration.nameStart)
  const where = declaration.container === undefined ? '' : ` of ${declaration.container.name}`
  return (
    `${isCertain ? '' : 'Probably '}${declaration.kind} ${declaration.name}${where}, declared on line ${line}: ` +
    declaration.signature
  )
}

function whereImported({ location, name }: Declaration, network: Network): string {
  const core = coreContractAddress(name, network)
  if (location === undefined) return 'without a location.'
  const isAddress = /^[0-9a-f]{16}$/.test(location)
  if (core === undefined)
    return isAddress ? `from 0x${location}.` : `as "${location}", which only the Flow CLI can resolve.`
  const places = networks.map((known) => `0x${coreContractAddress(name, known) ?? '?'} on ${known}`).join(', ')
  return `${isAddress ? `from 0x${location}. ` : ''}A core contract: ${places}.`
}

function symbolsWithin(declaration: Declaration, source: SourceText, budget: { left: number }): SymbolAnswer[] {
  budget.left--
  if (budget.left < 0) return []
  const members = declaration.members
    .toSorted((a, b) => a.start - b.start)
    .flatMap((member) => symbolsWithin(member, source, budget))
  return [{ ...describeSymbol(declaration, source), ...(members.length === 0 ? {} : { members }) }]
}

function describeSymbol(
  { kind, name, access, signature, doc, start, end }: Declaration,
  source: SourceText,
): SymbolAnswer {
  return {
    kind,
    name,
    access: access ?? null,
    signature,
    doc: doc === '' ? null : doc.slice(0, maxDocCharacters),
    line: source.placeOf(start).line,
    end_line: source.placeOf(end).line,
  }
}

function declaredAs(declaration: Declaration, source: SourceText): NonNullable<NameAnswer['declared']> {
  const place: Place = source.placeOf(declaration.nameStart)
  return {
    ...describeSymbol(declaration, source),
    line: place.line,
    column: place.column,
    source: source.shownLine(place.line),
    container: declaration.container?.name ?? null,
  }
}
