import { parseArgs } from 'node:util'
import {
  nodeArguments,
  nodeArgumentsHelp,
  readArguments,
  readNodeArguments,
  wholeNumber,
  wrongArgument,
} from '../server/node-arguments.ts'
import type { NodeCommand } from '../server/node-arguments.ts'
import type { LedgerNodeOptions } from './ledger-node.ts'
import { mainnetSpacingMs } from './world/clock.ts'

export const ledgerHelp = `Serves a simulated chain as a Flow access node (gRPC without TLS). Equal seeds are equal
chains: several nodes of one seed agree.

  npm run simnode -- [options]
  npm run simnode -- --blocks 10000 --seed 7

  --blocks <n>           so many blocks of history, with the last one made now (default 1000)
  --head <height>        instead: the latest block at first
  --interval <ms>        block interval (default ${mainnetSpacingMs}, the main network's pace)
  --still                no blocks except those requested on the control port
  --genesis <ISO 8601>   when height 0 was made (default: so that the first head is made now);
                         several nodes of one chain need the same
  --seed <n>             which chain (default 1)
  --branch <name>        a fork: 1234b leaves the trunk after height 1234 (default: the trunk)
  --busyness <n>         multiplier of the number of transactions (default 1)
  --huge <height>        a block of 50,000 events there; repeatable
  --payer                create an account with a million FLOW and a published key, which can
                         pay for transactions; its address is printed at the start
  --orphans              after a fork, return blocks of previous branches by id
${nodeArgumentsHelp}`

export type LedgerCommand = NodeCommand<LedgerNodeOptions>

const defaultBlocks = 1000

/**
 * @param now when the head was made
 * @throws FatalError that names the wrong argument
 */
export function readCommandLine(args: readonly string[], now: Date): LedgerCommand | 'help' {
  const { values } = readArguments(() =>
    parseArgs({
      args: [...args],
      options: {
        ...nodeArguments,
        blocks: { type: 'string' },
        still: { type: 'boolean' },
        genesis: { type: 'string' },
        seed: { type: 'string' },
        branch: { type: 'string' },
        busyness: { type: 'string' },
        huge: { type: 'string', multiple: true },
        orphans: { type: 'boolean' },
        payer: { type: 'boolean' },
      },
    }),
  )
  if (values.help === true) return 'help'
  const { node, ...rest } = readNodeArguments(values)
  const blocks = wholeNumber('--blocks', values.blocks, { min: 1 })
  if (blocks !== undefined && node.head !== undefined) throw wrongArgument('Name either --blocks or --head')
  const { sporkRootHeight = 0, intervalMs = mainnetSpacingMs } = node
  const head = node.head ?? sporkRootHeight + (blocks ?? defaultBlocks) - 1
  const { intervalMs: _paced, ...unpaced } = node
  return {
    node: {
      ...(values.still === true ? unpaced : { ...node, intervalMs }),
      head,
      seed: wholeNumber('--seed', values.seed) ?? 1,
      branch: values.branch ?? '',
      busyness: wholeNumber('--busyness', values.busyness, { min: 1, max: 1000 }) ?? 1,
      clock: { height: 0, time: genesisOf(values.genesis, now, head * intervalMs), spacingMs: intervalMs },
      keepsOrphans: values.orphans ?? false,
      hasPayer: values.payer ?? false,
      hugeBlocks: (values.huge ?? []).map((text) => wholeNumber('--huge', text, { min: 1 }) ?? 0),
    },
    ...rest,
  }
}

function genesisOf(text: string | undefined, now: Date, ageMs: number): Date {
  if (text === undefined) return new Date(now.getTime() - ageMs)
  const time = new Date(text)
  if (Number.isNaN(time.getTime()))
    throw wrongArgument(`--genesis takes a time like ${now.toISOString()}, not '${text}'`)
  return time
}
