import type { AlertCondition, operators } from './condition.ts'

export interface AlertQuestion {
  readonly name: string
  /** Without "tell me when". */
  readonly sentence: string
  /** The value or the rows to watch. */
  readonly subject: string
  readonly condition: AlertCondition
  readonly intervalSeconds: number
}

const defaultIntervalSeconds = 300
const maxIntervalSeconds = 86_400

const verbs = 'tell|alert|notify|warn|inform|message|let|e-?mail|mail'
const watching = new RegExp(`^(?:please )?(?:${verbs}) (?:me|us)(?: know)? (?:when(?:ever)?|if|once|as soon as) `, 'i')
const opening = new RegExp(
  `^(?:please )?(?:${verbs}) (?:me|us)(?: know)? ?(?:when(?:ever)?|if|once|as soon as|about|of)? `,
  'i',
)
const schedule = /,? (?:checked |check )?(?:every|each) (?:(\d{1,5}) )?(minute|hour|day)s?$/i

const operatorOf: Readonly<Record<string, (typeof operators)[number]>> = {
  above: '>',
  over: '>',
  'more than': '>',
  'greater than': '>',
  'higher than': '>',
  exceeds: '>',
  exceed: '>',
  below: '<',
  under: '<',
  'less than': '<',
  'fewer than': '<',
  'lower than': '<',
  'at least': '>=',
  reaches: '>=',
  reach: '>=',
  'at most': '<=',
  equals: '=',
  'equal to': '=',
  '>=': '>=',
  '<=': '<=',
  '>': '>',
  '<': '<',
  '=': '=',
}

const operatorWords = [
  'above|over|more than|greater than|higher than|exceeds?',
  'below|under|less than|fewer than|lower than',
  'at least|reach(?:es)?|at most|equals|equal to|>=|<=|>|<|=',
].join('|')
const comparison = new RegExp(
  String.raw`(?:^| )(${operatorWords}) ?\$?(-?\d[\d,_]{0,40}(?:\.\d{1,20})?) ?(thousand|million|billion|[kmb])?(?= |$)`,
  'i',
)
const zerosOf: Readonly<Record<string, number>> = { thousand: 3, k: 3, million: 6, m: 6, billion: 9, b: 9 }

/** "A transfer above 5 FLOW" selects rows; "the volume is above 5" compares a value. */
const someRows = /^(?:an?|any|some|someone|somebody|new|another) /i
const noRows = /^(?:there (?:is|are) )?no /i
const counted = /^there (?:is|are|were)$/i
const verb = / (?:is|are|was|were|gets?|goes|go|rises?|falls?|drops?|becomes?|has|have)$/i

/** Reads the condition of "Tell me when …" by rules; the model writes the statement. */
export function readAlertQuestion(question: string): AlertQuestion {
  const plain = question
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replace(/[\s.!?]{1,100}$/, '')
  const withoutOpening = plain.replace(opening, '')
  const every = schedule.exec(withoutOpening)
  const sentence = every === null ? withoutOpening : withoutOpening.slice(0, every.index)
  const name = sentence.slice(0, 100).toWellFormed()
  return {
    name: name.slice(0, 1).toUpperCase() + name.slice(1),
    sentence,
    ...conditionOf(sentence),
    intervalSeconds: secondsOf(every),
  }
}

/** "Tell me when …", unlike "Tell me the newest block". */
export function isAlertQuestion(question: string): boolean {
  return watching.test(question.replaceAll(/\s+/gu, ' ').trim())
}

/** Questions for the value or the rows, which an example may answer. */
export function exampleQuestions({ subject, sentence }: AlertQuestion): readonly string[] {
  return [subject, `What is ${subject}?`, sentence]
}

function conditionOf(sentence: string): Pick<AlertQuestion, 'subject' | 'condition'> {
  if (noRows.test(sentence)) return { subject: sentence.replace(noRows, ''), condition: { kind: 'no_rows' } }
  if (someRows.test(sentence)) return { subject: sentence, condition: { kind: 'rows' } }
  const found = comparison.exec(sentence)
  const operator = operatorOf[found?.[1]?.toLowerCase() ?? '']
  if (found !== null && operator !== undefined) {
    const before = sentence.slice(0, found.index).trim()
    const after = sentence.slice(found.index + found[0].length).trim()
    const subject = counted.test(before) ? `the number of ${after}` : before.replace(verb, '')
    const number = decimalOf(found[2] ?? '', zerosOf[found[3]?.toLowerCase() ?? ''] ?? 0)
    if (subject !== '') return { subject, condition: { kind: 'compare', operator, number } }
  }
  const changing = / (?:changes|change|changed|is different)$/i
  if (changing.test(sentence)) return { subject: sentence.replace(changing, ''), condition: { kind: 'changed' } }
  return { subject: sentence, condition: { kind: 'rows' } }
}

/** "1.5" with 3 zeros is 1500. */
function decimalOf(text: string, zeros: number): string {
  const [whole = '', fraction = ''] = text.replaceAll(/[,_]/g, '').split('.')
  const moved = fraction.padEnd(zeros, '0')
  const [digits, rest] = [whole + moved.slice(0, zeros), moved.slice(zeros)]
  return rest === '' ? digits : `${digits}.${rest}`
}

function secondsOf(every: RegExpExecArray | null): number {
  if (every === null) return defaultIntervalSeconds
  const unit = { minute: 60, hour: 3600, day: 86_400 }[(every[2] ?? '').toLowerCase()] ?? defaultIntervalSeconds
  return Math.min(maxIntervalSeconds, Math.max(60, Number(every[1] ?? 1) * unit))
}

/** For the model. */
export function statementQuestion({ sentence, condition }: AlertQuestion): string {
  const form =
    condition.kind === 'compare' || condition.kind === 'changed'
      ? 'Return one row, whose first column is the value to watch, without applying the condition to it.'
      : condition.kind === 'rows'
        ? 'Return only rows that cause the alert, newest first, from a short recent period.'
        : 'Return the rows whose absence causes the alert, newest first, from a short recent period.'
  return `A user wants an alert: ${sentence}\n\nWrite the statement that runs regularly for it. ${form}`
}
