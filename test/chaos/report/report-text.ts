import { count, duration, pluralize } from '../../../scripts/cli/texts.ts'
import { tableText } from '../../../scripts/cli/texts.ts'
import type { Measure } from '../acts/running-act.ts'
import type { ActReport, ChaosReport } from './report.ts'

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** The report in readable form, without prior knowledge. */
export function reportText(report: ChaosReport): string {
  const { conditions, chain, listeners, acts, breaches } = report
  const disk =
    conditions.noSmallDisk === null
      ? 'on a small file system'
      : `not on a small file system, so it was never full (${conditions.noSmallDisk.split('\n')[0]})`
  return [
    `Chaos run, seed ${report.seed}: ${report.isGood ? 'GOOD' : pluralize(breaches.length, 'breach', 'breaches').toUpperCase()}`,
    '',
    `All processes of flowfarm followed a simulated chain for ${duration(report.seconds)} while ${pluralize(acts.length, 'thing')} went wrong on purpose, one after the other`,
    'and sometimes two at once. After each, the time was measured until all went on: every process works, the newest block is',
    'stored, and every worker has derived from it. Meanwhile somebody listened to the live feed, received webhooks and read the API,',
    'and people used the wallet.',
    'In the end everything was compared with the ledger that the chain was made of, and with a second derivation.',
    '',
    `The same plan again:  ${report.command}`,
    '',
    `Conditions: Node ${conditions.node}, ${pluralize(conditions.cores, 'core')}; the queue in ${conditions.queue}; a block every ${conditions.intervalMs} ms after a history of`,
    `${count(conditions.history)}, whose times ${offsetText(conditions.chainOffsetMs)}; two access nodes; PostgreSQL ${disk}.`,
    `The first ${count(conditions.history)} blocks were stored and derived ${seconds(report.firstDerivedMs)} after the start.`,
    '',
    'WHAT WENT WRONG ON PURPOSE',
    '',
    tableText<ActReport>(
      [
        { title: 'AT', align: 'right', value: ({ at }) => seconds(at * 1000) },
        {
          title: 'WENT ON AFTER',
          align: 'right',
          value: ({ recoveredMs }) => (recoveredMs === null ? 'never' : seconds(recoveredMs)),
        },
        { title: 'LOAD', align: 'right', value: ({ load }) => load.toFixed(1) },
        { title: 'WHAT', value: ({ words, measures }) => [words, ...measures.map(measureText)].join('; ') },
      ],
      acts,
    ),
    `LOAD is how many processes wanted one of the ${pluralize(conditions.cores, 'core')}, over the last minute: above that all takes longer.`,
    '',
    'LONGEST TIMES',
    '',
    tableText<Measure>(
      [
        { title: 'WHAT', value: ({ what }) => what },
        { title: 'LONGEST', align: 'right', value: ({ ms }) => seconds(ms) },
        {
          title: 'PROMISED',
          align: 'right',
          value: ({ limitMs }) => (limitMs === undefined ? '' : `under ${seconds(limitMs)}`),
        },
      ],
      report.worst,
    ),
    'WHAT WAS COMPARED IN THE END',
    '',
    `The chain stood at ${count(chain.head)} after ${pluralize(chain.forks, 'fork')}.`,
    '',
    ...report.checks.map(({ name, compared }) => `  ${name}: ${compared}`),
    '',
    'THOSE WHO LISTENED',
    '',
    `  Live feed: one client, which connected ${pluralize(listeners.feedConnections, 'time')} and went on where it was each time.`,
    `  Webhooks: ${count(listeners.webhooks)} came, of which ${count(listeners.webhooksRefused)} were refused on purpose and sent again.`,
    `  API: ${count(listeners.api.answered)} requests were answered, the slowest in ${seconds(listeners.api.slowestMs)}; ${count(listeners.api.unavailable)} with 503 while the database was away;`,
    `  ${count(listeners.api.unreachable)} found nobody, while the process was down.`,
    `  SQL, by the query service and the MCP server: ${count(listeners.queries.answered)} statements were answered, the slowest in ${seconds(listeners.queries.slowestMs)};`,
    `  ${count(listeners.queries.unavailable)} were told that the database was away, and ${count(listeners.queries.unreachable)} found nobody, while the process was down.`,
    `  Wallet: ${pluralize(listeners.wallet.users, 'person', 'people')} with ${pluralize(listeners.wallet.accounts, 'account')}; ${count(listeners.wallet.answered)} requests were answered, the slowest in ${seconds(listeners.wallet.slowestMs)};`,
    `  ${count(listeners.wallet.unavailable)} with 503 while the database or the node was away; ${count(listeners.wallet.unreachable)} found nobody, while the process was down.`,
    '',
    'PROCESSES',
    '',
    tableText<ChaosReport['processes'][number]>(
      [
        { title: 'NAME', value: ({ name }) => name },
        { title: 'STARTS', align: 'right', value: ({ starts }) => String(starts) },
        { title: 'MOST MEMORY', align: 'right', value: ({ peakMiB }) => `${Math.round(peakMiB)} MiB` },
        { title: 'LAST STOP', align: 'right', value: ({ stopMs }) => seconds(stopMs) },
      ],
      report.processes,
    ),
    ...(report.databaseMiB === null ? [] : [`The database took ${count(report.databaseMiB)} MiB.`, '']),
    "Not done: the clock of PostgreSQL and of the machine cannot be set from here. Of a process, what JavaScript's Date says is set;",
    "timers go on as they do when an operating system's clock is set. Two faults of nodes are left out: an event that cannot be decoded, which",
    'waits for a person; and a node that has no calls for whole blocks, which cannot tell of system transactions.',
    '',
    ...(report.excused.length === 0
      ? []
      : ['LATE, ON A MACHINE THAT WAS BUSY WITH OTHER THINGS (no breach: try again where there is time)', '']),
    ...report.excused.flatMap(({ at, promise, text }) => [`  at ${at} s, ${promise}: ${text}`, '']),
    breaches.length === 0 ? 'No promise was broken.' : 'BROKEN PROMISES',
    '',
    ...breaches.flatMap(({ at, promise, text }) => [`  at ${at} s, ${promise}: ${text}`, '']),
  ].join('\n')
}

function measureText({ what, ms, limitMs }: Measure): string {
  return `${what} in ${seconds(ms)}${limitMs !== undefined && ms > limitMs ? ' (TOO LONG)' : ''}`
}

function offsetText(ms: number): string {
  if (ms === 0) return "go with the machine's clock"
  return `are ${duration(Math.abs(ms) / 1000)} ${ms < 0 ? 'behind' : 'ahead of'} the machine's clock`
}
