import { runHooks } from './hook-world.ts'

/** A process that makes and sends webhooks of the database of its first argument, until it is killed. Says `ready`. */
const [, , url = ''] = process.argv
await runHooks(url)
process.stdout.write('ready\n')
