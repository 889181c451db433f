import { parseArgs } from 'node:util'
import { readArguments, wholeNumber, wrongArgument } from '../../simnode/server/node-arguments.ts'

export const demoHelp = `Runs all services on this machine, without internet access: a node with a simulated chain and a
temporary PostgreSQL. The variables of flowfarm apply (PORT, HOST, LLM_API_KEY, LOG_LEVEL, …).

Ports: PORT (8080, explorer), PROXY_PORT (8000, chat, query service and MCP), CHAT_PORT (3001), LSP_PORT (3002),
HTTP_PORT (3003, editor), WALLET_PORT (3004), ASK_PORT (8084), MCP_PORT (8085), TOOLS_PORT (8086).
With another PORT, unset ones follow it: chat PORT + 100, LSP + 200, editor + 300, ask + 400, MCP + 500, tools + 600,
wallet + 700, proxy + 800. PORT=0 picks free ports.

  npm run demo
  PORT=8081 npm run demo -- --blocks 2000

  --blocks <n>           blocks of history (default 10000)
  --seed <n>             seed of the chain (default 1)
  --still                no new blocks
  --recording <folder>   a recorded chain, for example test/recordings/base
  --help                 shows this text
`

export type DemoArguments =
  | { readonly chain: 'simulated'; readonly blocks: number; readonly seed: number; readonly isStill: boolean }
  | { readonly chain: 'recorded'; readonly folder: string; readonly isStill: boolean }

/** The newest 300 blocks are recent; the rest is spread over days. */
const minBlocks = 500

export function readDemoArguments(args: readonly string[]): DemoArguments | 'help' {
  const { values } = readArguments(() =>
    parseArgs({
      args: [...args],
      options: {
        blocks: { type: 'string' },
        seed: { type: 'string' },
        recording: { type: 'string' },
        still: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
      },
    }),
  )
  const { blocks, seed, recording, still: isStill, help } = values
  if (help === true) return 'help'
  if (recording === undefined) {
    return {
      chain: 'simulated',
      blocks: wholeNumber('--blocks', blocks, { min: minBlocks }) ?? 10_000,
      seed: wholeNumber('--seed', seed) ?? 1,
      isStill,
    }
  }
  if (blocks !== undefined || seed !== undefined) throw wrongArgument('--blocks and --seed do not apply to --recording')
  return { chain: 'recorded', folder: recording, isStill }
}
