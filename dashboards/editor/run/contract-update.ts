import { readCadenceTokens } from '../../kit/code-tokens.ts'

interface Member {
  /** Such as `resource Vault`, `Vault.balance` or `Color.red`. */
  readonly name: string
  readonly kind: 'field' | 'case' | 'declaration'
  /** The type of a field, or the kind of a declaration. */
  readonly type: string
}

/**
 * Changes that the chain refuses in an update, by names and types. Source:
 * https://cadence-lang.org/docs/language/contract-updatability
 */
export function updateProblems(before: string, after: string): readonly string[] {
  const [old, now] = [membersOf(before), membersOf(after)]
  const problems: string[] = []
  for (const [name, { kind, type }] of old) {
    const next = now.get(name)
    if (next === undefined) {
      // A removed declaration takes its members with it.
      if (kind === 'declaration') problems.push(`The update removes ${type} ${name}.`)
      else if (kind === 'case' && now.has(parentOf(name))) problems.push(`The update removes the case ${name}.`)
    } else if (next.type !== type) {
      problems.push(
        kind === 'field'
          ? `The field ${name} changes its type from ${type} to ${next.type}.`
          : `${name} changes from ${type} to ${next.type}.`,
      )
    }
  }
  for (const [name, { kind }] of now)
    if (kind === 'field' && !old.has(name) && (parentOf(name) === '' || old.has(parentOf(name))))
      problems.push(`The field ${name} is new: stored data has no value for it, and init does not run again.`)
  return problems
}

const declarations = new Set(['struct', 'resource', 'contract', 'enum', 'interface', 'attachment', 'event'])
const tokenPattern = /[A-Za-z_]\w*|\d+|[^\s\w]/g

/** Fields, enum cases and nested types; functions may change freely. */
function membersOf(code: string): ReadonlyMap<string, Member> {
  const plain = readCadenceTokens(code)
    .map(({ kind, text }) => (kind === 'comment' ? ' ' : kind === 'text' ? '""' : text))
    .join('')
  const tokens = plain.match(tokenPattern) ?? []
  const members = new Map<string, Member>()
  /** Names of the open braces; undefined: the body of a function. */
  const open: (string | undefined)[] = []
  let opening: string | undefined
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? ''
    if (token === '{') {
      open.push(open.length === 0 || open.at(-1) !== undefined ? opening : undefined)
      opening = undefined
      continue
    }
    if (token === '}') {
      open.pop()
      continue
    }
    const place = open.at(-1)
    if (open.length > 0 && place === undefined) continue
    // `access(contract)` declares nothing.
    if (token === 'access' && tokens[at + 1] === '(') {
      at += 2
      continue
    }
    if (declarations.has(token) && !declarations.has(tokens[at + 1] ?? '')) {
      const isInterface = token === 'interface'
      const name = tokens[at + 1] ?? ''
      const kind = isInterface ? `${tokens[at - 1] ?? ''} interface` : token
      opening = open.length === 0 ? '' : joined(place, name)
      if (open.length > 0 && token !== 'event') members.set(opening, { name: opening, kind: 'declaration', type: kind })
      at++
    } else if ((token === 'let' || token === 'var') && place !== undefined) {
      const name = joined(place, tokens[at + 1] ?? '')
      const end = endOfType(tokens, at + 3)
      members.set(name, { name, kind: 'field', type: typeText(tokens.slice(at + 3, end)) })
      at = end - 1
    } else if (token === 'case' && place !== undefined) {
      const name = joined(place, tokens[at + 1] ?? '')
      members.set(name, { name, kind: 'case', type: '' })
      at++
    }
  }
  return members
}

const startsMember = new Set([
  'access',
  'let',
  'var',
  'fun',
  'init',
  'view',
  'case',
  ...declarations,
  '}',
  'pub',
  'priv',
])

/** Braces belong to dictionaries and intersections. */
function endOfType(tokens: readonly string[], from: number): number {
  let depth = 0
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at] ?? ''
    if (depth === 0 && startsMember.has(token)) return at
    if ('([{<'.includes(token)) depth++
    if (')]}>'.includes(token)) depth--
  }
  return tokens.length
}

function typeText(tokens: readonly string[]): string {
  return tokens
    .join('')
    .replaceAll(/([,:])/g, '$1 ')
    .replaceAll(';', '')
}

function joined(place: string | undefined, name: string): string {
  return place === undefined || place === '' ? name : `${place}.${name}`
}

function parentOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')))
}
