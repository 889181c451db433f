import { runHooks } from './hook-world.ts'

/**
 * A process that dispatches and sends webhooks of the database in its first argument until it is
 * killed. Prints `ready`.
 */
const [, , url = ''] = process.argv
await runHooks(url)
process.stdout.write('ready\n')
