import { count, duration, pluralize } from '../../../scripts/cli/texts.ts'
import { tableText } from '../../../scripts/cli/texts.ts'
import type { Measure } from '../acts/running-act.ts'
import type { ActReport, ChaosReport } from './report.ts'

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** The report in readable form, without prior knowledge. */
export function reportText(report: ChaosReport): string {
  const { conditions, chain, listeners, acts, violations } = report
  const disk =
    conditions.noSmallDisk === null
      ? 'on a small file system'
      : `not on a small file system, so it was never full (${conditions.noSmallDisk.split('\n')[0]})`
  return [
    `Chaos run, seed ${report.seed}: ${report.isGood ? 'PASSED' : pluralize(violations.length, 'violation').toUpperCase()}`,
    '',
    `All flowfarm processes followed a simulated chain for ${duration(report.seconds)} while ${pluralize(acts.length, 'fault')} were injected, one at a time`,
    'or two at once. Recovery is the time until every process runs, the newest block is stored, and every worker has derived it.',
    'Meanwhile clients followed the live feed, received webhooks, read the API and used the wallet.',
    'Afterwards all data was compared with the ledger of the chain and with a second derivation.',
    '',
    `Repeat this run:  ${report.command}`,
    '',
    `Conditions: Node ${conditions.node}, ${pluralize(conditions.cores, 'core')}; queue in ${conditions.queue}; a block every ${conditions.intervalMs} ms after a history of`,
    `${count(conditions.history)}, whose times ${offsetText(conditions.chainOffsetMs)}; two access nodes; PostgreSQL ${disk}.`,
    `The first ${count(conditions.history)} blocks were stored and derived ${seconds(report.firstDerivedMs)} after the start.`,
    '',
    'INJECTED FAULTS',
    '',
    tableText<ActReport>(
      [
        { title: 'AT', align: 'right', value: ({ at }) => seconds(at * 1000) },
        {
          title: 'RECOVERED AFTER',
          align: 'right',
          value: ({ recoveredMs }) => (recoveredMs === null ? 'never' : seconds(recoveredMs)),
        },
        { title: 'LOAD', align: 'right', value: ({ load }) => load.toFixed(1) },
        { title: 'FAULT', value: ({ words, measures }) => [words, ...measures.map(measureText)].join('; ') },
      ],
      acts,
    ),
    `LOAD is the average number of runnable processes over the last minute, on ${pluralize(conditions.cores, 'core')}.`,
    '',
    'LONGEST TIMES',
    '',
    tableText<Measure>(
      [
        { title: 'MEASURE', value: ({ what }) => what },
        { title: 'LONGEST', align: 'right', value: ({ ms }) => seconds(ms) },
        {
          title: 'LIMIT',
          align: 'right',
          value: ({ limitMs }) => (limitMs === undefined ? '' : `under ${seconds(limitMs)}`),
        },
      ],
      report.worst,
    ),
    'COMPARISONS',
    '',
    `Head of the chain: ${count(chain.head)}, after ${pluralize(chain.forks, 'fork')}.`,
    '',
    ...report.checks.map(({ name, compared }) => `  ${name}: ${compared}`),
    '',
    'CLIENTS',
    '',
    `  Live feed: one client, which connected ${pluralize(listeners.feedConnections, 'time')} and resumed each time.`,
    `  Webhooks: ${count(listeners.webhooks)} received, of which ${count(listeners.webhooksRefused)} were refused on purpose and retried.`,
    `  API: ${count(listeners.api.answered)} requests were answered, the slowest in ${seconds(listeners.api.slowestMs)}; ${count(listeners.api.unavailable)} got a 503 while the database was unavailable;`,
    `  ${count(listeners.api.unreachable)} could not connect because the process was down.`,
    `  SQL through the query service and the MCP server: ${count(listeners.queries.answered)} statements were answered, the slowest in ${seconds(listeners.queries.slowestMs)};`,
    `  ${count(listeners.queries.unavailable)} failed because the database was unavailable, and ${count(listeners.queries.unreachable)} because the process was down.`,
    `  Wallet: ${pluralize(listeners.wallet.users, 'user')} with ${pluralize(listeners.wallet.accounts, 'account')}; ${count(listeners.wallet.answered)} requests were answered, the slowest in ${seconds(listeners.wallet.slowestMs)};`,
    `  ${count(listeners.wallet.unavailable)} got a 503 while the database or the node was unavailable; ${count(listeners.wallet.unreachable)} could not connect because the process was down.`,
    '',
    'PROCESSES',
    '',
    tableText<ChaosReport['processes'][number]>(
      [
        { title: 'NAME', value: ({ name }) => name },
        { title: 'STARTS', align: 'right', value: ({ starts }) => String(starts) },
        { title: 'PEAK MEMORY', align: 'right', value: ({ peakMiB }) => `${Math.round(peakMiB)} MiB` },
        { title: 'LAST STOP', align: 'right', value: ({ stopMs }) => seconds(stopMs) },
      ],
      report.processes,
    ),
    ...(report.databaseMiB === null ? [] : [`Database size: ${count(report.databaseMiB)} MiB.`, '']),
    'Not covered: the clocks of PostgreSQL and of the machine; clock faults change only Date in a process, as when the system',
    'clock is set, and timers are unaffected. Two node faults are left out: undecodable events, which require an operator,',
    'and nodes without bulk calls, which do not return system transactions.',
    '',
    ...(report.excused.length === 0
      ? []
      : ['LIMITS EXCEEDED ON AN OVERLOADED MACHINE (not counted; repeat the run on an idle machine)', '']),
    ...report.excused.flatMap(({ at, guarantee, text }) => [`  at ${at} s, ${guarantee}: ${text}`, '']),
    violations.length === 0 ? 'No violations.' : 'VIOLATIONS',
    '',
    ...violations.flatMap(({ at, guarantee, text }) => [`  at ${at} s, ${guarantee}: ${text}`, '']),
  ].join('\n')
}

function measureText({ what, ms, limitMs }: Measure): string {
  return `${what} in ${seconds(ms)}${limitMs !== undefined && ms > limitMs ? ' (TOO LONG)' : ''}`
}

function offsetText(ms: number): string {
  if (ms === 0) return "follow the machine's clock"
  return `are ${duration(Math.abs(ms) / 1000)} ${ms < 0 ? 'behind' : 'ahead of'} the machine's clock`
}
