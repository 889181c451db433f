import { isType } from './program-outline.ts'
import type { NameUse, ProgramOutline, Scope } from './program-outline.ts'
import { isName, nodeIn } from './syntax-tree.ts'
import type { Declaration, SyntaxNode } from './syntax-tree.ts'

type Meaning =
  | {
      readonly kind: 'declared'
      readonly declaration: Declaration
      /** False if matched by name only. */ readonly isCertain: boolean
    }
  | { readonly kind: 'foreign'; readonly contract: Declaration; readonly member: string }
  | { readonly kind: 'unknown' }

const unknown: Meaning = { kind: 'unknown' }

export function useAt({ uses }: ProgramOutline, offset: number): NameUse | undefined {
  return uses.find(({ start, end }) => start <= offset && offset <= end)
}

export function meaningOf(use: NameUse, outline: ProgramOutline): Meaning {
  if (use.declares !== undefined) return certain(use.declares)
  if (use.memberOf === undefined) return meaningOfWord(use.name, use.scope, use.start)
  return memberOf(holderOf(use, outline), use.name, outline)
}

/** Undefined if it is not a member, or of an unknown type. */
export function holderOf({ memberOf: whole, scope }: NameUse, outline: ProgramOutline): Declaration | undefined {
  if (whole === undefined) return undefined
  return 'name' in whole && typeof whole.name === 'string'
    ? typeOf(meaningOf(whole as NameUse, outline), scope)
    : typeOfExpression(whole as SyntaxNode, scope)
}

function certain(declaration: Declaration): Meaning {
  return { kind: 'declared', declaration, isCertain: true }
}

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

/** Base type of `&Vault`, `@C.Vault?`, `auth(Withdraw) &C.Vault`. */
function typeNamed(text: string, scope: Scope, at: number): Declaration | undefined {
  const plain = text.replace(/^auth\s*\([^)]*\)\s*/, '').replaceAll(/[&@?\s]/g, '')
  if (!/^\w+(\.\w+)*$/.test(plain)) return undefined
  const [first = '', ...rest] = plain.split('.')
  // Types only: `let a: a` would recurse without end.
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

/** Built-in names. Source: cadence-lang.org, "Built-in functions", "Accounts", "Types". */
const described: Readonly<Record<string, string>> = {
  getAccount:
    'view fun getAccount(_ address: Address): &Account: a public account; it has balance, availableBalance, ' +
    'storage, contracts, keys and capabilities.',
  getAuthAccount:
    'fun getAuthAccount<T: &Account>(_ address: Address): T: an account with entitlements, in scripts only; ' +
    'changes are discarded.',
  getCurrentBlock:
    'view fun getCurrentBlock(): Block: the block in whose state the code runs; it has height, view, timestamp ' +
    '(Unix seconds, UFix64) and id.',
  getBlock: 'view fun getBlock(at: UInt64): Block?: an earlier block, or nil.',
  panic: 'view fun panic(_ message: String): Never: aborts with an error.',
  assert: 'view fun assert(_ condition: Bool, message: String): aborts with an error unless the condition holds.',
  log: 'view fun log(_ value: AnyStruct): writes to the log of the emulator; network nodes discard it.',
  revertibleRandom:
    'view fun revertibleRandom<T: FixedSizeUnsignedInteger>(modulo: T): T: a random number; a transaction can ' +
    'revert to avoid an unwanted one.',
  destroy: 'destroy x: destroys a resource.',
  self: 'The enclosing contract, resource, struct or transaction.',
  base: 'The value that an attachment is attached to.',
  result: 'In post-conditions: what the function returns.',
  before: 'fun before(_ x): in post-conditions, the value that an expression had before the function ran.',
  Account:
    'struct Account: address, balance, availableBalance (UFix64), storage, contracts, keys, inbox, capabilities.',
  Address: 'An address of an account: 8 bytes, 0x and 16 hex digits. Address.fromString("0x…"), toString(), toBytes().',
  Block: 'struct Block: id [UInt8; 32], height UInt64, view UInt64, timestamp UFix64.',
  Bool: 'true or false.',
  Capability: 'Capability<T: &Any>: the right to a reference: borrow(): T?, check(): Bool, address, id.',
  Character: 'A grapheme cluster, which can have several code points.',
  String:
    'A text: length, concat(_:), slice(from:upTo:), contains(_:), split(separator:), replaceAll(of:with:), ' +
    'toLower(), utf8, decodeHex(); String.join, String.encodeHex, String.fromUTF8.',
  Int:
    'An integer of arbitrary size. Int8 to Int256 and UInt8 to UInt256 abort on overflow; Word8 to Word256 wrap ' +
    'around.',
  UInt64: 'An integer from 0 to 2^64 - 1.',
  UFix64:
    'A number with 8 decimals from 0 to 184467440737.09551615, used for token amounts. A literal needs a decimal ' +
    'point: 1.0.',
  Fix64: 'A signed number with 8 decimals, from -92233720368.54775808 to 92233720368.54775807.',
  AnyStruct: 'Any value other than a resource.',
  AnyResource: 'Any resource.',
  Never: 'The return type of functions that never return.',
  Void: 'The return type of functions that return nothing.',
  Type: 'A type as a value: Type<T>(), isInstance(_:), identifier, isSubtype(of:).',
  Path: 'A path in the storage of an account: /storage/x, /public/x.',
  StoragePath: '/storage/x: where an account stores a value.',
  PublicPath: '/public/x: where an account publishes a capability.',
  Storage:
    'Entitlement to the storage of an account: auth(Storage) &Account. Narrower: SaveValue, LoadValue, ' +
    'CopyValue, BorrowValue.',
  BorrowValue: 'Entitlement to storage.borrow.',
  SaveValue: 'Entitlement to storage.save.',
  LoadValue: 'Entitlement to storage.load.',
  Capabilities: 'Entitlement to issue and publish capabilities: auth(Capabilities) &Account.',
  Contracts: 'Entitlement to add, update and remove contracts.',
  Keys: 'Entitlement to add and revoke keys.',
  Mutate: 'Entitlement to change an array or a dictionary through a reference; consists of Insert and Remove.',
}

export function builtIn(name: string): string | undefined {
  return Object.hasOwn(described, name) ? described[name] : undefined
}
