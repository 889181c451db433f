import { coreContractAddress } from '../core-contracts.ts'
import type { Network } from '../network.ts'
import type { Declaration, ParsedProgram, SyntaxFault } from './syntax-tree.ts'
import type { ProgramOutline } from './program-outline.ts'
import type { Place, SourceText } from './source-text.ts'

/** Something wrong, and where. */
interface Finding extends Place {
  readonly message: string
  /** The line as it is written. */
  readonly source: string
  /** What may help. */
  readonly hint: string | null
}

export interface ScriptCheck {
  /** Whether the syntax is right. */
  readonly is_valid: boolean
  readonly errors: readonly Finding[]
  /** What parses, and a node would refuse all the same. */
  readonly warnings: readonly Finding[]
  /** `script`, `transaction`, `contract`, several of them, or nothing. */
  readonly kinds: readonly string[]
  /** More errors or warnings than are told. */
  readonly truncated: boolean
  readonly note: string
}

interface CheckedProgram {
  readonly parsed: ParsedProgram
  readonly outline: ProgramOutline
  readonly source: SourceText
  readonly code: string
  readonly network: Network
}

const maxFindings = 20
const maxMessageCharacters = 500

const note =
  'Only the syntax was checked, as of Cadence 1.0. Types, and whether names and members exist, are not checked: ' +
  'run the script to find out.'
const noteOnTemplates = `${note} What stands in string templates "\\(…)" was not looked at.`

/** What is wrong with a source as far as its syntax tells. */
export function checkProgram({ parsed, outline, source, code, network }: CheckedProgram): ScriptCheck {
  const faults = parsed.error?.Errors ?? []
  const errors = distinct(faults.map((fault) => readFault(fault, source)))
  if (errors.length === 0 && typeof parsed.error?.Message === 'string')
    errors.push(readFault({ Message: parsed.error.Message }, source))
  // What could not be read to its end would be said to lack things that it has.
  const warnings = errors.length > 0 ? [] : distinct(warningsOf(outline, source, network))
  return {
    is_valid: errors.length === 0,
    errors: errors.slice(0, maxFindings),
    warnings: warnings.slice(0, maxFindings),
    kinds: kindsOf(outline),
    truncated: errors.length > maxFindings || warnings.length > maxFindings,
    note: /\\\(/.test(code) ? noteOnTemplates : note,
  }
}

function readFault(
  { Message: message, SuggestedFix: fix, Pos: at, StartPos: start }: SyntaxFault,
  source: SourceText,
): Finding {
  const place = source.placeOf(at?.Offset ?? start?.Offset ?? 0)
  const words = message ?? silentFault(source.slice(0, (at?.Offset ?? start?.Offset ?? 0) - 1))
  return {
    message: words.slice(0, maxMessageCharacters),
    ...place,
    source: source.shownLine(place.line),
    hint:
      typeof fix === 'string' && fix !== ''
        ? `Write ${fix.slice(0, maxMessageCharacters)} in its place.`
        : hintFor(words),
  }
}

/** Of two faults the parser gives no words. @param before what stands before the fault */
function silentFault(before: string): string {
  return /\w\s*\{$/.test(before)
    ? 'a type restricted by interfaces, T{I}, is no longer there'
    : 'this is nested deeper than the parser goes'
}

const hints: ReadonlyArray<readonly [pattern: RegExp, hint: string]> = [
  [
    /`pub\(set\)`/,
    'Write access(all) in its place, and a function that sets the field: since Cadence 1.0 nobody else can.',
  ],
  [/type restricted by/, 'Cadence 1.0 writes {I} for @AnyResource{I}, and &{I} for a reference.'],
  [/statements on the same line/, 'Begin a new line, or write a semicolon.'],
]

function hintFor(message: string): string | null {
  return hints.find(([pattern]) => pattern.test(message))?.[1] ?? null
}

function kindsOf({ declarations }: ProgramOutline): string[] {
  const found = declarations.flatMap(({ kind, name }) => {
    if (kind === 'function' && name === 'main') return ['script']
    if (kind === 'transaction') return ['transaction']
    return kind.startsWith('contract') ? ['contract'] : []
  })
  return [...new Set(found)]
}

function warningsOf(outline: ProgramOutline, source: SourceText, network: Network): Finding[] {
  const warn = ({ nameStart }: Pick<Declaration, 'nameStart'>, message: string, hint: string): Finding => {
    const place = source.placeOf(nameStart)
    return { message, ...place, source: source.shownLine(place.line), hint }
  }
  const imports = outline.declarations
    .filter(({ kind }) => kind === 'import')
    .flatMap((declaration) => {
      const { name, location = '' } = declaration
      const core = coreContractAddress(name, network)
      if (/^[0-9a-f]{16}$/.test(location)) {
        return core === undefined || core === location
          ? []
          : [
              warn(
                declaration,
                `the core contract ${name} is not at 0x${location} on ${network}`,
                `It is at 0x${core} there.`,
              ),
            ]
      }
      // Crypto is built in, and has no address of its own.
      if (location === 'Crypto') return []
      const remedy =
        core === undefined
          ? 'Name the address of its account: import Name from 0x…'
          : `Write import ${name} from 0x${core}`
      return [warn(declaration, 'nodes look up no contract without an address', `${remedy}.`)]
    })
  const withoutAccess = outline.declarations
    .flatMap(withMembers)
    .filter(needsAccess)
    .map((declaration) =>
      warn(
        declaration,
        `${declaration.kind} ${declaration.name} has no access modifier, which Cadence 1.0 asks for`,
        `Write access(all) before it, or a narrower one.`,
      ),
    )
  const isEmpty = kindsOf(outline).length === 0
  const nothing = {
    message: 'there is nothing to run here',
    ...source.placeOf(0),
    source: source.shownLine(1),
    hint: 'A script needs access(all) fun main().',
  }
  return [...imports, ...withoutAccess, ...(isEmpty ? [nothing] : [])]
}

function withMembers(declaration: Declaration): Declaration[] {
  return [declaration, ...declaration.members.flatMap(withMembers)]
}

const withoutModifier: ReadonlySet<string> = new Set([
  'import',
  'transaction',
  'special function',
  'parameter',
  'case',
  'entitlement',
  'entitlement mapping',
])

function needsAccess({ kind, access, container }: Declaration): boolean {
  if (withoutModifier.has(kind) || access !== undefined) return false
  // The fields of a transaction are nobody else's.
  return container?.kind !== 'transaction'
}

function distinct(findings: readonly Finding[]): Finding[] {
  const seen = new Map(findings.map((finding) => [`${finding.line}:${finding.column}:${finding.message}`, finding]))
  return [...seen.values()]
}
