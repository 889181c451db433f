import type pg from 'pg'
import { workers } from '../../../jobs/index.ts'
import { FatalError } from '../../base/errors.ts'
import { query } from '../../db/pool.ts'
import { drillsChannel } from './fault-drill.ts'
import type { FaultDrill } from './fault-drill.ts'

/**
 * Sets the drill of a worker, in the place of an earlier one. The processes of the farm hear of it at once; ranges that are
 * done already stay done.
 * @throws FatalError `unknown-worker`, `empty-range`
 */
export async function setDrill(
  db: pg.Pool | pg.ClientBase,
  drill: Pick<FaultDrill, 'worker' | 'from' | 'to'> & { readonly reason?: string | undefined },
): Promise<void> {
  const { worker, from, to, reason } = drill
  const names = workers.map(({ name }) => name)
  if (!names.includes(worker))
    throw new FatalError('unknown-worker', `There is no worker "${worker}". Workers: ${names.join(', ')}.`)
  if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && from < to)) {
    throw new FatalError('empty-range', `A drill needs heights: from ${from} up to ${to} (exclusive) there are none.`)
  }
  await query(
    db,
    `with drill as (
       insert into app.fault_drills (worker_type, from_height, to_height, reason) values ($1, $2, $3, $4)
       on conflict (worker_type) do update
         set from_height = excluded.from_height, to_height = excluded.to_height, reason = excluded.reason, created_at = now()
       returning worker_type
     )
     select pg_notify('${drillsChannel}', worker_type) from drill`,
    [worker, from, to, reason ?? null],
  )
}
