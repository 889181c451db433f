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

/** What is asked of a source. */
export type ScriptRequest = { readonly code: string } & (
  | { readonly kind: 'check'; readonly network: Network }
  | { readonly kind: 'symbols' }
  | { readonly kind: 'name'; readonly at: NamePlace; readonly network: Network }
)

/** Where a name stands: a place, or the name itself, which then is its first use, on `line` if that is given. */
export interface NamePlace {
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly name?: string | undefined
}

/** A declaration as it is told. */
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

/** What a name means. */
export interface NameAnswer {
  readonly name: string
  /** Where it stands. */
  readonly line: number
  readonly column: number
  /** For people. */
  readonly meaning: string
  /** What declares it in this source; null where nothing does. */
  readonly declared:
    | (SymbolAnswer & { readonly column: number; readonly container: string | null; readonly source: string })
    | null
}

/** What is answered, by what was asked. */
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
  /** No name stands there. */
  | { readonly kind: 'nothing'; readonly reason: string }

/** More than a model reads. */
const maxSymbols = 400
const maxDocCharacters = 400

/** Parses a source and answers a request. @throws RangeError if it is nested too deep */
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
      .flatMap((declaration) => tellWithin(declaration, source, budget))
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
    return { kind: 'nothing', reason: whyNothing(request.at, outline.uses.length === 0 && hasErrors) }
  const meaning = meaningOf(use, outline)
  const place = source.placeOf(use.start)
  if (meaning.kind === 'declared') {
    const { declaration, isCertain } = meaning
    return {
      kind: 'name',
      answer: {
        name: use.name,
        ...place,
        meaning: inWords(declaration, isCertain, source, request.network),
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
          `${meaning.member} of the contract ${meaning.contract.name}, which is imported: ` +
          `${whereImported(meaning.contract, request.network)} Its source is not here.`,
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
          ? `Nothing in this source declares ${use.name}.`
          : `A member of a value whose type the syntax does not tell. Nothing in this source declares it clearly.`),
    },
  }
}

function whyNothing({ line, column, name }: NamePlace, isBroken: boolean): string {
  if (isBroken) return 'The source has errors before any name could be read: see script_check.'
  if (name !== undefined)
    return (
      `The name ${name} does not stand ${line === undefined ? 'in this source' : `on line ${line}`}; ` +
      'comments and ' +
      'texts are not looked at.'
    )
  return (
    `No name stands at line ${line ?? 1}, column ${column ?? 1}. Lines and columns count from 1; or give ` +
    'the name ' +
    'itself.'
  )
}

function inWords(declaration: Declaration, isCertain: boolean, source: SourceText, network: Network): string {
  if (declaration.kind === 'import')
    return `The contract ${declaration.name}, imported: ${whereImported(declaration, network)}`
  const { line } = source.placeOf(declaration.nameStart)
  const where = declaration.container === undefined ? '' : ` of ${declaration.container.name}`
  return (
    `${isCertain ? '' : 'Probably, by its name: '}${declaration.kind} ${declaration.name}${where}, declared ` +
    'on line ' +
    `${line}: ${declaration.signature}`
  )
}

function whereImported({ location, name }: Declaration, network: Network): string {
  const core = coreContractAddress(name, network)
  if (location === undefined) return 'from nowhere.'
  const isAddress = /^[0-9a-f]{16}$/.test(location)
  if (core === undefined)
    return isAddress ? `from 0x${location}.` : `as "${location}", which only the Flow CLI can look up.`
  const places = networks.map((known) => `0x${coreContractAddress(name, known) ?? '?'} on ${known}`).join(', ')
  return `${isAddress ? `from 0x${location}. ` : ''}A core contract: ${places}.`
}

/** A declaration with what is in it, while there is room. */
function tellWithin(declaration: Declaration, source: SourceText, budget: { left: number }): SymbolAnswer[] {
  budget.left--
  if (budget.left < 0) return []
  const members = declaration.members
    .toSorted((a, b) => a.start - b.start)
    .flatMap((member) => tellWithin(member, source, budget))
  return [{ ...tell(declaration, source), ...(members.length === 0 ? {} : { members }) }]
}

function tell({ kind, name, access, signature, doc, start, end }: Declaration, source: SourceText): SymbolAnswer {
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
    ...tell(declaration, source),
    line: place.line,
    column: place.column,
    source: source.shownLine(place.line),
    container: declaration.container?.name ?? null,
  }
}
