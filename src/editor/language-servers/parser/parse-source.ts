import { sourceTokens } from '../imports/source-tokens.ts'
import { hideNewerSyntax } from '../../../flow/cadence/newer-syntax.ts'
import { outlineOf } from '../../../flow/cadence/program-outline.ts'
import type { ProgramOutline } from '../../../flow/cadence/program-outline.ts'
import { useAt } from '../../../flow/cadence/resolve-name.ts'
import { SourceText } from '../../../flow/cadence/source-text.ts'
import type { ParsedProgram, SyntaxFault } from '../../../flow/cadence/syntax-tree.ts'
import { TextPlaces } from './text-places.ts'

export type Parse = (code: string) => ParsedProgram

/** A source as far as the parser got. */
export interface ParsedSource {
  readonly code: string
  readonly places: TextPlaces
  readonly outline: ProgramOutline
  readonly faults: readonly SyntaxFault[]
  /** Whether the outline is of all of the code, and not of what stands before a fault. */
  readonly isWhole: boolean
}

/** Parses a source. @throws RangeError where it is nested deeper than the parser can go */
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
  // Behind some faults the parser goes on; behind others it gives what stands before them.
  const last = parsed.program?.Declarations?.at(-1)?.EndPos.Offset ?? -1
  const isWhole = faults.every((fault) => ((fault.StartPos ?? fault.Pos)?.Offset ?? Number.MAX_SAFE_INTEGER) <= last)
  return {
    code,
    places: new TextPlaces(code),
    faults,
    isWhole,
    // A check has no use for it.
    get outline() {
      return (outline ??= outlineOf(parsed, new SourceText(code)))
    },
  }
}

/**
 * Parses a source that is being typed, so that the names around a place are known: as it is, without the rest of the line, or only what stands before
 * the place with what finishes it.
 * @param inserted what is taken to stand at the place
 * @param name where the name stands that is asked for
 * @returns undefined where none of this parses so far that the name is read
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

/** What closes all that a text opens. */
export function closing(text: string): string {
  const open: string[] = []
  for (const { kind, text: mark } of sourceTokens(text)) {
    if (kind !== 'mark') continue
    const closer = closers[mark]
    if (closer !== undefined) open.push(closer)
    else if (mark === open.at(-1)) open.pop()
  }
  return open.length === 0 ? '' : ` ${open.reverse().join('\n')}`
}
