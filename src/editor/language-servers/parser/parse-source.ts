import { sourceTokens } from '../imports/source-tokens.ts'
import { hideNewerSyntax } from '../../../tool-servers/script/newer-syntax.ts'
import { outlineOf } from '../../../tool-servers/script/program-outline.ts'
import type { ProgramOutline } from '../../../tool-servers/script/program-outline.ts'
import { SourceText } from '../../../tool-servers/script/source-text.ts'
import type { ParsedProgram, SyntaxFault } from '../../../tool-servers/script/syntax-tree.ts'
import { TextPlaces } from './text-places.ts'

export type Parse = (code: string) => ParsedProgram

/** A source as far as the parser got. */
export interface ParsedSource {
  readonly code: string
  readonly places: TextPlaces
  readonly outline: ProgramOutline
  readonly faults: readonly SyntaxFault[]
  /** Whether the outline is of the code itself, and not of a part of it. */
  readonly isWhole: boolean
}

/** Parses a source. @throws RangeError where it is nested deeper than the parser can go */
export function parseSource(code: string, parse: Parse): ParsedSource {
  const parsed = parse(hideNewerSyntax(code))
  const { Errors: errors, Message: message } = parsed.error ?? {}
  const faults = errors !== undefined && errors !== null && errors.length > 0 ? errors : typeof message === 'string' ? [{ Message: message }] : []
  const outline = outlineOf(parsed, new SourceText(code))
  return { code, places: new TextPlaces(code), outline, faults, isWhole: (parsed.program?.Declarations ?? []).length > 0 || faults.length === 0 }
}

/**
 * Parses a source that is being typed, so that the names around a place are known: as it is, without the rest of the line, or only what stands before
 * the place with all brackets closed.
 * @param inserted what is taken to stand at the place
 * @returns undefined where none of this parses
 */
export function parseAround(code: string, offset: number, inserted: string, parse: Parse): ParsedSource | undefined {
  const before = code.slice(0, offset) + inserted
  const rest = code.slice(offset)
  const nextLine = /[\n\r]/.exec(rest)?.index ?? rest.length
  const tries = [() => before + rest, () => before + rest.slice(nextLine), () => before + closing(before)]
  for (const attempt of tries) {
    const parsed = parseSource(attempt(), parse)
    if (parsed.isWhole && parsed.outline.uses.length > 0) return parsed
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
