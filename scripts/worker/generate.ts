import type { PayloadFields } from '../../src/flow/payload-value.ts'
import type { ContractEvent, ContractStruct, EventField } from './contract-events.ts'
import { quoted } from './event-types.ts'
import { columnNames, snakeCase } from './names.ts'

/** As in events.json. */
export interface RecordedEvent {
  readonly name: string
  readonly type: string
  readonly height: number
  /** ISO 8601. */
  readonly timestamp: string
  readonly txIndex: number
  readonly transactionId: string
  readonly index: number
  readonly fields: PayloadFields
}

export interface GeneratedWorker {
  /** `A.<address>.<name>` */
  readonly contract: string
  /** Below the folder of all workers. */
  readonly folder: string
  readonly dir: string
  readonly events: readonly ContractEvent[]
  readonly structs: readonly ContractStruct[]
  /** The contract has other events. */
  readonly isSelection: boolean
  /** Fields that some recorded events lack, by event: an update added them. */
  readonly missing: ReadonlyMap<string, ReadonlySet<string>>
  /** Events without a recorded one get an example. */
  readonly recorded: readonly RecordedEvent[]
}

interface TableColumn {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
  readonly isIndexed: boolean
  readonly comment: string
  /** Expression. */
  readonly value: string
  /** Value in the row of an event. */
  readonly read: (fields: PayloadFields) => unknown
}

interface EventTable {
  readonly name: string
  readonly event: ContractEvent
  readonly columns: readonly TableColumn[]
}

const maxColumns = 60
const maxIndexes = 4
const maxCommentLength = 80
/** Of oxfmt. */
const width = 120

/**
 * Fields that events of a recorded shape lack, by event: updates of a contract change its events.
 *
 * @param shapes event name and field names
 */
export function missingFields(
  events: readonly ContractEvent[],
  shapes: Iterable<readonly [name: string, fields: readonly string[]]>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const missing = new Map(events.map(({ name }) => [name, new Set<string>()]))
  const fieldsOf = new Map(events.map(({ name, fields }) => [name, fields]))
  for (const [name, recorded] of shapes) {
    const known = new Set(recorded)
    for (const field of fieldsOf.get(name) ?? []) if (!known.has(field.name)) missing.get(name)?.add(field.name)
  }
  return missing
}

/** Text of each file by name. */
export function generateWorker(given: GeneratedWorker): ReadonlyMap<string, string> {
  const tables = tablesOf(given)
  const events = exampleEvents(given)
  return new Map([
    ['worker.ts', workerText(given, tables)],
    ['events.gen.ts', typesText(given)],
    ['worker.test.ts', testText(given, tables, events)],
    ['events.json', `${JSON.stringify(events, undefined, 2)}\n`],
    ['README.md', readmeText(given, tables)],
  ])
}

function tablesOf({ events, missing }: GeneratedWorker): readonly EventTable[] {
  const rules = { fallback: 'event', ending: () => 'event' }
  const names = columnNames(
    events.map(({ name }) => name),
    rules,
  )
  return events.map((event) => ({
    event,
    name: names.get(event.name) ?? '',
    columns: columnsOf(event, missing.get(event.name) ?? new Set()),
  }))
}

function columnsOf({ fields }: ContractEvent, missing: ReadonlySet<string>): readonly TableColumn[] {
  const isLong = fields.length > maxColumns
  const [own, others] = isLong ? [fields.slice(0, maxColumns - 1), fields.slice(maxColumns - 1)] : [fields, []]
  const types = new Map(fields.map(({ name, cadence }) => [name, cadence]))
  const names = columnNames([...own.map(({ name }) => name), ...(isLong ? ['otherFields'] : [])], {
    fallback: 'field',
    ending: (name) => (/^Address\??$/.test(types.get(name) ?? '') ? 'address' : 'value'),
  })
  let indexes = 0
  const columns = own.map((field): TableColumn => {
    const name = names.get(field.name) ?? ''
    const isIndexed = isKey(field) && indexes < maxIndexes
    if (isIndexed) indexes++
    return {
      name,
      type: field.column,
      isOptional: field.isNullable || missing.has(field.name),
      isIndexed,
      comment: commentOf(name, field),
      value: `event.fields.${field.name}`,
      read: (values) => values[field.name] ?? null,
    }
  })
  if (others.length === 0) return columns
  return [
    ...columns,
    {
      name: names.get('otherFields') ?? '',
      type: 'jsonb',
      isOptional: false,
      isIndexed: false,
      comment: `The last ${others.length} fields of the event`,
      value: `{\n${others.map(({ name }) => `  ${name}: event.fields.${name},\n`).join('')}}`,
      read: (values) => Object.fromEntries(others.map(({ name }) => [name, values[name]])),
    },
  ]
}

function isKey({ name, cadence, column }: EventField): boolean {
  return /^Address\??$/.test(cadence) || (column !== 'jsonb' && /(^|_)(uu)?id$/.test(snakeCase(name)))
}

function commentOf(column: string, { name, cadence, column: type }: EventField): string {
  const parts = [
    ...(column === snakeCase(name) ? [] : [`Field ${name}`]),
    ...(type === 'jsonb' && cadence !== 'AnyStruct' ? [cadence] : []),
  ]
  return shortened(parts.join(', '))
}

function shortened(text: string): string {
  return text.length > maxCommentLength ? `${text.slice(0, maxCommentLength - 1)}…` : text
}

function workerText({ contract, events, isSelection }: GeneratedWorker, tables: readonly EventTable[]): string {
  const title = nameOf(contract)
  const lines = [
    "import { defineWorker } from 'flowfarm/worker'",
    "import type { Events } from './events.gen.ts'",
    '',
    'export default defineWorker<Events>()({',
    `  contract: '${contract}',`,
    '  version: 1,',
    `  description: 'Events of ${shortened(title)}',`,
    ...(isSelection
      ? listText(
          '  events: ',
          events.map(({ name }) => quoted(name)),
        )
      : []),
    '  tables: {',
    ...tables.flatMap((table) => tableText(table, title)),
    '  },',
    '  derive(event, write) {',
    ...deriveText(tables),
    '  },',
    '})',
  ]
  return `${lines.join('\n')}\n`
}

function listText(start: string, items: readonly string[]): readonly string[] {
  const line = `${start}[${items.join(', ')}],`
  return line.length <= width ? [line] : [`${start}[`, ...items.map((item) => `    ${item},`), '  ],']
}

function tableText({ name, event, columns }: EventTable, title: string): readonly string[] {
  const comment = event.doc === '' ? shortened(`Events ${event.name} of ${title}`) : event.doc
  return [
    `    ${name}: {`,
    `      comment: ${stringText(comment)},`,
    ...(columns.length === 0
      ? ['      columns: {},']
      : ['      columns: {', ...columns.flatMap(columnText), '      },']),
    '    },',
  ]
}

function columnText({ name, type, isOptional, isIndexed, comment }: TableColumn): readonly string[] {
  const entries = [
    `type: '${type}'`,
    ...(isOptional ? ['optional: true'] : []),
    ...(isIndexed ? ['index: true'] : []),
    ...(comment === '' ? [] : [`comment: ${stringText(comment)}`]),
  ]
  const line = `        ${name}: { ${entries.join(', ')} },`
  if (line.length <= width) return [line]
  return [`        ${name}: {`, ...entries.map((entry) => `          ${entry},`), '        },']
}

function deriveText(tables: readonly EventTable[]): readonly string[] {
  const [only] = tables
  if (tables.length === 1 && only !== undefined) return writeText(only, '    ')
  return [
    '    switch (event.name) {',
    ...tables.flatMap((table) => [
      `      case ${quoted(table.event.name)}:`,
      ...writeText(table, '        '),
      '        break',
    ]),
    '    }',
  ]
}

function writeText({ name, columns }: EventTable, indent: string): readonly string[] {
  if (columns.length === 0) return [`${indent}write.${name}({})`]
  return [
    `${indent}write.${name}({`,
    ...columns.map(({ name: column, value }) => {
      const line = `${indent}  ${column}: ${value.replaceAll('\n', `\n${indent}  `)},`
      const isLong = line.length > width && !value.startsWith('{')
      return isLong ? `${indent}  ${column}:\n${indent}    ${value},` : line
    }),
    `${indent}})`,
  ]
}

function typesText({ contract, events, structs, missing }: GeneratedWorker): string {
  const used = usedStructs(events, structs)
  const lines = [
    `// Events of ${contract}, written by npm run worker -- init. Numbers are decimal strings.`,
    '',
    'export type Events = {',
    ...events.flatMap((event) => [
      ...(event.doc === '' ? [] : [`  /** ${commentText(event.doc)} */`]),
      ...objectText(
        propertyName(event.name),
        event.fields.flatMap((field) => fieldText(field, missing.get(event.name)?.has(field.name) === true)),
      ),
    ]),
    '}',
    ...(used.length === 0
      ? []
      : [
          '',
          'export type Structs = {',
          ...used.flatMap(({ name, fields }) =>
            objectText(
              name,
              fields.flatMap((field) => fieldText(field, false)),
            ),
          ),
          '}',
        ]),
    '',
    '/** Any value. */',
    'export type Value = string | boolean | null | Value[] | { [name: string]: Value }',
  ]
  return `${lines.join('\n')}\n`
}

function objectText(name: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [`  ${name}: {}`] : [`  ${name}: {`, ...lines, '  }']
}

function fieldText({ name, cadence, ts }: EventField, isMissing: boolean): readonly string[] {
  const note = isMissing ? '; older events lack it' : ''
  return [`    /** ${commentText(shortened(cadence))}${note} */`, `    ${name}${isMissing ? '?' : ''}: ${ts}`]
}

/** Structs of the selected events, and those within. */
function usedStructs(events: readonly ContractEvent[], structs: readonly ContractStruct[]): readonly ContractStruct[] {
  const byName = new Map(structs.map((struct) => [struct.name, struct]))
  const used = new Set<ContractStruct>()
  const waiting: (readonly EventField[])[] = events.map(({ fields }) => fields)
  for (let fields = waiting.pop(); fields !== undefined; fields = waiting.pop()) {
    for (const { ts } of fields) {
      for (const [, name = ''] of ts.matchAll(/Structs\['(\w+)'\]/g)) {
        const struct = byName.get(name)
        if (struct === undefined || used.has(struct)) continue
        used.add(struct)
        waiting.push(struct.fields)
      }
    }
  }
  return structs.filter((struct) => used.has(struct))
}

function exampleEvents({ contract, events, recorded }: GeneratedWorker): readonly RecordedEvent[] {
  return events.flatMap((event) => {
    const own = recorded.filter(({ name }) => name === event.name)
    return own.length > 0 ? own.map((found) => inDeclaredOrder(found, event)) : [exampleEvent(contract, event)]
  })
}

/** The database sorts fields by length. */
function inDeclaredOrder({ fields, ...place }: RecordedEvent, event: ContractEvent): RecordedEvent {
  const rank = new Map(event.fields.map(({ name }, i) => [name, i]))
  const sorted = Object.entries(fields).toSorted(([a], [b]) => (rank.get(a) ?? Infinity) - (rank.get(b) ?? Infinity))
  return { ...place, fields: Object.fromEntries(sorted) }
}

function exampleEvent(contract: string, { name, fields }: ContractEvent): RecordedEvent {
  return {
    name,
    type: `${contract}.${name}`,
    height: 1,
    timestamp: '2026-01-01T00:00:00.000Z',
    txIndex: 0,
    transactionId: '00'.repeat(32),
    index: 0,
    fields: Object.fromEntries(fields.map((field) => [field.name, field.example])),
  }
}

function testText(
  { folder }: GeneratedWorker,
  tables: readonly EventTable[],
  events: readonly RecordedEvent[],
): string {
  const [table] = tables
  const event = events.find(({ name }) => name === table?.event.name)
  const lines = [
    "import { expect } from 'chai'",
    "import { deriveRows } from 'flowfarm/worker-test'",
    "import events from './events.json' with { type: 'json' }",
    "import worker from './worker.ts'",
    '',
    `describe('${folder}', () => {`,
    "  it('writes a row for each event', async () => {",
    '    const rows = await deriveRows(worker, events)',
    '    expect(Object.values(rows).flat()).to.have.lengthOf(events.length)',
    '  })',
    ...(table === undefined || event === undefined || table.columns.length === 0
      ? []
      : ['', ...exampleText(table, event)]),
    '})',
  ]
  return `${lines.join('\n')}\n`
}

const maxShownColumns = 8

function exampleText({ name, event, columns }: EventTable, { fields }: RecordedEvent): readonly string[] {
  const shown = columns.filter(({ type }) => type !== 'jsonb').slice(0, maxShownColumns)
  if (shown.length === 0) return []
  return [
    `  it('writes the fields of ${event.name}', async () => {`,
    '    const rows = await deriveRows(worker, events)',
    `    expect(rows.${name}[0]).to.include({`,
    ...shown.map((column) => `      ${column.name}: ${literal(column.read(fields))},`),
    '    })',
    '  })',
  ]
}

function literal(value: unknown): string {
  return typeof value === 'string' ? stringText(value) : JSON.stringify(value)
}

function readmeText({ contract, folder, dir }: GeneratedWorker, tables: readonly EventTable[]): string {
  const path = folder.replaceAll('-', '_')
  const table = tables.find(({ columns }) => columns.length > 0) ?? tables[0]
  const name = table?.name ?? ''
  const fold = table === undefined ? [] : foldText(table)
  return `# ${nameOf(contract)}

Tables of the events of \`${contract}\`: one per event, in the schema \`own_${path}\`.

| File | Content |
| --- | --- |
| \`worker.ts\` | tables and the function that fills them: edit it |
| \`events.gen.ts\` | types of the events |
| \`worker.test.ts\`, \`events.json\` | a test with recorded events |

\`\`\`sh
npm test -- ${dir}/${folder}
WORKERS_DIR=${dir} npm start          # npm run demo loads my-workers and reloads changes
curl http://localhost:8080/own/${path}/${name}
\`\`\`
${fold.join('\n')}`
}

function foldText({ name, event, columns }: EventTable): readonly string[] {
  const isAddress = new Set(
    event.fields.filter(({ cadence }) => cadence.startsWith('Address')).map((field) => field.name),
  )
  const owner = columns.find(({ value }) => isAddress.has(value.replace('event.fields.', '')))
  const key = owner ?? columns.find(({ isIndexed }) => isIndexed)
  const others = columns.filter((column) => column !== key && column.type !== 'jsonb')
  if (key === undefined || others.length === 0) return []
  const sum = others.find(({ type, isIndexed }) => type === 'numeric' && !isIndexed)
  const sums = sum === undefined ? '' : `, sums: { total_${sum.name}: '${sum.name}' }`
  const latest = others.slice(0, 3).map((column) => `'${column.name}'`)
  const [what, fold] =
    owner === undefined
      ? [
          'the newest row of each',
          `latest: { kind: 'latest', of: '${name}', key: ['${key.name}'], columns: [${latest.join(', ')}] }`,
        ]
      : ['totals of each', `totals: { kind: 'sum', of: '${name}', key: ['${key.name}'], count: 'events'${sums} }`]
  return [
    '',
    `For a table with ${what} \`${key.name}\`, add to \`worker.ts\` after \`tables\`:`,
    '',
    '```ts',
    'folds: {',
    `  ${fold},`,
    '},',
    '```',
    '',
  ]
}

function nameOf(contract: string): string {
  return contract.split('.').at(-1) ?? contract
}

function propertyName(name: string): string {
  return /^\w+$/.test(name) ? name : quoted(name)
}

function commentText(text: string): string {
  return text.replaceAll('*/', '*\\/')
}

/** As oxfmt writes strings. */
function stringText(text: string): string {
  const single = text.split("'").length - 1
  const double = text.split('"').length - 1
  const json = JSON.stringify(text).replaceAll(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`)
  return single > double ? json : `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
