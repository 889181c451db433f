import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Random } from '../../simulation/random.ts'

/**
 * A port that is free now and that the system gives to nobody by itself: a process that is started again and again must
 * find its port free each time, and connections from this machine have ports of 32768 and above.
 */
export async function freePort(random: Random): Promise<number> {
  for (;;) {
    const port = random.integer(20_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
