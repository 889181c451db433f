import { blockOf, servedHeight } from '../../node/node-view.ts'
import type { NodeView } from '../../node/node-view.ts'
import type { UnaryMethod } from '../../node/unary-method.ts'
import { bytesField, bytesOf, contentsOf, numberOf } from '../../node/wire.ts'
import type { LedgerChain } from '../ledger-chain.ts'
import { executeScript } from './execute-script.ts'
import { LedgerScriptState } from './ledger-script-state.ts'

type LedgerMethod = UnaryMethod<LedgerChain>

/** The three calls that run scripts: `ExecuteScriptResponse` holds the value in its first field. */
export const scriptMethods: Readonly<Record<string, LedgerMethod>> = {
  ExecuteScriptAtLatestBlock: {
    answer: (view, request) => run(view, view.head, bytesOf(request, 1), contentsOf(request, 2)),
  },
  ExecuteScriptAtBlockHeight: {
    height: (_view, request) => numberOf(request, 1),
    answer: (view, request) =>
      run(view, servedHeight(view, numberOf(request, 1)), bytesOf(request, 2), contentsOf(request, 3)),
  },
  ExecuteScriptAtBlockID: {
    answer: (view, request) =>
      run(view, blockOf(view, bytesOf(request, 1)).height, bytesOf(request, 2), contentsOf(request, 3)),
  },
}

function run({ chain }: NodeView<LedgerChain>, height: number, source: Buffer, args: readonly Buffer[]): Buffer {
  return bytesField(1, executeScript(new LedgerScriptState(chain, height), source, args))
}
