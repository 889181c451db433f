import { workers } from '../jobs/index.ts'
import { exitCodes, FatalError } from '../src/platform/errors.ts'
import { defaultSchema } from '../src/farm/rebuild/rebuild-schema.ts'
import { compareDerived } from '../src/farm/rebuild/compare-derived.ts'
import { runCommand } from './cli/command.ts'
import { comparisonText } from './cli/comparison-text.ts'
import { heightOptions, endOf } from './cli/height-options.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag, text, wholeNumber } from './cli/options.ts'
import { rebuildWithProgress } from './cli/rebuild-with-progress.ts'
import { print, printJson } from './cli/texts.ts'

/** `npm run verify`: compares what the farm derived with what a rebuild made. */
await runCommand({
  name: 'verify',
  summary: 'Compares every derived table, row for row, with what npm run rebuild made.',
  options: {
    rebuild: flag('Rebuild first.'),
    ...heightOptions,
    schema: text('<name>', `The schema of the second copy. Default ${defaultSchema}.`),
    rows: wholeNumber('<number>', 'Rows that are shown of each table that differs. Default 5.', { min: 1 }),
    json: flag('Print the result as JSON.'),
  },
  notes: [
    'Compared are the heights that the rebuild has and that all workers have done. Of tables that hold the present ' +
      'state of a key, keys are left out that other heights touch, newer ones for example: so flowfarm may run ' +
      'meanwhile. All columns are compared, and also the inputs that workers could not use.',
  ],
  examples: [
    ['--rebuild', 'Derive everything a second time and compare.'],
    ['', 'Compare with the last rebuild.'],
    ['--rebuild --from 1000 --to 1999 --json', 'A thousand heights, for a script.'],
  ],
  exitCodes: { 0: 'everything is equal', 1: 'there are differences, or nothing to compare with' },
  run: ({ options }) =>
    withDatabase(async ({ pool }) => {
      const schema = options.schema ?? defaultSchema
      const [from, to] = [options.from, endOf(options)]
      if (options.rebuild) await rebuildWithProgress(pool, workers, { from, to, schema })
      const comparison = await compareDerived({
        pool,
        workers,
        schema,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(options.rows === undefined ? {} : { mostRows: options.rows }),
      })
      if (comparison.heights.length === 0) {
        const message = 'There is nothing to compare: of these heights the rebuild has none that all workers have done.'
        throw new FatalError('nothing-compared', message)
      }
      if (options.json) printJson(comparison)
      else print(comparisonText(comparison, schema))
      return comparison.isEqual ? exitCodes.done : exitCodes.needsPerson
    }),
})
