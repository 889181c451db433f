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
import type { ReplayNodeOptions } from './replay-node.ts'

export const replayHelp = `Serves a folder of recorded calls as a Flow access node (gRPC without TLS).

  npm run replay -- <folder> [options]
  npm run replay -- test/recordings/base --loop --interval 800     an endless chain

  --head <height>        the latest block at first (default: the last recorded)
  --interval <ms>        block interval
  --loop                 restart after the last recorded block, with new ids, endlessly
  --branch <name>        version of the chain, from calls-<name>.jsonl.gz (default: the first)
  --start-height <n>     height of the first recorded block after the root (default: as recorded)
  --real-time            block times at a steady pace, with the head at the present time
${nodeArgumentsHelp}`

/** Close to mainnet's pace. */
const defaultSpacingMs = 800

export type ReplayCommand = NodeCommand<ReplayNodeOptions & { readonly recording: string }>

/**
 * @param now for `--real-time`
 * @throws FatalError that names the wrong argument
 */
export function readCommandLine(args: readonly string[], now: Date): ReplayCommand | 'help' {
  const { values, positionals } = readArguments(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...nodeArguments,
        loop: { type: 'boolean' },
        branch: { type: 'string' },
        'start-height': { type: 'string' },
        'real-time': { type: 'boolean' },
      },
    }),
  )
  if (values.help === true) return 'help'
  const [folder, ...more] = positionals
  if (folder === undefined) throw wrongArgument('Missing folder of the recording. See --help')
  if (more.length > 0) throw wrongArgument(`Only one folder is allowed; unexpected: ${more.join(' ')}`)
  const { node, ...rest } = readNodeArguments(values)
  const startHeight = wholeNumber('--start-height', values['start-height'])
  if (values['real-time'] === true && node.head === undefined) {
    throw wrongArgument('--real-time needs --head: the height whose time is now')
  }
  return {
    node: {
      ...node,
      recording: folder,
      loop: values.loop ?? false,
      ...(startHeight === undefined ? {} : { startHeight }),
      ...(values.branch === undefined ? {} : { version: values.branch }),
      ...(values['real-time'] === true && node.head !== undefined
        ? { clock: { height: node.head, time: now, spacingMs: node.intervalMs ?? defaultSpacingMs } }
        : {}),
    },
    ...rest,
  }
}
