/**
 * Takes the jobs of four queues, reports when each has delivered one, and closes them when standard
 * input ends. It exits when no handle is left open.
 */
import { once } from 'node:events'
import { pino } from 'pino'
import { createRedisWorkQueue } from '../../src/farm/queues/create-work-queue.ts'

const queue = await createRedisWorkQueue(process.argv[2] ?? '', pino({ level: 'silent' }))
for (const name of ['a', 'b', 'c', 'd']) {
  const arrived = Promise.withResolvers<void>()
  await queue.work(name, 1, () => Promise.resolve(arrived.resolve()))
  await queue.add(name, [{ workers: ['w'], starts: [1], generation: 0 }])
  await arrived.promise
}
process.stdout.write('works\n')
process.stdin.resume()
await once(process.stdin, 'end')
await queue.close()
process.stdout.write('closed\n')
