import { textUris } from './connections/mcp-server.ts'
import type { FoundTools } from './connections/mcp-tool-source.ts'
import { answerRules, chainRules, dataRules, evmRules, evmSqlRules, role, sqlRules, toolUses } from './rules.ts'

export interface PromptFacts {
  readonly network: string | undefined
  readonly tools: readonly string[]
  readonly missing: FoundTools['missing']
  readonly texts: ReadonlyMap<string, string>
  readonly skills: readonly { readonly name: string; readonly description: string }[]
  readonly form: SchemaForm
  readonly fetchHosts: readonly string[]
  readonly linkHosts: readonly string[]
  /** UTC, such as 2026-11-22. */
  readonly today: string
}

const maxSchemaCharacters = 120_000
const maxCompactCharacters = 60_000
const maxReferenceCharacters = 12_000
const maxDescriptionCharacters = 400

/** The daily facts come last, so that a provider can cache the rest. Contains no on-chain data. */
export function buildInstructions(facts: PromptFacts): string {
  const { texts, form, fetchHosts, linkHosts } = facts
  const has = (name: string): boolean => facts.tools.includes(name)
  const sections = [
    role,
    section(
      'Tools',
      list(toolUses.flatMap(({ tools, use }) => (tools.some(has) ? [`${tools.filter(has).join(', ')}: ${use}`] : []))),
    ),
    section(
      'Answers',
      list(
        answerRules({ linkHosts, hasCharts: has('createChart'), hasSql: has('run_indexer_sql') || has('run_evm_sql') }),
      ),
    ),
    section(
      'Untrusted data',
      list(dataRules({ fetchHosts: has('fetch_api') ? fetchHosts : [], hasSkills: has('loadSkill') })),
    ),
    ...(has('run_indexer_sql') ? [section('SQL on the indexer (run_indexer_sql)', list(sqlRules))] : []),
    ...(has('run_evm_sql') ? [section('SQL on the EVM explorer (run_evm_sql)', list(evmSqlRules))] : []),
    ...(has('run_chain_script') ? [section('Cadence', list(chainRules))] : []),
    ...(has('evm_rpc') || has('evm_call') ? [section('EVM by JSON-RPC', list(evmRules))] : []),
    ...(has('loadSkill') && facts.skills.length > 0 ? [section('Skills', skillsOf(facts))] : []),
    ...(has('run_indexer_sql') ? [section('Tables of the indexer', schemaOf(texts.get(textUris.indexer), form))] : []),
    ...(has('run_evm_sql')
      ? [
          section('Tables of the EVM explorer', schemaOf(texts.get(textUris.evm), form)),
          ...notesOf(texts.get(textUris.evmNotes)),
        ]
      : []),
    ...(has('run_chain_script') ? referenceOf(texts.get(textUris.scripts), form) : []),
    section('Now', nowOf(facts)),
  ]
  return sections.join('\n\n')
}

function section(title: string, content: string): string {
  return `# ${title}\n\n${content.trim()}`
}

function list(rules: readonly string[]): string {
  return rules.map((rule) => `- ${rule}`).join('\n')
}

function skillsOf({ skills }: PromptFacts): string {
  const lines = skills.map(
    ({ name, description }) => `- ${name}: ${oneLine(description).slice(0, maxDescriptionCharacters)}`,
  )
  return [
    'Before SQL or Cadence that is more than simple, read the skill that fits with loadSkill.',
    '',
    ...lines,
  ].join('\n')
}

function schemaOf(ddl: string | undefined, form: SchemaForm): string {
  if (ddl === undefined)
    return (
      'The schema is not available now. Tell the user if a statement fails because of it, and do not guess names ' +
      'more than once.'
    )
  if (form === 'full' && ddl.length <= maxSchemaCharacters) return ddl
  const compact = compactSchema(ddl)
  if (compact.length <= maxCompactCharacters) return compact
  return (
    `${compact.slice(0, compact.lastIndexOf('\n', maxCompactCharacters))}\n-- More tables exist; this list is ` +
    'truncated.'
  )
}

function notesOf(notes: string | undefined): string[] {
  const text = notes?.split(/^## Examples$/m, 1)[0]?.trim() ?? ''
  return text === '' ? [] : [section('Notes on the EVM explorer', text.slice(0, maxReferenceCharacters))]
}

function referenceOf(reference: string | undefined, form: SchemaForm): string[] {
  if (reference === undefined) return []
  const text = reference.replace(/^# .*\n+/, '')
  const short = form === 'full' ? text : (text.split(/^## Examples$/m, 1)[0] ?? '')
  return [section('Cadence scripts', short.slice(0, maxReferenceCharacters))]
}

function nowOf({ today, network, missing }: PromptFacts): string {
  return list([
    `Today is ${today} (UTC). Relative ranges such as "last week" are counted from today; the data may end ` +
      'earlier.',
    network === undefined ? 'The network is not known yet.' : `The chain is Flow ${network}.`,
    ...missing.map(
      ({ source, reason }) =>
        `Not available now: ${source} (${reason}). Say so if the question needs it, and make nothing up.`,
    ),
  ])
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** `compact`: without column and index comments, a third of the length. */
export type SchemaForm = 'full' | 'compact'

const shortTypes: readonly (readonly [RegExp, string])[] = [
  [/\btimestamp(\(\d\))? with time zone\b/g, 'timestamptz'],
  [/\btimestamp(\(\d\))? without time zone\b/g, 'timestamp'],
  [/\bcharacter varying(\(\d+\))?/g, 'text'],
  [/\bbigint\b/g, 'int8'],
  [/\binteger\b/g, 'int4'],
  [/\bsmallint\b/g, 'int2'],
  [/\bboolean\b/g, 'bool'],
  [/\bdouble precision\b/g, 'float8'],
]

/** Each table definition of `schema://…-ddl` on one line; other lines are dropped. */
export function compactSchema(ddl: string): string {
  const lines: string[] = []
  let remarks: string[] = []
  let open: { name: string; columns: string[]; remarks: string[] } | undefined
  for (const line of ddl.split('\n')) {
    const begin = /^CREATE TABLE (.+) \($/.exec(line)?.[1]
    if (begin !== undefined) {
      open = {
        name: begin,
        columns: [],
        remarks: remarks.filter((remark) => !/^\S+ is a view with these columns:$/.test(remark)),
      }
      remarks = []
    } else if (open !== undefined && line.startsWith('  ')) {
      open.columns.push(shortColumn(line))
    } else if (line === ');' && open !== undefined) {
      lines.push(
        `${open.name} (${open.columns.join(', ')})${open.remarks.length === 0 ? '' : ` -- ${open.remarks.join(' ')}`}`,
      )
      open = undefined
    } else if (line.startsWith('-- PRIMARY KEY ') && lines.length > 0) {
      lines.push(insertKey(lines.pop() ?? '', line.slice('-- PRIMARY KEY '.length)))
    } else if (line.startsWith('-- ') && !line.startsWith('-- index: ')) {
      remarks.push(line.slice(3))
    } else if (line === '') {
      remarks = []
    }
  }
  return lines.join('\n')
}

function shortColumn(line: string): string {
  const column = line
    .trim()
    .replace(/,? -- .*$/, '')
    .replace(/,$/, '')
    .replace(/ NOT NULL$/, '')
  return shortTypes.reduce((text, [long, short]) => text.replace(long, short), column)
}

function insertKey(line: string, key: string): string {
  const end = line.indexOf(') -- ')
  return end === -1 ? `${line} key ${key}` : `${line.slice(0, end + 1)} key ${key}${line.slice(end + 1)}`
}
