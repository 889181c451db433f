import { z } from 'zod'

/** A text that is written in several ways, and comes out in one. */
export type TextParameter = z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>

/**
 * @param form what is taken, all of it. The API's description shows it, and has no place for flags.
 * @param problem what is said of other texts: `must be …`
 * @param canonical makes the one form of what has matched
 */
export function textParameter(form: RegExp, problem: string, canonical: (text: string) => string): TextParameter {
  if (form.flags.replace('u', '') !== '') throw new TypeError(`${String(form)}: flags cannot be described`)
  return z.string(problem).regex(form, problem).transform(canonical)
}

/** Up to so many characters in one line, none of them a control character; spaces around them do not count. */
export function lineForm(most: number): RegExp {
  return new RegExp(`^ *[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]{0,${most - 1}}$`, 'u')
}

/** Without the `0x` with which an address or a hash may begin. */
export function withoutPrefix(text: string): string {
  return text.replace(/^0[xX]/, '')
}
