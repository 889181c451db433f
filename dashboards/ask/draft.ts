import type { SqlValue } from '../kit/result-table.ts'
import type { AskResult, Health, ApprovedPair, SavedQuery, SqlResult as SentResult } from './answers.gen.ts'

export type Target = Health['targets'][number]

export type Parameter = SavedQuery['parameters'][number]

export type Pair = Pick<ApprovedPair, 'id' | 'target' | 'question' | 'sql'>

export type SqlFailure = Pick<SentResult, 'error'> &
  Partial<Pick<SentResult, 'error_code' | 'error_position' | 'error_hint'>>

export type SqlResult = Omit<SentResult, 'results' | 'rows' | 'sql_state' | keyof SqlFailure> &
  SqlFailure &
  Partial<Pick<AskResult, 'attempts'>> & {
    readonly results: readonly Readonly<Record<string, SqlValue>>[]
  }

/** In the URL fragment, which servers do not receive. Opening such a URL runs nothing. */
export function readDraft(hash: string): SelectedQuery {
  const values = new URLSearchParams(hash.replace(/^#/, ''))
  return {
    target: values.get('target') === 'evm' ? 'evm' : 'indexer',
    question: values.get('question') ?? '',
    sql: values.get('sql') ?? '',
    parameters: values.getAll('parameter').flatMap(readParameter),
  }
}

/** `name:type:value` */
function readParameter(text: string): readonly Parameter[] {
  const [match, name = '', type, value = ''] =
    /^([A-Za-z_]\w{0,39}):(text|number|date):([\s\S]{0,1000})$/.exec(text) ?? []
  return match === undefined ? [] : [{ name, type: type as Parameter['type'], value }]
}

export function writeDraft({ target, question, sql, parameters }: SelectedQuery): string {
  const values = new URLSearchParams()
  if (target === 'evm') values.set('target', target)
  if (question.trim() !== '') values.set('question', question)
  if (sql.trim() !== '') values.set('sql', sql)
  for (const { name, type, value } of parameters) values.append('parameter', `${name}:${type}:${value}`)
  return values.size === 0 ? '' : `#${values.toString()}`
}

export interface SelectedQuery {
  readonly target: Target
  readonly question: string
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

export function faultText({
  sql,
  error,
  error_position: position,
  error_hint: hint,
}: SqlFailure & { readonly sql: string }): string {
  const place = position === undefined || position === null ? undefined : placeOf(sql, position)
  const parts = [error ?? '', place === undefined ? '' : `The error is ${place}.`, hint ?? '']
  return parts
    .map((part) => part.trim())
    .filter(Boolean)
    .map(asSentence)
    .join(' ')
}

/** `in line 2 at “hieght”`. PostgreSQL counts code points, not UTF-16 units. */
function placeOf(sql: string, position: number): string | undefined {
  const characters = Array.from(sql)
  if (position < 1 || position > characters.length) return undefined
  const line = characters.slice(0, position - 1).filter((character) => character === '\n').length + 1
  const [word = ''] = /^(?:[\p{L}\p{N}_.]+|\S)/u.exec(characters.slice(position - 1).join('')) ?? []
  return word === '' ? `in line ${line}` : `in line ${line} at “${word}”`
}

function asSentence(text: string): string {
  return /[.!?。]$/.test(text) ? text : `${text}.`
}
