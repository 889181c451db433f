import { CompletionItemKind } from 'vscode-languageserver-protocol'
import type { CompletionItem } from 'vscode-languageserver-protocol'
import type { Declaration } from '../../../tool-servers/script/declaration.ts'
import type { Scope } from '../../../tool-servers/script/program-outline.ts'
import { holderOf } from '../../../tool-servers/script/resolve-name.ts'
import { sourceTokens } from '../imports/source-tokens.ts'
import { wordItems } from './cadence-words.ts'
import type { WordContext } from './cadence-words.ts'
import type { LinkedSource } from './linked-source.ts'

/** What is taken to stand where nothing is written yet. It is no word of anybody's. */
export const placeholder = 'completion_is_asked_here_'

const kinds: Readonly<Record<string, CompletionItemKind>> = {
  import: CompletionItemKind.Module,
  contract: CompletionItemKind.Class,
  resource: CompletionItemKind.Class,
  struct: CompletionItemKind.Struct,
  enum: CompletionItemKind.Enum,
  case: CompletionItemKind.EnumMember,
  event: CompletionItemKind.Event,
  function: CompletionItemKind.Function,
  field: CompletionItemKind.Field,
  'variable field': CompletionItemKind.Field,
  constant: CompletionItemKind.Constant,
  variable: CompletionItemKind.Variable,
  parameter: CompletionItemKind.Variable,
}

const mostItems = 1000
const hidden: ReadonlySet<string> = new Set(['special function', 'transaction'])

/** What can be written at a place: members behind a point, else names that are known there and words of the language. */
export function completeAt(code: string, offset: number, linked: LinkedSource | undefined): CompletionItem[] {
  const before = code.slice(0, offset).replace(/\w*$/, '')
  const use = linked?.useAt(offset)
  const isMember = /\.\s*$/.test(before)
  if (isMember) {
    const holder = linked === undefined || use === undefined ? undefined : holderOf(use, linked.source.outline)
    return itemsOf(holder === undefined ? [] : (linked?.target(holder).members ?? holder.members))
  }
  const context = contextOf(before)
  const declared = use === undefined ? (linked?.source.outline.declarations ?? []) : visibleFrom(use.scope)
  return [...(context === 'outside' ? [] : itemsOf(declared)), ...wordItems(context)].slice(0, mostItems)
}

function visibleFrom(scope: Scope): Declaration[] {
  const found = new Map<string, Declaration>()
  for (let here: Scope | undefined = scope; here !== undefined; here = here.parent) {
    for (const declaration of here.declared) if (!found.has(declaration.name)) found.set(declaration.name, declaration)
  }
  return [...found.values()]
}

function itemsOf(declarations: readonly Declaration[]): CompletionItem[] {
  const items = new Map<string, CompletionItem>()
  for (const { kind, name, signature, doc } of declarations) {
    if (hidden.has(kind) || name.startsWith(placeholder) || name === '') continue
    items.set(name, {
      label: name,
      kind: kinds[kind.replace(/ interface$/, '')] ?? CompletionItemKind.Text,
      detail: signature.slice(0, 200),
      sortText: `1${name}`,
      ...(doc === '' ? {} : { documentation: doc.slice(0, 1000) }),
    })
  }
  return [...items.values()].slice(0, mostItems)
}

const holders: ReadonlySet<string> = new Set([
  'contract',
  'struct',
  'resource',
  'enum',
  'attachment',
  'transaction',
  'mapping',
])

/** In what one types, by the brackets that are open before it. */
export function contextOf(before: string): WordContext {
  const open: WordContext[] = []
  let head: string[] = []
  for (const { kind, text } of sourceTokens(before)) {
    if (kind === 'word') head.push(text)
    else if (text === '{' || text === '(' || text === '[') {
      const isHolder =
        text === '{' && open.at(-1) !== 'code' && head.some((word) => holders.has(word)) && !head.includes('fun')
      open.push(isHolder ? 'members' : 'code')
      if (text === '{') head = []
    } else if (text === '}' || text === ')' || text === ']') {
      open.pop()
      if (text === '}') head = []
    }
  }
  return open.at(-1) ?? 'outside'
}
