import { linkPage } from '../../../platform/http/link-page.ts'
import type { LinkPage } from '../../../platform/http/link-page.ts'
import { escapeHtml } from '../../../platform/http/not-found-page.ts'
import type { Mail } from '../../../platform/mail/mail-sender.ts'
import type { Alert } from './alert.ts'
import type { AlertCondition } from './condition.ts'

export type MailedAlert = Pick<
  Alert,
  'name' | 'question' | 'target' | 'sql' | 'parameters' | 'condition' | 'intervalSeconds'
>

export interface FiredRows {
  readonly value: string | null
  readonly columns: readonly string[]
  readonly results: readonly Readonly<Record<string, unknown>>[]
  readonly isCut: boolean
}

const maxCells = 12
const maxCellCharacters = 200
const maxRowsCharacters = 20_000
const maxShownSql = 4000
/** Some mail programs cut longer links. */
const maxLinkCharacters = 2000

/** One line without hidden characters, which could forge a header or reverse the text. */
function visible(given: string, max: number): string {
  const text = given
    .slice(0, max)
    .toWellFormed()
    .replaceAll(/[\s\u0085\u2028\u2029]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\uFFFD]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0
      return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
    })
    .trim()
  return text.length > max || given.length > max ? `${text.slice(0, max).toWellFormed()}…` : text
}

function conditionText(condition: AlertCondition): string {
  if (condition.kind === 'compare') return `the first value is ${condition.operator} ${condition.number}`
  if (condition.kind === 'changed') return 'the first value changes'
  return condition.kind === 'rows' ? 'the query returns rows' : 'the query returns no rows'
}

/** Nothing in it is written by the caller: the recipient has not agreed yet. */
export function confirmationMail({
  to,
  site,
  link,
}: {
  readonly to: string
  readonly site: string
  readonly link: string
}): Mail {
  const text = `Someone asked ${site} to e-mail you alerts about data of the Flow blockchain.

Open this link to see the alert, and confirm it there:

${link}

The link expires in 24 hours. If you did not ask for alerts, ignore this e-mail: you will get none.
The page can also refuse all e-mails of alerts.
`
  const html = `<p>Someone asked ${escapeHtml(site)} to e-mail you alerts about data of the Flow blockchain.</p>
<p><a href="${escapeHtml(link)}">Open this link</a> to see the alert, and confirm it there.</p>
<p style="color:#555">The link expires in 24 hours. If you did not ask for alerts, ignore this e-mail: you will get
none. The page can also refuse all e-mails of alerts.</p>
`
  return {
    to,
    subject: `Confirm e-mail alerts of ${site}`,
    text,
    html,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

/** Stored, so without the link to unsubscribe. @param askUrl page of the query service */
export function alertMail(
  alert: MailedAlert,
  { to, fired, askUrl }: { readonly to: string; readonly fired: FiredRows; readonly askUrl: string },
): Mail {
  const [name, question] = [visible(alert.name, 100), visible(alert.question, 500)]
  const { rows, isCut } = shownRows(fired)
  const facts = [
    `Condition: ${conditionText(alert.condition)}`,
    `First value: ${fired.value === null ? 'none' : visible(fired.value, maxCellCharacters)}`,
  ]
  const link = askLink(alert, askUrl)
  const notice = 'Values come from the chain, where anyone can write them. Do not trust links in them.'
  const cut = isCut || fired.isCut ? 'More rows or columns were omitted.' : ''
  const text = [
    name,
    ...(question === '' ? [] : [question]),
    facts.join('\n'),
    ...rows.map((row) => row.map(([column, value]) => `${column}: ${value}`).join('\n')),
    ...(cut === '' ? [] : [cut]),
    `Open the query:\n${link}`,
    notice,
  ].join('\n\n')
  const cell = (tag: 'th' | 'td', content: string): string =>
    `<${tag} style="text-align:left;padding:4px 12px 4px 0">${escapeHtml(content)}</${tag}>`
  const line = (cells: readonly string[]): string => `<tr>${cells.join('')}</tr>`
  const [first = []] = rows
  const table =
    rows.length === 0
      ? ''
      : `<table>${line(first.map(([column]) => cell('th', column)))}
${rows.map((row) => line(row.map(([, value]) => cell('td', value)))).join('\n')}</table>\n`
  const html = `<h2>${escapeHtml(name)}</h2>
${question === '' ? '' : `<p>${escapeHtml(question)}</p>\n`}<p>${facts.map(escapeHtml).join('<br>')}</p>
${table}${cut === '' ? '' : `<p>${cut}</p>\n`}<p><a href="${escapeHtml(link)}">Open the query</a></p>
<p style="color:#555">${notice}</p>
`
  return { to, subject: `Alert: ${name}`, text, html }
}

/** RFC 8058; the link in the text opens a page with a button. */
export function withUnsubscribe(mail: Mail, link: string): Mail {
  return {
    ...mail,
    text: `${mail.text}\n\n-- \nUnsubscribe from this alert:\n${link}\n`,
    html: `${mail.html}<p style="color:#555"><a href="${escapeHtml(link)}">Unsubscribe from this alert</a></p>\n`,
    headers: {
      'List-Unsubscribe': `<${link}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
  }
}

type Cells = readonly (readonly [column: string, value: string])[]

function shownRows({ columns, results }: FiredRows): { readonly rows: readonly Cells[]; readonly isCut: boolean } {
  const kept = columns.slice(0, maxCells)
  const rows: Cells[] = []
  let characters = 0
  for (const row of results) {
    const cells = kept.map((column) => [visible(column, 60), cellText(row[column])] as const)
    characters += cells.reduce((sum, [column, value]) => sum + column.length + value.length, 0)
    if (characters > maxRowsCharacters) break
    rows.push(cells)
  }
  return { rows, isCut: rows.length < results.length || kept.length < columns.length }
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return visible(typeof value === 'string' ? value : JSON.stringify(value), maxCellCharacters)
}

/** As the page writes its address. */
function askLink({ target, question, sql, parameters }: MailedAlert, askUrl: string): string {
  if (sql.length + question.length > maxLinkCharacters) return askUrl
  const values = new URLSearchParams()
  if (target === 'evm') values.set('target', target)
  if (question !== '') values.set('question', question)
  values.set('sql', sql)
  for (const { name, type, value } of parameters) values.append('parameter', `${name}:${type}:${value}`)
  const link = `${askUrl}#${values.toString()}`
  return link.length > maxLinkCharacters ? askUrl : link
}

interface AlertPage {
  readonly site: string
  readonly email: string
  readonly alert: MailedAlert
}

/** Only its buttons change something, because mail scanners open links. */
export function confirmPage({ site, email, alert, token }: AlertPage & { readonly token: string }): LinkPage {
  return linkPage({
    status: 200,
    name: site,
    formTargets: ["'self'"],
    content: `<h1>E-mail alert for ${escapeHtml(email)}</h1>
<p>The alert, as its author wrote it:</p>
${alertFacts(alert)}
<form method="post"><button>Confirm alert</button></form>
<form method="post" action="${escapeHtml(token)}/refuse">
<button class="plain">Refuse all alerts to this address</button></form>
<p><small>If you did not ask for this alert, close this page: you will get no e-mails.</small></p>`,
  })
}

export function unsubscribePage({ site, email, alert }: AlertPage): LinkPage {
  return linkPage({
    status: 200,
    name: site,
    formTargets: ["'self'"],
    content: `<h1>Unsubscribe</h1><p>${escapeHtml(email)} gets this alert:</p>
${alertFacts(alert)}
<form method="post"><button>Unsubscribe</button></form>`,
  })
}

/** @param content plain text */
export function outcomePage(site: string, status: number, title: string, content: string): LinkPage {
  return linkPage({
    status,
    name: site,
    formTargets: ["'none'"],
    content: `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(content)}</p>`,
  })
}

function alertFacts({ name, question, sql, parameters, condition, intervalSeconds }: MailedAlert): string {
  const every = intervalSeconds % 60 === 0 ? `${intervalSeconds / 60} min` : `${intervalSeconds} s`
  const shownQuestion = visible(question, 500)
  const shownSql = sql
    .slice(0, maxShownSql)
    .split('\n')
    .map((line) => `${/^ {0,40}/.exec(line)?.[0] ?? ''}${visible(line, maxShownSql)}`)
    .concat(sql.length > maxShownSql ? ['…'] : [])
    .concat(parameters.map((parameter) => `{{${parameter.name}}}: ${visible(parameter.value, maxShownSql)}`))
    .join('\n')
  return `<p><b>${escapeHtml(visible(name, 100))}</b></p>
${shownQuestion === '' ? '' : `<p>${escapeHtml(shownQuestion)}</p>\n`}<p>When ${escapeHtml(conditionText(condition))},
checked every ${every}</p>
<pre tabindex="0" aria-label="SQL">${escapeHtml(shownSql)}</pre>`
}
