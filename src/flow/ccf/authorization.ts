import { typeId } from '../type-id.ts'
import type { CcfInput } from './ccf-input.ts'

/** Tags of authorizations: an inline type and a type value have their own. */
const tags = { inline: { set: 146, map: 147 }, value: { set: 195, map: 196 } } as const

/** Consumes the authorization of a reference type. @returns the text inside `auth(…)`, null where there is none */
export function readAuthorization(input: CcfInput, position: keyof typeof tags): string | null {
  if (input.takeNil()) return null
  const number = input.readTag()
  if (number === tags[position].map) return input.readText()
  if (number !== tags[position].set) throw input.fail(`tag ${number} is not of an authorization`)
  input.expectArray(2)
  const kind = input.readSmall()
  if (kind > 1) throw input.fail(`an unknown kind of entitlement set: ${kind}`)
  const count = input.readArray()
  const entitlements: string[] = []
  for (let i = 0; i < count; i++) entitlements.push(input.readText())
  return typeId.entitlements(entitlements, kind === 0 ? 'conjunction' : 'disjunction')
}
