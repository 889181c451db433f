/**
 * The queue machine: `node redis-machine.ts <address>` runs a Redis at that address, prints one
 * JSON line with its `url` (null without `redis-server`), and stops when its standard input ends.
 */
import { once } from 'node:events'
import { startRedis } from '../../scripts/bench/start-redis.ts'

const [address = ''] = process.argv.slice(2)
const redis = await startRedis({ address })
process.stdout.write(`${JSON.stringify({ url: redis?.url ?? null })}\n`)
process.stdin.resume()
await once(process.stdin, 'end')
await redis?.stop()
