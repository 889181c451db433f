import { parseArgs } from 'node:util'
import { readArguments, wholeNumber, wrongArgument } from '../../simnode/server/node-arguments.ts'

export const demoHelp = `Runs everything on this machine, without the internet: a node with a chain of its own, a PostgreSQL that is thrown
away at the end, and all services. The variables of flowfarm hold here too (PORT, HOST, LLM_API_KEY, LOG_LEVEL, …).

Ports: the explorer PORT (8080); the proxy for chat, query service and MCP server PROXY_PORT (8000); CHAT_PORT (3001),
LSP_PORT (3002), HTTP_PORT of the editor (3003), WALLET_PORT (3004), ASK_PORT (8084), MCP_PORT (8085), TOOLS_PORT (8086).
With another PORT those that are not set follow it: chat PORT + 100, LSP + 200, editor + 300, ask + 400, MCP + 500,
tools + 600, wallet + 700, proxy + 800. PORT=0 picks free ports for all.

  npm run demo
  PORT=8081 npm run demo -- --blocks 2000

  --blocks <n>           so many blocks of history (default 10000)
  --seed <n>             which chain (default 1)
  --still                the chain stands still
  --recording <folder>   instead of a simulated chain a recorded one, e.g. test/recordings/base
  --help                 this
`

export type DemoArguments =
  | { readonly chain: 'simulated'; readonly blocks: number; readonly seed: number; readonly isStill: boolean }
  | { readonly chain: 'recorded'; readonly folder: string; readonly isStill: boolean }

/** Least history: what is not recent is spread over days. */
const fewestBlocks = 500

/** Reads the arguments of `scripts/demo.ts`. @throws FatalError that says which is wrong */
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
      blocks: wholeNumber('--blocks', blocks, { min: fewestBlocks }) ?? 10_000,
      seed: wholeNumber('--seed', seed) ?? 1,
      isStill,
    }
  }
  if (blocks !== undefined || seed !== undefined)
    throw wrongArgument('--blocks and --seed are for a simulated chain: name either them or --recording')
  return { chain: 'recorded', folder: recording, isStill }
}
