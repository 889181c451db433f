/**
 * A process that takes the jobs of four queues, says so when each has brought one, and closes them when its standard
 * input ends. It ends by itself when nothing of them is left.
 */
import { once } from 'node:events'
import { pino } from 'pino'
import { createRedisWorkQueue } from '../../src/farm/queues/create-work-queue.ts'

const queue = await createRedisWorkQueue(process.argv[2] ?? '', pino({ level: 'silent' }))
for (const worker of ['a', 'b', 'c', 'd']) {
  const arrived = Promise.withResolvers<void>()
  await queue.work(worker, 1, () => Promise.resolve(arrived.resolve()))
  await queue.add(worker, [{ worker, leases: [{ from: 1, generation: 0 }] }])
  await arrived.promise
}
process.stdout.write('works\n')
process.stdin.resume()
await once(process.stdin, 'end')
await queue.close()
process.stdout.write('closed\n')
