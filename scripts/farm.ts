import { labelCategories } from '../src/flow/core-contracts.ts'
import { networks } from '../src/flow/network.ts'
import { command, runCommandGroup } from './cli/command.ts'
import { flag, heightOptions, someOf, text, wholeNumber } from './cli/options.ts'

const json = flag('Print the result as JSON.')
const workers = (description: string): ReturnType<typeof someOf> =>
  someOf('<names>', undefined, `${description} Names with commas, as npm run farm -- status lists them.`)

const requestOptions = {
  ...heightOptions,
  detach: flag('Do not wait.'),
  'dry-run': flag('Only print the plan.'),
  json,
}
const requestExitCodes = {
  1: 'ranges are flagged, heights are not stored, or workers are disabled',
  75: 'no process works on the farm, or the wait was interrupted; the request stays',
}

const openStatuses = ['queued', 'active', 'failed', 'flagged', 'skipped'] as const

/** As in src/farm/rebuild/derived-tables.ts. */
const schemaDefault = 'rebuild'

await runCommandGroup({
  name: 'farm',
  summary: 'Shows and operates the farm of a flowfarm: its workers, requests, leases, and the data it keeps.',
  commands: {
    status: command({
      name: 'farm -- status',
      summary:
        'Shows the progress of every ingester and worker: heights covered and in the backlog, ranges active and ' +
        'failing.',
      options: {
        watch: flag('Show it again every second, with the rate and the time left, until Ctrl+C.'),
        json: flag('Print it as JSON; with --watch one line each time.'),
      },
      notes: [
        'QUEUED to SKIPPED count ranges, with their heights in brackets. FAILED ranges are retried automatically; ' +
          'FLAGGED ones failed 21 times and need an operator. Off means disabled by the variables of this command, ' +
          'e.g. ENABLE_TOKEN_WORKER=false.',
      ],
      examples: [
        ['', 'Once.'],
        ['--watch', 'Until Ctrl+C.'],
        ['--json', 'For a script; ranges are half open.'],
      ],
      run: async ({ options }) => (await import('./farm/status.ts')).status(options),
    }),
    backfill: command({
      name: 'farm -- backfill',
      summary:
        'Derives stored heights before all other history, also while ENABLE_HISTORY_DERIVERS is false, and waits ' +
        'until that is done.',
      options: {
        ...requestOptions,
        workers: workers('Only these workers and those that they follow. Default: all enabled workers.'),
      },
      notes: [
        'Derived heights are not derived again: npm run farm -- rederive does that. A range that fails is retried; ' +
          'one that failed 21 times is flagged and listed here. Ctrl+C ends the wait, not the work.',
      ],
      examples: [
        ['--from 1000 --to 1999', 'A thousand heights, all workers.'],
        ['--from 1000 --to 1999 --workers ft_holdings_worker', 'Only balances and their dependencies.'],
        ['--from 1000 --to 1999 --detach --json', 'For a script: request without waiting.'],
      ],
      exitCodes: { 0: 'done, or no backlog', ...requestExitCodes },
      run: async ({ options }) => (await import('./farm/requests.ts')).backfill(options),
    }),
    rederive: command({
      name: 'farm -- rederive',
      summary:
        'Derives stored heights again, derived or not, and waits until that is done: after a worker was fixed, or ' +
        'for skipped heights.',
      options: {
        ...requestOptions,
        workers: workers('These workers and all that follow them.'),
        all: flag('All enabled workers and all that follow them.'),
      },
      notes: [
        'Rows stay until new ones replace them, range by range, so readers see no gap. Work in progress on these ' +
          'heights is discarded. Ctrl+C ends the wait, not the work.',
      ],
      examples: [
        ['--from 1000 --to 1999 --workers token_worker --dry-run', 'The plan: workers and heights.'],
        ['--from 1000 --to 1999 --workers token_worker', 'Do it, and wait.'],
        ['--from 1000 --to 1999 --all --detach', 'Everything, without waiting.'],
      ],
      exitCodes: requestExitCodes,
      run: async ({ options }) => (await import('./farm/requests.ts')).rederive(options),
    }),
    leases: command({
      name: 'farm -- leases',
      summary: 'Lists the ranges of heights that workers hold or failed at, and requeues, splits or skips them.',
      actions: {
        list: 'Show unfinished leases.',
        requeue: 'Retry flagged ranges; the number of attempts restarts.',
        split: 'Retry flagged ranges in pieces.',
        skip: 'Skip flagged ranges; workers that follow continue without them. Needs --reason.',
      },
      options: {
        worker: workers('Only of these workers.'),
        status: someOf(
          '<states>',
          openStatuses,
          `Only in these states: ${openStatuses.join(', ')}. Default: list shows all, the others change flagged ` +
            'ones; they can change failed ones too.',
        ),
        ...heightOptions,
        code: text('<code>', 'Only leases whose last failure has this code.'),
        all: flag('All leases in these states. Required by requeue, split and skip without another selection.'),
        pieces: wholeNumber('<number>', 'For split: pieces of each range. Default 2.', { min: 2 }),
        reason: text('<text>', 'For skip: the reason, shown with the range.'),
        'dry-run': flag('Only show the leases that would change.'),
        json,
      },
      notes: ['Heights select the leases that overlap them; a lease always changes as a whole.'],
      examples: [
        ['list', 'All active and failing ranges.'],
        ['list --status flagged --json', 'Ranges that need an operator, with full errors and stacks.'],
        ['requeue --worker token_worker', 'Retry the flagged ranges of a worker that was fixed.'],
        ['skip --worker token_worker --from 4711 --to 4711 --reason "see ticket 12"', 'Skip one block.'],
        ['split --all --pieces 10 --dry-run', 'Which flagged ranges would be split.'],
      ],
      exitCodes: { 0: 'done, also when no lease matches' },
      run: async ({ action, options }) => (await import('./farm/leases.ts')).leases(action, options),
    }),
    fault: command({
      name: 'farm -- fault',
      summary: 'Makes a worker fail on purpose at some heights, to practise: flagged range, fix, requeue.',
      actions: {
        set: 'Make a worker fail at these heights; replaces an earlier fault of the worker.',
        clear: 'Let it work again.',
        list: 'Show the faults that are set.',
      },
      options: {
        worker: someOf('<name>', undefined, 'The worker, as npm run farm -- status lists it.'),
        ...heightOptions,
        reason: text('<text>', 'Purpose, shown with the error of the ranges.'),
        json,
      },
      notes: [
        'Only heights that are not derived can fail: choose them near or above the head, or request them again with ' +
          'npm run farm -- rederive. A range is flagged after 21 attempts, about 55 minutes with the default ' +
          'WORKER_RETRY_BASE_MS and WORKER_RETRY_CAP_MS; in the demo half a minute.',
      ],
      examples: [
        [
          'set --worker token_worker --from 300 --to 304 --reason "exercise"',
          'Make token_worker fail at five heights.',
        ],
        ['clear', 'Clear all faults.'],
      ],
      run: async ({ action, options }) => (await import('./farm/fault.ts')).fault(action, options),
    }),
    raw: command({
      name: 'raw',
      summary: 'Lists heights that no access node serves, skips those that block ingestion, and retries skipped ones.',
      actions: {
        list: 'Show failing and unavailable heights, with the reason and since when.',
        skip: 'Skip a failing height: store the parts that nodes serve and record the rest as unavailable.',
        retry: 'Fetch unavailable heights again, and derive them again.',
      },
      operand: '<height>[..<last height>]',
      options: { json },
      examples: [
        ['list', 'Failing and unavailable heights.'],
        ['skip 4711', 'Continue without height 4711.'],
        ['retry 4711..4720', 'After a node that has these heights was added.'],
      ],
      run: async ({ action, operand, options }) => (await import('./farm/raw.ts')).raw(action, operand, options.json),
    }),
    rebuild: command({
      name: 'rebuild',
      summary: 'Derives the stored blocks a second time, in one pass of one process, into a separate schema.',
      options: {
        ...heightOptions,
        schema: text('<name>', `The schema for the second copy, emptied first. Default ${schemaDefault}.`),
        json,
      },
      notes: [
        'flowfarm may run meanwhile and is not changed. Tables of the second copy have the same names, e.g. ' +
          `${schemaDefault}.accounts; npm run verify compares them. Remove them with: drop schema ${schemaDefault} ` +
          'cascade. Own workers take part if WORKERS_DIR has their code.',
      ],
      examples: [
        ['', 'All stored heights.'],
        ['--from 1000 --to 1999 --schema check', 'A thousand heights, into the schema check.'],
      ],
      run: async ({ options }) => (await import('./farm/rebuild.ts')).rebuild(options),
    }),
    verify: command({
      name: 'verify',
      summary: 'Compares every derived table, row for row, with the result of npm run rebuild.',
      options: {
        rebuild: flag('Rebuild first.'),
        ...heightOptions,
        schema: text('<name>', `The schema of the second copy. Default ${schemaDefault}.`),
        rows: wholeNumber('<number>', 'Rows shown of each table that differs. Default 5.', { min: 1 }),
        json,
      },
      notes: [
        'Compares the heights that the rebuild has and all workers cover. In tables of current state, keys that ' +
          'other heights touch are left out, so flowfarm may run meanwhile. All columns and indexing errors are ' +
          'compared.',
      ],
      examples: [
        ['--rebuild', 'Derive everything again and compare.'],
        ['', 'Compare with the last rebuild.'],
        ['--rebuild --from 1000 --to 1999 --json', 'A thousand heights, for a script.'],
      ],
      exitCodes: { 0: 'no differences', 1: 'differences, or nothing to compare' },
      run: async ({ options }) => (await import('./farm/rebuild.ts')).verify(options),
    }),
    labels: command({
      name: 'farm -- labels',
      summary: 'Shows and changes the labels of accounts.',
      actions: {
        list: 'Show the labels of all accounts, or of one.',
        add: 'Give an account a label; replaces one with the same tag. Needs --address, --tag and --label.',
        remove: 'Remove labels of an account. Needs --address.',
      },
      options: {
        address: text('<address>', 'The account: 0x and 16 hex digits, or 40 for an EVM account.'),
        tag: text('<word>', 'Short name of the label: lower case, digits and dashes. For remove: only this one.'),
        label: text('<text>', 'The name to show.'),
        category: someOf('<category>', labelCategories, `For add: ${labelCategories.join(', ')}. Default custom.`),
        json,
      },
      notes: ['The accounts of the core contracts have built-in labels, which the next start of the farm restores.'],
      examples: [
        ['list', 'All labels.'],
        ['add --address 0x1654653399040a61 --tag vault --label "Our vault"', 'Name an account.'],
        ['remove --address 0x1654653399040a61 --tag vault', 'Remove that name.'],
      ],
      run: async ({ action, options: { category, ...options } }) =>
        (await import('./farm/labels.ts')).labels(action, { ...options, category: category[0] ?? 'custom' }),
    }),
    template: command({
      name: 'farm -- template',
      summary: 'Shows the template of a Cadence script, and manages your own templates.',
      actions: {
        show: 'Show the normalised hash of a script, its template, and its source.',
        add: 'Add a template for this script; overrides the built-in one.',
        remove: 'Remove the template of this script.',
        list: 'Show the templates that were added.',
      },
      options: {
        file: text('<file>', 'The file with the Cadence script.'),
        network: someOf('<name>', networks, `Network of its imports: ${networks.join(', ')}. Default mainnet.`),
        category: text('<word>', 'The template_category of its transactions.'),
        label: text('<text>', 'The template_label of its transactions.'),
        json,
      },
      notes: [
        'One template matches all variants that differ only in comments, white space, the order of imports and the ' +
          'network.',
      ],
      examples: [
        ['show --file transfer.cdc', 'How transactions with this script are shown.'],
        ['add --file mint.cdc --category NFT_MINT --label "Mint a stone"', 'Give the script a name.'],
      ],
      run: async ({ action, options: { network, ...options } }) =>
        (await import('./farm/template.ts')).template(action, { ...options, network: network[0] ?? 'mainnet' }),
    }),
  },
})
