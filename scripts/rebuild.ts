import { workers } from '../jobs/index.ts'
import { exitCodes } from '../src/platform/errors.ts'
import { size } from '../src/platform/ranges.ts'
import { defaultSchema } from '../src/farm/rebuild/rebuild-schema.ts'
import { runCommand } from './cli/command.ts'
import { heightOptions, endOf } from './cli/height-options.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag, text } from './cli/options.ts'
import { rebuildWithProgress } from './cli/rebuild-with-progress.ts'
import { count, heightSet, many, print, printJson } from './cli/texts.ts'

/** `npm run rebuild`: derives the stored blocks a second time. */
await runCommand({
  name: 'rebuild',
  summary: 'Derives the stored blocks a second time, in one pass of one process, into a schema of its own.',
  options: {
    ...heightOptions,
    schema: text('<name>', `The schema for the second copy, emptied first. Default ${defaultSchema}.`),
    json: flag('Print the result as JSON.'),
  },
  notes: [
    'flowfarm may run meanwhile and is not touched. Tables of the second copy are called like those of the first, ' +
      `e.g. ${defaultSchema}.accounts; npm run verify compares them. Remove them with: drop schema ${defaultSchema} ` +
      'cascade.',
  ],
  examples: [
    ['', 'All stored heights.'],
    ['--from 1000 --to 1999 --schema check', 'A thousand heights, into the schema check.'],
  ],
  run: ({ options }) =>
    withDatabase(async ({ pool }) => {
      const startedAt = performance.now()
      const schema = options.schema ?? defaultSchema
      const report = await rebuildWithProgress(pool, workers, { from: options.from, to: endOf(options), schema })
      const seconds = Math.round(performance.now() - startedAt) / 1000
      const { heights, rows, problems } = report
      const failed = report.failed.map(({ worker, height, error }) => ({ worker, height, message: error.message }))
      for (const { worker, height, message } of failed) {
        process.stderr.write(`${worker} cannot derive height ${height}: ${message}\n`)
      }
      if (options.json) printJson({ schema, heights, rows, problems, failed, seconds })
      else {
        print(
          `Derived ${many(size(heights), 'height')} (${heightSet(heights)}) into the schema ${schema}: ` +
            `${many(rows, 'row')}, ${many(problems, 'problem')}, ${count(seconds)} s. Compare them with: npm run verify`,
        )
      }
      return exitCodes.done
    }),
})
