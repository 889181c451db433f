import type { Declaration } from './declaration.ts'
import { isType } from './program-outline.ts'
import type { NameUse, ProgramOutline, Scope } from './program-outline.ts'
import { isName, nodeIn } from './syntax-tree.ts'
import type { SyntaxNode } from './syntax-tree.ts'

/** What a name means. */
export type Meaning =
  | {
      readonly kind: 'declared'
      readonly declaration: Declaration
      /** False where only the name speaks for it. */ readonly isCertain: boolean
    }
  /** A member of a contract of another account. */
  | { readonly kind: 'foreign'; readonly contract: Declaration; readonly member: string }
  | { readonly kind: 'unknown' }

const unknown: Meaning = { kind: 'unknown' }

/** The name at a byte of the source; undefined where none stands there. */
export function useAt({ uses }: ProgramOutline, offset: number): NameUse | undefined {
  return uses.find(({ start, end }) => start <= offset && offset <= end)
}

/** What a name in the source means, as far as the source itself tells. */
export function meaningOf(use: NameUse, outline: ProgramOutline): Meaning {
  if (use.declares !== undefined) return certain(use.declares)
  if (use.memberOf === undefined) return meaningOfWord(use.name, use.scope, use.start)
  return memberOf(holderOf(use, outline), use.name, outline)
}

/** What has the members of which a name is one: a type of the source, or an import. Undefined for a name that is no member, and where the syntax does not tell. */
export function holderOf({ memberOf: whole, scope }: NameUse, outline: ProgramOutline): Declaration | undefined {
  if (whole === undefined) return undefined
  return 'name' in whole && typeof whole.name === 'string'
    ? typeOf(meaningOf(whole as NameUse, outline), scope)
    : typeOfExpression(whole as SyntaxNode, scope)
}

function certain(declaration: Declaration): Meaning {
  return { kind: 'declared', declaration, isCertain: true }
}

/** @param isMeant which declarations may be meant */
function meaningOfWord(
  name: string,
  scope: Scope,
  at: number,
  isMeant: (declaration: Declaration) => boolean = () => true,
): Meaning {
  for (let here: Scope | undefined = scope; here !== undefined; here = here.parent) {
    if (name === 'self' && here.owner !== undefined && (isType(here.owner) || here.owner.kind === 'transaction'))
      return certain(here.owner)
    const candidates = here.declared.filter((declaration) => declaration.name === name && isMeant(declaration))
    const found = candidates.findLast(({ start }) => start <= at) ?? candidates[0]
    if (found !== undefined) return certain(found)
  }
  return unknown
}

/** What has the members: a type of the source, or a contract that it imports. */
function typeOf(meaning: Meaning, scope: Scope): Declaration | undefined {
  if (meaning.kind !== 'declared') return undefined
  const { declaration } = meaning
  if (declaration.type === undefined)
    return isType(declaration) || declaration.kind === 'import' || declaration.kind === 'transaction'
      ? declaration
      : undefined
  return typeNamed(declaration.type, scope, declaration.start)
}

function typeOfExpression(node: SyntaxNode, scope: Scope): Declaration | undefined {
  if (node.Type === 'IdentifierExpression' && isName(node['Identifier'])) {
    return typeOf(meaningOfWord(node['Identifier'].Identifier, scope, node.StartPos.Offset), scope)
  }
  if (node.Type === 'MemberExpression' && isName(node['Identifier'])) {
    const whole = nodeIn(node, 'Expression')
    const holder = whole === undefined ? undefined : typeOfExpression(whole, scope)
    const member = holder?.members.find(
      ({ name }) => name === (isName(node['Identifier']) ? node['Identifier'].Identifier : ''),
    )
    return member === undefined ? undefined : typeOf(certain(member), scope)
  }
  const inner = node.Type === 'ForceExpression' ? nodeIn(node, 'Expression') : undefined
  return inner === undefined ? undefined : typeOfExpression(inner, scope)
}

/** `&Vault`, `@C.Vault?`, `auth(Withdraw) &C.Vault`: the type that is named, without what surrounds it. */
function typeNamed(text: string, scope: Scope, at: number): Declaration | undefined {
  const plain = text.replace(/^auth\s*\([^)]*\)\s*/, '').replaceAll(/[&@?\s]/g, '')
  if (!/^\w+(\.\w+)*$/.test(plain)) return undefined
  const [first = '', ...rest] = plain.split('.')
  // Only what is a type itself: `let a: a` would be asked for its own type without end.
  const meaning = meaningOfWord(first, scope, at, (declaration) => isType(declaration) || declaration.kind === 'import')
  let found = meaning.kind === 'declared' ? meaning.declaration : undefined
  for (const name of rest) found = found?.members.find((member) => member.name === name)
  return found
}

function memberOf(holder: Declaration | undefined, name: string, outline: ProgramOutline): Meaning {
  if (holder?.kind === 'import') return { kind: 'foreign', contract: holder, member: name }
  const member = holder?.members.find((member) => member.name === name)
  if (member !== undefined) return certain(member)
  if (holder !== undefined) return unknown
  const ofThatName = outline.uses.flatMap(({ declares }) =>
    declares?.name === name && declares.container !== undefined ? [declares] : [],
  )
  const [only] = ofThatName
  return only !== undefined && ofThatName.length === 1
    ? { kind: 'declared', declaration: only, isCertain: false }
    : unknown
}
