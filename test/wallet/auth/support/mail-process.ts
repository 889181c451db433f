/** A process that commits an e-mail and is killed while it sends it. Argument: database URL. */
import { pino } from 'pino'
import { createPool, withTransaction } from '../../../../src/platform/db/pool.ts'
import { Outbox } from '../../../../src/platform/mail/outbox.ts'

const pool = createPool(process.argv[2] ?? '')
const outbox = new Outbox({
  pool,
  table: 'wallet_auth.outgoing_mails',
  log: pino({ level: 'silent' }),
  send: () => {
    process.kill(process.pid, 'SIGKILL')
    return new Promise(() => undefined)
  },
})
await withTransaction(pool, (db) => outbox.store(db, { to: 'a@example.com', subject: 'Kept', text: 'a', html: 'a' }))
await outbox.settled()
