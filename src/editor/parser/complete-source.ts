import { CompletionItemKind, InsertTextFormat } from 'vscode-languageserver-protocol'
import type { CompletionItem } from 'vscode-languageserver-protocol'
import { sourceTokens } from '../imports/import-statements.ts'
import type { LinkedSource } from './linked-source.ts'
import type { Declaration } from '../../flow/cadence/syntax-tree.ts'
import type { Scope } from '../../flow/cadence/program-outline.ts'
import { holderOf } from '../../flow/cadence/resolve-name.ts'

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

const maxItems = 1000
const hidden: ReadonlySet<string> = new Set(['special function', 'transaction'])

/** Members after a dot, else visible names and keywords. */
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
  return [...(context === 'outside' ? [] : itemsOf(declared)), ...wordItems(context)].slice(0, maxItems)
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
  return [...items.values()].slice(0, maxItems)
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

function contextOf(before: string): WordContext {
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

type WordContext = 'outside' | 'members' | 'code'

const words: Readonly<Record<WordContext, string>> = {
  outside: 'access import contract transaction struct resource event enum entitlement attachment interface fun let',
  members:
    'access let var fun init struct resource event enum entitlement attachment interface view case prepare ' +
    'execute pre post',
  code:
    'let var if else while for in return break continue switch case default emit create destroy attach remove as ' +
    'nil true false self fun view guard',
}

const snippets: ReadonlyArray<
  readonly [contexts: readonly WordContext[], label: string, detail: string, text: string]
> = [
  [
    ['outside'],
    'contract',
    'a contract',
    'access(all) contract ${1:Name} {\n\n    ${2}\n\n    init() {\n        $0\n    }\n}\n',
  ],
  [
    ['outside'],
    'transaction',
    'a transaction',
    'transaction(${1}) {\n\n    prepare(signer: auth(${2:Storage}) &Account) {\n        $0\n    }\n\n    execute ' +
      '{\n    }\n}\n',
  ],
  [['outside'], 'script', 'a script', 'access(all) fun main(${1}): ${2:Int} {\n    return $0\n}\n'],
  [['outside'], 'import', 'an import', 'import ${1:Name} from ${2:0x}'],
  [['members'], 'fun', 'a function', 'access(all) fun ${1:name}(${2}) {\n    $0\n}'],
  [['members'], 'resource', 'a resource', 'access(all) resource ${1:Name} {\n    $0\n\n    init() {\n    }\n}'],
  [['members'], 'struct', 'a struct', 'access(all) struct ${1:Name} {\n    $0\n\n    init() {\n    }\n}'],
  [['members'], 'event', 'an event', 'access(all) event ${1:Name}(${2})'],
  [['members'], 'let', 'a field', 'access(all) let ${1:name}: ${2:Int}'],
  [['code'], 'if', 'if … else', 'if ${1:condition} {\n    $0\n}'],
  [['code'], 'if let', 'if there is a value', 'if let ${1:name} = ${2:optional} {\n    $0\n}'],
  [['code'], 'for', 'for each', 'for ${1:element} in ${2:elements} {\n    $0\n}'],
  [['code'], 'while', 'while', 'while ${1:condition} {\n    $0\n}'],
]

const accesses = ['access(all)', 'access(self)', 'access(contract)', 'access(account)']

const builtIns =
  `Address AnyResource AnyStruct Bool Block Capability Character Fix64 UFix64 Int Int8 Int16 Int32 Int64 Int128
  Int256 UInt UInt8 UInt16 UInt32 UInt64 UInt128 UInt256 Word8 Word16 Word32 Word64 Word128 Word256 Never Path
  PublicPath StoragePath String Type Void Account Storage BorrowValue SaveValue LoadValue CopyValue Capabilities
  Contracts Keys Mutate Insert Remove Inbox`.split(/\s+/)
const functions = [
  'assert',
  'getAccount',
  'getBlock',
  'getCurrentBlock',
  'log',
  'panic',
  'revertibleRandom',
  'InclusiveRange',
  'CompositeType',
  'OptionalType',
]

function wordItems(context: WordContext): CompletionItem[] {
  const items: CompletionItem[] = (words[context] ?? '')
    .split(' ')
    .map((label) => ({ label, kind: CompletionItemKind.Keyword, sortText: `5${label}` }))
  if (context !== 'code')
    for (const label of accesses) items.push({ label, kind: CompletionItemKind.Keyword, sortText: `4${label}` })
  for (const [contexts, label, detail, insertText] of snippets) {
    if (contexts.includes(context))
      items.push({
        label,
        detail,
        insertText,
        kind: CompletionItemKind.Snippet,
        insertTextFormat: InsertTextFormat.Snippet,
        sortText: `3${label}`,
      })
  }
  if (context === 'outside') return items
  for (const label of builtIns) items.push({ label, kind: CompletionItemKind.Class, sortText: `6${label}` })
  if (context === 'code')
    for (const label of functions) items.push({ label, kind: CompletionItemKind.Function, sortText: `6${label}` })
  return items
}
