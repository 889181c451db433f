import { availableParallelism } from 'node:os'
import { feedScenarios, measureFeed } from './feed/measure-feed.ts'
import { readOptions } from './read-options.ts'

/**
 * `npm run bench:feed`: deliveries a second of the live feed, its processor time for each and its memory for each client. The feed
 * runs in a process of its own on made-up blocks and real sockets; the clients, in this process, count frames and read nothing,
 * on the same machine. Where each block is one write for each client, as many writes of as many bytes are measured right after it without the
 * feed: what no feed can do without.
 */

const { values } = readOptions(import.meta.filename, {
  options: {
    clients: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '5' },
    transactions: { type: 'string', default: '120' },
    only: { type: 'string' },
  },
})
const load = {
  clients: Number(values.clients),
  seconds: Number(values.seconds),
  transactions: Number(values.transactions),
}

const columns = [
  'deliveries/s',
  'CPU µs each',
  'KiB/client',
  'longest telling, ms',
  'still, ms',
  'CPU µs a write',
  'bare',
  'ratio',
]
const line = (name: string, cells: readonly string[]): string =>
  name.padEnd(44) + cells.map((cell, i) => cell.padStart((columns[i]?.length ?? 0) + 3)).join('') + '\n'

process.stdout.write(
  `Live feed: ${load.clients} clients, ${load.transactions} transactions a block, blocks as fast as they are told\n` +
    `Node ${process.version}, ${availableParallelism()} cores, clients and feed on this machine\n\n${line('', columns)}`,
)
for (const scenario of feedScenarios) {
  if (values.only !== undefined && !scenario.name.includes(values.only)) continue
  const { connectMiB, told, bare, blocks } = await measureFeed(scenario, load)
  const perWrite = (cpuSeconds: number): number => (cpuSeconds * 1e6) / (blocks * load.clients)
  process.stdout.write(
    line(scenario.name, [
      Math.round(told.perSecond).toLocaleString('en'),
      ((told.cpuSeconds * 1e6) / told.deliveries).toFixed(2),
      ((connectMiB * 1024) / load.clients).toFixed(1),
      told.longestMs.toFixed(0),
      told.stillMs.toFixed(0),
      ...(bare === undefined
        ? []
        : [perWrite(told.cpuSeconds), perWrite(bare.cpuSeconds), told.cpuSeconds / bare.cpuSeconds].map((value) =>
            value.toFixed(2),
          )),
    ]),
  )
}
