import type { NodeView } from '../node/node-view.ts'
import type { UnaryMethod } from '../node/unary-method.ts'
import { bytesField, varintField } from '../node/wire.ts'
import { accountMethods } from './accounts/account-methods.ts'
import type { LedgerChain } from './ledger-chain.ts'
import { scriptMethods } from './scripts/script-methods.ts'

type LedgerMethod = UnaryMethod<LedgerChain>

const chainId = Buffer.from('flow-emulator')

/** The node's own data: a version, and where its spork begins. */
function versionInfo(view: NodeView): Buffer {
  return bytesField(
    1,
    Buffer.concat([
      bytesField(1, Buffer.from('v0.0.0')),
      bytesField(3, Buffer.alloc(32)),
      varintField(5, view.sporkRootHeight),
      varintField(6, view.sporkRootHeight),
    ]),
  )
}

/** The calls that are answered from what the ledger knows beside its blocks. */
export const ledgerMethods: Readonly<Record<string, LedgerMethod>> = {
  GetNetworkParameters: { answer: () => bytesField(1, chainId) },
  GetNodeVersionInfo: { answer: versionInfo },
  ...accountMethods,
  ...scriptMethods,
}
