import { DiagnosticSeverity } from 'vscode-languageserver-protocol'
import type { Diagnostic } from 'vscode-languageserver-protocol'
import { sourceTokens } from '../imports/import-statements.ts'
import { TextPlaces } from './text-places.ts'
import { hideNewerSyntax } from '../../flow/cadence/newer-syntax.ts'
import { outlineOf } from '../../flow/cadence/program-outline.ts'
import type { ProgramOutline } from '../../flow/cadence/program-outline.ts'
import { useAt } from '../../flow/cadence/resolve-name.ts'
import { SourceText } from '../../flow/cadence/source-text.ts'
import type { ParsedProgram, SyntaxFault } from '../../flow/cadence/syntax-tree.ts'

export type Parse = (code: string) => ParsedProgram

export interface ParsedSource {
  readonly code: string
  readonly places: TextPlaces
  readonly outline: ProgramOutline
  readonly faults: readonly SyntaxFault[]
  /** The outline covers all of the code. */
  readonly isWhole: boolean
}

/** @throws RangeError if nested too deeply for the parser */
export function parseSource(code: string, parse: Parse): ParsedSource {
  const parsed = parse(hideNewerSyntax(code))
  const { Errors: errors, Message: message } = parsed.error ?? {}
  const faults =
    errors !== undefined && errors !== null && errors.length > 0
      ? errors
      : typeof message === 'string'
        ? [{ Message: message }]
        : []
  let outline: ProgramOutline | undefined
  // After some errors the parser continues; after others it returns the part before them.
  const last = parsed.program?.Declarations?.at(-1)?.EndPos.Offset ?? -1
  const isWhole = faults.every((fault) => ((fault.StartPos ?? fault.Pos)?.Offset ?? Number.MAX_SAFE_INTEGER) <= last)
  return {
    code,
    places: new TextPlaces(code),
    faults,
    isWhole,
    // A check does not need it.
    get outline() {
      return (outline ??= outlineOf(parsed, new SourceText(code)))
    },
  }
}

/**
 * For a source that is being typed: whole, without the rest of the line, or up to the cursor and
 * closed. @returns undefined if none of these has the name
 */
export function parseAround(
  code: string,
  { offset, inserted, name }: { offset: number; inserted: string; name: number },
  parse: Parse,
): ParsedSource | undefined {
  const before = code.slice(0, offset) + inserted
  const rest = code.slice(offset)
  const nextLine = /[\n\r]/.exec(rest)?.index ?? rest.length
  const closed = closing(before)
  // A declaration needs a value, and a condition a block.
  const tries = [
    () => before + rest,
    () => before + rest.slice(nextLine),
    () => before + closed,
    () => `${before} = nil${closed}`,
    () => `${before} {}${closed}`,
  ]
  for (const attempt of tries) {
    const parsed = parseSource(attempt(), parse)
    const byte = parsed.places.byteOfOffset(name)
    if (useAt(parsed.outline, byte) !== undefined || useAt(parsed.outline, byte - 1) !== undefined) return parsed
  }
  return undefined
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

function closing(text: string): string {
  const open: string[] = []
  for (const { kind, text: mark } of sourceTokens(text)) {
    if (kind !== 'mark') continue
    const closer = closers[mark]
    if (closer !== undefined) open.push(closer)
    else if (mark === open.at(-1)) open.pop()
  }
  return open.length === 0 ? '' : ` ${open.reverse().join('\n')}`
}

export const diagnosticSource = 'Cadence syntax'

const maxDiagnostics = 200
const maxMessageLength = 1000

export function diagnose({ faults, places, code }: ParsedSource): Diagnostic[] {
  const found = new Map<string, Diagnostic>()
  for (const fault of faults.slice(0, maxDiagnostics)) {
    const { start, end } = boundsOf(fault, (byte) => code.slice(0, places.offsetOfByte(byte)))
    const range = places.rangeOfBytes(start, end)
    const message = messageOf(fault, code.slice(0, places.offsetOfByte(start))).slice(0, maxMessageLength)
    found.set(`${range.start.line}:${range.start.character} ${message}`, {
      range,
      message,
      severity: DiagnosticSeverity.Error,
      source: diagnosticSource,
    })
  }
  return [...found.values()]
}

/** @param before text before a byte */
function boundsOf(
  fault: SyntaxFault & { readonly EndPos?: { readonly Offset: number } },
  before: (byte: number) => string,
): { start: number; end: number } {
  const start = (fault.StartPos ?? fault.Pos)?.Offset ?? 0
  // For some unexpected tokens the parser returns the place after them.
  const mark = fault.StartPos === undefined ? /'([^\s\w]{1,3})'$/.exec(fault.Message ?? '')?.[1] : undefined
  if (mark !== undefined && start >= mark.length) {
    const text = before(start)
    if (text.endsWith(mark) && !before(start + mark.length).endsWith(`${text}${mark}`))
      return { start: start - mark.length, end: start - 1 }
  }
  return { start, end: Math.max(start, fault.EndPos?.Offset ?? start) }
}

/** The parser has no message for two errors. */
function messageOf({ Message: message, SuggestedFix: fix }: SyntaxFault, before: string): string {
  if (message === undefined)
    return /\w\s*\{$/.test(before) ? 'restricted types T{I} were removed: use {I}' : 'nested too deeply for the parser'
  return typeof fix === 'string' && fix !== '' ? `${message}: write ${fix}` : message
}
