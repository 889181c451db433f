import { markdownTable } from '../../docs/markdown.ts'
import { figureKinds, figureParts } from './figures.ts'
import type { FigureKind, FigurePart } from './figures.ts'
import { grownBlock, grownRequests, timesGrown } from './growth.ts'
import type { BenchRun, Growth, Measured } from './history.ts'
import { numberText, percentText } from './number-text.ts'
import { disturbance, mean } from './quiet.ts'
import { isTargetReached, targetText, timesText } from './ratio.ts'

/** From the root of the repository. The history lies beside the page that is made of it: one is what the other says. */
export const historyPath = 'docs/performance.jsonl'
export const pagePath = 'docs/performance.md'
export const chartPath = 'docs/images/growth.svg'

/** Runs that the table of runs shows. */
const shownRuns = 20

/** Figures that the table of runs follows. */
const followed = [
  'decode.ccf',
  'fetch.cpu',
  'ingest.postgres',
  'ingest.pace',
  'derive.pace',
  'api.transaction-by-id',
  'feed.tenth-write',
  'webhooks.backlog',
  'recovery.takeover',
]

/** `docs/performance.md`, of the history, the oldest run first: the last full run, and how figures came to be as they are. */
export function performancePage(history: readonly BenchRun[]): string {
  const last = lastFull(history)
  return [
    '# Performance',
    '',
    'This page is made from `docs/performance.jsonl`, which `npm run bench` adds a line to; a test fails when it is not current. How single figures came about, and what',
    'was tried, is in [benchmarks.md](benchmarks.md).',
    '',
    '```sh',
    'npm run bench               # everything, about ten minutes on a quiet machine',
    'npm run bench -- --quick    # a look in two minutes; nothing is written down',
    '```',
    '',
    ...(last === undefined ? ['No run has been written down yet.', ''] : pageOfRun(last)),
    ...(history.length === 0 ? [] : runsTable(history)),
  ].join('\n')
}

/** The run that the page is about. */
export function lastFull(history: readonly BenchRun[]): BenchRun | undefined {
  return history.findLast(({ mode }) => mode === 'full')
}

function pageOfRun(run: BenchRun): string[] {
  return [
    'Beside each figure stands its limit where it has one: what the same machine did in the same run, by the barest means, of what cannot be left out. What can be had there is 1.00 times as fast, or',
    '1.00 times as much. Of a pace, which is something a second, more is better: 0.500 times as fast is half of what the machine can do. Of processor time, memory, size and delay less is better:',
    '2.00 times as much is twice what it takes at the least. Better than a limit is what has a cheaper way than the barest means named there. What the parts do is in [architecture.md](architecture.md).',
    '',
    ...targetsText(run),
    ...conditionsText(run),
    ...Object.values(figureParts).flatMap((part) => partText(part, run)),
    ...growthText(run.growth),
  ]
}

/** How many targets are reached, and which are not. */
function targetsText({ figures }: BenchRun): string[] {
  const judged = [...figureKinds].flatMap(([id, kind]) => {
    const isReached = figures[id] === undefined ? undefined : isTargetReached(kind, figures[id])
    return isReached === undefined ? [] : [{ name: nameOf(id, kind), isReached }]
  })
  const missed = judged.filter(({ isReached }) => !isReached).map(({ name }) => name)
  const missedText = missed.length === 0 ? '' : `; not reached: ${missed.join('; ')}`
  return judged.length === 0
    ? []
    : [`**Of ${judged.length} targets ${judged.length - missed.length} are reached**${missedText}.`, '']
}

/** With its part, without which a label may be that of several. */
function nameOf(id: string, { label }: FigureKind): string {
  const part = Object.values(figureParts).find(({ figures }) => id in figures)
  return `${part?.title ?? ''}: ${label}`
}

function conditionsText({ conditions }: BenchRun): string[] {
  const {
    at,
    commit,
    seconds,
    processor,
    cores,
    memoryGiB,
    system,
    loadBefore,
    loadAfter,
    others,
    versions,
    settings,
  } = conditions
  const words = (record: Readonly<Record<string, string | number>>): string =>
    Object.entries(record)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')
  const trouble = disturbance(conditions)
  return [
    '## Conditions',
    '',
    ...(trouble === undefined
      ? []
      : [
          `**The machine was not quiet: ${trouble}.** Paces suffer from that; processor times and shares of limits less.`,
          '',
        ]),
    ...markdownTable(
      ['', ''],
      [
        ['Date, commit', `${at.slice(0, 16).replace('T', ' ')} UTC, \`${commit}\`, ${Math.round(seconds)} s`],
        ['Machine', `${cores} cores of ${processor}, ${numberText(memoryGiB)} GiB, ${system}`],
        [
          'Load',
          `${loadBefore.toFixed(2)} before, ${loadAfter.toFixed(2)} after; others used ${percentText(mean(others))} of all cores in the mean, ${percentText(Math.max(0, ...others))} at most`,
        ],
        ['Versions', words(versions)],
        ['Settings', words(settings)],
      ],
    ),
    '',
    'Node, database, clients and the simulated access node share the machine.',
    '',
  ]
}

function partText({ title, text, figures }: FigurePart, run: BenchRun): string[] {
  const rows = Object.entries(figures).flatMap(([id, kind]) => {
    const measured = run.figures[id]
    return measured === undefined ? [] : [figureRow(kind, measured)]
  })
  if (rows.length === 0) return []
  return [
    `## ${title}`,
    '',
    text,
    '',
    ...markdownTable(['', 'Figure', 'Limit', 'Against the limit', 'Target'], rows),
    '',
  ]
}

function figureRow(kind: FigureKind, measured: Measured): string[] {
  const isReached = isTargetReached(kind, measured)
  return [
    kind.label,
    `**${numberText(measured.value)}** ${kind.unit}`,
    measured.limit === undefined || kind.limit === undefined ? '' : `${numberText(measured.limit)}, ${kind.limit}`,
    timesText(kind, measured),
    kind.target === undefined ? '' : `${targetText(kind)}: ${isReached === true ? 'reached' : '**not reached**'}`,
  ]
}

function growthText({ blocks, requests }: Growth): string[] {
  const block = grownBlock(blocks)
  const count = (number: number): string => number.toLocaleString('en-US')
  return [
    '## Growth',
    '',
    'The whole program filling an empty database: what a block costs must not depend on how many there are. The first stretch holds the start of the program; the last blocks are left out, since',
    'they are derived after all were fetched.',
    '',
    `![Cost of a block by the size of the database](${chartPath.replace('docs/', '')})`,
    '',
    ...(block === undefined
      ? []
      : [
          `Up to block ${count(block.few)} a block took ${numberText(block.fewMs)} ms of processor time, up to block ${count(block.many)} ${numberText(block.manyMs)} ms: ` +
            `**${numberText(timesGrown(block))} times**.`,
          '',
        ]),
    'A request for one of 200 pages, of the busiest accounts where it is of an account, and no answer kept. Of accounts four rows, which all of them have on the small database as well.',
    '',
    ...markdownTable(
      ['Request', ...requests.sizes.flatMap((size) => [`${count(size)} blocks: ms`, 'bytes']), 'Times'],
      [...grownRequests(requests)].map(([id, grown]) => [
        figureKinds.get(`api.${id}`)?.label ?? id,
        ...(requests.cases[id] ?? []).flatMap(({ ms, bytes }) => [numberText(ms), numberText(bytes)]),
        numberText(timesGrown(grown)),
      ]),
    ),
    '',
  ]
}

function runsTable(history: readonly BenchRun[]): string[] {
  const kinds = followed.flatMap((id) => {
    const kind = figureKinds.get(id)
    return kind === undefined ? [] : [{ id, kind }]
  })
  return [
    '## Runs',
    '',
    ...markdownTable(
      ['Date', 'Commit', 'Mode', 'Load', ...kinds.map(({ id, kind }) => `${nameOf(id, kind)}, ${kind.unit}`)],
      history
        .slice(-shownRuns)
        .toReversed()
        .map(({ conditions, mode, figures }) => [
          conditions.at.slice(0, 10),
          `\`${conditions.commit}\``,
          mode + (disturbance(conditions) === undefined ? '' : ', disturbed'),
          conditions.loadBefore.toFixed(1),
          ...kinds.map(({ id }) => (figures[id] === undefined ? '' : numberText(figures[id].value))),
        ]),
    ),
    '',
  ]
}
