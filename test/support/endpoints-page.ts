import type { SpecAnswer } from './spec-answers.ts'
import { specRows } from './spec-rows.ts'

/** Answers longer than that are cut, in lines. */
const mostLines = 60

/** `docs/endpoints.md`: every endpoint of the specification with what it answered on the recorded chain. */
export function endpointsPage(answers: ReadonlyMap<string, SpecAnswer>): string {
  const lines = [
    '# The endpoints of the specification',
    '',
    'Every one, with what it answered on the recorded chain of the tests: 281 blocks of an emulator on which people sent tokens and',
    'NFTs, called contracts of the EVM, staked and swapped. Lists are cut after the first entry and long texts after 100',
    'characters. Prices are made up; all else is what that chain tells. What each field means is in [the API](api.md).',
    '',
    'This page is made by `npm run docs` from live answers; a test fails when it is not current.',
    '',
    '| Endpoint | Answers |',
    '| --- | --- |',
    ...specRows.map(({ path, returns }) => `| [${path}](#${anchorOf(path)}) | ${returns} |`),
  ]
  for (const { path, returns } of specRows) {
    const answer = answers.get(path)
    lines.push('', `## ${path}`, '', `${returns[0]?.toUpperCase()}${returns.slice(1)}. \`GET ${answer?.call}\`:`, '')
    lines.push('```json', ...shortened(answer), '```')
  }
  return `${lines.join('\n')}\n`
}

function shortened(answer: SpecAnswer | undefined): string[] {
  if (answer === undefined) return []
  if (typeof answer.body === 'string') return [...answer.body.split('\n').slice(0, 8), '…']
  const lines = JSON.stringify(shorten(answer.body), null, 2).split('\n')
  return lines.length > mostLines ? [...lines.slice(0, mostLines), '…'] : lines
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string')
    return isOfThisRun(value) ? 'the time of the run' : value.length > 100 ? `${value.slice(0, 100)}…` : value
  if (Array.isArray(value)) return value.slice(0, 1).map(shorten)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shorten(part)]))
}

/** Whether a text is a time of the last days; the recorded chain is older. */
function isOfThisRun(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(text) && Math.abs(Date.now() - Date.parse(text)) < 4 * 24 * 3600 * 1000
}

/** As the page's renderer makes it: lower case, without what is no letter, digit, dash or underscore. */
function anchorOf(path: string): string {
  return path.toLowerCase().replaceAll(/[^\w-]/g, '')
}
