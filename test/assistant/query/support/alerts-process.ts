import { createPool } from '../../../../src/platform/db/pool.ts'
import { runAsk } from './running-ask.ts'

/** A process that runs the alerts of the database in its first argument until it is killed. Prints `ready`. */
const [, , url = ''] = process.argv
const pool = createPool(url, { max: 4, applicationName: 'test alerts' })
const ask = await runAsk({ url, pool })
ask.startAlerts()
process.stdout.write('ready\n')
