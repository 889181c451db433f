import { setTimeout as delay } from 'node:timers/promises'
import { exitCodes } from '../src/platform/errors.ts'
import { Terminal } from '../src/platform/terminal.ts'
import { runCommand } from './cli/command.ts'
import { FarmWatch } from './cli/farm-status.ts'
import type { FarmStatus } from './cli/farm-status.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag } from './cli/options.ts'
import { statusText } from './cli/status-text.ts'
import { print, printJson } from './cli/texts.ts'

const watchEveryMs = 1000

/** `npm run status`: how far every ingester and worker is. */
await runCommand({
  name: 'status',
  summary:
    'Tells how far every ingester and worker is: heights that are done and owed, ranges under way and in trouble.',
  options: {
    watch: flag('Show it again every second, with the pace and the time left, until Ctrl+C.'),
    json: flag('Print it as JSON; with --watch one line each time.'),
  },
  notes: [
    'QUEUED to SKIPPED count ranges, with their heights in brackets. FAILED ranges are tried again by themselves; ' +
      'FLAGGED ones failed 21 times and need a person. Off is what the variables of this command switch off, e.g. ' +
      'ENABLE_TOKEN_WORKER=false.',
  ],
  examples: [
    ['', 'Once.'],
    ['--watch', 'Until Ctrl+C.'],
    ['--json', 'For a script; ranges are half open.'],
  ],
  run: ({ options }) =>
    withDatabase(async ({ pool, config }) => {
      const watch = new FarmWatch(pool, config)
      if (!options.watch) {
        const status = await watch.read()
        if (options.json) printJson(status)
        else print(statusText(status, screenWidth()))
        return exitCodes.done
      }
      const terminal = new Terminal()
      const show = (status: FarmStatus): void => {
        const text = options.json ? JSON.stringify(status) : statusText(status, screenWidth())
        // Over what was drawn before on a terminal, one below the other elsewhere.
        if (terminal.isInteractive && !options.json) terminal.setStatus(text.split('\n'))
        else print(options.json ? text : `${text}\n\n`)
      }
      const stopping = new AbortController()
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
      while (!stopping.signal.aborted) {
        show(await watch.read())
        await delay(watchEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
      if (terminal.isInteractive) print('')
      return exitCodes.done
    }),
})

/** One less than it has, so that no line is broken. Without a terminal there is no limit. */
function screenWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns - 1 : Infinity
}
